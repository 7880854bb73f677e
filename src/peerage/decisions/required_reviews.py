"""How many reviews students owe: in all, for each assignment, or for some assignments by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from peerage.errors import ModelError
from peerage.gradebook.book import Gradebook

EACH = "each"
"""The name that stands for every assignment that is not named."""

LONGEST = 6
"""How many digits a number of reviews can have."""


@dataclass(frozen=True)
class RequiredReviews:
    """What every student owes.

    Attributes
    ----------
    total: reviews of whatever there is, if no assignment has a number of its own
    by_assignment: reviews of each assignment, by its name or :data:`EACH`

    >>> str(RequiredReviews.parse("each=3, week1=2")), str(RequiredReviews.parse(6))
    ('each=3, week1=2', '6')
    """

    total: int = 0
    by_assignment: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: int | str) -> RequiredReviews:
        """Read ``12``, ``each=3`` or ``week1=2, week2=4``."""
        parts = [part.rpartition("=") for part in str(text).split(",")]
        numbers = [number.strip() for _, _, number in parts]
        names = [name.strip() for name, _, _ in parts]
        right = all(number.isascii() and number.isdecimal() and len(number) <= LONGEST for number in numbers)
        if right and names == [""] and "=" not in str(text):
            return cls(int(numbers[0]))
        if not right or not all(names) or len(set(names)) < len(names):
            message = f"{text!r} is not a number of reviews; write it as 12, each=3 or week1=2,week2=4"
            raise ModelError(message, setting="required_reviews")
        return cls(0, dict(zip(names, map(int, numbers), strict=True)))

    def __str__(self) -> str:
        return ", ".join(f"{name}={number}" for name, number in self.by_assignment.items()) or str(self.total)

    @property
    def plain(self) -> int | str:
        """The same as a plain value."""
        return str(self) if self.by_assignment else self.total

    def of(self, book: Gradebook) -> tuple[int, NDArray[np.int64]]:
        """What each student owes so far, and (graders,) how much of that each has done.

        An assignment that nobody has reviewed yet is not owed. More reviews than are owed for an assignment do not make
        up for another.
        """
        if not self.by_assignment:
            return self.total, np.minimum(np.bincount(book.review_grader, minlength=book.n_graders), self.total)
        names = np.array(book.assignments, dtype=object)[book.review_submission]
        owed, done = 0, np.zeros(book.n_graders, np.int64)
        for name in dict.fromkeys(names):
            number = self.by_assignment.get(name, self.by_assignment.get(EACH, 0))
            owed += number
            done += np.minimum(np.bincount(book.review_grader[names == name], minlength=book.n_graders), number)
        return owed, done
