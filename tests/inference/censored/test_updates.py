"""Tier 1: every conditional update against the plain twin, on a tiny class that holds every special case.

Nothing here is statistical: the kernels leave behind the probabilities that they drew from, and draws of known
distributions are reproduced from a copy of the generator.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logsumexp

from peerage.gradebook.book import MISSING, Gradebook
from peerage.inference.censored import (
    cell_products,
    censored_engine,
    censored_sweep,
    collapsed_graders,
    grader_updates,
)
from peerage.inference.layout import AUTHOR, lay_out
from peerage.inference.numerics import effort_density, vectors
from peerage.model import Fixed, Model
from peerage.rubric import Rubric
from support.classes.tiny import FIXED, MODELS, PRIORS, model_id, one_submission, tiny_class
from support.classes.update_cases import (
    COARSE,
    FINE,
    WITH_SPECIAL_CASES,
    Floats,
    check_effort_is_beta,
    fails,
    inferred,
    new_sums,
    twin_state,
    variant_id,
    variants,
    with_last,
)
from support.faults.planted import PLANTED, broken_part
from support.references import twin

CENSORED = [model for model in MODELS if model.censoring]
STRUCTURE = Rubric.uniform(["Structure"], range(6))


class Censored:
    """A tiny class in some state, ready for single updates of the censored kernels."""

    def __init__(
        self, model: Model, seed: int = 1, submissions_end_with: int | None = None, book: Gradebook | None = None
    ) -> None:
        self.book = book or tiny_class(seed)
        if submissions_end_with is not None:
            self.book = with_last(self.book, submissions_end_with)
        self.model = model
        self.layout = lay_out(self.book, model)
        self.given = censored_engine.prepare(self.layout)
        self.rng = np.random.default_rng(seed)
        self.state = censored_engine.initial_state(self.layout, self.given, self.rng)
        self.work = censored_engine.new_work(self.layout)
        self.sums = new_sums(self.layout)

    def inside(self, review: int | np.integer) -> int:
        """Where the kernels have a review of the gradebook."""
        return int(np.flatnonzero(self.layout.review_order == review)[0])

    def twin_masses(self, variable: str, index: int | tuple[int, ...], points: Floats) -> Floats:
        state = twin_state(self.layout, self.state)
        return twin.masses(twin.log_conditional(self.book, self.model, state, variable, index, points))


def update_graders(case: Censored) -> tuple[twin.State, twin.State]:
    """Update all graders, summing up what was drawn from; returns the states before and after, for the twin."""
    before = twin_state(case.layout, case.state)
    flags = True, case.model.effort, case.layout.has_bias
    collapsed_graders.update_graders(case.rng, *flags, case.given, case.state, case.sums, case.work)
    return before, twin_state(case.layout, case.state)


def update_true_grades(case: Censored) -> twin.State:
    """Draw all true grades, summing up what was drawn from; returns the state after, for the twin."""
    update_graders(case)
    censored_sweep._true_grades(case.rng, True, case.given, case.state, case.sums, case.work)
    return twin_state(case.layout, case.state)


@pytest.mark.parametrize("model", variants(CENSORED), ids=variant_id)
def test_true_grade_is_drawn_from_its_conditional_distribution(model: Model) -> None:
    """The weights on the grid, which are left behind for the last submission's last component, put last in turn."""
    for last in range(tiny_class(1).n_submissions):
        case = Censored(model, submissions_end_with=last)
        layout, points = case.layout, case.layout.grids.true_grade.points
        update_true_grades(case)
        entry = (case.book.n_submissions - 1, int(layout.reports.cell_component[-1]))
        weights = case.work.running[0].astype(np.float64)
        expected = case.twin_masses("true_grade", entry, points)
        # The prior enters as the mass of the cell, the twin's as the density at its centre.
        assert np.abs(weights / weights.sum() - expected).max() < 1e-3 * expected.max()


@pytest.mark.parametrize("model", variants(CENSORED), ids=variant_id)
def test_level_masses_are_the_probabilities_of_the_rubrics_bins(model: Model) -> None:
    case = Censored(model)
    layout = case.layout
    after = update_true_grades(case)
    fine = np.linspace(-4.0, 10.0, 14_001)
    assert case.sums.level_mass.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    for cell, submission in enumerate(layout.cell_submission):
        if layout.fixed_level[cell] != MISSING:
            assert case.sums.level_mass[cell, layout.fixed_level[cell]] == pytest.approx(1.0, abs=1e-6)
            continue
        entry = (int(submission), int(layout.reports.cell_component[cell]))
        component = case.book.rubric.components[entry[1]]
        density = twin.masses(_log_conditional_of_cell(case.book, model, after, entry, fine))
        exact = np.bincount(np.searchsorted(component.cuts, fine, side="right"), density, component.n_levels)
        assert np.abs(case.sums.level_mass[cell, : component.n_levels] - exact).max() < 2e-3


def _log_conditional_of_cell(
    book: Gradebook, model: Model, state: twin.State, entry: tuple[int, int], values: Floats
) -> Floats:
    """The twin's conditional of a true grade over many values, from its own prior and report terms."""
    mean, precision = (array[entry] for array in twin.true_grade_prior(book, model, state))
    log_density = -0.5 * precision * (values - mean) ** 2
    submission, component = entry
    ends = twin.edges(book, component)
    for review in np.flatnonzero((book.review_submission == submission) & (state.effortful == 1)):
        level = book.levels[review, component]
        if level != MISSING:
            grader = book.review_grader[review]
            centre = values + state.bias[grader]
            log_density += twin.log_normal_mass(ends[level], ends[level + 1], centre, state.reliability[grader])
    return np.asarray(log_density)


def log_predictive(case: Censored, state: twin.State, review: int) -> tuple[float, float]:
    """Log probability, by the twin, of a review with effort, its submission's true grades summed out, and without."""
    grid = FINE if case.model.fixed else COARSE
    submission, book, model = int(case.book.review_submission[review]), case.book, case.model
    without, with_effort = (
        twin.log_joint_without_true_grade(book, model, state.with_value("effortful", review, value), submission, grid)
        for value in (0, 1)
    )
    chance = state.effort[book.review_grader[review]]
    careless = float(np.nansum(twin.log_low_effort(book, model, twin.default_reports(book, model))[review]))
    return with_effort - without - np.log(chance / (1 - chance)) + careless, careless


@pytest.mark.slow
@pytest.mark.parametrize("model", [m for m in variants(CENSORED) if m.effort], ids=variant_id)
def test_efforts_are_drawn_with_the_true_grades_summed_out(model: Model) -> None:
    """Graders are updated in their order: those before have new efforts, a grader and those after the old ones."""
    case = Censored(model)
    old, new = update_graders(case)
    grid = FINE if model.fixed else COARSE
    for review in np.flatnonzero(np.isin(case.book.review_submission, WITH_SPECIAL_CASES)):
        grader, inside = int(case.book.review_grader[review]), case.inside(review)
        if old.effort[grader] == 1.0:
            assert case.sums.effortful[inside] == 1.0
            continue
        mixed = np.where(case.book.review_grader < grader, new.effortful, old.effortful)
        state = replace(old, effortful=mixed).with_value("effort", grader, float(new.effort[grader]))
        exact = twin.effortful_without_true_grade(case.book, model, state, int(review), grid)
        assert case.sums.effortful[inside] == pytest.approx(exact, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("model", [m for m in variants(CENSORED) if m.effort], ids=variant_id)
def test_a_reflection_is_weighed_with_true_grades_and_efforts_summed_out(model: Model) -> None:
    """For the first graders whose reliability and effort are inferred, against the twin at both ends of the move."""
    case = Censored(model)
    layout, given, grids = case.layout, case.given, case.layout.grids
    update_graders(case)
    unknown = np.isnan(layout.known.reliability) & np.isnan(layout.known.effort) & (layout.group != AUTHOR)
    for grader in np.flatnonzero(unknown)[:2].tolist():
        reliability = int(case.state.reliability[grader]) + 5
        moves_bias = layout.has_bias and np.isnan(layout.known.bias[grader])
        bias = int(case.state.bias[grader]) + (4 if moves_bias else 0)
        collapsed_graders.weigh_reviews(grader, reliability, bias, given, case.state, case.work)
        gain = collapsed_graders._log_odds(grader, reliability, bias, model.effort, given, case.state, case.work)
        here = twin_state(layout, case.state)
        there = here.with_value("reliability", grader, float(grids.reliability.points[reliability]))
        if moves_bias:
            there = there.with_value("bias", grader, float(grids.bias.points[bias]))
        totals = []
        for state in (here, there):
            total = twin.log_prior_graders(case.book, model, state) + np.log(state.reliability[grader])
            effort = state.effort[grader]
            for review in np.flatnonzero(case.book.review_grader == grader).tolist():
                careful, careless = log_predictive(case, state, review)
                total += float(np.logaddexp(np.log(effort) + careful, np.log1p(-effort) + careless))
            totals.append(total)
        assert gain == pytest.approx(totals[1] - totals[0], abs=5e-3)


@pytest.mark.parametrize(("mean", "precision"), [(2.03, 1.5), (-2.9, 0.3), (9.4, 40.0), (12.0, 2.0)])
def test_a_normal_on_a_grid_is_that_of_its_formula(mean: float, precision: float) -> None:
    points, out = np.arange(-2.975, 9.8, 0.05), np.zeros(256, np.float32)
    cell_products.fill_normal(points, mean, precision, out)
    exact = np.exp(-0.5 * precision * (points - mean) ** 2)
    assert out == pytest.approx(np.where(exact > 1e-9, exact, 0.0), rel=1e-5, abs=2e-9)


def test_the_density_of_an_effort_sums_its_reviews_efforts_out() -> None:
    prior, odds = (2.5, 0.7), np.array([0.2, 7.0, 1.0, 40.0])
    efforts = np.array([0.03, 0.4, 0.99])
    exact = stats.beta(*prior).logpdf(efforts) + np.log(efforts[:, None] * odds + 1 - efforts[:, None]).sum(axis=1)
    logs = [effort_density.log_effort_density(effort, odds / (1 + odds), prior) for effort in efforts]
    assert np.diff(logs) == pytest.approx(np.diff(exact))


def draws_of_effort(prior: tuple[float, float], shares: Floats, count: int = 8000) -> Floats:
    """Every fourth of efforts drawn one after the other."""
    rng, effort, before, masses = np.random.default_rng(5), 0.5, np.zeros(32), np.zeros(32)
    effort_density.fill_prior(prior, before)
    drawn = []
    for _ in range(count):
        effort = effort_density.draw_effort(rng, effort, shares, prior, before, masses)
        drawn.append(effort)
    return np.array(drawn)[::4]


@pytest.mark.parametrize("prior", [(8.0, 2.0), (0.6, 0.5)])
def test_an_effort_is_drawn_from_its_density(prior: tuple[float, float]) -> None:
    """Kolmogorov–Smirnov at 1e-6, on every fourth draw since a refused proposal repeats the value before.

    The same test notices a density that counts a single one of the twelve reviews twice.
    """
    shares = np.array([0.3, 0.9, 0.99, 0.6, 0.95, 0.1, 0.99, 0.8, 0.97, 0.5, 0.99, 0.02])
    points = (np.arange(20_000) + 0.5) / 20_000

    def distance(shares_of_density: Floats) -> float:
        logs = np.array([effort_density.log_effort_density(x, shares_of_density, prior) for x in points])
        cumulative = np.cumsum(np.exp(logs - logs.max()))
        drawn = draws_of_effort(prior, shares)
        return float(stats.kstest(drawn, lambda x: np.interp(x, points, cumulative / cumulative[-1])).pvalue)

    assert distance(shares) > 1e-6
    assert distance(np.append(shares, shares[-1])) < 1e-6


@pytest.mark.parametrize("n_graders", [collapsed_graders.MAX_SUMMED + 1])
def test_efforts_given_true_grades_for_submissions_that_very_many_graded(n_graders: int) -> None:
    book = one_submission(STRUCTURE, np.random.default_rng(2).integers(0, 6, (n_graders, 1)))
    case = Censored(Model(priors="paper"), book=book)
    old, new = update_graders(case)
    for review in range(n_graders):
        state = old.with_value("effort", review, float(new.effort[review]))
        logs = twin.log_conditional(book, case.model, state, "effortful", review, [0, 1])
        assert case.sums.effortful[review] == pytest.approx(twin.masses(logs)[1], abs=1e-5)


def drawn_weights(case: Censored, variable: str, grader: int) -> Floats:
    """Draw a grader's reliability or bias; returns the weights with which its grid was drawn from."""
    tied = variable == "reliability" and case.layout.group[grader] == AUTHOR
    size = len(getattr(case.layout.grids, variable))
    load = grader_updates._load_reliability_logs if variable == "reliability" else grader_updates._load_bias_logs
    draw = grader_updates._draw_reliability if variable == "reliability" else grader_updates._draw_bias
    load(grader, case.given, case.state, case.work)
    vectors.exponentiate(case.work.logs, case.work.scratch.likelihood[grader], size)
    draw(grader, case.rng, case.given, case.state, case.work)
    return np.array((case.work.logs if tied else case.work.part)[:size], dtype=np.float64)


@pytest.mark.parametrize("model", variants(CENSORED), ids=variant_id)
def test_reliability_is_drawn_from_its_conditional_distribution(model: Model) -> None:
    case = Censored(model)
    grid = case.layout.grids.reliability
    for grader in inferred(case.layout.known.reliability):
        state = twin_state(case.layout, case.state)
        logs = twin.log_conditional(case.book, model, state, "reliability", grader, grid.points)
        expected = twin.masses(logs, np.diff(grid.edges))
        weights = drawn_weights(case, "reliability", grader)
        assert np.abs(weights / weights.sum() - expected).max() < 1e-3 * expected.max()


@pytest.mark.parametrize("model", [m for m in variants(CENSORED) if m.bias], ids=variant_id)
def test_bias_is_drawn_from_its_conditional_distribution(model: Model) -> None:
    case = Censored(model)
    grid = case.layout.grids.bias
    for grader in inferred(case.layout.known.bias):
        expected = case.twin_masses("bias", grader, grid.points)
        weights = drawn_weights(case, "bias", grader)
        assert np.abs(weights / weights.sum() - expected).max() < 1e-3 * expected.max()


def test_the_papers_grids_use_the_same_likelihood() -> None:
    case = Censored(replace(MODELS[1], grids="paper", priors=PRIORS))
    grids = case.layout.grids
    assert (len(grids.true_grade), len(grids.reliability), len(grids.bias)) == (101, 100, 61)
    for grader in inferred(case.layout.known.bias):
        for variable, grid in (("bias", grids.bias), ("reliability", grids.reliability)):
            if variable == "reliability" and not np.isnan(case.layout.known.reliability[grader]):
                continue
            expected = case.twin_masses(variable, grader, grid.points)
            weights = drawn_weights(case, variable, grader)
            # At 0.1, the lowest reliability, the prior's density bends within a cell.
            assert np.abs(weights / weights.sum() - expected).max() < 2e-2 * expected.max()


def test_contradicting_reliable_graders_do_not_underflow() -> None:
    """Two graders of reliability 20 who report 0 and 5: the posterior lies between them, not at either."""
    book = tiny_class(1)
    fixed = replace(FIXED, reliability={"b": 20.0, "c": 20.0, "ta": 20.0}, bias=dict.fromkeys(book.graders, 0.0))
    levels = book.levels.copy()
    levels[:3, 0] = [0, 5, 5]
    book = replace(book, levels=levels)
    model = Model(effort=False, fixed=replace(fixed, effort={}, true_grade={}), priors=PRIORS)
    layout = lay_out(book, model)
    given = censored_engine.prepare(layout)
    state = censored_engine.initial_state(layout, given, np.random.default_rng(0))
    work, sums = censored_engine.new_work(layout), new_sums(layout)
    collapsed_graders.update_graders(np.random.default_rng(0), True, False, False, given, state, sums, work)
    censored_sweep._true_grades(np.random.default_rng(0), True, given, state, sums, work)
    reviews = np.flatnonzero(book.review_submission == 0)
    at_once = _log_conditional_of_cell(book, model, twin_state(layout, state), (0, 0), np.linspace(0, 5, 501))
    assert at_once.max() < np.log(1e-25), "the case does not underflow and shows nothing"
    assert len(reviews) == 3
    fine = np.linspace(-2.0, 8.0, 10_001)
    density = twin.masses(_log_conditional_of_cell(book, model, twin_state(layout, state), (0, 0), fine))
    exact = np.bincount(np.searchsorted(book.rubric.components[0].cuts, fine, side="right"), density, 6)
    assert np.abs(sums.level_mass[0, :6] - exact).max() < 2e-3


@pytest.mark.parametrize(("n_graders", "lowest", "highest"), [(5, 2.0, 20.0), (12, 1.0, 10.0)])
def test_efforts_of_many_reliable_graders_who_contradict_each_other(
    n_graders: int, lowest: float, highest: float
) -> None:
    """Products of their likelihoods leave the range of 32 bits; probabilities must not notice."""
    rng = np.random.default_rng(n_graders)
    worst = 0.0
    for _ in range(60):
        book = one_submission(STRUCTURE, rng.integers(0, 6, (n_graders, 1)))
        reliability = np.exp(rng.uniform(np.log(lowest), np.log(highest), n_graders))
        fixed = Fixed(
            reliability=dict(zip(book.graders, reliability.tolist(), strict=True)),
            bias=dict.fromkeys(book.graders, 0.0),
        )
        model = Model(fixed=fixed, priors="paper")
        case = Censored(model, book=book)
        old, new = update_graders(case)
        for review in range(n_graders):
            mixed = np.where(np.arange(n_graders) < review, new.effortful, old.effortful)
            without, with_report = (
                logsumexp(_log_conditional_of_cell(book, model, replace(old, effortful=z), (0, 0), COARSE))
                for z in (np.where(np.arange(n_graders) == review, value, mixed) for value in (0, 1))
            )
            low = twin.log_low_effort(book, model, twin.default_reports(book, model))[review, 0]
            chance = new.effort[review]
            exact = expit(np.log(chance / (1 - chance)) + with_report - without - low)
            worst = max(worst, abs(case.sums.effortful[review] - exact))
    assert worst < 1e-3


@pytest.mark.parametrize("model", [m for m in CENSORED if m.effort], ids=model_id)
def test_effort_probability_is_beta_in_the_efforts(model: Model) -> None:
    check_effort_is_beta(Censored(model))


@pytest.mark.slow
@pytest.mark.parametrize("bug", [name for name, bug in PLANTED.items() if bug.module is collapsed_graders])
def test_planted_bugs_are_caught(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At least one of the tests above fails with the broken kernels."""
    model = replace(PLANTED[bug].model, priors=PRIORS)
    monkeypatch.setattr(sys.modules[__name__], "collapsed_graders", broken_part(bug))
    checks = [
        test_efforts_are_drawn_with_the_true_grades_summed_out,
        test_a_reflection_is_weighed_with_true_grades_and_efforts_summed_out,
    ]
    assert any(fails(check, model) for check in checks)
