"""Which fixed priors predict a class best."""
