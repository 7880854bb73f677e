"""Which model and which priors predict a class's reviews best: cross-validation, ablations and search."""
