"""The sampler of the censored models: reports are bins of a continuous grade."""
