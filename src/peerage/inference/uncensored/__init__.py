"""The sampler of the uncensored models: reports are exact numbers."""
