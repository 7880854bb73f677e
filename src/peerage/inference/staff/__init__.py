"""Staff's grades compared with what peers alone would give."""
