"""The files people have, turned into a gradebook: one module per format."""
