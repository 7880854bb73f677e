"""Whether a fit can be trusted: convergence, leave-one-out, predictive checks."""
