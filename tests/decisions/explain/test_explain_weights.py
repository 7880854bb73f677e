"""The weights: the best of all there are, whoever finds them, and within the limits or as close as can be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peerage.decisions.explain import highs_solver, weight_integer_program
from peerage.decisions.explain.weigh_reports import weigh
from peerage.decisions.explain.weight_problem import WeightLimits, whole_grades
from peerage.decisions.explain.weight_search import search
from peerage.errors import ModelError
from support.references.weighings import (
    Submission,
    brute_force,
    largest_shifts,
    legal,
    objectives,
    submissions,
    typical,
)

USUAL = WeightLimits.of(0.09, 0.1)
shifts = st.sampled_from([0.0, 0.01, 0.05, 0.09, 0.3, 1.0])
leasts = st.sampled_from([0.0, 0.1, 0.25, 0.5])
penalties = st.sampled_from([0.0, 0.01, 0.5])


def check_both(submission: Submission, limits: WeightLimits, penalty: float) -> None:
    """The search and the solver find the best of all weight vectors, or both find that there is none."""
    best, problem = brute_force(submission, limits, penalty), submission.problem
    for weights, proven in (search(problem, limits, penalty), weight_integer_program.solve(problem, limits, penalty)):
        assert proven
        assert (weights is None) == (best is None)
        if weights is not None:
            assert problem.admits(weights, limits)
            objective = problem.objective(weights, penalty)
            assert objective == pytest.approx(objectives(submission, weights[None], penalty)[0], abs=1e-12)
            assert objective == pytest.approx(best, abs=1e-8)


@given(submissions(max_graders=3), shifts, leasts, penalties)
def test_both_find_the_best_of_all_weights(submission: Submission, shift: float, least: float, penalty: float) -> None:
    check_both(submission, WeightLimits.of(shift, least), penalty)


@pytest.mark.parametrize("seed", range(6))
def test_both_find_the_best_of_all_weights_of_four(seed: int) -> None:
    check_both(typical(4, np.random.default_rng(seed), missing=0.2 * (seed % 2)), USUAL, 0.01)


@pytest.mark.parametrize("n", [5, 6, 7])
def test_search_and_solver_agree_on_more_graders(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(8):
        problem = typical(n, rng, missing=0.15).problem
        (searched, finished), (solved, proven) = (
            search(problem, USUAL, 0.01),
            weight_integer_program.solve(problem, USUAL, 0.01),
        )
        assert finished
        assert proven
        assert (searched is None) == (solved is None)
        if searched is not None and solved is not None:
            assert problem.objective(searched, 0.01) == pytest.approx(problem.objective(solved, 0.01), abs=1e-8)


@given(submissions(max_graders=3), shifts, leasts, penalties)
def test_limits_give_way_no_more_than_they_must(
    submission: Submission, shift: float, least: float, penalty: float
) -> None:
    limits = WeightLimits.of(shift, least)
    weighing = weigh(submission.problem, limits, penalty)
    assert submission.problem.admits(weighing.weights, weighing.limits)
    if brute_force(submission, limits, penalty) is not None:
        assert weighing.limits == limits
        return
    smaller = min(limits.least, 100 // len(submission.levels))
    needed = largest_shifts(submission, legal(submission, smaller)).min()
    assert weighing.limits == WeightLimits(max(limits.shift, int(needed)), smaller)


def test_eleven_equal_graders_need_a_smaller_least_weight() -> None:
    submission = replace(typical(11, np.random.default_rng(0)), influence=np.ones(11))
    weighing = weigh(submission.problem, USUAL, 0.01)
    assert weighing.limits == WeightLimits(USUAL.shift, 9)
    assert sorted(weighing.weights) == [9] * 10 + [10]


@pytest.mark.parametrize("n", [101, 120])
def test_more_equal_graders_than_percents(n: int) -> None:
    submission = replace(typical(n, np.random.default_rng(n)), influence=np.ones(n))
    weighing = weigh(submission.problem, USUAL, 0.01)
    assert weighing.limits == WeightLimits(USUAL.shift, 1)
    assert submission.problem.admits(weighing.weights, weighing.limits)


def test_weights_that_are_not_proven_to_be_the_best_obey_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highs_solver, "MAX_NODES", 1)
    submission = replace(typical(101, np.random.default_rng(101)), influence=np.ones(101))
    weighing = weigh(submission.problem, USUAL, 0.01)
    assert not weighing.proven
    assert submission.problem.admits(weighing.weights, weighing.limits)


def test_a_class_of_120_graders_keeps_the_limits_where_weights_are_uneven() -> None:
    submission = typical(120, np.random.default_rng(3), missing=0.1)
    submission.influence[0] = 60
    weighing = weigh(submission.problem, USUAL, 0.01)
    assert weighing.limits == USUAL
    assert submission.problem.admits(weighing.weights, USUAL)
    assert weighing.proven


def test_the_only_grader_of_a_component_counts_even_without_influence() -> None:
    submission = typical(3, np.random.default_rng(0))
    submission.levels[:2, 3] = -1
    submission.influence[:] = [1, 1, 0]
    weighing = weigh(submission.problem, USUAL, 0.01)
    assert weighing.weights[2] == 10
    assert weighing.limits == WeightLimits(100_000, 10)


def test_one_grader_counts_everything() -> None:
    submission = typical(1, np.random.default_rng(0))
    assert list(weigh(submission.problem, USUAL, 0.01).weights) == [100]


def test_two_who_contradict_each_other_share_the_weight() -> None:
    submission = typical(2, np.random.default_rng(0))
    submission.levels[:] = [[0] * 4, [5] * 4]
    submission.influence[:] = 1
    weights = weigh(submission.problem, USUAL, 0.01).weights
    assert weights.sum() == 100
    assert 41 <= weights.min() <= 50


def test_half_rounds_up_exactly() -> None:
    """0.1 + 0.2 is not 0.3 in floating point; the average of 0.1 and 0.2 is the cut-point between them all the same."""
    submission = typical(2, np.random.default_rng(0))
    component = replace(submission.components[0], grades=(0.1, 0.2, 0.7))
    submission = replace(
        submission,
        levels=np.array([[0], [1]], dtype=np.int16),
        components=(component,),
        masses=(np.array([0.2, 0.3, 0.5]),),
        influence=np.ones(2),
    )
    assert list(submission.problem.levels(np.array([50, 50]))) == [1]
    assert list(submission.problem.levels(np.array([51, 49]))) == [0]


def test_the_widest_and_finest_rubric_fits_into_whole_numbers() -> None:
    grades, cuts, _ = whole_grades((-1e6, 0.1234567891, 1e6))
    assert grades.dtype == cuts.dtype == np.int64
    assert 100 * int(grades.max() - grades.min()) < 2**63
    assert [2 * cut for cut in cuts.tolist()] == [grades[0] + grades[1], grades[1] + grades[2]]


def test_a_rubric_too_fine_for_biases_is_refused() -> None:
    with pytest.raises(ModelError, match="too many digits"):
        whole_grades((-1e6, 0.1234567891, 1e6), adjusted=True)


def test_the_solver_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    for n in (5, 8, 12, 30):
        problem = typical(n, rng, missing=0.15).problem
        weight_integer_program.solve(problem, USUAL, 0.01)
        weight_integer_program.relax(problem, WeightLimits.of(0.0, 0.25))
    assert capfd.readouterr() == ("", "")
