"""Files that nobody has described: questions, guesses, and the mapping that results."""
