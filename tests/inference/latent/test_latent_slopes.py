"""Tier 1 for graders' slopes: each update against densities on a grid, written out from the joint density."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import logsumexp

from peerage.inference.latent.given_reports import latent_slopes
from peerage.inference.latent.grader_by_grader.review_predictions import load_cells, take_out
from peerage.inference.numerics.hyperparameters import SCALE
from support.classes.latent_scene import DRAWS, Scene, check_density, difference, distances, log_density

Floats = NDArray[np.float64]


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_slopes_and_their_spread(scene: Scene) -> None:
    """Given the true grades, halos summed out; and with the true grades summed out, by random steps."""
    state, given, sums = scene.state, scene.given, scene.work.slope_sums
    sd, errors = given.beliefs.slope_sd[0], scene.errors
    latent_slopes.load_slope_sums(given.places, given.graders.has_slope, given.beliefs.errors, state, sums)
    grid, kept = np.linspace(-3, 5, 801), state.slope.copy()
    students = np.flatnonzero(given.graders.has_slope)[:4]

    def log_likelihood(grader: int) -> Floats:
        logs = []
        for slope in grid:
            state.slope[grader] = slope
            logs.append(log_density(distances(scene, grader), state.bias[grader], state.reliability[grader], errors))
        state.slope[grader] = kept[grader]
        return np.array(logs)

    by_slope = {grader: log_likelihood(grader) for grader in map(int, np.flatnonzero(given.graders.has_slope))}

    def spread() -> float:
        prior = stats.norm.logpdf(grid, 1.0, np.exp(state.hyper[SCALE]))
        return float(sum(logsumexp(prior + logs) for logs in by_slope.values()))

    has_slope, reliability = given.graders.has_slope, state.reliability
    ours = difference(
        scene,
        SCALE,
        0.4,
        lambda: latent_slopes._log_slopes(np.exp(state.hyper[SCALE]), has_slope, reliability, sums),
    )
    assert ours == pytest.approx(difference(scene, SCALE, 0.4, spread), abs=1e-3)
    drawn = []
    for _ in range(DRAWS):
        latent_slopes.draw_slopes(scene.rng, has_slope, sd, reliability, sums, state.slope)
        drawn.append(state.slope.copy())
    assert (state.slope[~has_slope] == 1).all(), "staff define the scale"
    for grader in students:
        check_density(np.array(drawn)[:, grader], grid, stats.norm.logpdf(grid, 1.0, sd) + by_slope[grader])


def test_a_slope_steps_with_the_true_grades_summed_out(scene: Scene) -> None:
    """Steps from draws of the density lead to draws of the density; thirty of them, so that a wrong one would show."""
    state, given, cells = scene.state, scene.given, scene.work.cells
    sd, grader = given.beliefs.slope_sd[0], int(np.flatnonzero(given.graders.has_slope)[0])
    load_cells(given.places, given.beliefs, state, cells)
    take_out(grader, scene.rng, True, given.places, given.beliefs.errors, state, cells)
    grid = np.linspace(-2, 4, 601)
    log = stats.norm.logpdf(grid, 1.0, sd)
    for review in scene.reviews(grader):
        for report in range(*scene.layout.reports.review_reports[review : review + 2]):
            cell = scene.layout.reports.report_cell[report]
            usual, inverse = scene.cell_centre[cell], 1 / cells.precision[cell]
            component = scene.layout.report_component[report]
            halo = scene.loading[component] * state.halo[review]
            mean = usual + grid * (cells.weighted[cell] * inverse - usual) + state.bias[grader] + halo
            width = np.sqrt(grid**2 * inverse + scene.own[component] / state.reliability[grader])
            log += stats.norm.logpdf(state.latent[report], mean, width)
    weights = np.exp(log - logsumexp(log))
    drawn = []
    for start in scene.rng.choice(grid, DRAWS, p=weights):
        state.slope[grader] = start + scene.rng.uniform(-0.005, 0.005)
        for _ in range(30):
            latent_slopes.move_slope(grader, scene.rng, sd, given.places, given.beliefs.errors, state, cells)
        drawn.append(state.slope[grader])
    check_density(np.array(drawn), grid, log)
