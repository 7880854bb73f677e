"""The marks of each student: one for each assignment, and one for peer grading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from peerage.errors import InputError, Problem
from peerage.results.results import Results
from peerage.results.schema import TOTALS
from peerage.support.words.wording import counted, quoted

CREDIT_NAME = "Peer grading"
NO_AUTHORS = Problem(
    "does not say who wrote the submissions", "give the grades a column 'author' and fit again", TOTALS.file
)


@dataclass(frozen=True)
class Item:
    """Something that students get a mark for, and the highest mark. An assignment may have no name."""

    name: str
    points: float
    is_credit: bool = False


@dataclass(frozen=True, eq=False)
class StudentMarks:
    """The marks of a class.

    Attributes
    ----------
    items: the assignments in the order of the results, then peer grading if it was marked
    values: for each student, a mark for each item; None where there is none
    notices: what has no place in such a table, and why
    """

    items: tuple[Item, ...]
    values: Mapping[str, tuple[float | None, ...]]
    notices: tuple[Problem, ...]

    @classmethod
    def of(cls, results: Results) -> StudentMarks:
        """The marks in some results."""
        totals, ambiguous = _totals(results)
        if not totals:
            raise InputError(_nobody(ambiguous))
        credit = results.credit
        assignments = list(dict.fromkeys(assignment for _, assignment in totals))
        items = [Item(name, results.most_points[name]) for name in assignments]
        if credit:
            items.append(Item(CREDIT_NAME, results.most_credit, is_credit=True))
        students = dict.fromkeys([*(author for author, _ in totals), *credit])
        values = {
            student: tuple(
                credit.get(student) if item.is_credit else totals.get((student, item.name)) for item in items
            )
            for student in students
        }
        notices = (*without_author(results), *_several(ambiguous), *without_credit(results))
        return cls(tuple(items), values, notices)

    def without_credit(self) -> StudentMarks:
        """The marks for assignments alone."""
        return self._of([index for index, item in enumerate(self.items) if not item.is_credit])

    def of_assignments(self, names: Sequence[str]) -> StudentMarks:
        """The marks for some assignments, and for peer grading; all if none is named."""
        known = [item.name for item in self.items if not item.is_credit]
        for name in names:
            if name not in known:
                message = f"the results have no assignment {name!r}"
                raise InputError(Problem(message, f"use {quoted(known)}", setting="only"))
        return self._of(
            [index for index, item in enumerate(self.items) if not names or item.is_credit or item.name in names]
        )

    def _of(self, kept: Sequence[int]) -> StudentMarks:
        """The marks for some items, of the students who have any."""
        values = {student: tuple(marks[index] for index in kept) for student, marks in self.values.items()}
        present = {student: marks for student, marks in values.items() if any(mark is not None for mark in marks)}
        return StudentMarks(tuple(self.items[index] for index in kept), present, self.notices)


def _totals(results: Results) -> tuple[dict[tuple[str, str], float], list[tuple[str, str]]]:
    """The total of each author in each assignment, and the authors who have several submissions in one."""
    found: dict[tuple[str, str], list[float]] = {}
    for total in results.totals:
        if total.author:
            found.setdefault((total.author, total.assignment), []).append(total.total)
    ambiguous = [key for key, totals in found.items() if len(totals) > 1]
    return {key: totals[0] for key, totals in found.items() if len(totals) == 1}, ambiguous


def _nobody(ambiguous: Sequence[tuple[str, str]]) -> Problem:
    if not ambiguous:
        return NO_AUTHORS
    message = f"every author has several submissions in {_assignment(ambiguous[0][1])}"
    return Problem(message, "give the grades a column 'assignment' and fit again", TOTALS.file)


def without_author(results: Results) -> Iterator[Problem]:
    """A notice of the submissions that are nobody's."""
    unknown = [total.submission for total in results.totals if not total.author]
    if unknown:
        yield Problem(f"left out {counted(len(unknown), 'submission')} without an author: {everyone(unknown)}")


def _several(ambiguous: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    for assignment in dict.fromkeys(assignment for _, assignment in ambiguous):
        authors = [author for author, where in ambiguous if where == assignment]
        message = f"left out authors with several submissions in {_assignment(assignment)}: {everyone(authors)}"
        yield Problem(message, "enter their marks by hand")


def without_credit(results: Results) -> Iterator[Problem]:
    """Notices of the students who have no mark for peer grading, and of marks that are not what they should be."""
    if not results.has_credit:
        yield Problem("these results have no marks for peer grading", "fit the class again to get them")
        return
    students: dict[tuple[bool, str], list[str]] = {}
    for grader in results.grader_marks:
        if grader.role == "student" and (grader.credit is None or grader.note):
            students.setdefault((grader.credit is None, grader.note), []).append(grader.grader)
    for (is_missing, note), names in students.items():
        what = "no mark for peer grading" if is_missing else "marks for peer grading"
        yield Problem(f"{what}{f' ({note})' if note else ''}: {everyone(names)}")


def _assignment(name: str) -> str:
    return f"the assignment {name!r}" if name else "the only assignment"


def everyone(names: Sequence[str]) -> str:
    """All names in quotation marks: whoever is left out has to be found."""
    return ", ".join(map(repr, names))
