"""What a TA's grade of a submission is expected to be worth: by how much it reduces the posterior variance.

The squared error that is expected of a component's grade is the variance, in points, of the true grade, cut at the
rubric's ends; between two legal grades points are interpolated. For every grade that a TA might report, the posterior
of the true grade is updated and the variance taken again; its expectation over the reports is subtracted from the
variance now. What staff are told is the same in points: the loss, which is the expected distance between the best
estimate and the true grade. The TA's bias is left out: it is learned from the TA's other grades, and is the same for
every candidate. What a check teaches about its graders, and so about their other submissions, is left out too: it is
small, and counting it made no choice better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from peerage.decisions.explain.submission_cases import graded_by_staff
from peerage.decisions.posterior_needs import GradedCells, drawn_true_grades
from peerage.gradebook.book import MISSING, TA
from peerage.inference.numerics.likelihood import log_bin_masses
from peerage.inference.posterior import Posterior
from peerage.rubric import MODEL_MAXIMUM, Component

MOST_GRADES = 26
"""A component with more grades than this is thinned to so many."""

_STEP = 0.05
_GRID = np.arange(-1.0 + _STEP / 2, MODEL_MAXIMUM + 1.0, _STEP)
"""The cells of the sampler's grid, of which a cut-point rarely splits one."""

_NODES = 32

_AT_A_TIME, _BLOCK = 10_000, 32
"""Of how many components' grades histograms are held in memory, and of how many a processor's cache holds the draws."""

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Benefit:
    """What a TA's grade is worth; each is (submissions,).

    Attributes
    ----------
    candidates: the submissions with a component that staff have neither graded nor fixed
    loss, reduced: the loss of the grade now, and what a TA's grade takes off it, in points
    gain: what it takes off the variance of the submission's grades, in squared points
    """

    candidates: Flags
    loss: Floats
    reduced: Floats
    gain: Floats


def benefit_of(posterior: Posterior, drawn: NDArray[np.float32] | None = None) -> Benefit:
    """The benefit of a TA's grade, for every submission; ``drawn`` are the true grades, if they are at hand."""
    cells, book = GradedCells.of(posterior), posterior.book
    is_open = ~graded_by_staff(book)[book.applicable] & (cells.fixed_level == MISSING)
    precisions = _ta_precisions(posterior)
    drawn = drawn_true_grades(posterior) if drawn is None else drawn
    checks = [_Check.of(component, precisions) for component in book.rubric.components]
    loss, reduced, gain = np.zeros((3, len(cells)))
    for start in range(0, len(cells), _AT_A_TIME):
        some = slice(start, start + _AT_A_TIME)
        masses, component = _histograms(drawn.reshape(-1, len(cells))[:, some]), cells.component[some]
        for index, check in enumerate(checks):
            mine = np.flatnonzero(component == index)
            loss[start + mine], reduced[start + mine], gain[start + mine] = check.losses(masses[mine])
    candidates = cells.added_up(is_open.astype(np.int64)) > 0
    reduced, gain = (cells.added_up(np.where(is_open, values, 0.0)) for values in (reduced, gain))
    return Benefit(candidates, cells.added_up(loss), reduced, gain)


def _ta_precisions(posterior: Posterior) -> Floats:
    """Reliabilities that a TA may have: those of the class's TAs as drawn, or else those of the prior."""
    tas = np.flatnonzero(posterior.book.roles == TA)
    levels = (np.arange(_NODES) + 0.5) / _NODES
    if len(tas):
        return np.asarray(np.quantile(posterior.draws["reliability"][:, :, tas], levels), dtype=float)
    priors = posterior.hyperparameters
    return np.asarray(gammaincinv(priors.alpha_tau_ta, levels) / priors.beta_tau_ta)


@dataclass(frozen=True, eq=False)
class _Check:
    """What a TA's report on a component says at each point of the grid.

    Attributes
    ----------
    points: what a true grade there is worth
    distance: from there to each point on the rubric's scale, in points
    likelihood: (reports, grid) the probability of each report, in the mean over TAs
    """

    points: Floats
    distance: Floats
    likelihood: Floats

    @classmethod
    def of(cls, component: Component, precisions: Floats) -> _Check:
        """By the reliabilities that a TA may have."""
        last = component.n_levels - 1
        kept = np.unique(np.linspace(0, last, min(component.n_levels, MOST_GRADES)).round().astype(int))
        cuts = (component.scaled[kept][1:] + component.scaled[kept][:-1]) / 2
        points = np.interp(_GRID, component.scaled, component.worth)
        distance = np.abs(points[:, None] - points[(_GRID >= 0) & (_GRID <= MODEL_MAXIMUM)])
        likelihood = np.exp(log_bin_masses(cuts, np.arange(len(kept)), _GRID, precisions)).mean(axis=1)
        return cls(points, distance, likelihood)

    def losses(self, mass: Floats) -> tuple[Floats, Floats, Floats]:
        """(cells,) each: the loss of some grades, and what a TA's report takes off it and off the variance."""
        now = (mass @ self.distance).min(axis=1)
        after, known = np.zeros((2, len(mass)))
        for row in self.likelihood:
            after += ((mass * row) @ self.distance).min(axis=1)
            known += (mass @ (row * self.points)) ** 2 / np.maximum(mass @ row, 1e-300)
        return now, now - after, known - (mass @ self.points) ** 2


def _histograms(drawn: NDArray[np.float32]) -> Floats:
    """(cells, grid): the share of the draws of each cell that lie nearest to each point."""
    n_draws, n_cells = drawn.shape
    shares = np.empty((n_cells, len(_GRID)))
    for start in range(0, n_cells, _BLOCK):
        # In the draws' own 32 bits, which takes half the time.
        nearest = np.rint((drawn[:, start : start + _BLOCK] - np.float32(_GRID[0])) / np.float32(_STEP))
        place = np.clip(nearest, 0, len(_GRID) - 1, out=nearest).astype(np.intp)
        width = place.shape[1]
        place += np.arange(width) * len(_GRID)
        counts = np.bincount(place.ravel(), minlength=width * len(_GRID))
        shares[start : start + _BLOCK] = counts.reshape(width, len(_GRID)) / n_draws
    return shares
