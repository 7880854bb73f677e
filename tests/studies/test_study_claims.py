"""Claims about studies: how they are judged, and those of the paper that must hold in quick runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

import peerage as pg
from peerage.simulation.simulated_class import simulate
from peerage_studies import NAMES, explanations, misspecification, study_definition
from peerage_studies.claims import Claim, Finding, Verdict
from peerage_studies.estimates import estimate
from peerage_studies.judges import Robust, Worse
from peerage_studies.mean_and_pg1 import of_reports
from peerage_studies.quantities import (
    Above,
    At,
    Below,
    Change,
    Highest,
    NotAbove,
    NotMeasuredError,
    Place,
    Quantity,
    Rounded,
    Small,
    Within,
)
from peerage_studies.running import run_study
from peerage_studies.statements import CLAIMS
from peerage_studies.study_tables import agreement, claims_table, means_table, reason, summary, verdicts
from support.classes.study_tables import made_up

GRADES, RELIABILITY, EFFORT, BIAS = "true_grade_mae", "reliability_spearman", "effort_spearman", "bias_mae"


def around(mean: float, half: float) -> Any:
    return estimate([0.0])._replace(mean=mean, half=half, replicates=15)


@pytest.mark.parametrize(
    ("criterion", "mean", "half", "holds"),
    [
        (Rounded(0.52), 0.5249, 0.0, True),
        (Rounded(0.52), 0.53, 0.004, False),
        (Rounded(0.52), 0.53, 0.006, True),
        (Rounded(0.6, 0.1), 0.56, 0.0, True),
        (Within(0.03, 0.06), 0.07, 0.02, True),
        (Within(0.03, 0.06), 0.09, 0.02, False),
        (Below(0.2), 0.18, 0.01, True),
        (Below(0.2), 0.18, 0.03, None),
        (Below(0.2), 0.23, 0.01, False),
        (Above(), 0.2, 0.1, True),
        (Above(), 0.2, 0.3, None),
        (Above(), -0.2, 0.1, False),
        (NotAbove(), 0.2, 0.3, True),
        (NotAbove(), 0.2, 0.1, False),
        (Small(), -0.05, 0.04, True),
        (Small(), -0.05, 0.06, None),
        (Small(), -0.25, 0.1, False),
    ],
)
def test_criteria_decide_by_the_interval(criterion: Any, mean: float, half: float, holds: bool | None) -> None:
    assert criterion(around(mean, half)) is holds


def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    # A binomial count of 2,000 is outside of these bounds with probability 1e-3.
    rng = np.random.default_rng(0)
    found = [estimate(rng.normal(3.0, 2.0, 15)) for _ in range(2000)]
    covered = sum(one.lower <= 3.0 <= one.upper for one in found)
    assert abs(covered - 1900) < 3.3 * np.sqrt(2000 * 0.95 * 0.05)


def test_quantities_pair_replicates() -> None:
    table = made_up("misspecification", replicates=3)
    rows = table[table["class"] == "b"]
    at = {value: At(GRADES, "mu_s", value)(rows) for value in (3.0, "3.50", Place.TRUE, Place.LOWEST, Place.HIGHEST)}
    pd.testing.assert_series_equal(at[Place.LOWEST], at[3.0])
    pd.testing.assert_series_equal(At(GRADES, "mu_s", 4)(rows), at[Place.TRUE])
    change = Change(At(GRADES, "mu_s", 3), At(GRADES, "mu_s", 4), relative=True)(rows)
    np.testing.assert_allclose(change, (at[3.0] - at[Place.TRUE]) / at[Place.TRUE].mean())
    highest = Highest(GRADES, ("mu_s", "tau_mean"))(rows)
    assert highest.mean() == max(At(GRADES, "mu_s", value)(rows).mean() for value in (3.0, 3.5, 4.5))
    with pytest.raises(NotMeasuredError):
        At(GRADES, "mu_s", 2.75)(rows)


@pytest.mark.parametrize(
    ("everywhere", "findings", "holds", "words"),
    [
        (True, {"a": True, "b": True}, True, "yes"),
        (True, {"a": True, "b": False}, False, "not in (b)"),
        (True, {"a": True, "b": None}, None, "undecided in (b)"),
        (True, {"a": False, "b": False}, False, "no"),
        (False, {"a": True, "b": False}, True, "yes, in (a)"),
        (False, {"a": False, "b": None}, None, "undecided in (b)"),
        (False, {}, None, "not measured"),
    ],
)
def test_a_verdict_on_several_classes(
    everywhere: bool, findings: dict[str, bool | None], holds: bool | None, words: str
) -> None:
    claim = Claim("it is so", lambda _: Finding("", True), everywhere=everywhere, why={"b": "since b is odd"})
    verdict = Verdict(claim, {name: Finding("1", entry) for name, entry in findings.items()})
    assert verdict.holds is holds
    assert agreement(verdict) == words
    if holds is True or not findings:
        assert reason(verdict) == ""
    else:
        assert reason(verdict) == "since b is odd"


def test_changes_are_counted_that_are_small_or_insignificant() -> None:
    table = made_up("misspecification")
    rows = table[table["class"] == "a"]
    assert Robust(("tau_mean",), (GRADES, BIAS), small=True)(rows) == Finding("4 of 4 by less than a tenth", True)
    assert Robust(("mu_s",), (GRADES,), small=True)(rows) == Finding("0 of 3 by less than a tenth", False)
    assert Robust(("mu_s",), (GRADES,), small=False)(rows) == Finding("0 of 3 with overlapping intervals", False)


def test_a_model_is_worse_if_it_is_in_every_class_or_in_as_many_as_are_asked_for() -> None:
    table = made_up("ablation", replicates=4)
    rows = table[table["class"] == "a"]
    assert Worse("no bias")(rows).holds
    once = rows["replicate"].eq(2) & rows["value"].eq("no bias") & rows["metric"].eq("p_value")
    but_one = rows.assign(result=rows["result"].mask(once, 0.06))
    finding = Worse("no bias")(but_one)
    assert finding.holds is False
    assert finding.measured.endswith("p < 0.05 in 3 of 4")
    assert Worse("no bias", share=0.75)(but_one).holds
    assert not Worse("no bias", share=0.8)(but_one).holds


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_can_hold_and_can_fail(name: str) -> None:
    table = made_up(name)
    assert [verdict.claim.says for verdict in verdicts(name, table) if verdict.holds is not True] == []
    table = made_up(name, replicates=3)
    table = table[table["class"] == "b"]
    failed = set()
    cells = table.groupby(["class", "setting", "value", "metric"]).ngroup()
    for seed in range(10):
        # Every mean is moved by a factor of its own, which may change its sign.
        factors = np.random.default_rng(seed).normal(0, 5, cells.max() + 1)
        moved = table.assign(result=table["result"] * factors[cells.to_numpy()])
        failed |= {verdict.claim.says for verdict in verdicts(name, moved) if verdict.holds is False}
    assert failed == {claim.says for claim in CLAIMS[name]}


def test_what_is_written_of_claims() -> None:
    table = made_up("recovery-graders")
    low = table["setting"].eq("graders") & table["value"].eq(4) & table["metric"].eq(GRADES)
    table = table[~table["setting"].eq("ta")].assign(result=table["result"].mask(low, 0.3))
    found = verdicts("recovery-graders", table)
    lines = summary("recovery-graders", found)
    assert lines[0] == "recovery-graders: of 7 statements in the paper, 6 hold."
    assert lines[1].startswith("  MAE of true grades 0.41 with 4 graders: no; measured (a) 0.300 ± 0.000; (b) 0.300")
    assert lines[2:] == ["  2 more are about values that were not run, or need two replicates"]
    rows = claims_table(found).splitlines()
    assert rows[0].startswith(
        "| the paper says | measured, class (a) | measured, class (b) | measured, class (c) | agree |"
    )
    assert rows[3].endswith("| 0.300 ± 0.000 | 0.300 ± 0.000 | 0.300 ± 0.000 | no | no reason known |")
    assert rows[5].endswith("|  |  |  | not measured |  |")
    means = means_table(table).splitlines()
    assert len(means) == 2 + 3 * 7
    assert means[2].startswith("| graders per submission | 1 | (a) | 0.5")
    assert means[-1].startswith("| a TA's grades, fitted | 2 | (c) | 0.4")


def pooled(quantity: Quantity, table: pd.DataFrame) -> pd.Series[float]:
    """A quantity of the replicates of all classes."""
    return pd.concat([quantity(rows) for _, rows in table.groupby("class")], ignore_index=True)


def is_positive(values: pd.Series[float]) -> bool:
    """Whether a mean is significantly positive; where it is not positive in truth, with a probability of 1 %."""
    found = estimate(values)
    error = values.std() / np.sqrt(found.replicates)
    return bool(found.mean > student.ppf(0.99, found.replicates - 1) * error)


def is_about(values: pd.Series[float], stated: float, sd: float) -> bool:
    """Whether a mean may be one that is rounded to the stated number; if it is, with a probability of 99.9 %.

    ``sd`` is that between replicates, from 24 of them.
    """
    return bool(abs(values.mean() - stated) < 0.005 + 3.29 * sd / np.sqrt(len(values)))


def rise(metric: str, setting: str, first: float | Place, last: float | Place) -> Change:
    return Change(At(metric, setting, last), At(metric, setting, first))


def gap(graders: int, *, relative: bool = False) -> Change:
    return Change(At("explained_mae", "graders", graders), At("most_likely_mae", "graders", graders), relative)


def weeks_checks(table: pd.DataFrame) -> dict[str, bool]:
    hardly = Change(At(GRADES, "weeks", 8), At(GRADES, "weeks", 1), relative=True)
    return {
        "reliability improves": is_positive(pooled(rise(RELIABILITY, "weeks", 1, 8), table)),
        "effort improves": is_positive(pooled(rise(EFFORT, "weeks", 1, 8), table)),
        "bias improves": is_positive(pooled(rise(BIAS, "weeks", 8, 1), table)),
        "true grades hardly do": bool(abs(pooled(hardly, table).mean()) < 0.1),
    }


def graders_checks(table: pd.DataFrame) -> dict[str, bool]:
    error = {graders: pooled(At(GRADES, "graders", graders), table) for graders in (1, 4, 32)}
    return {
        "0.52 with one grader": is_about(error[1], 0.52, sd=0.034),
        "0.41 with four": is_about(error[4], 0.41, sd=0.033),
        "below 0.2 with thirty-two": bool(error[32].mean() < 0.2),
        "0.48 with a TA": is_about(pooled(At(GRADES, "ta", 2), table), 0.48, sd=0.021),
    }


def priors_checks(table: pd.DataFrame) -> dict[str, bool]:
    return {
        f"{setting} {place.name}": is_positive(pooled(rise(GRADES, setting, Place.TRUE, place), table))
        for setting in ("mu_s", "sigma_s")
        for place in (Place.LOWEST, Place.HIGHEST)
    }


def explanations_checks(table: pd.DataFrame) -> dict[str, bool]:
    return {
        "worse with one grader": is_positive(pooled(gap(1), table)),
        "less so with seven": is_positive(pooled(Change(gap(1), gap(7)), table)),
        "nearly equal with seven": bool(pooled(gap(7, relative=True), table).mean() < 0.1),
    }


CHECKS: dict[str, Callable[[pd.DataFrame], dict[str, bool]]] = {
    "recovery-weeks": weeks_checks,
    "recovery-graders": graders_checks,
    "misspecification": priors_checks,
    "explanations": explanations_checks,
}


def quick(name: str, classes: str, replicates: int) -> dict[str, bool]:
    return CHECKS[name](run_study(name, classes=classes, replicates=replicates, quick=True, workers=1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "classes", "replicates"),
    [("recovery-weeks", "bc", 7), ("recovery-graders", "a", 8), ("misspecification", "b", 6), ("explanations", "a", 8)],
)
def test_what_the_paper_claims_holds_in_quick_runs(name: str, classes: str, replicates: int) -> None:
    # With other seeds, a check fails although all is well with these probabilities, from the means and standard
    # deviations of 6 replicates of each class (24 for graders): weeks 8e-4, mostly for true grades (-3 % of the error,
    # with a standard error of 2 %) and reliability; graders 3e-3, a thousandth for each number; misspecification 2e-3,
    # for the highest sigma_s; explanations 3e-5.
    assert [claim for claim, holds in quick(name, classes, replicates).items() if not holds] == []


def with_shuffled_reports(*arguments: Any, **options: Any) -> tuple[pg.Gradebook, pg.Truth]:
    """A class in which reports are of other submissions and by other graders than the book says."""
    book, truth = simulate(*arguments, **options)
    shuffled = replace(book, levels=np.random.default_rng(0).permutation(book.levels))
    return shuffled, replace(truth, book=shuffled)


def with_more_reviews(students: int, weeks: int, *arguments: Any, **options: Any) -> tuple[pg.Gradebook, pg.Truth]:
    """A class in which more weeks bring more graders of each submission, too."""
    return simulate(students, weeks, *arguments, **options, reviews_per_student=min(4 * weeks, 12))


def with_equal_weights(posterior: pg.Posterior, **options: Any) -> pg.Explanation:
    """Explanations in which every report counts the same."""
    explained = pg.explain(posterior, **options)
    means = np.floor(of_reports(posterior.book, np.mean) + 0.5)
    return replace(explained, grades=explained.grades.assign(grade=means.ravel()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "classes", "replicates", "place", "bug", "found"),
    [
        ("recovery-weeks", "bc", 3, (study_definition, "simulate"), with_shuffled_reports, "reliability improves"),
        ("recovery-weeks", "b", 2, (study_definition, "simulate"), with_more_reviews, "true grades hardly do"),
        ("recovery-graders", "a", 2, (study_definition, "simulate"), with_shuffled_reports, "0.41 with four"),
        ("misspecification", "b", 2, (misspecification, "changed"), lambda priors, *_: priors, "mu_s LOWEST"),
        ("explanations", "a", 4, (explanations, "explain"), with_equal_weights, "nearly equal with seven"),
    ],
)
def test_these_checks_find_a_planted_bug(
    name: str,
    classes: str,
    replicates: int,
    place: tuple[Any, str],
    bug: Callable[..., Any],
    found: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(*place, bug)
    assert not quick(name, classes, replicates)[found]
