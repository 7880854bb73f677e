"""The sampler of censored models without correlation: reports before rounding are drawn too, and all else is normal."""
