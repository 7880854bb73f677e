"""The systems whose files are recognised, one module or room each."""
