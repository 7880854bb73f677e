"""NUTS samples from the density of the twin, and what is kept of it is refused for any other density or class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from peerage.model import Model, Priors
from support.classes.tiny import PRIORS, tiny_class
from support.references import twin
from support.references.kept_nuts import kept, paper_class, shared_class
from support.references.nuts import log_density, paper_model

pytest.importorskip("numpyro", reason="numpyro is not installed")


@pytest.mark.parametrize("seed", range(5))
def test_density_is_that_of_the_twin_with_efforts_summed_out(seed: int) -> None:
    book, model = tiny_class(seed), Model(priors=PRIORS)
    state = twin.draw_prior(book, model, np.random.default_rng(seed))
    expected = twin.log_joint_without_efforts(book, model, state)
    assert log_density(book, PRIORS, state) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(("grade", "reliability"), [(40.0, 9.0), (-40.0, 9.0), (3.2, 1e-6), (3.2, 1e4)])
def test_density_is_that_of_the_twin_far_out(grade: float, reliability: float) -> None:
    book, model = tiny_class(0), Model(priors=PRIORS)
    state = twin.draw_prior(book, model, np.random.default_rng(0))
    given = twin.known(book, model, "reliability")
    state = replace(
        state,
        true_grade=np.full(state.true_grade.shape, grade),
        reliability=np.where(np.isnan(given), reliability, given),
    )
    expected = twin.log_joint_without_efforts(book, model, state)
    assert np.isfinite(expected)
    assert log_density(book, PRIORS, state) == pytest.approx(expected, rel=1e-9)


def test_what_was_kept_of_another_class_or_density_is_refused() -> None:
    book, other = paper_class(), Priors.paper(sigma_b=1.001)
    with pytest.raises(AssertionError, match="another class was kept"):
        kept("paper", shared_class(), paper_model(book, Priors.paper()))
    with pytest.raises(AssertionError, match="another density was kept"):
        kept("paper", book, paper_model(book, other))
