"""An honest choice of model: the simplest that predicts reviews as well as any.

Models with and without bias and effort, without what components share, without slopes and, where students wrote what is
graded, with correlation are fitted and compared by leave-one-out predictive probability. A richer model is taken only
if it is better by more than two standard errors. Correlation is compared but never taken unasked: it lets a student's
own grading move the student's grade.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.gradebook.book import Gradebook
from peerage.inference.chosen_model import COLUMNS, ModelChoice
from peerage.inference.posterior import Posterior
from peerage.model import Model

MARGIN = 2.0
"""How many standard errors better a richer model must be."""

Fit = Callable[[Model], Posterior]


def candidates(book: Gradebook, base: Model) -> list[Model]:
    """The models that are compared, simplest first; correlation only where some student wrote what others graded."""
    plain = [
        replace(base, bias=bias, effort=effort, correlation=False)
        for bias, effort in itertools.product((False, True), repeat=2)
        if effort or not base.fixed.effort
    ]
    full = replace(base, bias=True, effort=True, correlation=False)
    if full.has_scale:
        plain.append(replace(full, scale=False))
    if len(book.rubric) > 1 and (full.has_merit or full.has_halo):
        plain.append(replace(full, merit=False, halo=False))
    plain.sort(key=lambda model: model.bias + model.effort + model.has_scale + (model.has_merit or model.has_halo))
    if graders_wrote(book):
        return [*plain, replace(base, bias=True, effort=True, correlation=True)]
    return plain


def graders_wrote(book: Gradebook) -> bool:
    """Whether some grader is known to have written what others graded."""
    graders = set(book.graders)
    return any(name in graders for names in book.authors for name in names)


def choose(book: Gradebook, base: Model, fit: Fit) -> tuple[Model, ModelChoice]:
    """Compare all candidates, fitted by ``fit``, and take one."""
    fitted = [(model, fit(model)) for model in candidates(book, base)]
    owner = np.asarray(book.review_submission)
    scores = [posterior.leave_one_out.log_mass for _, posterior in fitted]
    taken = _simplest(fitted, scores, owner)
    chosen = expected_grades(fitted[taken][1])
    rows = []
    for index, (model, posterior) in enumerate(fitted):
        difference, error = compare(scores[index], scores[taken], owner)
        change = np.abs(expected_grades(posterior) - chosen)
        rows.append(
            (
                model.name,
                model.bias,
                model.effort,
                model.correlation,
                float(scores[index].sum()),
                difference,
                error,
                float(change.mean()),
                index == taken,
            )
        )
    return fitted[taken][0], ModelChoice(pd.DataFrame(rows, columns=list(COLUMNS)))


def compare(one: NDArray[np.float64], other: NDArray[np.float64], owner: NDArray[np.integer]) -> tuple[float, float]:
    """How much larger one model's log predictive probability is, and the standard error from sums by submission."""
    by_submission = np.bincount(owner, one - other)
    by_submission = by_submission[np.bincount(owner) > 0]
    count = len(by_submission)
    return float(by_submission.sum()), float(np.sqrt(count * by_submission.var(ddof=min(count - 1, 1))))


def _simplest(fitted: list[tuple[Model, Posterior]], scores: list[NDArray[np.float64]], owner: Any) -> int:
    """The first, that is simplest, model that is not worse than any richer one by more than the margin."""
    plain = [index for index, (model, _) in enumerate(fitted) if not model.correlation]
    for index in plain:
        rivals = (compare(scores[rival], scores[index], owner) for rival in plain if rival != index)
        if all(difference <= MARGIN * error for difference, error in rivals):
            return index
    return max(plain, key=lambda index: float(scores[index].sum()))


def expected_grades(posterior: Posterior) -> NDArray[np.float64]:
    """(cells,) the expected grade of each submission's components, on the model's scale."""
    component_of, mass = posterior.layout.reports.cell_component, posterior.samples.level_mass
    grades = np.zeros(len(component_of))
    for index, component in enumerate(posterior.book.rubric.components):
        mine = component_of == index
        grades[mine] = mass[mine, : component.n_levels] @ component.scaled
    return grades
