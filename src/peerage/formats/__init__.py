"""The files people have, turned into a gradebook: one module per format."""

from __future__ import annotations

from peerage.formats.comparing import read_comparisons
from peerage.formats.reading import read_classes, read_grades

__all__ = ["read_classes", "read_comparisons", "read_grades"]
