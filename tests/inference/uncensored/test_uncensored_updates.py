"""Tier 1, without censoring: every conditional update against closed forms, on a tiny class with every special case.

Nothing here is statistical: the kernels leave behind the probabilities that they drew from, and draws of known
distributions are reproduced from a copy of the generator.
"""

from __future__ import annotations

import sys
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from peerage.gradebook.book import MISSING
from peerage.inference.layout import lay_out
from peerage.inference.uncensored import uncensored_engine, uncensored_sweep
from peerage.model import Model
from support.classes.tiny import MODELS, PRIORS, model_id, tiny_class
from support.classes.update_cases import (
    COARSE,
    FINE,
    WITH_SPECIAL_CASES,
    check_effort_is_beta,
    fails,
    inferred,
    new_sums,
    twin_state,
    variant_id,
    variants,
    with_effort_summed_out,
)
from support.faults.planted import PLANTED, broken_part
from support.references import closed_forms, twin

UNCENSORED = [model for model in MODELS if not model.censoring]


class Uncensored:
    """A tiny class in some state, ready for single updates of the closed-form kernels."""

    def __init__(self, model: Model, seed: int = 2) -> None:
        self.book, self.model = tiny_class(seed), model
        self.layout = lay_out(self.book, model)
        self.given = uncensored_engine.prepare(self.layout)
        self.rng = np.random.default_rng(seed)
        self.state = uncensored_engine.initial_state(self.layout, self.given, self.rng)
        self.work = uncensored_engine.new_work(self.layout)
        graders = self.layout.reports.review_grader[self.state.effortful]
        self.work.effortful[:] = np.bincount(graders, minlength=self.book.n_graders)
        self.sums = new_sums(self.layout)
        self.reports = twin.default_reports(self.book, model)

    @property
    def twin(self) -> twin.State:
        return twin_state(self.layout, self.state)


@pytest.mark.parametrize("model", variants(UNCENSORED), ids=variant_id)
def test_uncensored_true_grades_and_their_level_masses(model: Model) -> None:
    case = Uncensored(model)
    for submission in range(case.book.n_submissions):
        before, copy = case.twin, deepcopy(case.rng)
        uncensored_sweep.gather(submission, case.given, case.state, case.work)
        uncensored_sweep._true_grades(submission, case.rng, True, case.given, case.state, case.sums, case.work)
        for cell in range(*case.layout.reports.submission_cells[submission : submission + 2]):
            entry = (submission, int(case.layout.reports.cell_component[cell]))
            exact = closed_forms.true_grade(case.book, model, before, entry, case.reports)
            component = case.book.rubric.components[entry[1]]
            masses = np.diff(exact.cdf(twin.edges(case.book, entry[1])))
            if case.layout.fixed_level[cell] != MISSING:
                drawn = component.from_model(case.state.true_grade[cell])
                assert component.level_of(drawn) == case.layout.fixed_level[cell]
                masses = np.eye(component.n_levels)[case.layout.fixed_level[cell]]
            elif not model.fixed:
                expected = exact.mean() + exact.std() * copy.standard_normal()
                assert case.state.true_grade[cell] == pytest.approx(expected, abs=1e-9)
            assert case.sums.level_mass[cell, : component.n_levels] == pytest.approx(masses, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("model", [m for m in variants(UNCENSORED) if m.effort], ids=variant_id)
def test_uncensored_efforts_are_drawn_with_the_true_grades_summed_out(model: Model) -> None:
    case = Uncensored(model)
    layout = case.layout
    grid = FINE if model.fixed else COARSE
    for submission in WITH_SPECIAL_CASES:
        old = case.twin
        case.sums.effortful[:] = 0
        uncensored_sweep.gather(submission, case.given, case.state, case.work)
        uncensored_sweep._efforts(submission, case.rng, True, case.given, case.state, case.sums, case.work)
        new = case.twin
        reports = case.layout.reports
        reviews = reports.submission_reviews[slice(*reports.submission_start[submission : submission + 2])]
        for position, review in enumerate(reviews):
            effort = old.effort[layout.reports.review_grader[review]]
            if effort == 1.0:
                assert case.sums.effortful[review] == 1.0
                continue
            mixed = old.effortful.copy()
            done = case.layout.review_order[reviews[:position]]
            mixed[done] = new.effortful[done]
            where = int(case.layout.review_order[review])
            state = with_effort_summed_out(case.book, model, replace(old, effortful=mixed), where)
            exact = twin.effortful_without_true_grade(case.book, model, state, where, grid)
            assert case.sums.effortful[review] == pytest.approx(exact, abs=1e-6 if not model.fixed else 1e-3)


@pytest.mark.parametrize("model", variants(UNCENSORED), ids=variant_id)
def test_uncensored_reliability(model: Model) -> None:
    case = Uncensored(model)
    correlated = twin.correlated_graders(case.book, model)
    edges = case.layout.grids.reliability.edges
    points = np.sqrt(edges[1:] * edges[:-1])
    for grader in inferred(case.layout.known.reliability):
        before, copy = case.twin, deepcopy(case.rng)
        case.work.counts[grader], case.work.squares[grader] = uncensored_sweep._squares(grader, case.given, case.state)
        uncensored_sweep._draw_reliability(grader, case.rng, case.given, case.state, case.work)
        if correlated[grader]:
            logs = [
                closed_forms.log_reliability_of_author(case.book, model, before, grader, value, case.reports)
                for value in points
            ]
            expected = twin.masses(np.array(logs), np.diff(edges))
            weights = case.work.logs[: len(points)]
            assert np.abs(weights / weights.sum() - expected).max() < 1e-3 * expected.max()
        else:
            exact = closed_forms.reliability(case.book, model, before, grader, case.reports)
            shape, scale = exact.args[0], exact.kwds["scale"]
            assert case.state.reliability[grader] == pytest.approx(copy.standard_gamma(shape) * scale, rel=1e-12)


@pytest.mark.parametrize("model", [m for m in variants(UNCENSORED) if m.bias], ids=variant_id)
def test_uncensored_bias(model: Model) -> None:
    case = Uncensored(model)
    for grader in inferred(case.layout.known.bias):
        before, copy = case.twin, deepcopy(case.rng)
        case.work.counts[grader], case.work.squares[grader] = uncensored_sweep._bias_terms(
            grader, case.given, case.state
        )
        uncensored_sweep._draw_bias(grader, case.rng, case.given, case.state, case.work)
        exact = closed_forms.bias(case.book, model, before, grader, case.reports)
        expected = exact.mean() + exact.std() * copy.standard_normal()
        assert case.state.bias[grader] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("model", [m for m in UNCENSORED if m.effort], ids=model_id)
def test_uncensored_effort_probability_is_beta_in_the_efforts(model: Model) -> None:
    check_effort_is_beta(Uncensored(model))


@pytest.mark.parametrize(("low", "high"), [(-0.3, 0.4), (2.0, 2.2), (3.0, np.inf), (-np.inf, -2.5), (-1.0, 4.0)])
def test_truncated_normal_draws(low: float, high: float) -> None:
    """Kolmogorov–Smirnov at 1e-6 for each of five intervals: false alarms once in 200,000 runs."""
    rng = np.random.default_rng(3)
    draws = np.array(
        [uncensored_sweep._truncated_normal(rng, 0.5, 4.0, 0.5 + low / 2, 0.5 + high / 2) for _ in range(4000)]
    )
    exact = stats.truncnorm(low, high, loc=0.5, scale=0.5)
    assert stats.kstest(draws, exact.cdf).pvalue > 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("bug", [name for name, bug in PLANTED.items() if bug.module is uncensored_sweep])
def test_planted_bugs_in_uncensored_updates_are_caught(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At least one of the tests above fails with the broken kernels."""
    model = replace(PLANTED[bug].model, priors=PRIORS)
    monkeypatch.setattr(sys.modules[__name__], "uncensored_sweep", broken_part(bug))
    assert any(fails(check, model) for check in (test_uncensored_bias, test_uncensored_reliability))
