"""Graders who never go below a grade of their own: their lowest grade says "this or less" (docs/model.md, F1).

This is a rule, not something that is inferred: with few reports at the lowest grade it makes next to no difference.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FEWEST = 6
"""How often a grader's lowest grade has to be given: with so many, some would be expected below it."""

HIGHER = 2
"""How many higher grades the grader gives, at least; others give one grade by habit."""

LARGEST_SHARE = 0.8
"""The largest share of a grader's reports that the lowest grade may have, for the same reason."""


def lowest_grades(n_graders: int, grader: NDArray[np.integer], value: Floats) -> Floats:
    """(graders,) the grade, on the model's scale, below which each grader does not go; −∞ where there is no such grade.

    ``grader`` and ``value`` are of the reports that tell. The lowest grade of the scale says "this or less" anyhow.
    """
    found = np.full(n_graders, -np.inf)
    order = np.lexsort((value, grader))
    for own in np.split(order, np.flatnonzero(np.diff(grader[order])) + 1):
        given, counts = np.unique(value[own], return_counts=True)
        if len(given) > HIGHER and given[0] > 0 and FEWEST <= counts[0] <= LARGEST_SHARE * len(own):
            found[grader[own[0]]] = given[0]
    return found
