"""Grades that explain themselves: weighted averages of what was reported."""
