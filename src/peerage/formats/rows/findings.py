"""What is found while a file is read: problems, which are fatal, and notices, which are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from peerage.errors import InputError, Problem

Result = TypeVar("Result")


class NothingLeftError(InputError):
    """Grades of which nothing is left to fit, though nothing is wrong with them."""


@dataclass
class Findings:
    """Problems and notices, gathered so that all of them can be said at once."""

    problems: list[Problem] = field(default_factory=list)
    notices: list[Problem] = field(default_factory=list)

    def note(self, message: str, remedy: str = "", *, setting: str = "") -> None:
        """Add a notice."""
        self.notices.append(Problem(message, remedy, setting=setting))

    def refuse(self) -> None:
        """Raise an error with all problems, if there are any."""
        if self.problems:
            raise InputError(self.problems)


def collect(found: Findings, steps: Iterable[Callable[[], Result]]) -> list[Result]:
    """Do every step, gather the problems of all of them, and give the results only if there are none."""
    results = []
    for step in steps:
        try:
            results.append(step())
        except InputError as error:
            found.problems += error.problems
    found.refuse()
    return results
