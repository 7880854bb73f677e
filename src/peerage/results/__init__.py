"""The results of a fit: their tables, their folder, and what is read back from it."""
