"""The gradebook: one validated, immutable, sparse table of who graded what.

A *review* is one grader on one submission; it holds a level (an index into the component's legal grades) for each
component that was graded and -1 for each that was not. Ids are text, in the order in which the file names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.gradebook.input_files import InputFile
from peerage.gradebook.rulings import Exclusion, SelfGrade
from peerage.gradebook.writing import with_self_grades, write_grades
from peerage.rubric import FORBIDDEN, Rubric

ROLES = ("student", "ta", "instructor", "machine")
"""The roles that a grader can have; ``Gradebook.roles`` holds indexes into this tuple."""

STUDENT, TA, INSTRUCTOR, MACHINE = range(4)

ROLE_WORDS = dict(zip(ROLES, ("student", "TA", "instructor", "machine"), strict=True))
"""The roles as people write them. A machine is a language model or an autograder."""

MISSING = -1
"""The level of a component that a review did not grade."""


@dataclass(frozen=True, eq=False)
class Gradebook:
    """Who graded what, as arrays whose entries refer to the ids in ``submissions`` and ``graders``.

    Attributes
    ----------
    rubric: the components and their legal grades
    submissions, graders: ids, in the order of the file
    roles: (graders,) index into :data:`ROLES`
    authors: for each submission, the ids of its authors; empty where unknown
    assignments: for each submission, its assignment; ``""`` where unknown
    review_submission, review_grader: (reviews,) indexes into ``submissions`` and ``graders``
    levels: (reviews, components) index of the reported grade, or :data:`MISSING`
    times: (reviews,) when each review was given (``NaT`` where unknown), or None
    comments: for each review what its grader wrote, ``""`` if nothing; empty if there is no comment at all
    self_grades: what authors gave their own work, which counts nowhere
    notices: what was surprising in the data and how it was dealt with
    exclusions: reviews that the staff took out, which nothing here knows of
    inputs: the files that were read, if it was read from files
    also_applicable: (submissions, components) which components belong to which submissions though no review at hand
        tells, or None; part of :attr:`applicable`
    """

    rubric: Rubric
    submissions: tuple[str, ...]
    graders: tuple[str, ...]
    roles: NDArray[np.int8]
    authors: tuple[tuple[str, ...], ...]
    assignments: tuple[str, ...]
    review_submission: NDArray[np.int32]
    review_grader: NDArray[np.int32]
    levels: NDArray[np.int16]
    times: NDArray[np.datetime64] | None = None
    comments: tuple[str, ...] = ()
    self_grades: tuple[SelfGrade, ...] = ()
    notices: tuple[Problem, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    also_applicable: NDArray[np.bool_] | None = None
    inputs: tuple[InputFile, ...] = ()

    def __post_init__(self) -> None:
        if self.times is not None and np.isnat(np.asarray(self.times, dtype="datetime64[us]")).all():
            object.__setattr__(self, "times", None)
        if not any(self.comments):
            object.__setattr__(self, "comments", ())
        dtypes: tuple[tuple[str, Any], ...] = (
            ("roles", np.int8),
            ("review_submission", np.int32),
            ("review_grader", np.int32),
            ("levels", np.int16),
            ("times", "datetime64[us]"),
            ("also_applicable", np.bool_),
        )
        for name, dtype in dtypes:
            if getattr(self, name) is None:
                continue
            array = np.ascontiguousarray(getattr(self, name), dtype=dtype)
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        self._validate()

    @property
    def n_submissions(self) -> int:
        """How many submissions there are."""
        return len(self.submissions)

    @property
    def n_graders(self) -> int:
        """How many graders there are."""
        return len(self.graders)

    @property
    def n_reviews(self) -> int:
        """How many reviews there are: pairs of a grader and a submission."""
        return len(self.review_submission)

    @property
    def n_grades(self) -> int:
        """How many component grades there are in all reviews."""
        return int(np.count_nonzero(self.levels != MISSING))

    @cached_property
    def is_staff(self) -> NDArray[np.bool_]:
        """(graders,) whether the grader is a TA or an instructor; a machine is neither staff nor a student."""
        return np.isin(self.roles, (TA, INSTRUCTOR))

    @cached_property
    def applicable(self) -> NDArray[np.bool_]:
        """(submissions, components): whether the component belongs to the submission's assignment.

        A component belongs to an assignment when anybody graded it on any of the assignment's submissions, or where
        ``also_applicable`` says so.
        """
        _, assignment = np.unique(np.array(self.assignments, dtype=object).astype(str), return_inverse=True)
        graded = np.zeros((int(assignment.max(initial=0)) + 1, len(self.rubric)), dtype=bool)
        np.logical_or.at(graded, assignment[self.review_submission], self.levels != MISSING)
        told = np.asarray(graded[assignment])
        return told if self.also_applicable is None else told | self.also_applicable

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """(reviews, components): the reported grades in the rubric's units, NaN where missing."""
        values = np.full(self.levels.shape, np.nan)
        for index, component in enumerate(self.rubric.components):
            graded = self.levels[:, index] != MISSING
            values[graded, index] = component.values[self.levels[graded, index]]
        values.setflags(write=False)
        return values

    def table(self, *, wide: bool = False) -> pd.DataFrame:
        """The grades in long form: submission, grader, component, grade, assignment, author, role, time, comment.

        In the ``wide`` form there is a row per review and, instead of component and grade, a column per component.
        Assignment, author, time and comment are left out where none is known.
        """
        if wide:
            review = np.arange(self.n_reviews)
            grades = dict(zip(self.rubric.names, self.values.T, strict=True))
        else:
            review, component = np.nonzero(self.levels != MISSING)
            names = np.array(self.rubric.names, dtype=object)[component]
            grades = {"component": names, "grade": self.values[review, component]}
        return pd.DataFrame(self._ids(review) | grades | self._circumstances(review))

    def _ids(self, review: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
        return {
            "submission": np.array(self.submissions, dtype=object)[self.review_submission[review]],
            "grader": np.array(self.graders, dtype=object)[self.review_grader[review]],
        }

    def _circumstances(self, review: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
        submission, grader = self.review_submission[review], self.review_grader[review]
        columns: dict[str, NDArray[Any]] = {}
        if any(self.assignments):
            columns["assignment"] = np.array(self.assignments, dtype=object)[submission]
        if any(self.authors):
            joined = np.array([";".join(authors) for authors in self.authors], dtype=object)
            columns["author"] = joined[submission]
        columns["role"] = np.array(ROLES, dtype=object)[self.roles[grader]]
        if self.times is not None:
            columns["time"] = self.times[review]
        if self.comments:
            columns["comment"] = np.array(self.comments, dtype=object)[review]
        return columns

    def select(self, reviews: NDArray[np.bool_]) -> Gradebook:
        """Keep some reviews; all submissions and graders keep their places, even those left without any."""
        mask = np.asarray(reviews)
        if mask.shape != (self.n_reviews,) or mask.dtype != bool:
            raise InputError(f"the reviews to select must be a mask of {self.n_reviews} true or false values")
        return replace(
            self,
            review_submission=self.review_submission[mask],
            review_grader=self.review_grader[mask],
            levels=self.levels[mask],
            times=None if self.times is None else self.times[mask],
            comments=self.comments_of(np.flatnonzero(mask)),
            also_applicable=self.applicable,
        )

    def comments_of(self, reviews: Iterable[int]) -> tuple[str, ...]:
        """The comments of some reviews, in their order; none if there are no comments."""
        return tuple(self.comments[review] for review in reviews) if self.comments else ()

    def write(self, path: str | Path, *, wide: bool = False, rubric: bool = False) -> None:
        """Write the grades as CSV, TSV, XLSX or Parquet, by the suffix; with ``rubric``, a rubric.toml beside them."""
        table = with_self_grades(self.table(wide=wide), self.self_grades, wide=wide)
        write_grades(table, self.rubric, Path(path), wide=wide, with_rubric=rubric)

    def __repr__(self) -> str:
        return (
            f"Gradebook({self.n_grades:,} grades in {self.n_reviews:,} reviews of {self.n_submissions:,} submissions "
            f"by {self.n_graders:,} graders on {', '.join(self.rubric.names)})"
        )

    def _repr_html_(self) -> str:
        """The gradebook in a notebook: what it counts and its rubric."""
        counts = (("grades", self.n_grades), ("reviews", self.n_reviews), ("submissions", self.n_submissions))
        rows = [(noun, f"{number:,}") for noun, number in (*counts, ("graders", self.n_graders))]
        rows += [(component.name, component.legend) for component in self.rubric.components]
        cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in rows)
        notices = "".join(f"<li>{escape(str(notice))}</li>" for notice in self.notices)
        return f"<table><caption>Gradebook</caption>{cells}</table>" + (f"<ul>{notices}</ul>" if notices else "")

    def _validate(self) -> None:
        """Refuse arrays that do not fit together; files are checked, with row numbers, by the readers."""
        n_submissions, n_graders = len(self.submissions), len(self.graders)
        lengths = {self.review_grader.shape, self.review_submission.shape, self.levels.shape[:1]}
        if self.times is not None:
            lengths.add(self.times.shape)
        if self.comments:
            lengths.add((len(self.comments),))
        if lengths != {(self.n_reviews,)} or self.levels.shape[1:] != (len(self.rubric),):
            raise InputError("the gradebook's arrays do not agree in length")
        if not self.n_reviews or self.n_grades == 0:
            raise InputError("there is nothing to fit: the gradebook holds no grade")
        if len(self.authors) != n_submissions or len(self.assignments) != n_submissions:
            raise InputError("each submission needs an entry in authors and in assignments")
        if self.also_applicable is not None and self.also_applicable.shape != (n_submissions, len(self.rubric)):
            raise InputError("also_applicable needs a row for each submission and a column for each component")
        if self.roles.shape != (n_graders,) or not np.isin(self.roles, range(len(ROLES))).all():
            raise InputError("each grader needs a role")
        if len(set(self.submissions)) != n_submissions or len(set(self.graders)) != n_graders:
            raise InputError("the ids of submissions and of graders must be distinct")
        _validate_ids((*self.submissions, *self.graders), self.authors)
        for indexes, size in ((self.review_submission, n_submissions), (self.review_grader, n_graders)):
            if indexes.min() < 0 or indexes.max() >= size:
                raise InputError("a review refers to a submission or grader that is not listed")
        tops = np.array([component.n_levels for component in self.rubric.components])
        if (self.levels < MISSING).any() or (self.levels >= tops).any():
            raise InputError("a review has a grade that is not on the rubric")
        # Sorting takes a tenth of the time that looking for distinct pairs does.
        pairs = np.sort(self.review_submission.astype(np.int64) * n_graders + self.review_grader)
        if (pairs[1:] == pairs[:-1]).any():
            raise InputError("the same grader reviews a submission twice")


def _validate_ids(ids: Sequence[str], authors: Iterable[tuple[str, ...]]) -> None:
    # One search over all ids is much faster than one for each; only what it finds is looked at more closely.
    if not all(map(str.strip, ids)) or FORBIDDEN.search("".join(ids)):
        culprit = next(name for name in ids if not name.strip() or FORBIDDEN.search(name))
        raise InputError(f"an id must be text that is neither empty nor holds control characters, not {culprit!r}")
    for name in (name for names in authors for name in names):
        if not name or name != name.strip() or ";" in name or FORBIDDEN.search(name):
            raise InputError(f"an author must be an id without semicolons and outer spaces, not {name!r}")
