"""The version of this package, which also stands in pyproject.toml."""

__version__ = "0.1.0"
