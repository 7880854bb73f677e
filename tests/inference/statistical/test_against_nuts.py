"""The sampler against another one: NumPyro's NUTS on the same posterior, in continuous variables, effort summed out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import peerage
from peerage.inference.numerics.diagnostics import rhat_and_ess
from support.nuts import nuts

FALSE_ALARM = 1e-3
VARIABLES = ("true_grade", "reliability", "bias", "effort")


def moments_and_errors(draws: np.ndarray, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means of each entry and of its squared distance from a centre, and their Monte-Carlo standard errors."""
    means, errors = [], []
    for values in (draws, (draws - centre) ** 2):
        effective = rhat_and_ess(values).ess_bulk
        means.append(values.mean(axis=(0, 1)))
        errors.append(values.std(axis=(0, 1)) / np.sqrt(effective))
    return np.array(means), np.array(errors)


@pytest.mark.slow
def test_posterior_agrees_with_nuts_within_monte_carlo_error() -> None:
    """Means and variances of every entry of every variable; together they fail falsely once in a thousand runs."""
    pytest.importorskip("numpyro")
    book, _ = peerage.simulate(students=20, weeks=2, tas=1, components=2, seed=3)
    priors = peerage.Priors.paper()
    theirs = nuts(book, priors, seed=0, warmup=300, draws=700, chains=2)
    ours = peerage.fit(book, peerage.Model(priors=priors), chains=4, draws=4000, seed=0).draws
    gaps = []
    for variable in VARIABLES:
        left = np.asarray(ours[variable], np.float64)
        right = np.asarray(theirs[variable], np.float64)
        left, right = (array.reshape(*array.shape[:2], -1) for array in (left, right))
        moving = right.std(axis=(0, 1)) > 0
        centre = right[:, :, moving].mean(axis=(0, 1))
        our_means, our_errors = moments_and_errors(left[:, :, moving], centre)
        their_means, their_errors = moments_and_errors(right[:, :, moving], centre)
        gaps.append(((our_means - their_means) / np.hypot(our_errors, their_errors)).ravel())
    worst = np.abs(np.concatenate(gaps))
    assert worst.max() < stats.norm.isf(FALSE_ALARM / worst.size / 2)
