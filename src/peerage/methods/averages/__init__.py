"""Averages: one pass over the reports, or a linear system."""
