"""Grades that are rounded to whole numbers, halves, fives or tens: each update against a transcription of its own.

Draws are compared with what they should be at false-alarm rates of 1e-4 each.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp, ndtr

import peerage as pg
from peerage.errors import InputError
from peerage.inference.checking.replicates import replicated_levels
from peerage.inference.features.heaping import UNITS as BY_KIND
from peerage.inference.features.heaping import Rounding, weights_of
from peerage.inference.latent.grader_by_grader import latent_heaping
from peerage.inference.latent.grader_by_grader.latent_habits import CAREFUL
from peerage.inference.latent.grader_by_grader.review_predictions import load_cells, predict, put_back, take_out
from peerage.inference.numerics.hyperparameters import EPSILON, N_CLASSWIDE, TAU_L
from peerage.model import Model
from support.classes.coarse_grades import FINE, UNITS, bins, unit_shares
from support.classes.latent_scene import Scene

DRAWS = 4000
FALSE_ALARM = 1e-4


@pytest.fixture
def scene() -> Scene:
    return Scene(FINE)


def grades(text: str) -> pg.Rubric:
    return pg.Rubric.from_dict({"S": {"grades": text}})


@pytest.mark.parametrize(
    ("scale", "units"),
    [
        ("0 to 5 by 1", ()),
        ("0 to 10 by 1", ()),
        ("1 to 25 by 1", ()),
        ("0 to 100 by 5", ()),
        ("0 to 1 by 0.5", ()),
        ("0 to 0.5 by 0.1", ()),
        ("0 to 4 by 0.5", (1.0,)),
        ("0 to 4 by 0.25", (1.0, 0.5)),
        ("0 to 4 by 0.1", (1.0, 0.5)),
        ("0 to 4 by 0.05", (1.0, 0.5, 0.25)),
        ("0 to 1 by 0.1", (0.5,)),
        ("0.3 to 3.7 by 0.1", (1.0, 0.5)),
        ("0 to 25 by 1", (10.0, 5.0)),
        ("0 to 100 by 1", (10.0, 5.0)),
        ("0 to 100 by 0.5", (10.0, 5.0, 1.0)),
    ],
)
def test_a_scale_has_its_natural_units(scale: str, units: tuple[float, ...]) -> None:
    rounding = Rounding.of(grades(scale).components[0])
    assert rounding.units == units
    finest = rounding.component.values
    for unit, levels in zip(units, reversed(rounding.grids[1:]), strict=True):
        multiples = np.abs(finest / unit - np.round(finest / unit)) < 1e-6
        assert np.array_equal(np.flatnonzero(multiples)[1:-1], levels[np.isin(levels, np.flatnonzero(multiples))][1:-1])
        assert {levels[0], levels[-1]} == {0, len(finest) - 1}
    # A unit that the scale does not have stands for the next finer one.
    own = [units.index(unit) if unit in units else None for unit in BY_KIND[rounding.kind]]
    sizes = [len(rounding.grids[grid]) for grid in rounding.grid_of]
    assert sizes == sorted(sizes)
    assert [len(rounding.grids) - 1 - place for place in own if place is not None] == [
        grid for grid, place in zip(rounding.grid_of, [*own, None], strict=True) if place is not None
    ]


def test_uneven_grades_have_a_unit_if_all_its_multiples_are_legal() -> None:
    assert Rounding.of(pg.Rubric.uniform("S", [0, 1, 2, 2.9, 3]).components[0]).units == (1.0,)
    assert Rounding.of(pg.Rubric.uniform("S", [0, 0.5, 1, 3]).components[0]).units == ()


@pytest.mark.parametrize("scale", ["0 to 5 by 1", "0 to 10 by 1", "1 to 25 by 1"])
def test_nothing_changes_on_ordinary_scales(scale: str) -> None:
    book, _ = pg.simulate(students=8, weeks=1, tas=1, components=grades(scale), seed=3)
    drawn = [pg.fit(book, model, chains=1, draws=20, burn_in=20, seed=1) for model in (Model(), Model(heaping=False))]
    for name in ("true_grade", "reliability", "bias", "effort"):
        assert np.array_equal(drawn[0].samples.draws[name], drawn[1].samples.draws[name])
    assert np.array_equal(drawn[0].samples.hyper, drawn[1].samples.hyper)
    assert not drawn[0].priors()["parameter"].str.startswith("rounded").any()


def test_a_review_has_the_probability_of_all_its_bins(scene: Scene) -> None:
    state, given, work, layout = scene.state, scene.given, scene.work, scene.layout
    load_cells(given.places, given.beliefs, state, work.cells)
    shares, level = unit_shares(state.hyper), scene.arena.seen.report_level
    for grader in range(layout.n_graders):
        take_out(grader, scene.rng, True, given.places, given.beliefs.errors, state, work.cells)
        rounding, errors = given.beliefs.rounding, given.beliefs.errors
        predict(
            grader, CAREFUL, given.places, given.levels, rounding, errors, state, work.cells, work.predicted, work.logs
        )
        first, last = layout.reports.grader_reviews[grader : grader + 2]
        begun = layout.reports.review_reports[first]
        for review in range(first, last):
            expected = 0.0
            for report in range(*layout.reports.review_reports[review : review + 2]):
                mean, root = work.predicted[:2, report - begun]
                ends = np.array([bins(np.array(FINE), unit) for unit in UNITS])[:, :, level[report]]
                low, high = ((ends - mean) * root).T
                # On its own side of the mean, so that nothing is lost by subtraction.
                mass = np.where(low > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
                expected += np.log(max((shares * mass).sum(), 1e-290))
            assert work.logs[review - first, CAREFUL] == pytest.approx(expected, abs=1e-6)
        put_back(grader, given.places, errors, state, work.cells)


def test_low_effort_is_rounded_likewise(scene: Scene) -> None:
    theta, shares = scene.state.hyper, unit_shares(scene.state.hyper)
    for component in range(3):
        centre, root = theta[N_CLASSWIDE + 6 + component], np.exp(0.5 * theta[TAU_L])
        expected = np.zeros(len(FINE))
        for share, unit in zip(shares, UNITS, strict=True):
            low, high = bins(np.array(FINE), unit)
            uniform = (np.clip(high, 0, 5) - np.clip(low, 0, 5)) / 5
            normal = ndtr((high - centre) * root) - ndtr((low - centre) * root)
            expected += share * ((1 - EPSILON) * normal + EPSILON * uniform)
        found = np.exp(scene.given.beliefs.low_effort[component])
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("level", [0, 7, 15, 20, 40])
def test_a_report_before_rounding_lies_in_any_of_its_bins(scene: Scene, level: int) -> None:
    coarse, shares, mean, root = scene.given.levels.coarse, scene.given.beliefs.rounding.ravel(), 2.4, 0.9
    low, high = (np.array([bins(np.array(FINE), unit)[end][level] for unit in UNITS]) for end in (0, 1))
    finest = level, float(low[-1]), float(high[-1])
    drawn = np.array(
        [latent_heaping.draw_rounded(scene.rng, *finest, mean, root, coarse, shares) for _ in range(DRAWS)]
    )
    weights = unit_shares(scene.state.hyper) * (ndtr((high - mean) * root) - ndtr((low - mean) * root))

    inside = ndtr((np.clip(drawn[:, None], low, high) - mean) * root) - ndtr((low - mean) * root)
    below = (unit_shares(scene.state.hyper) * inside).sum(axis=-1) / weights.sum()
    assert stats.kstest(below, "uniform").pvalue > FALSE_ALARM


def test_shares_are_learned_from_reports_before_rounding_and_from_low_effort(scene: Scene) -> None:
    """The chain that this update makes of its own has the distribution that a grid of the simplex gives."""
    state, given, seen = scene.state, scene.given, scene.arena.seen
    counts = np.zeros((3, len(FINE)))
    for entry in np.flatnonzero(~state.effortful[scene.layout.report_review]):
        counts[seen.report_component[entry], seen.report_level[entry]] += 1
    drawn = []
    for _ in range(2 * DRAWS):
        latent_heaping.learn_rounding(scene.rng, given.places, given.levels, given.beliefs, state, counts)
        drawn.append(unit_shares(state.hyper))
    axis = (np.arange(150) + 0.5) / 150
    whole, half = (part.ravel() for part in np.meshgrid(axis, axis, indexing="ij"))
    inside = whole + half < 1
    # Quarters are not legal here, so that all but whole and half grades are of one kind, whose shares add up.
    points = np.stack([whole, half, 1 - whole - half])[:, inside]
    log = stats.dirichlet.logpdf(points, [4, 2, 2])
    ends = np.array([bins(np.array(FINE), unit) for unit in (1.0, 0.5, None)])
    for report, level in enumerate(seen.report_level.tolist()):
        low, high = ends[:, :, level].T
        if state.effortful[scene.layout.report_review[report]]:
            mass = ((low <= state.latent[report]) & (state.latent[report] < high)).astype(float)
        else:
            centre = state.hyper[N_CLASSWIDE + 6 + seen.report_component[report]]
            root = np.exp(0.5 * state.hyper[TAU_L])
            uniform = (np.clip(high, 0, 5) - np.clip(low, 0, 5)) / 5
            mass = (1 - EPSILON) * (ndtr((high - centre) * root) - ndtr((low - centre) * root)) + EPSILON * uniform
        log = log + np.log(mass @ points)
    weights = np.exp(log - logsumexp(log))
    for place in (0, 1):
        values = np.array(drawn)[:, place]
        mean = weights @ points[place]
        sd = np.sqrt(weights @ (points[place] - mean) ** 2)
        # Draws depend on those before: means of batches tell their error.
        batches = values.reshape(40, -1).mean(axis=1)
        limit = stats.t.isf(FALSE_ALARM / 2, 39)
        assert abs(values.mean() - mean) < limit * batches.std(ddof=1) / np.sqrt(40) + 1e-3
        assert values.std() == pytest.approx(sd, rel=0.1)


SHARES = {1: 0.6, 0.5: 0.3}
SCALES = pg.Rubric.from_dict(
    {name: {"grades": f"0 to {top} by {step}"} for name, top, step in (("A", 4, 0.1), ("B", 3, 0.25), ("C", 2, 0.5))}
)


@pytest.fixture(scope="module")
def book() -> pg.Gradebook:
    return pg.simulate(students=60, weeks=1, tas=1, components=SCALES, merit=0.6, halo=0.5, heaping=SHARES, seed=4)[0]


@pytest.fixture(scope="module")
def posterior(book: pg.Gradebook) -> pg.Posterior:
    return pg.fit(book, chains=2, draws=300, burn_in=200, seed=1)


def test_shares_are_recovered(posterior: pg.Posterior) -> None:
    """The truth lies within four posterior standard deviations: a false alarm in ten thousand, for each of two."""
    table = posterior.priors().set_index("parameter")
    assert [name for name in table.index if name.startswith("rounded")] == ["rounded_whole", "rounded_half"]
    for name, share in (("rounded_whole", 0.6), ("rounded_half", 0.3)):
        row = table.loc[name]
        sd = (row["upper"] - row["lower"]) / 3.29
        assert sd < 0.05
        assert abs(row["value"] - share) < 4 * sd


def test_heaped_reviews_are_predicted_better_with_heaping(book: pg.Gradebook, posterior: pg.Posterior) -> None:
    without = pg.fit(book, Model(heaping=False), chains=2, draws=300, burn_in=200, seed=1)
    gap = posterior.leave_one_out.log_mass - without.leave_one_out.log_mass
    assert gap.sum() > 10 * np.sqrt(len(gap) * gap.var())


def test_probabilities_of_all_grades_add_up(book: pg.Gradebook, posterior: pg.Posterior) -> None:
    layout, draws = posterior.layout, posterior.draws
    np.testing.assert_allclose(draws.low_effort_masses().sum(axis=-1), 1, rtol=1e-6)
    np.testing.assert_allclose(weights_of(layout.roundings, posterior.samples.hyper).sum(axis=-1), 1, rtol=1e-9)
    predicted = posterior.predict(book.graders[0], book.submissions[0]).groupby("component")["probability"].sum()
    np.testing.assert_allclose(predicted, 1, atol=1e-6)


def test_likelihoods_and_leave_one_out_agree_on_what_a_review_is_worth(posterior: pg.Posterior) -> None:
    """A review's likelihood, averaged with its own weights undone, is what leave-one-out predicts, but for noise."""
    log = posterior.log_likelihood().reshape(-1, posterior.book.n_reviews).astype(float)
    harmonic = -logsumexp(-log, axis=0) + np.log(len(log))
    gap = posterior.leave_one_out.log_mass - harmonic
    assert abs(np.median(gap)) < 0.5


def test_replicated_classes_are_heaped_as_the_class(posterior: pg.Posterior) -> None:
    layout, rng = posterior.layout, np.random.default_rng(0)
    mine = layout.report_component == 0
    values = SCALES.components[0].values
    whole = np.abs(values - np.round(values)) < 1e-6
    shares = [whole[levels[mine]].mean() for levels in replicated_levels(layout, posterior.samples, 40, 1, rng)]
    observed = whole[layout.report_level[mine]].mean()
    assert abs(np.mean(shares) - observed) < 4 * np.std(shares)


def test_a_saved_posterior_knows_the_shares(posterior: pg.Posterior, tmp_path: Path) -> None:
    posterior.save(tmp_path / "posterior.npz")
    again = pg.load(tmp_path / "posterior.npz")
    assert again.priors().equals(posterior.priors())


@pytest.mark.parametrize("shares", [{3: 0.5}, {1: -0.1}, {1: 0.7, 0.5: 0.4}])
def test_impossible_shares_are_refused(shares: dict[float, float]) -> None:
    with pytest.raises(InputError, match="heaping"):
        pg.simulate(students=6, weeks=1, components=SCALES, heaping=shares)
