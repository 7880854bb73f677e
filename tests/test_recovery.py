"""Tier 4: the truth is recovered on simulated classes of the paper's size, and intervals cover it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import peerage
from peerage.gradebook import STUDENT

SEEDS = range(5)


class Recovery(NamedTuple):
    """What one class's fit recovered of its students, and of its submissions."""

    reliability_spearman: float
    effort_spearman: float
    true_grade_error: float
    covered: dict[str, NDArray[np.bool_]]


def recover(seed: int) -> Recovery:
    """Class (b) of the paper, ten weeks, fitted with the hyperparameters that generated it."""
    book, truth = peerage.simulate(students=120, weeks=10, setting="b", seed=seed)
    posterior = peerage.fit(book, peerage.Model(), chains=2, draws=750, burn_in=150, seed=seed)
    graders = posterior.graders()[book.roles == STUDENT]
    students = {name: getattr(truth, name)[book.roles == STUDENT] for name in ("reliability", "bias", "effort")}
    expected = posterior.submissions()["expected"].to_numpy()
    latent = truth.true_grade[book.applicable]
    covered = {
        name: (graders[f"{name}_lower"] < values) & (values < graders[f"{name}_upper"])
        for name, values in students.items()
    }
    drawn = posterior.draws["true_grade"][:, :, book.applicable]
    lower, upper = np.quantile(drawn.reshape(-1, drawn.shape[-1]), [0.05, 0.95], axis=0)
    covered["true_grade"] = (lower < latent) & (latent < upper)
    return Recovery(
        float(stats.spearmanr(graders["reliability"], students["reliability"]).statistic),
        float(stats.spearmanr(graders["effort"], students["effort"]).statistic),
        float(np.abs(expected - np.clip(latent, 0, 5)).mean()),
        {name: np.asarray(values) for name, values in covered.items()},
    )


@pytest.mark.slow
def test_class_b_is_recovered_and_intervals_cover() -> None:
    """The bars are those that the model must reach in the mean over classes; seeds are the first five."""
    fits = [recover(seed) for seed in SEEDS]
    assert np.mean([fit.reliability_spearman for fit in fits]) >= 0.88
    assert np.mean([fit.effort_spearman for fit in fits]) >= 0.58
    assert np.mean([fit.true_grade_error for fit in fits]) <= 0.40
    for variable in ("true_grade", "reliability", "bias", "effort"):
        coverage = np.concatenate([fit.covered[variable] for fit in fits]).mean()
        assert 0.87 <= coverage <= 0.93, variable
