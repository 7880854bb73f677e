"""The sampler on grids, for censored models with correlation and for the paper's grids: reports are bins of a grade."""
