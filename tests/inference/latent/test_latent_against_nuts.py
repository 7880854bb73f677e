"""The model with merit, halo, slopes and learned priors against another sampler: NumPyro's NUTS."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import peerage
from peerage.inference.numerics.hyperparameters import ERROR, HALO, HALO_HERE, MERIT, of_components
from peerage.model import Model
from support.references.kept_nuts import kept, moments_and_errors, shared_class
from support.references.shared_nuts import shared_model

FALSE_ALARM = 1e-3


@pytest.mark.slow
def test_posterior_agrees_with_nuts_within_monte_carlo_error() -> None:
    """Means of all entries of all variables and of what components share; they fail falsely once in a thousand runs."""
    pytest.importorskip("numpyro")
    book = shared_class()
    theirs = kept("shared", book, shared_model(book))
    posterior = peerage.fit(book, Model(habits=False), chains=4, draws=4000, burn_in=400, seed=0)
    hyper = posterior.samples.hyper
    ours = {name: np.asarray(posterior.draws[name], np.float64) for name in posterior.draws}
    ours |= {name: 1 / (1 + np.exp(-hyper[:, :, place])) for name, place in (("merit", MERIT), ("halo", HALO))}
    size = 1 / (1 + np.exp(-hyper[:, :, of_components(HALO_HERE, len(book.rubric))]))
    ours |= {"component_halo": size, "component_error": np.exp(hyper[:, :, of_components(ERROR, len(book.rubric))])}
    ours["slope"] = posterior.draws.slopes().astype(np.float64)
    gaps = []
    for name in theirs.moments:
        mean, error = theirs.of(name)[:2]
        draws = ours[name]
        our_mean, our_error = moments_and_errors(draws.reshape(*draws.shape[:2], -1), mean)[:2]
        gaps.append((our_mean - mean) / np.hypot(our_error, error))
    worst = np.abs(np.concatenate(gaps))
    assert worst.max() < stats.norm.isf(FALSE_ALARM / worst.size / 2)
