"""Baselines: the mean, the median and the class average as predictors of a review, each with a fair distribution.

A baseline says one number x about a report: the mean or the median of the other reports of the same submission and
component or, where there is none, and always for the class average, the mean of the component in the class. The report
is then predicted by

    P(level) = (1 − w) · [Φ((high − m)/σ) − Φ((low − m)/σ)] + w · (share of the level in the class),

where m = a + b·(x − x̄) and x̄ is the mean of x. Each component's a, b, σ and w are chosen by maximum likelihood from
reports that are not predicted. So a mean of few reports is drawn towards the class's mean as far as that helps, and
reports far from it are not taken for impossible. The components of a review are predicted independently. What is left
of this for the class average, which is always the same, is the share of the level in the class.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import ndtr

from peerage.evaluation.scoring import Score
from peerage.gradebook.book import MISSING, Gradebook
from peerage.gradebook.report_means import mean_and_median_of_others, scaled_values
from peerage.methods.averages.mean import ClassAverage, Mean
from peerage.methods.averages.median import Median
from peerage.methods.method_contract import Method
from peerage.rubric import Component

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

MEAN, MEDIAN, AVERAGE = "mean", "median", "class average"
METHODS: dict[str, Method] = {
    MEAN: Mean(name="mean"),
    MEDIAN: Median(name="median"),
    AVERAGE: ClassAverage(name="class-average"),
}
BASELINES = tuple(METHODS)

_BOUNDS = ((-5.0, 10.0), (0.0, 1.5), (np.log(0.05), np.log(20.0)))
"""Of the level, the slope and log σ; a bin of a 0–100 component is 0.05 wide."""

_PRECISION = {"xatol": 1e-3, "fatol": 1e-2}
"""Where the search for the likeliest spread stops; a hundredth in the log likelihood of all reports matters nowhere."""


class Spread(NamedTuple):
    """How reports of a component scatter around a baseline."""

    origin: float
    level: float
    slope: float
    sd: float
    share: float
    histogram: Floats

    def mass(self, component: Component, said: Floats, levels: NDArray[np.integer]) -> Floats:
        """(reports,) the probability of each report's level, given what the baseline says of it."""
        centre = self.level + self.slope * (said - self.origin)
        low, high = ((component.edges[levels + above] - centre) / self.sd for above in (0, 1))
        return np.asarray((1 - self.share) * (ndtr(high) - ndtr(low)) + self.share * self.histogram[levels])

    @classmethod
    def of(cls, component: Component, said: Floats, levels: NDArray[np.integer]) -> Spread:
        """The likeliest one, from what a baseline says of some reports and their levels."""
        counts = np.bincount(levels, minlength=component.n_levels)
        histogram = (counts + 1) / (counts.sum() + component.n_levels)
        if np.ptp(said) == 0:
            return cls(0.0, 0.0, 0.0, 1.0, 1.0, histogram)
        pairs, weights = np.unique(np.stack([said, levels]), axis=1, return_counts=True)
        said, levels = pairs[0], pairs[1].astype(np.int64)
        total = weights.sum()
        origin, level = float(weights @ said / total), float(weights @ component.scaled[levels] / total)

        def at(point: Floats) -> Spread:
            return cls(origin, point[0], point[1], float(np.exp(point[2])), point[3], histogram)

        def surprise(point: Floats) -> float:
            return -float(weights @ np.log(at(point).mass(component, said, levels)))

        # As if one report more had come from the histogram: no report is impossible.
        shares = (1 / (total + 1), 1.0)
        start = np.array([level, 0.5, 0.0, 0.5])
        simplex = np.vstack([start, start + np.diag([0.5, 0.3, 0.5, -0.3])])
        # Nelder and Mead's method needs no linear algebra, whose threads would wait for those of other fits.
        options: Any = _PRECISION | {"initial_simplex": simplex}
        found = minimize(surprise, start, method="Nelder-Mead", bounds=(*_BOUNDS, shares), options=options)
        return at(found.x)


def score_baselines(book: Gradebook, folds: NDArray[np.int64], *, loo: bool) -> dict[str, Score]:
    """Predict all reviews, and the grades, by each baseline.

    The reviews of a fold are predicted with scatters estimated from the others alone. What a baseline says of them
    comes from the reviews of other folds or, with ``loo``, from all other reviews.
    """
    log_mass = {name: np.zeros(book.n_reviews) for name in BASELINES}
    seconds = dict.fromkeys(BASELINES, 0.0)
    others = mean_and_median_of_others(book, np.ones(book.n_reviews, bool))
    for fold in range(folds.max() + 1):
        held = folds == fold
        seen = _said(book, held, mean_and_median_of_others(book, ~held))
        said = _said(book, held, others) if loo else seen
        for name in BASELINES:
            begun = time.perf_counter()
            log_mass[name][held] = predicted(book, held, seen[name], said[name])
            seconds[name] += time.perf_counter() - begun
    grades = _grades(book)
    return {name: Score(log_mass[name], grades[name], seconds[name]) for name in BASELINES}


def _said(book: Gradebook, held: Mask, others: dict[str, Floats]) -> dict[str, Floats]:
    """(reviews, components) what each baseline says of each report; without others, the mean of what is seen."""
    average = np.broadcast_to(_averages(book, ~held), book.levels.shape)
    return {name: np.where(np.isnan(value), average, value) for name, value in others.items()} | {AVERAGE: average}


def _averages(book: Gradebook, known: Mask) -> Floats:
    """(components,) the mean of the known grades; the middle of the scale where there is none."""
    values = scaled_values(book)[known]
    counts = (~np.isnan(values)).sum(axis=0)
    return np.asarray(np.where(counts > 0, np.nansum(values, axis=0) / np.maximum(counts, 1), 2.5))


def predicted(book: Gradebook, held: Mask, said_of_seen: Floats, said: Floats) -> Floats:
    """(held-out reviews,) the log probability of each, with scatters estimated from the other reviews."""
    total = np.zeros(book.n_reviews)
    for index, component in enumerate(book.rubric.components):
        levels, graded = book.levels[:, index], book.levels[:, index] != MISSING
        seen, wanted = graded & ~held, np.flatnonzero(graded & held)
        spread = Spread.of(component, said_of_seen[seen, index], levels[seen]) if seen.any() else _unknown(component)
        total[wanted] += np.log(spread.mass(component, said[wanted, index], levels[wanted]))
    return total[held]


def _unknown(component: Component) -> Spread:
    """Where no report of a component is left: each level is as likely as another."""
    return Spread(0.0, 0.0, 0.0, 1.0, 1.0, np.full(component.n_levels, 1 / component.n_levels))


def _grades(book: Gradebook) -> dict[str, Floats]:
    """(cells,) the grade that each baseline gives each submission's components, on the model's scale."""
    found = {name: method.aggregate(book).scores for name, method in METHODS.items()}
    return {
        name: np.stack(
            [entry.to_model(scores[:, index]) for index, entry in enumerate(book.rubric.components)], axis=1
        )[book.applicable]
        for name, scores in found.items()
    }
