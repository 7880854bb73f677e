"""The gradebook: one validated, immutable table of who graded what, and what the staff rule about it."""

from peerage.gradebook.book import MISSING, ROLES, STUDENT, Gradebook

__all__ = ["MISSING", "ROLES", "STUDENT", "Gradebook"]
