"""From the rows of sheets to a gradebook, whatever system they come from."""
