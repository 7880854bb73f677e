"""What a fit does not infer: the effort of all but students, instructors' reliability, and whatever the user fixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.errors import ModelError
from peerage.gradebook.book import INSTRUCTOR, MACHINE, MISSING, TA, Gradebook
from peerage.model import INSTRUCTOR_RELIABILITY, Model


@dataclass(frozen=True)
class KnownValues:
    """Fixed values of each grader, NaN where a value is inferred."""

    effort: NDArray[np.float64]
    reliability: NDArray[np.float64]
    bias: NDArray[np.float64]


def known_of_graders(model: Model, graders: dict[str, int], group: NDArray[np.int32]) -> KnownValues:
    """Clamps of TAs, instructors and machines, then what the user fixed."""
    fixed = model.fixed
    if fixed.effort and not model.effort:
        raise ModelError("effort is fixed for some graders but the model has no effort; leave one of the two out")
    effort = np.full(len(group), np.nan if model.effort else 1.0)
    effort[np.isin(group, (TA, INSTRUCTOR, MACHINE))] = 1.0
    reliability = np.where(group == INSTRUCTOR, INSTRUCTOR_RELIABILITY, np.nan)
    has_bias = model.bias and (model.learned or model.hyperparameters.sigma_b > 0)
    bias = np.full(len(group), np.nan if has_bias else 0.0)
    for name, values in (("effort", effort), ("reliability", reliability), ("bias", bias)):
        for grader, value in getattr(fixed, name).items():
            if grader not in graders:
                raise ModelError(f"the {name} of {grader!r} is fixed, but nobody of that id graded anything")
            values[graders[grader]] = value
    return KnownValues(effort, reliability, bias)


def fixed_levels(book: Gradebook, model: Model, cell_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """(cells,) the level at which each cell's true grade is fixed, or MISSING."""
    levels = np.full(int(cell_of.max()) + 1, MISSING, np.int64)
    submissions = {name: index for index, name in enumerate(book.submissions)} if model.fixed.true_grade else {}
    for (submission, component), grade in model.fixed.true_grade.items():
        if submission not in submissions or component not in book.rubric.names:
            raise ModelError(
                f"the true grade of {submission!r} in {component!r} is fixed, but the grades have no such entry"
            )
        cell = cell_of[submissions[submission], book.rubric.names.index(component)]
        if cell < 0:
            raise ModelError(f"the true grade of {submission!r} is fixed in {component!r}, which nobody graded there")
        grades = book.rubric[component].grades
        if not grades[0] <= grade <= grades[-1]:
            legal = f"{grades[0]:g} to {grades[-1]:g}"
            raise ModelError(
                f"the true grade of {submission!r} in {component!r} is fixed at {grade:g}, outside {legal}"
            )
        levels[cell] = book.rubric[component].level_of(grade)
    return levels
