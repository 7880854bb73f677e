"""Reflections of a grader's reliability and bias, and of the noises of true grades, against what they must keep."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from peerage.inference.latent.given_reports import grade_updates
from peerage.inference.latent.grader_by_grader import grader_moves
from peerage.inference.latent.grader_by_grader.latent_habits import CAREFUL, CARELESS, fill_careless
from peerage.inference.latent.grader_by_grader.review_predictions import load_cells, predict, take_out
from support.classes.latent_scene import DRAWS, LIMIT, Scene
from support.faults.planted_copies import Replacement, broken_module

REFLECTIONS, BATCHES = 48_000, 40


@pytest.fixture
def scene() -> Scene:
    return Scene()


def reflected_off(scene: Scene, moves: Any) -> float:
    """By how many standard errors means and variances of a grader's log reliability and bias are off after reflections.

    The reference is the density of equation (D4) on a grid, with the halos in proportion to the error.
    """
    state, given, work, grader = scene.state, scene.given, scene.work, 0
    places, levels, cells = given.places, given.levels, work.cells
    rounding, errors = given.beliefs.rounding, given.beliefs.errors
    load_cells(places, given.beliefs, state, cells)
    take_out(grader, scene.rng, True, places, errors, state, cells)
    first, last = places.grader_reviews[grader : grader + 2]
    standard = state.halo[first:last] * np.sqrt(state.reliability[grader])
    state.effort[grader] = 0.6
    table, favourite = given.beliefs.low_effort, given.habits.favourite
    fill_careless(grader, state.habit[grader], CARELESS, places, levels, favourite, table, work.logs)
    logs, biases = np.meshgrid(np.linspace(-5, 4, 61), np.linspace(-4, 4, 61), indexing="ij")
    (shape, rate), (mean, sd) = given.beliefs.reliability[0], given.beliefs.bias[0]
    density = stats.gamma.logpdf(np.exp(logs), shape, scale=1 / rate) + logs + stats.norm.logpdf(biases, mean, sd)
    for place in np.ndindex(logs.shape):
        state.reliability[grader], state.bias[grader] = np.exp(logs[place]), biases[place]
        state.halo[first:last] = standard * np.exp(-0.5 * logs[place])
        predict(grader, CAREFUL, places, levels, rounding, errors, state, cells, work.predicted, work.logs)
        careful, careless = work.logs[: last - first, CAREFUL], work.logs[: last - first, CARELESS]
        density[place] += np.logaddexp(np.log(0.6) + careful, np.log(0.4) + careless).sum()
    weights = np.exp(density - logsumexp(density))
    wanted = [(weights * logs).sum(), (weights * biases).sum()]
    spread = [(weights * (values - mean) ** 2).sum() for values, mean in zip((logs, biases), wanted, strict=True)]
    # Not quite at the centre, lest a mistake cancel out.
    together = -0.4 * np.sqrt(spread[0] * spread[1])
    state.centre[grader] = wanted[0] + 0.2, spread[0], wanted[1] - 0.2, spread[1], 1000.0, together
    state.reliability[grader], state.bias[grader] = np.exp(wanted[0]), wanted[1]
    state.halo[first:last] = standard * np.exp(-0.5 * wanted[0])
    predict(grader, CAREFUL, places, levels, rounding, errors, state, cells, work.predicted, work.logs)
    drawn = np.zeros((REFLECTIONS, 2))
    for step in range(REFLECTIONS):
        moves.reflect(grader, scene.rng, True, True, given, state, work)
        drawn[step] = np.log(state.reliability[grader]), state.bias[grader]
    values = np.hstack([drawn, (drawn - wanted) ** 2])[REFLECTIONS // 6 :]
    batches = values.reshape(BATCHES, -1, 4).mean(axis=1)
    gap = np.abs(batches.mean(axis=0) - [*wanted, *spread])
    return float((gap / batches.std(axis=0, ddof=1) * np.sqrt(BATCHES)).max())


def test_a_reflection_keeps_the_density_of_reliability_and_bias(scene: Scene) -> None:
    assert reflected_off(scene, grader_moves) < stats.t.isf(1e-6, BATCHES - 1)


def test_a_reflection_with_a_wrong_prior_is_caught(scene: Scene) -> None:
    right = "gain += shape * (log - math.log(old)) - rate * (state.reliability[grader] - old)"
    bug = Replacement(grader_moves, right, right.replace("shape", "3.0 * shape"))
    assert reflected_off(scene, broken_module(bug)) > stats.t.isf(1e-6, BATCHES - 1)


def noises_off(scene: Scene, updates: Any) -> float:
    """By how many standard errors the variances of noises, and of these plus what they turn, are off: (D16)."""
    cells, places = scene.work.cells, scene.given.places
    load_cells(places, scene.given.beliefs, scene.state, cells)
    mean, sd = cells.weighted / cells.precision, cells.precision**-0.5
    noises, together = np.empty((2, DRAWS, scene.layout.n_cells))
    for draw in range(DRAWS):
        before = scene.rng.standard_normal(scene.layout.n_cells)
        updates.turn_noises(scene.rng, mean + sd * before, cells)
        noises[draw], together[draw] = cells.noise, cells.noise + before
    gaps = [np.mean(values**2, axis=0) / wanted - 1 for values, wanted in ((noises, 1.0), (together, 1.2))]
    return float(np.abs(gaps).max() / np.sqrt(2 / DRAWS))


def test_noises_are_standard_normal_and_on_the_other_side_of_true_grades(scene: Scene) -> None:
    """With all comparisons together, false alarms once in a thousand runs."""
    assert noises_off(scene, grade_updates) < LIMIT


@pytest.mark.parametrize("wrong", [("_FRESH * rng", "rng"), (" - cells.weighted[cell] / root", "")])
def test_wrong_noises_are_noticed(scene: Scene, wrong: tuple[str, str]) -> None:
    assert noises_off(scene, broken_module(Replacement(grade_updates, *wrong))) > LIMIT
