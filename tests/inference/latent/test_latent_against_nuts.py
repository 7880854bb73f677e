"""The model with merit, halo, slopes and learned priors against another sampler: NumPyro's NUTS."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import peerage
from peerage.inference.numerics.diagnostics import rhat_and_ess
from peerage.inference.numerics.hyperparameters import HALO, MERIT
from peerage.model import Model
from support.shared_nuts import shared_nuts

FALSE_ALARM = 1e-3


def mean_and_error(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means over (chain, draw, entry), and their Monte-Carlo standard errors."""
    effective = rhat_and_ess(draws).ess_bulk
    return draws.mean(axis=(0, 1)), draws.std(axis=(0, 1)) / np.sqrt(effective)


@pytest.mark.slow
def test_posterior_agrees_with_nuts_within_monte_carlo_error() -> None:
    """Means of all entries of all variables and of both shares; together they fail falsely once in a thousand runs."""
    pytest.importorskip("numpyro")
    book, _ = peerage.simulate(students=16, weeks=1, tas=0, components=3, seed=4, merit=0.6, halo=0.5, scale=0.3)
    theirs = shared_nuts(book, seed=0, warmup=600, draws=1500, chains=2)
    posterior = peerage.fit(book, Model(habits=False), chains=4, draws=4000, burn_in=400, seed=0)
    hyper = posterior.samples.hyper
    ours = {name: np.asarray(posterior.draws[name], np.float64) for name in posterior.draws}
    ours |= {name: 1 / (1 + np.exp(-hyper[:, :, place])) for name, place in (("merit", MERIT), ("halo", HALO))}
    ours["slope"] = posterior.draws.slopes().astype(np.float64)
    gaps = []
    for name, right in theirs.items():
        left, right = (array.reshape(*array.shape[:2], -1) for array in (ours[name], right))
        (our_mean, our_error), (their_mean, their_error) = mean_and_error(left), mean_and_error(right)
        gaps.append((our_mean - their_mean) / np.hypot(our_error, their_error))
    worst = np.abs(np.concatenate(gaps))
    assert worst.max() < stats.norm.isf(FALSE_ALARM / worst.size / 2)
