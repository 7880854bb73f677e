"""Compiled building blocks: arrays, grids, likelihood tables, hyperparameters."""
