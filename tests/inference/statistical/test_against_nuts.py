"""The sampler against another one: NumPyro's NUTS on the same posterior, in continuous variables, effort summed out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import peerage
from support.references.kept_nuts import kept, moments_and_errors, paper_class
from support.references.nuts import paper_model

FALSE_ALARM = 1e-3
VARIABLES = ("true_grade", "reliability", "bias", "effort")


@pytest.mark.slow
def test_posterior_agrees_with_nuts_within_monte_carlo_error() -> None:
    """Means and variances of every entry of every variable; together they fail falsely once in a thousand runs."""
    pytest.importorskip("numpyro")
    book, priors = paper_class(), peerage.Priors.paper()
    theirs = kept("paper", book, paper_model(book, priors))
    ours = peerage.fit(book, peerage.Model(priors=priors), chains=4, draws=4000, seed=0).draws
    gaps = []
    for variable in VARIABLES:
        draws = np.asarray(ours[variable], np.float64)
        draws = draws.reshape(*draws.shape[:2], -1)[:, :, theirs.moving(variable)]
        right = theirs.of(variable)
        left = moments_and_errors(draws, right[0])
        gaps.append(((left[::2] - right[::2]) / np.hypot(left[1::2], right[1::2])).ravel())
    worst = np.abs(np.concatenate(gaps))
    assert worst.max() < stats.norm.isf(FALSE_ALARM / worst.size / 2)
