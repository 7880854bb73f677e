"""Mechanisms of payment: one contract for all, each formula by hand, and the figures that were published."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.stats import kendalltau, multivariate_normal, norm

import peerage as pg
from peerage.errors import InputError
from peerage.gradebook.book import MISSING, TA, Gradebook
from peerage.mechanisms.credit_payment import Credit
from peerage.mechanisms.divergences import DIVERGENCES, IMPOSSIBLE, Divergence
from peerage.mechanisms.mechanism_contract import TaskMechanism
from peerage.mechanisms.mechanism_registry import ALL, MECHANISMS
from peerage.mechanisms.parametric_phi import normal_ratio
from peerage.mechanisms.phi_pairing import joint_ratio
from peerage.mechanisms.task_reports import TaskReports, reports_of
from peerage.rubric import Component, Rubric
from peerage.simulation import strategies
from peerage.simulation.burrell import burrell_schoenebeck

Floats = NDArray[np.float64]

QUICK = [Credit(chains=2, draws=50) if mechanism.name == "credit" else mechanism for mechanism in ALL]

PUBLISHED = {
    "mse": "BASELINE: MSE",
    "output-agreement": "OA: 0",
    "peer-truth-serum": "PTS: 0",
    "phi-tvd": "Phi-DIV: TVD",
    "phi-kl": "Phi-DIV: KL",
    "phi-chi2": "Phi-DIV: CHI_SQUARED",
    "phi-h2": "Phi-DIV: SQUARED_HELLINGER",
    "parametric-tvd": "Phi-DIV_P: TVD",
    "parametric-kl": "Phi-DIV_P: KL",
    "parametric-chi2": "Phi-DIV_P: CHI_SQUARED",
    "parametric-h2": "Phi-DIV_P: SQUARED_HELLINGER",
    "dmi": "DMI: 4",
    "mse-p": "MSE_P: 0",
}
"""What Burrell and Schoenebeck's tables call these mechanisms."""


def class_of(levels: list[list[int]], n_levels: int = 3) -> Gradebook:
    """A class of one component and one assignment; a row for each submission, a column for each grader."""
    table = np.array(levels)
    submission, grader = np.nonzero(table != MISSING)
    n_submissions, n_graders = table.shape
    return Gradebook(
        rubric=Rubric.uniform(["Grade"], range(n_levels)),
        submissions=tuple(f"s{index}" for index in range(n_submissions)),
        graders=tuple(f"g{index}" for index in range(n_graders)),
        roles=np.zeros(n_graders, np.int8),
        authors=((),) * n_submissions,
        assignments=("",) * n_submissions,
        review_submission=submission.astype(np.int32),
        review_grader=grader.astype(np.int32),
        levels=table[submission, grader].astype(np.int16)[:, None],
    )


def earned(book: Gradebook, name: str, seed: int = 0) -> Floats:
    """(graders,) the sum of what each earns in all assignments."""
    table = MECHANISMS[name].pay(book, seed=seed)
    return np.asarray(table.groupby("grader")["payment"].sum().reindex(list(book.graders)), dtype=float)


# The contract


@pytest.mark.parametrize("mechanism", QUICK, ids=lambda mechanism: mechanism.name)
def test_every_mechanism_keeps_the_contract(mechanism: TaskMechanism | Credit) -> None:
    """A row per student and assignment, or per student; numbers; the same seed, the same pay; staff unpaid."""
    book, _ = burrell_schoenebeck(students=18, assignments=2, reviews_per_student=6, clusters=True, seed=1)
    rng, roles = np.random.default_rng(0), book.roles.copy()
    components = Component("Text", (0.0, 1.0, 3.0)), Component("Code", tuple(np.arange(0, 101, 10.0)))
    levels = np.concatenate([rng.integers(0, 3, (book.n_reviews, 1)), book.levels], axis=1)
    levels[::9, 0] = MISSING
    roles[4] = TA
    book = replace(book, rubric=Rubric(components), levels=levels, roles=roles)
    table = mechanism.pay(book, seed=3)
    assert list(table.columns) == ["grader", "assignment", "payment"]
    students = set(book.graders) - {book.graders[4]}
    assert set(table["grader"]) == students
    assert len(table) in (len(students), 2 * len(students))
    assert not table.duplicated(["grader", "assignment"]).any()
    assert np.isfinite(table["payment"].to_numpy(float)).all()
    pd.testing.assert_frame_equal(table, mechanism.pay(book, seed=3))
    assert all((mechanism.name, mechanism.citation, mechanism.needs))


def test_pay_and_the_list_of_mechanisms() -> None:
    book, _ = pg.simulate(students=12, weeks=2, seed=0)
    pd.testing.assert_frame_equal(pg.pay(book, "mse"), MECHANISMS["mse"].pay(book, seed=0))
    assert set(pg.mechanisms()["name"]) == set(MECHANISMS)
    with pytest.raises(InputError, match="no mechanism 'mes'; choose one of mse, "):
        pg.pay(book, "mes")


def test_a_class_that_has_not_what_a_mechanism_needs_is_told_so() -> None:
    alone = class_of([[0, MISSING], [MISSING, 1]])
    with pytest.raises(InputError, match="dmi can pay nobody in this class; it needs students who review 4"):
        pg.pay(alone, "dmi")
    with pytest.raises(InputError, match="mse can pay nobody"):
        pg.pay(alone, "mse")


# The formulas


def test_mse_and_output_agreement_by_hand() -> None:
    book = class_of([[0, 1, 2], [2, 2, MISSING]])
    # On a scale of 0 to 10 the levels are 0, 5 and 10; the means of the submissions are 5 and 10.
    assert earned(book, "mse") == pytest.approx([-25 / 2, 0, -25])
    assert earned(book, "output-agreement") == pytest.approx([0.5, 0.5, 0])


def test_the_serum_pays_more_for_agreement_on_what_was_rare() -> None:
    first, second = class_of([[0, 0], [0, 0], [2, 2]]), class_of([[0, 0], [2, 2], [1, 2]])
    book = replace(
        first,
        submissions=tuple(f"s{index}" for index in range(6)),
        authors=((),) * 6,
        assignments=("one",) * 3 + ("two",) * 3,
        review_submission=np.concatenate([first.review_submission, second.review_submission + 3]),
        review_grader=np.concatenate([first.review_grader, second.review_grader]),
        levels=np.concatenate([first.levels, second.levels]),
    )
    table = pg.pay(book, "peer-truth-serum").set_index(["grader", "assignment"])["payment"]
    assert table["g0", "one"] == pytest.approx(3), "each of three grades has a third at first"
    # The first assignment had four 0 and two 2; with one more each, 5, 1 and 3 of 9.
    assert table["g0", "two"] == pytest.approx((9 / 5 + 9 / 3 + 0) / 3)


@pytest.mark.parametrize("divergence", DIVERGENCES, ids=lambda divergence: divergence.key)
def test_a_conjugate_meets_its_slope(divergence: Divergence) -> None:
    """Where the slope of Φ is b at a, Φ*(b) = a·b − Φ(a); its derivative along a is a · db/da."""
    a = np.linspace(1.2, 3.0, 7)
    step = 1e-6
    slope, conjugate = divergence.slope, divergence.conjugate
    moved = (conjugate(slope(a + step)) - conjugate(slope(a - step))) / (2 * step)
    assert moved == pytest.approx(a * (slope(a + step) - slope(a - step)) / (2 * step), abs=1e-6)
    assert conjugate(slope(np.ones(1)))[0] - slope(np.ones(1))[0] == pytest.approx(0), "nothing is gained by chance"


def test_pairs_never_seen_together_cost_without_bound_where_the_divergence_has_none() -> None:
    never = np.zeros(1)
    assert [float(divergence.slope(never)[0]) for divergence in DIVERGENCES] == [-0.5, IMPOSSIBLE, 0.0, IMPOSSIBLE]


def test_the_joint_ratio_counts_pairs_of_the_other_half() -> None:
    reports = next(reports_of(class_of([[0, 0, 2], [2, 2, 2], [0, 1, 1]])))
    ratio, seen = joint_ratio(reports, np.array([0, 0, 1]))
    # For use in half 1: two tasks; of their pairs (0,0) has 1/6, (0,2) and (2,0) 1/6 each, and (2,2) one half.
    marginal = np.array([1 / 3, 0, 2 / 3])
    joint = np.array([[1 / 6, 0, 1 / 6], [0, 0, 0], [1 / 6, 0, 1 / 2]])
    known = np.outer(marginal, marginal) > 0
    assert (seen[1] == known).all()
    assert ratio[1][known] == pytest.approx((joint / np.where(known, np.outer(marginal, marginal), 1))[known])
    assert seen[0, 0, 1]
    assert not seen[0, 2, 2]


def test_penalty_tasks_are_others_and_different() -> None:
    book, _ = burrell_schoenebeck(students=20, assignments=1, seed=0)
    reports = next(reports_of(book))
    first, second = reports.pairs
    one, two = reports.penalties(np.random.default_rng(0))
    assert (reports.grader[one] == reports.grader[first]).all()
    assert (reports.grader[two] == reports.grader[second]).all()
    tasks = np.stack([reports.task[first], reports.task[one], reports.task[two]])
    assert all(len(set(column)) == 3 for column in tasks.T)
    few = next(reports_of(class_of([[0, 1], [1, 1]])))
    assert (few.penalties(np.random.default_rng(0))[1] == -1).all(), "one task cannot serve both"


def test_the_normal_ratio_is_that_of_densities() -> None:
    x, y, variance = np.array([0.5, -1.0, 2.0]), np.array([0.2, 1.0, 2.5]), 2.1
    total = variance * 4 / 3
    joint = multivariate_normal([0, 0], [[total, variance], [variance, total]]).pdf(np.stack([x, y], axis=1))
    alone = norm(0, total**0.5)
    assert normal_ratio(x, y, variance) == pytest.approx(joint / (alone.pdf(x) * alone.pdf(y)))


def test_the_determinants_of_two_who_agree_and_of_two_who_do_not() -> None:
    """With four tasks, two low and two high, agreement pays 1 where each half has both kinds, and chance nothing."""
    agreeing, constant = class_of([[0, 0], [0, 0], [2, 2], [2, 2]]), class_of([[0, 2], [0, 2], [2, 2], [2, 2]])
    paid = np.array([earned(agreeing, "dmi", seed) for seed in range(300)])
    assert set(paid.ravel()) == {0.0, 1.0}
    assert paid[:, 0].mean() == pytest.approx(2 / 3, abs=5 * np.sqrt(2 / 9 / 300)), "false alarm 1e-6"
    assert earned(constant, "dmi", 0) == pytest.approx([0, 0])


def test_payments_do_not_depend_on_the_units_of_the_rubric() -> None:
    book, _ = burrell_schoenebeck(students=20, assignments=2, seed=0)
    other = replace(book, rubric=Rubric.uniform(["Grade"], range(0, 101, 10)))
    for name in set(MECHANISMS) - {"credit", "dmi"}:
        assert earned(other, name) == pytest.approx(earned(book, name)), name


# Published figures


def integrity(names: list[str], seeds: range, *, biased: bool = True) -> dict[str, Floats]:
    """Kendall's τ of effort and pay in classes of Burrell and Schoenebeck's."""
    found: dict[str, list[float]] = {name: [] for name in names}
    for seed in seeds:
        books = {
            clusters: burrell_schoenebeck(seed=seed, clusters=clusters, biased=biased) for clusters in (False, True)
        }
        for name in names:
            book, truth = books[name == "dmi"]
            found[name].append(float(kendalltau(truth.effort, earned(book, name, seed)).statistic))
    return {name: np.array(values) for name, values in found.items()}


Figures = dict[tuple[str, str], tuple[float, float]]


def published(folder: Path, experiment: str) -> Figures:
    """Mean and its standard error by condition and mechanism; of gains in rank, a variance of 100 is given."""
    table = pd.read_csv(folder / "burrell-schoenebeck" / "published_results.csv")
    rows = table[table["experiment"] == experiment].to_dict("records")
    spread = {"kendall_tau(effort lam, payment)": 1.0, "ROC-AUC active vs passive": 1.0, "mean rank gain": 0.5}
    return {
        (row["condition"], row["mechanism"]): (row["mean"], row["sd_or_variance"] ** spread[row["metric"]] / 10)
        for row in rows
    }


def distance(values: Floats, figure: tuple[float, float]) -> float:
    """How many standard errors a mean is from a published one."""
    mean, error = figure
    return float(abs(values.mean() - mean) / np.hypot(values.std(ddof=1) / np.sqrt(len(values)), error))


@pytest.mark.slow
def test_integrity_is_what_was_published(real_data: Path) -> None:
    """13 means of 50 classes each against the authors' of 100; |z| < 4 for all has a false-alarm rate of 8e-4.

    The power: MSE_P's figure is told from plain MSE's.
    """
    figures = published(real_data, "ce-bias-all")
    found = integrity(list(PUBLISHED), range(50))
    far = {name: distance(values, figures["assignments=10", PUBLISHED[name]]) for name, values in found.items()}
    assert max(far.values()) < 4, far
    assert distance(found["mse-p"], figures["assignments=10", PUBLISHED["mse"]]) > 4


@pytest.mark.slow
def test_without_biases_mse_p_is_what_was_published(real_data: Path) -> None:
    """It estimates biases all the same, which costs it: 0.355. 50 classes; |z| < 4 fails by chance once in 16,000."""
    figures = published(real_data, "ce-no_bias-all")
    found = integrity(["mse-p"], range(50), biased=False)["mse-p"]
    assert distance(found, figures["assignments=10", PUBLISHED["mse-p"]]) < 4


@pytest.mark.slow
def test_the_active_are_told_from_the_passive_as_was_published(real_data: Path) -> None:
    """Areas under the curve at 50 active of 100: 0.783 by MSE and 0.940 by MSE_P; 40 classes, |z| < 4 each.

    The power: MSE_P's figure is told from plain MSE's.
    """
    figures = published(real_data, "be-bias-all")
    areas: dict[str, list[float]] = {"mse": [], "mse-p": []}
    for seed in range(40):
        book, truth = burrell_schoenebeck(seed=seed, active=50)
        for name, found in areas.items():
            paid, is_active = earned(book, name, seed), truth.effort > 0
            above = paid[is_active][:, None] - paid[~is_active]
            found.append(float(np.mean((above > 0) + 0.5 * (above == 0))))
    for name, found in areas.items():
        assert distance(np.array(found), figures["active=50", PUBLISHED[name]]) < 4, name
    assert distance(np.array(areas["mse-p"]), figures["active=50", PUBLISHED["mse"]]) > 4


def gain(name: str, strategy: strategies.Strategy, seed: int) -> float:
    """By how many places one honest grader rises by deviating, where ten of a hundred already do."""
    book, _ = burrell_schoenebeck(seed=seed, clusters=name == "dmi")
    book = strategies.play(book, strategy, range(90, 100), seed)
    before = earned(book, name, seed)
    after = earned(strategies.play(book, strategy, [0], seed), name, seed)
    return float((before >= before[0]).sum() - (after >= after[0]).sum())


@pytest.mark.slow
def test_a_deviator_gains_what_was_published(real_data: Path) -> None:
    """Ten means of 40 gains each against the authors' of 100; |z| < 4 for all has a false-alarm rate of 6e-4.

    The power: what hedging gains by MSE_P is told from what it gains by parametric H².
    """
    figures = published(real_data, "incentives_for_deviating-ce-bias")
    tried = {"PRIOR n=10": strategies.always_mean, "HEDGE n=10": strategies.hedge}
    names = ("mse", "peer-truth-serum", "phi-h2", "parametric-h2", "mse-p")
    found = {
        (condition, PUBLISHED[name]): np.array([gain(name, strategy, seed) for seed in range(40)])
        for condition, strategy in tried.items()
        for name in names
    }
    far = {key: distance(gains, figures[key]) for key, gains in found.items()}
    assert max(far.values()) < 4, far
    assert distance(found["HEDGE n=10", "MSE_P: 0"], figures["HEDGE n=10", PUBLISHED["parametric-h2"]]) > 4


def test_reports_hold_students_grades_in_the_order_of_assignments() -> None:
    book, _ = pg.simulate(students=6, weeks=3, tas=1, components=2, seed=0)
    parts: list[TaskReports] = list(reports_of(book))
    assert [part.assignment for part in parts] == 2 * list(dict.fromkeys(book.assignments))
    assert sum(len(part.level) for part in parts) == (book.levels[book.roles[book.review_grader] == 0] >= 0).sum()
    assert parts[1].earlier.sum() == len(parts[0].level)
