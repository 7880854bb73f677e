"""Files that are written whole, read within bounds, and appended to."""
