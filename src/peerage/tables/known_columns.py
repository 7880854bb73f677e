"""The columns that a table of grades can have, and what else people call them."""

from __future__ import annotations

FIELDS = ("submission", "grader", "component", "grade", "assignment", "author", "role", "time", "comment")
"""The columns with a meaning of their own; in the wide form any other column may be a component."""

SYNONYMS = {
    "submission": "submissionid paper paperid essay essayid artifact artifactid work workid reviewed",
    "grader": "graderid reviewer reviewerid rater raterid assessor marker evaluator judge gradedby reviewedby",
    "component": "criterion criteria rubricitem dimension question aspect",
    "grade": "score mark rating",
    "assignment": "assignmentid week homework exercise project",
    "author": "authors authorid writer submitter submittedby reviewee owner",
    "role": "graderrole reviewerrole",
    "time": "timestamp date datetime gradedat reviewedat submittedat createdat",
    "comment": "comments feedback remark remarks justification writtenfeedback overallfeedback",
}

WORKS = frozenset({"paper", "essay", "artifact", "work", "homework", "exercise", "project"})
"""Synonyms that name a kind of work. They can as well be what was graded: a component called ``Essay``."""

_FIELD_OF = {name: field for field, names in SYNONYMS.items() for name in (field, *names.split())}


def fold(name: str) -> str:
    """A name without regard to capitals and outer spaces."""
    return name.strip().casefold()


def field_of(name: str) -> str | None:
    """The field that a column's name stands for, if any; capitals, spaces and punctuation do not count."""
    return _FIELD_OF.get(_letters(name))


def names_work(name: str) -> bool:
    """Whether a column's name is that of a kind of work, which can be graded."""
    return _letters(name) in WORKS


def is_known(name: str) -> bool:
    """Whether the name stands for a field."""
    return field_of(name) is not None


def _letters(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
