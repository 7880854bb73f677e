"""All that decisions need of a posterior beside its tables and draws: no other module here looks into one.

Nor does any import what lies behind a posterior. What the others do import from its room are tools that know no
posterior: the compiler of kernels, and the probabilities of a normal's bins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import TA
from peerage.inference.features.correlated_authors import Correlation
from peerage.inference.layout import AUTHOR
from peerage.inference.numerics.hyperparameters import RELIABILITY, RELIABILITY_TA, SHAPE, TA_SHAPE
from peerage.inference.posterior import Posterior
from peerage.rubric import MODEL_MAXIMUM

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GradedCells:
    """The submissions' components that have a grade, submission by submission.

    Attributes
    ----------
    submission, component: (cells,) the place of each in the gradebook and the rubric
    fixed_level: (cells,) the level at which a true grade was fixed, or ``MISSING``
    level_mass: (cells, levels) the posterior probability of each level
    n_submissions: how many submissions there are, those without cells included
    """

    submission: NDArray[np.int64]
    component: NDArray[np.int32]
    fixed_level: NDArray[np.int64]
    level_mass: Floats
    n_submissions: int

    @classmethod
    def of(cls, posterior: Posterior) -> GradedCells:
        """The cells of a class."""
        layout, mass = posterior.layout, posterior.level_masses
        component = layout.reports.cell_component
        return cls(layout.cell_submission, component, layout.fixed_level, mass, posterior.book.n_submissions)

    def __len__(self) -> int:
        return len(self.submission)

    @property
    def starts(self) -> NDArray[np.intp]:
        """(submissions + 1,) where the cells of each submission begin, and where the last ones end."""
        return np.searchsorted(self.submission, np.arange(self.n_submissions + 1))

    def added_up(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sum the last axis, which is of cells, over each submission's."""
        starts = self.starts
        filled = np.flatnonzero(np.diff(starts))
        sums = np.zeros((*values.shape[:-1], self.n_submissions), values.dtype)
        sums[..., filled] = np.add.reduceat(values, starts[filled], axis=-1)
        return sums


def drawn_true_grades(posterior: Posterior) -> NDArray[np.float32]:
    """(chain, draw, cell) true grades on the model's scale."""
    return posterior.draws.on_model_scale("true_grade")


def reliability_priors(posterior: Posterior) -> tuple[Floats, Floats]:
    """Shape and rate of each grader's Gamma prior of reliability: (graders,), or (draws, graders) if it was learned.

    Learned ones are each draw's own: at the means of the hyperparameters, the tails are lighter than those that
    reliabilities were drawn from.
    """
    is_ta, priors = posterior.book.roles == TA, posterior.hyperparameters
    if not posterior.model.learned:
        shape = np.where(is_ta, priors.alpha_tau_ta, priors.alpha_tau)
        return shape, np.where(is_ta, priors.beta_tau_ta, priors.beta_tau)
    theta = posterior.samples.kept_hyper.reshape(-1, posterior.layout.n_hyper)[:, :, None]
    shape = np.where(is_ta, TA_SHAPE, np.exp(theta[:, SHAPE]))
    return shape, shape / np.exp(np.where(is_ta, theta[:, RELIABILITY_TA], theta[:, RELIABILITY]))


def tied_reliability_prior(posterior: Posterior) -> tuple[float, float]:
    """Mean and standard deviation of the normal prior of reliabilities that are tied to grades of own work."""
    priors = posterior.hyperparameters
    tied = Correlation.of(priors, *map(np.array, priors.for_components(len(posterior.book.rubric))))
    return tied.origin, tied.sd


def excess_over_staff(posterior: Posterior) -> float:
    """How much more students gave to work that staff did not grade than staff would have, on the model's scale.

    It is 0 where no staff tell the level. The students' mean bias would be too much, for the ends of the scale hide a
    part of it.
    """
    if not (posterior.model.learned and posterior.layout.has_bias and posterior.layout.has_staff):
        return 0.0
    table = posterior.submissions()
    table = table[table["staff_mean"].isna() & table["peer_mean"].notna()]
    if table.empty:
        return 0.0
    ranges = {part.name: part.values[-1] - part.values[0] for part in posterior.book.rubric.components}
    gap = (table["peer_mean"] - table["expected"]) / table["component"].map(ranges)
    return MODEL_MAXIMUM * float(gap.mean())


def biases_in_reviews(posterior: Posterior) -> NDArray[np.float64]:
    """(reviews,) each grader's expected bias, in the assignment of the review where biases drift."""
    book, draws = posterior.book, posterior.draws
    usual, drift = (values.mean(axis=(0, 1), dtype=float) for values in (draws["bias"], draws.drifts()))
    entries = posterior.layout.walks.entries(book.review_grader, book.review_submission)
    return np.asarray(usual[book.review_grader] + drift[entries])


def has_fixed_reliability(posterior: Posterior) -> NDArray[np.bool_]:
    """(graders,) whose reliability was not inferred."""
    return ~np.isnan(posterior.layout.known.reliability)


def is_tied_to_own_grades(posterior: Posterior) -> NDArray[np.bool_]:
    """(graders,) whose reliability the model ties to the grades of their own work."""
    return np.asarray(posterior.layout.group == AUTHOR)
