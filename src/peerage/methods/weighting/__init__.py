"""Methods that weight graders by how far they are from the others, or by their own grades."""
