"""The benchmark: kinds of class × methods × measures, with honest intervals."""
