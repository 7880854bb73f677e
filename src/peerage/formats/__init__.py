"""The files people have, turned into a gradebook: one module per format."""

from __future__ import annotations

from peerage.formats.read import from_table, read_classes, read_grades
from peerage.formats.tables import write_table
from peerage.formats.write import write_grades

__all__ = ["from_table", "read_classes", "read_grades", "write_grades", "write_table"]
