"""The default sampler: censored models without correlation. Reports before rounding are drawn too, so all is normal."""
