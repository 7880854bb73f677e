"""Tier 1 for biases that drift: each update against normal distributions with full covariance matrices.

That all other updates heed a drift is seen by what it is: a shift of a review's reports before rounding and their bins.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from peerage.inference.latent.given_reports import latent_drift
from peerage.inference.numerics.hyperparameters import DRIFT
from peerage.model import Model
from support.classes.latent_scene import DRAWS, LIMIT, Scene, difference, seen
from support.classes.shared_arena import COMPONENTS

Floats = NDArray[np.float64]

WEEKS = 3


@pytest.fixture
def scene() -> Scene:
    scene = Scene(model=Model(drift=True))
    latent_drift.load_walk_sums(scene.given.places, scene.given.beliefs.errors, scene.state, scene.work.walk_sums)
    return scene


def prior_of_paths(scene: Scene, grader: int) -> tuple[Floats, Floats]:
    """Mean and covariance matrix of a grader's bias and drifts, from walks that start at 0, less their mean."""
    mean, sd = scene.given.beliefs.bias[scene.layout.group[grader]]
    steps = np.tri(WEEKS, WEEKS, -1)[:, : WEEKS - 1]
    centred = steps - steps.mean(axis=0)
    covariance = np.zeros((1 + WEEKS, 1 + WEEKS))
    covariance[0, 0] = sd**2
    covariance[1:, 1:] = np.exp(2 * scene.state.hyper[DRIFT]) * centred @ centred.T
    return np.array([mean, *np.zeros(WEEKS)]), covariance


def reports_of(scene: Scene, grader: int) -> tuple[Floats, Floats, Floats]:
    """The distances of all effortful reports, what bias and drifts add to them, and the covariance of their errors."""
    state, layout, distances, adds, review_of = scene.state, scene.layout, [], [], []
    for review in scene.reviews(grader):
        week = layout.walks.week[layout.reports.review_submission[review]]
        place = scene.reports(review)
        cell = layout.reports.report_cell[place]
        distances += list(state.latent[place] - seen(scene, grader, cell, state.true_grade[cell]))
        adds += [np.eye(1 + WEEKS)[0] + np.eye(1 + WEEKS)[1 + week]] * len(cell)
        review_of += [review] * len(cell)
    together = np.equal.outer(review_of, review_of)
    errors = np.tile(scene.errors, [len(together) // COMPONENTS] * 2) * together / state.reliability[grader]
    return np.array(distances), np.array(adds).reshape(-1, 1 + WEEKS), errors


def drifting(scene: Scene) -> list[int]:
    return [int(grader) for grader in np.flatnonzero(scene.given.graders.walk)]


def test_biases_and_drifts_are_drawn_from_their_conditional_distribution(scene: Scene) -> None:
    state, given, drawn = scene.state, scene.given, []
    for _ in range(DRAWS):
        latent_drift.draw_walks(scene.rng, WEEKS, given.graders, given.beliefs, state, scene.work)
        drawn.append(np.concatenate([state.bias, state.drift]))
    paths = np.array(drawn)
    staff = np.flatnonzero(given.graders.walk == 0)
    assert len(staff) == 1, "the TA defines the scale"
    assert np.ptp(paths[:, staff]) == 0
    assert state.drift[0] == 0
    for grader in drifting(scene):
        first = scene.layout.n_graders + given.graders.walk[grader]
        found = paths[:, [grader, *range(first, first + WEEKS)]]
        np.testing.assert_allclose(found[:, 1:].sum(axis=1), 0, atol=1e-12)
        mean, covariance = prior_of_paths(scene, grader)
        distances, adds, errors = reports_of(scene, grader)
        gain = covariance @ adds.T @ np.linalg.inv(adds @ covariance @ adds.T + errors)
        mean = mean + gain @ (distances - adds @ mean)
        covariance = covariance - gain @ adds @ covariance
        variance = covariance.diagonal()
        assert (np.abs(found.mean(axis=0) - mean) < LIMIT * np.sqrt(variance / DRAWS)).all()
        # the covariance of two normal variables is known up to about √((1 + r²)/n) of their standard deviations
        error = np.sqrt((np.outer(variance, variance) + covariance**2) / DRAWS)
        assert (np.abs(np.cov(found.T) - covariance) < 1.2 * LIMIT * error).all()


def test_the_size_of_steps_is_weighed_with_biases_and_drifts_summed_out(scene: Scene) -> None:
    def ours() -> float:
        return latent_drift.log_walks(WEEKS, scene.given.graders, scene.given.beliefs, scene.state, scene.work)

    def expected() -> float:
        total = 0.0
        for grader in drifting(scene):
            mean, covariance = prior_of_paths(scene, grader)
            distances, adds, errors = reports_of(scene, grader)
            if len(distances):
                whole = adds @ covariance @ adds.T + errors
                total += float(stats.multivariate_normal.logpdf(distances, adds @ mean, whole))
        return total

    assert difference(scene, DRIFT, 0.7, ours) == pytest.approx(difference(scene, DRIFT, 0.7, expected), abs=1e-8)


def swept(scene: Scene, state: Any, given: Any) -> Any:
    """A copy of a state after some sweeps in which nothing drifts further, whatever the generator did before."""
    state = type(state)(*(part.copy() for part in state))
    arena = scene.arena
    arena.given = given._replace(learning=given.learning._replace(n_weeks=1))
    arena.run(np.random.default_rng(3), state, 6, keep=False)
    return state


@pytest.mark.parametrize("fixed", [False, True], ids=["", "some grades fixed"])
def test_a_drift_shifts_reports_and_their_bins(scene: Scene, fixed: bool) -> None:
    """To every other update: whatever reads a bias has to add the drift."""
    state, given = scene.state, scene.given
    if fixed:
        flags = np.arange(scene.layout.n_cells) % 3 == 0
        ends = {"grade_low": state.true_grade - 0.5, "grade_high": state.true_grade + 0.5}
        given = given._replace(clamps=given.clamps._replace(any_grade=True, grade=flags, **ends))
    review = scene.layout.report_review
    shift = state.drift[given.places.review_drift[review]]
    assert np.abs(shift).max() > 0.05
    steady = state._replace(drift=np.zeros_like(state.drift), latent=state.latent - shift)
    levels = given.levels._replace(low=given.levels.low - shift, high=given.levels.high - shift)
    with_drift = swept(scene, state, given)
    without = swept(scene, steady, given._replace(levels=levels))
    assert np.abs(with_drift.true_grade - state.true_grade).max() > 0.1
    for name in ("true_grade", "reliability", "bias", "effort", "effortful", "hyper", "merit", "halo", "slope"):
        np.testing.assert_allclose(getattr(with_drift, name), getattr(without, name), rtol=1e-6, atol=1e-6)
    effortful = with_drift.effortful[review]
    np.testing.assert_allclose((with_drift.latent - shift)[effortful], without.latent[effortful], atol=1e-6)
