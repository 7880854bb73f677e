"""Words, numbers and characters as people read them."""
