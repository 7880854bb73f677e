"""All that decisions need of a posterior beside its tables and draws: no other module here looks into one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.inference.layout import AUTHOR
from peerage.inference.posterior import Posterior

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cells:
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
    def of(cls, posterior: Posterior) -> Cells:
        """The cells of a class."""
        layout = posterior.layout
        mass = posterior.samples.level_mass
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


def drawn_hyperparameters(posterior: Posterior) -> Floats:
    """(draw, coordinate) learned hyperparameters."""
    return posterior.samples.kept_hyper.reshape(-1, posterior.layout.n_hyper)


def has_fixed_reliability(posterior: Posterior) -> NDArray[np.bool_]:
    """(graders,) whose reliability was not inferred."""
    return ~np.isnan(posterior.layout.known.reliability)


def is_tied_to_own_grades(posterior: Posterior) -> NDArray[np.bool_]:
    """(graders,) whose reliability the model ties to the grades of their own work."""
    return np.asarray(posterior.layout.group == AUTHOR)
