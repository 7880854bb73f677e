"""The plan of a class: who hands in what, and who reviews it, before any grade is drawn.

Reviews are listed in the order in which they are given: calibrations, then week by week the students' and the TAs'.
Submissions are numbered as they first appear in that list, so that a file of the reviews names everything in order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.gradebook.book import INSTRUCTOR, STUDENT, TA, Gradebook
from peerage.rubric import Rubric
from peerage.simulation.matching import match

Indexes = NDArray[np.int64]


@dataclass(frozen=True)
class Size:
    """How large a class is and how its reviews are organised.

    Attributes
    ----------
    students, weeks, reviews_per_student: a student gives that many reviews in each week
    tas, ta_share: how many TAs there are, and the share of each week's submissions that one of them grades
    calibrations: submissions without author that the instructor and every student grade before the first week
    submissions_per_week: None for one a student (or team); otherwise those who have written least so far write,
        and where there are more submissions than students, some write several
    team_size: authors of one submission; without ``submissions_per_week``, students left over join a team
    """

    students: int = 120
    weeks: int = 10
    reviews_per_student: int = 4
    tas: int = 3
    ta_share: float = 0.25
    calibrations: int = 0
    submissions_per_week: int | None = None
    team_size: int = 1

    def __post_init__(self) -> None:
        lowest = {"students": 2, "tas": 0, "calibrations": 0}
        for name in ("students", "weeks", "reviews_per_student", "tas", "calibrations", "team_size"):
            _check_count(name, getattr(self, name), lowest.get(name, 1))
        if self.submissions_per_week is not None:
            _check_count("submissions_per_week", self.submissions_per_week, 1)
        if not 0 <= self.ta_share <= 1:
            raise InputError(f"ta_share is a share between 0 and 1, not {self.ta_share!r}")
        if self.team_size > self.students:
            raise InputError(f"{self.students} students do not fill a team of {self.team_size}")
        given = self.students * self.reviews_per_student
        if self.weekly > given:
            message = f"{self.weekly} submissions per week cannot each get a review: the students give only {given}"
            raise InputError(Problem(message, "ask for fewer submissions or more reviews per student"))

    @property
    def weekly(self) -> int:
        """How many submissions there are in a week."""
        return self.submissions_per_week or self.students // self.team_size


@dataclass(frozen=True)
class Schedule:
    """Who graded what, without the grades; ids and arrays as in a gradebook, authors as indexes of graders."""

    graders: tuple[str, ...]
    roles: NDArray[np.int8]
    submissions: tuple[str, ...]
    assignments: tuple[str, ...]
    authors: tuple[tuple[int, ...], ...]
    review_submission: Indexes
    review_grader: Indexes

    def book(self, rubric: Rubric, levels: NDArray[np.int16]) -> Gradebook:
        """The gradebook of the class once its reports are known, as (reviews, components) levels of the rubric."""
        return Gradebook(
            rubric=rubric,
            submissions=self.submissions,
            graders=self.graders,
            roles=self.roles,
            authors=tuple(tuple(self.graders[index] for index in team) for team in self.authors),
            assignments=self.assignments,
            review_submission=self.review_submission.astype(np.int32),
            review_grader=self.review_grader.astype(np.int32),
            levels=levels,
        )


@dataclass(frozen=True)
class _Round:
    """The submissions of a week (or the calibrations) and their reviews, both numbered by first appearance."""

    name: str
    authors: tuple[tuple[int, ...], ...]
    submission: Indexes
    grader: Indexes


def plan(size: Size, rng: np.random.Generator) -> Schedule:
    """Draw who writes and who reviews what in every week."""
    rounds = [_calibrations(size)] if size.calibrations else []
    first_ta = size.students + bool(size.calibrations)
    written = np.zeros(size.students, dtype=np.int64)
    checked = 0
    for week in range(size.weeks):
        authors = _authors(size, written, rng)
        spot_checked = _spot_checked(size, rng)
        # TAs take turns over the whole class, so that each of them grades the same number.
        turns = first_ta + (checked + np.arange(len(spot_checked))) % max(size.tas, 1)
        checked += len(spot_checked)
        name = _number("week", week, size.weeks)
        rounds.append(_week(name, size, authors, spot_checked, turns, rng))
    return _assemble(size, rounds)


def _calibrations(size: Size) -> _Round:
    graders = np.arange(size.students + 1)
    submission = np.tile(np.arange(size.calibrations), len(graders))
    return _Round("calibration", ((),) * size.calibrations, submission, np.repeat(graders, size.calibrations))


def _authors(size: Size, written: Indexes, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Draw this week's authors among those who have written least, and count what they write."""
    places = size.students if size.submissions_per_week is None else size.weekly * size.team_size
    order = rng.permutation(size.students)
    order = order[np.argsort(written[order], kind="stable")]
    writers = np.resize(order, places)
    np.add.at(written, writers, 1)
    teams = np.array_split(writers, size.weekly)
    return [tuple(sorted(team.tolist())) for team in teams]


def _spot_checked(size: Size, rng: np.random.Generator) -> Indexes:
    """The submissions of a week that TAs grade."""
    count = round(size.ta_share * size.weekly) if size.tas else 0
    return np.asarray(rng.permutation(size.weekly)[:count], dtype=np.int64)


def _week(
    name: str,
    size: Size,
    authors: list[tuple[int, ...]],
    spot_checked: Indexes,
    turns: Indexes,
    rng: np.random.Generator,
) -> _Round:
    own = [(author, submission) for submission, team in enumerate(authors) for author in team]
    student, submission = match(size.students, size.weekly, size.reviews_per_student, rng, banned=own)
    by_ta = np.argsort(turns, kind="stable")
    grader = np.concatenate([student, turns[by_ta]])
    submission = np.concatenate([submission, spot_checked[by_ta]])
    _, first, inverse = np.unique(submission, return_index=True, return_inverse=True)
    appearance = np.argsort(first)
    rank = np.argsort(appearance)
    return _Round(name, tuple(authors[index] for index in appearance), rank[inverse], grader)


def _assemble(size: Size, rounds: list[_Round]) -> Schedule:
    """Number the submissions and graders of all rounds through, leaving out TAs who got nothing to grade."""
    starts = np.cumsum([0, *(len(part.authors) for part in rounds)])
    grader = np.concatenate([part.grader for part in rounds])
    names, roles = _people(size)
    present = np.unique(grader)
    return Schedule(
        graders=tuple(names[index] for index in present),
        roles=roles[present],
        submissions=tuple(
            _number(f"{part.name}-", index, len(part.authors)) for part in rounds for index in range(len(part.authors))
        ),
        assignments=tuple(part.name for part in rounds for _ in part.authors),
        authors=tuple(team for part in rounds for team in part.authors),
        review_submission=np.concatenate(
            [start + part.submission for start, part in zip(starts, rounds, strict=False)]
        ),
        review_grader=np.searchsorted(present, grader),
    )


def _people(size: Size) -> tuple[list[str], NDArray[np.int8]]:
    """Names and roles of all who may grade: students, the instructor of calibrations, TAs."""
    instructors = 1 if size.calibrations else 0
    names = [_number("student", index, size.students) for index in range(size.students)]
    names += ["instructor"] * instructors
    names += [_number("ta", index, size.tas) for index in range(size.tas)]
    roles = np.repeat([STUDENT, INSTRUCTOR, TA], [size.students, instructors, size.tas]).astype(np.int8)
    return names, roles


def _number(prefix: str, index: int, count: int) -> str:
    """A name such as ``student007``, as wide as the last of ``count`` needs."""
    return f"{prefix}{index + 1:0{len(str(count))}d}"


def _check_count(name: str, value: object, lowest: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < lowest:
        raise InputError(f"{name} must be a whole number of at least {lowest}, not {value!r}")
