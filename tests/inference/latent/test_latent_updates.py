"""Tier 1 for the sampler that draws reports before rounding: each update against algebra or quadrature of its own.

The reference is written out from the joint density: normal distributions with full covariance matrices, integrals by
quadrature. Draws are compared by their mean and variance; all these comparisons together fail falsely once in a
thousand runs.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit, logsumexp, ndtr

from peerage.inference.latent.given_reports import (
    grade_updates,
    latent_halos,
    learning_latent_graders,
    learning_latent_grades,
)
from peerage.inference.latent.grader_by_grader.latent_habits import CAREFUL
from peerage.inference.latent.grader_by_grader.review_predictions import load_cells, predict, put_back, take_out
from peerage.inference.latent.latent_priors import refresh
from peerage.inference.numerics.hyperparameters import (
    ERROR,
    HALO,
    HALO_HERE,
    MERIT,
    N_CLASSWIDE,
    RELIABILITY,
    RELIABILITY_TA,
    SIGMA_B,
    log_hyperprior,
    of_components,
)
from support.classes.latent_scene import DRAWS, LIMIT, Scene, check_density, difference, distances, log_density, seen
from support.classes.shared_arena import COMPONENTS

Floats = NDArray[np.float64]


@pytest.fixture
def scene() -> Scene:
    return Scene()


def assert_moments(drawn: Floats, mean: Floats, variance: Floats) -> None:
    """Whether draws (draw, entry) have the mean and the variance of normal distributions."""
    error = np.sqrt(variance / len(drawn))
    assert np.abs((drawn.mean(axis=0) - mean) / error).max() < LIMIT
    assert np.abs(drawn.var(axis=0) / variance - 1).max() < LIMIT * np.sqrt(2 / len(drawn))


@pytest.mark.parametrize("fixed", [False, True])
def test_true_grades_one_by_one_are_normal_given_merits_and_halos(scene: Scene, fixed: bool) -> None:
    """Those that are fixed are within a bin, here one so wide that it changes nothing."""
    state, given, cells, reports = scene.state, scene.given, scene.work.cells, scene.layout.reports
    flags = np.full(scene.layout.n_cells, fixed)
    clamps = given.clamps._replace(any_grade=fixed, grade=flags, grade_low=flags - 1e3, grade_high=flags + 1e3)
    load_cells(given.places, given.beliefs, state, cells)
    precision, weighted = np.empty((2, scene.layout.n_cells))
    for cell, component in enumerate(reports.cell_component):
        sd, merit = given.beliefs.grade_sd[component], state.merit[scene.layout.cell_submission[cell]]
        precision[cell] = 1 / (sd**2 * (1 - scene.merit))
        weighted[cell] = precision[cell] * (given.beliefs.grade_mean[component] + sd * np.sqrt(scene.merit) * merit)
        for report in np.flatnonzero(reports.report_cell == cell):
            review = scene.layout.report_review[report]
            grader = reports.review_grader[review]
            if state.effortful[review]:
                slope, told = state.slope[grader], state.reliability[grader] / scene.own[component]
                known = state.bias[grader] + scene.loading[component] * state.halo[review]
                rest = state.latent[report] - known - (1 - slope) * scene.cell_centre[cell]
                precision[cell] += told * slope**2
                weighted[cell] += told * slope * rest
    drawn = np.empty((DRAWS, scene.layout.n_cells))
    for draw in range(DRAWS):
        cells.noise[:] = scene.rng.standard_normal(scene.layout.n_cells)
        grade_updates.draw_one_by_one(scene.rng, given.places, clamps, given.beliefs, state, cells)
        drawn[draw] = state.true_grade
    assert_moments(drawn, weighted / precision, 1 / precision)


def test_a_review_is_predicted_with_its_true_grades_summed_out(scene: Scene) -> None:
    state, layout, beliefs, cells = scene.state, scene.layout, scene.given.beliefs, scene.work.cells
    load_cells(scene.given.places, beliefs, state, cells)
    predicted, logs_of = scene.work.predicted, scene.work.logs
    s, share, worst = np.linspace(-25, 30, 40_001), scene.merit, 0.0
    for grader in range(layout.n_graders):
        take_out(grader, scene.rng, True, scene.given.places, beliefs.errors, state, cells)
        levels, rounding = scene.given.levels, beliefs.rounding
        predict(grader, CAREFUL, scene.given.places, levels, rounding, beliefs.errors, state, cells, predicted, logs_of)
        first, last = layout.reports.grader_reviews[grader : grader + 2]
        for review in range(first, last):
            expected = 0.0
            for report in range(*layout.reports.review_reports[review : review + 2]):
                cell = layout.reports.report_cell[report]
                component = layout.reports.cell_component[cell]
                merit = state.merit[layout.cell_submission[cell]]
                sd, own, loading = beliefs.grade_sd[component], scene.own[component], scene.loading[component]
                logs = stats.norm.logpdf(
                    s, beliefs.grade_mean[component] + sd * np.sqrt(share) * merit, sd * np.sqrt(1 - share)
                )
                for other in np.flatnonzero(layout.reports.report_cell == cell):
                    theirs = layout.report_review[other]
                    if theirs != review and state.effortful[theirs]:
                        who = layout.reports.review_grader[theirs]
                        theirs_centre = seen(scene, who, cell, s) + state.bias[who] + loading * state.halo[theirs]
                        sd = np.sqrt(own / state.reliability[who])
                        logs += stats.norm.logpdf(state.latent[other], theirs_centre, sd)
                weights = np.exp(logs - logsumexp(logs))
                root = np.sqrt(state.reliability[grader] / own)
                centre = seen(scene, grader, cell, s) + state.bias[grader] + loading * state.halo[review]
                low, high = (scene.arena.low[report] - centre) * root, (scene.arena.high[report] - centre) * root
                # On its own side of the mean, so that nothing is lost by subtraction.
                mass = np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
                expected += np.log((weights * mass).sum())
            worst = max(worst, abs(logs_of[review - first, CAREFUL] - expected))
        put_back(grader, scene.given.places, beliefs.errors, state, cells)
    assert worst < 1e-6


def submission_normal(scene: Scene, submission: int) -> tuple[Floats, Floats]:
    """Mean and covariance of a submission's true grades and merit given its reports, from the joint normal of all."""
    state, layout, beliefs = scene.state, scene.layout, scene.given.beliefs
    share = scene.merit
    first, last = layout.reports.submission_cells[submission : submission + 2]
    component = layout.reports.cell_component[first:last]
    sd, size = beliefs.grade_sd[component], last - first
    # The unknowns are the true grades and the merit, in this order.
    covariance = np.zeros((size + 1, size + 1))
    covariance[:size, :size] = np.outer(sd, sd) * (share + (1 - share) * np.eye(size))
    covariance[size, :size] = covariance[:size, size] = sd * np.sqrt(share)
    covariance[size, size] = 1.0
    mean = np.append(beliefs.grade_mean[component], 0.0)
    rows, values, noise = [], [], []
    for review in range(scene.arena.book.n_reviews):
        place = scene.reports(review)
        if layout.cell_submission[layout.reports.report_cell[place.start]] == submission and state.effortful[review]:
            grader = layout.reports.review_grader[review]
            cell, slope = layout.reports.report_cell[place], state.slope[grader]
            rows.append(slope * np.eye(size + 1)[cell - first])
            values.append(state.latent[place] - state.bias[grader] - (1 - slope) * scene.cell_centre[cell])
            noise.append(scene.errors / state.reliability[grader])
    if not rows:
        return mean, covariance
    design, observed = np.concatenate(rows), np.concatenate(values)
    total = np.zeros((len(observed), len(observed)))
    begun = 0
    for block in noise:
        total[begun : begun + len(block), begun : begun + len(block)] = block
        begun += len(block)
    gain = covariance @ design.T @ np.linalg.inv(design @ covariance @ design.T + total)
    return mean + gain @ (observed - design @ mean), covariance - gain @ design @ covariance


def test_true_grades_and_merits_are_drawn_together(scene: Scene) -> None:
    state, given, work = scene.state, scene.given, scene.work
    drawn, merits = [], []
    for _ in range(DRAWS):
        noises = scene.rng.standard_normal(scene.layout.n_cells)
        grade_updates.draw_grades(given.places, given.beliefs, state, noises, work.matrix, work.vector)
        grade_updates.draw_merits(scene.rng, given.places, given.beliefs, state)
        drawn.append(state.true_grade.copy())
        merits.append(state.merit.copy())
    for submission in range(3):
        first, last = scene.layout.reports.submission_cells[submission : submission + 2]
        mean, covariance = submission_normal(scene, submission)
        both = np.column_stack([np.array(drawn)[:, first:last], np.array(merits)[:, submission]])
        assert_moments(both, mean, np.diag(covariance))
        # Sums of two see the covariances.
        pairs = both[:, :-1] + both[:, 1:]
        variance = np.diag(covariance)[:-1] + np.diag(covariance)[1:] + 2 * np.diag(covariance, 1)
        assert_moments(pairs, mean[:-1] + mean[1:], variance)


def loaded_sums(scene: Scene) -> Floats:
    sums = scene.work.grader_sums
    learning_latent_graders.load_grader_sums(scene.given.places, scene.given.beliefs.errors, scene.state, sums)
    return np.asarray(sums)


def test_biases_and_reliabilities_are_drawn_with_halos_summed_out(scene: Scene) -> None:
    state, given, sums = scene.state, scene.given, loaded_sums(scene)
    clamps, group, beliefs = given.clamps, given.graders.group, given.beliefs
    biases, precisions, start = [], [], state.bias.copy()
    draw_biases = learning_latent_graders.draw_biases
    for _ in range(DRAWS):
        draw_biases(scene.rng, clamps.bias, group, beliefs.bias, state.reliability, sums, state.bias)
        biases.append(state.bias.copy())
    state.bias[:] = start
    kept = state.reliability.copy()
    for _ in range(DRAWS):
        learning_latent_graders.draw_reliabilities(
            scene.rng, clamps.reliability, group, beliefs.reliability, state.bias, sums, state.reliability
        )
        precisions.append(np.log(state.reliability))
    grid, logs = np.linspace(-8, 8, 801), np.linspace(-7, 5, 601)
    for grader in range(4):
        values = distances(scene, grader)
        mean, sd = beliefs.bias[group[grader]]
        density = stats.norm.logpdf(grid, mean, sd)
        density += [log_density(values, bias, kept[grader], scene.errors) for bias in grid]
        check_density(np.array(biases)[:, grader], grid, density)
        shape, rate = beliefs.reliability[group[grader]]
        density = stats.gamma.logpdf(np.exp(logs), shape, scale=1 / rate) + logs
        density += [log_density(values, start[grader], precision, scene.errors) for precision in np.exp(logs)]
        check_density(np.array(precisions)[:, grader], logs, density)


def test_hyperparameters_of_graders_are_weighed_with_these_summed_out(scene: Scene) -> None:
    state, given, sums = scene.state, scene.given, loaded_sums(scene)
    clamps, group, beliefs = given.clamps, given.graders.group, given.beliefs
    errors = scene.errors
    grid, logs = np.linspace(-12, 12, 1201), np.linspace(-12, 7, 1001)
    by_bias = [
        np.array([log_density(distances(scene, grader), bias, state.reliability[grader], errors) for bias in grid])
        for grader in range(scene.layout.n_graders)
    ]
    by_precision = [
        np.array([log_density(distances(scene, grader), state.bias[grader], p, errors) for p in np.exp(logs)])
        for grader in range(scene.layout.n_graders)
    ]
    students = np.flatnonzero(group == 0)

    def biases() -> float:
        priors = beliefs.bias[group]
        logs_by_grader = zip(priors, by_bias, strict=True)
        return float(sum(logsumexp(stats.norm.logpdf(grid, *prior) + log) for prior, log in logs_by_grader))

    def reliabilities() -> float:
        shape, rate = beliefs.reliability[0]
        prior = stats.gamma.logpdf(np.exp(logs), shape, scale=1 / rate) + logs
        return float(sum(logsumexp(prior + by_precision[grader]) for grader in students))

    log_biases, log_reliabilities = learning_latent_graders._log_biases, learning_latent_graders._log_reliabilities
    ours = difference(
        scene, SIGMA_B, 0.2, lambda: log_biases(clamps.bias, group, beliefs.bias, state.reliability, sums)
    )
    assert ours == pytest.approx(difference(scene, SIGMA_B, 0.2, biases), abs=1e-3)
    ours = difference(
        scene,
        RELIABILITY,
        0.3,
        lambda: log_reliabilities(0, clamps.reliability, group, beliefs.reliability, state.bias, sums),
    )
    assert ours == pytest.approx(difference(scene, RELIABILITY, 0.3, reliabilities), abs=1e-3)


def test_hyperparameters_of_true_grades_are_weighed_with_grades_and_merits_summed_out(scene: Scene) -> None:
    state, given, layout, cells = scene.state, scene.given, scene.layout, scene.work.cells
    load_cells(given.places, given.beliefs, state, cells)
    learning_latent_grades._load_reported(given.places, given.beliefs, state.merit, cells)

    def reference() -> float:
        share, beliefs, total = scene.merit, given.beliefs, 0.0
        for submission in range(scene.arena.book.n_submissions):
            first, last = layout.reports.submission_cells[submission : submission + 2]
            values, precision = np.zeros(last - first), np.zeros(last - first)
            for report, cell in enumerate(layout.reports.report_cell):
                review = layout.report_review[report]
                if first <= cell < last and state.effortful[review]:
                    grader = layout.reports.review_grader[review]
                    slope, component = state.slope[grader], layout.report_component[report]
                    halo = scene.loading[component] * state.halo[review]
                    offset = state.bias[grader] + halo + (1 - slope) * scene.cell_centre[cell]
                    told = state.reliability[grader] / scene.own[component]
                    values[cell - first] += slope * told * (state.latent[report] - offset)
                    precision[cell - first] += slope**2 * told
            seen = precision > 0
            component = layout.reports.cell_component[first:last][seen]
            if seen.any():
                sd = beliefs.grade_sd[component]
                covariance = np.outer(sd, sd) * (share + (1 - share) * np.eye(len(sd))) + np.diag(1 / precision[seen])
                means = values[seen] / precision[seen]
                total += stats.multivariate_normal.logpdf(means, beliefs.grade_mean[component], covariance)
        return total

    for coordinate in (N_CLASSWIDE, N_CLASSWIDE + 4, MERIT):
        ours = difference(
            scene, coordinate, 0.3, lambda: learning_latent_grades._log_reported(given.places, given.beliefs, cells)
        )
        assert ours == pytest.approx(difference(scene, coordinate, 0.3, reference), abs=1e-6)


def test_halos_are_drawn_given_the_reports(scene: Scene) -> None:
    state, given = scene.state, scene.given
    drawn = []
    for _ in range(DRAWS):
        latent_halos.draw_halos(
            scene.rng, given.places, given.graders.has_halo, given.beliefs.errors, state, scene.work.parts
        )
        drawn.append(state.halo.copy())
    effortful, means, variances = np.flatnonzero(state.effortful), [], []
    for review in effortful:
        grader, place = scene.layout.reports.review_grader[review], scene.reports(review)
        cell = scene.layout.reports.report_cell[place]
        rest = state.latent[place] - seen(scene, grader, cell, state.true_grade[cell]) - state.bias[grader]
        # By the joint normal distribution of the halo and the reports.
        gain = np.linalg.solve(scene.errors, scene.loading)
        means.append(gain @ rest)
        variances.append((1 - gain @ scene.loading) / state.reliability[grader])
    assert_moments(np.array(drawn)[:, effortful], np.array(means), np.array(variances))


def standardised(scene: Scene) -> Floats:
    """(effortful reviews, components) distances less the bias, in units of their grader's error."""
    state, rows = scene.state, []
    for grader in range(scene.layout.n_graders):
        root = np.sqrt(state.reliability[grader])
        rows += [root * (each - state.bias[grader]) for each in distances(scene, grader)]
    return np.array(rows)


def shared_error_density(scene: Scene, rows: Floats, ratio: float = 1.0) -> float:
    """Log density of shares of halo and sizes of errors, once all reliabilities are multiplied by a ratio."""
    state, normal = scene.state, stats.multivariate_normal(np.zeros(COMPONENTS), scene.errors)
    total = normal.logpdf(np.sqrt(ratio) * rows).sum() + 0.5 * rows.size * np.log(ratio)
    share = expit(state.hyper[HALO])
    total += stats.beta.logpdf(share, 1.2, 2.0) + np.log(share) + np.log1p(-share)
    total += stats.norm.logpdf(state.hyper[of_components(HALO_HERE, COMPONENTS)], state.hyper[HALO], 0.7).sum()
    return float(total + stats.norm.logpdf(state.hyper[of_components(ERROR, COMPONENTS)], 0, 0.25).sum())


def test_shares_of_halo_and_sizes_of_errors_are_weighed_with_halos_summed_out(scene: Scene) -> None:
    state, given, work = scene.state, scene.given, scene.work

    def weighed(ratio: float = 1.0) -> float:
        latent_halos._load_products(given.places, given.graders.has_halo, state, work.products, work.parts)
        return latent_halos._log_errors(ratio, state.hyper, given.places.patterns, work.products, work.parts)

    rows, here, sizes = standardised(scene), of_components(HALO_HERE, COMPONENTS), of_components(ERROR, COMPONENTS)
    for coordinate in (HALO, here.start, here.start + 2, sizes.start + 1):
        expected = difference(scene, coordinate, 0.4, lambda: shared_error_density(scene, rows))
        assert difference(scene, coordinate, 0.4, weighed) == pytest.approx(expected, abs=1e-8)
    expected = shared_error_density(scene, rows, 1.3) - shared_error_density(scene, rows)
    assert weighed(1.3) - weighed() == pytest.approx(expected)


def test_what_errors_are_made_of_moves_as_its_density_says(scene: Scene) -> None:
    """The update, repeated, against the moments of the density, which are found by importance sampling.

    All reliabilities move in proportion, and their means along with them: the ratio is one more unknown, in whose
    logarithm the priors of reliabilities do not change.
    """
    state, given, work, drawn = scene.state, scene.given, scene.work, []
    kept, begun, rows = state.reliability.copy(), state.hyper.copy(), standardised(scene)
    here, sizes = of_components(HALO_HERE, COMPONENTS), of_components(ERROR, COMPONENTS)
    for sweep in range(22_000):
        latent_halos.learn_errors(scene.rng, sweep < 2000, given, state, work.products, work.parts)
        ratio = state.hyper[RELIABILITY] - begun[RELIABILITY]
        drawn.append([*state.hyper[here], *state.hyper[sizes], state.hyper[HALO], ratio])
    np.testing.assert_allclose(np.log(state.reliability / kept), ratio)
    assert state.hyper[RELIABILITY_TA] - begun[RELIABILITY_TA] == pytest.approx(ratio)
    every = np.array(drawn)[2000:]
    np.testing.assert_allclose(every[:, 3:6].sum(axis=1), 0.0, atol=1e-9)
    values = np.delete(every, 5, axis=1)  # the last size follows from the others
    wide = stats.multivariate_t(values.mean(axis=0), 1.3 * np.cov(values.T), df=5, seed=1)
    points, logs = wide.rvs(4000), np.empty(4000)
    for index, (*shares, first, second, usual, ratio) in enumerate(points):
        state.hyper[:] = begun
        state.hyper[here], state.hyper[sizes] = shares, (first, second, -first - second)
        state.hyper[HALO] = usual
        state.hyper[[RELIABILITY, RELIABILITY_TA]] += ratio
        logs[index] = shared_error_density(scene, rows, float(np.exp(ratio))) + log_hyperprior(state.hyper)
    logs -= wide.logpdf(points)
    weights = np.exp(logs - logsumexp(logs))
    assert 1 / (weights**2).sum() > 1000
    mean = weights @ points
    for ours, theirs in ((values, points), ((values - mean) ** 2, (points - mean) ** 2)):
        batches = ours.reshape(40, -1, ours.shape[1]).mean(axis=1)
        expected = weights @ theirs
        error = np.sqrt(batches.var(axis=0, ddof=1) / 40 + weights**2 @ (theirs - expected) ** 2)
        assert np.abs((ours.mean(axis=0) - expected) / error).max() < LIMIT


def test_the_level_moves_as_the_priors_say_and_no_report_notices(scene: Scene) -> None:
    state, given = scene.state, scene.given
    start = {name: getattr(state, name).copy() for name in ("true_grade", "bias", "hyper")}
    amounts = []
    for _ in range(DRAWS):
        for name, value in start.items():
            getattr(state, name)[:] = value
        refresh(given, state.hyper)
        learning_latent_grades.shift_level(scene.rng, given.learning, given.graders, given.beliefs, state)
        amount = state.true_grade[0] - start["true_grade"][0]
        np.testing.assert_allclose(state.true_grade - start["true_grade"], amount)
        np.testing.assert_allclose(start["bias"] - state.bias, amount * state.slope)
        amounts.append(amount)
    theta, group = start["hyper"], scene.layout.group
    mean_bias = theta[1]
    sd = np.where(group == 0, np.exp(theta[SIGMA_B]), np.exp(theta[10]))
    delta = np.linspace(-3, 3, 2001)
    log = np.asarray(stats.norm.logpdf(theta[N_CLASSWIDE : N_CLASSWIDE + 3].mean() + delta, 3.5, 1.5))
    log += stats.norm.logpdf(mean_bias - delta, 0, 1)
    centre = np.where((group == 0)[:, None], mean_bias - delta, 0.0)
    moved = start["bias"][:, None] - state.slope[:, None] * delta
    log += np.asarray(stats.norm.logpdf(moved, centre, sd[:, None])).sum(axis=0)
    check_density(np.array(amounts), delta, log)
