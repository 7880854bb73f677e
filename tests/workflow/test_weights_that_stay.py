"""Weights after an update: those of submissions about which new grades say nothing stay, and so do their grades."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

import peerage as pg
from peerage.decisions.choices import DecisionChoices
from peerage.decisions.explain.kept_weights import KeptWeights, Share, unconcerned
from peerage.results.results import Results
from peerage.results.schema import EXPLANATIONS, PROPOSALS, WEIGHTS
from peerage.term.published import Published
from peerage.workflow.fit_class import fit_class
from peerage.workflow.fit_plan import FitPlan, SamplingPlan
from peerage.workflow.update_class import update_class

BOOK, _ = pg.simulate(students=30, weeks=2, tas=1, components=2, seed=4)
PLAN = FitPlan(sampling=SamplingPlan(chains=2, draws=60, burn_in=20, seed=0))
Shares = dict[str, dict[str, Share]]
BY_GRADER = ["submission", "grader"]


def fitted(final: str, published: Published | None = None) -> Results:
    plan = replace(PLAN, choices=DecisionChoices(final=final, staff_level=False, spot_checks=3))
    return fit_class(BOOK, plan, published=published)


def checked_by_a_ta(results: Results) -> pg.Gradebook:
    """A TA who has graded before gives the last submission that no TA has seen about what it has."""
    book = results.posterior.book
    seen = set(book.review_submission[book.is_staff[book.review_grader]].tolist())
    name = [name for place, name in enumerate(book.submissions) if place not in seen][-1]
    grades = results.posterior.submissions().query("submission == @name").set_index("component")["most_likely"]
    row = {"submission": name, "grader": "ta1", "role": "ta"} | grades.to_dict()
    return pg.read_grades(pd.DataFrame([row]), rubric=book.rubric)


def unconcerned_in(before: Results, after: Results) -> set[str]:
    """The submissions about which an update learned nothing."""
    stay = unconcerned(before.posterior, after.posterior)
    return {name for name, stays in zip(after.posterior.book.submissions, stay, strict=True) if stays}


def weights_of(table: pd.DataFrame, submissions: set[str]) -> pd.DataFrame:
    rows = table[table["submission"].isin(submissions)].set_index(BY_GRADER)
    return rows[["weight", "desired_weight"]].sort_index()


@pytest.mark.parametrize("final", ["average", "explained"])
def test_weights_stay_where_new_grades_say_nothing(final: str) -> None:
    """So do grades and sentences, though the new draws alone would give other weights."""
    before = fitted(final)
    new = checked_by_a_ta(before)
    after = update_class(before, new).results
    stay, mine = unconcerned_in(before, after), set(new.submissions)
    assert stay == set(BOOK.submissions) - mine
    weights, anew = after.tables[WEIGHTS], after.choices.explain(after.posterior)
    assert anew is not None
    pd.testing.assert_frame_equal(weights_of(weights, stay), weights_of(before.tables[WEIGHTS], stay))
    assert not weights_of(weights, stay).equals(weights_of(anew.weights, stay))
    pd.testing.assert_frame_equal(weights_of(weights, mine), weights_of(anew.weights, mine), atol=1e-6)
    sentences = (results.by_cell(EXPLANATIONS, "sentence") for results in (before, after))
    for one, other in (sentences, (before.grades, after.grades)):
        assert {cell for cell in one if one[cell] != other[cell]} <= {cell for cell in one if cell[0] in mine}


def test_what_was_handed_out_says_nothing_of_todays_weights() -> None:
    """A published grade is that of other weights: what today's grades would be is proposed after an update too."""
    reports = BOOK.table()
    first = reports.groupby("submission")["grader"].transform("first")
    told = reports[reports["grader"] == first][["submission", "component", "grade"]]
    weights = reports[BY_GRADER].assign(weight=(reports["grader"] == first).astype(float), desired_weight=0.25)
    handed_out = Published.of_rows(told, weights.drop_duplicates(BY_GRADER))
    before = fitted("average", published=handed_out)
    after = update_class(before, checked_by_a_ta(before)).results
    stay = unconcerned_in(before, after)
    proposed = [
        {cell for cell, difference in results.by_cell(PROPOSALS, "difference").items() if abs(difference) > 0.3}
        for results in (before, after)
    ]
    assert any(name in stay for name, _ in proposed[0])
    assert {cell for cell in proposed[0] if cell[0] in stay} <= {*after.by_cell(PROPOSALS, "difference")}


def each(shares: Shares, change: Callable[[Share], Share]) -> Shares:
    return {name: {grader: change(share) for grader, share in mine.items()} for name, mine in shares.items()}


def equal_shares(weights: pd.DataFrame) -> Shares:
    """Weights as equal as whole percents can be."""
    found: Shares = {}
    for name, rows in weights.groupby("submission"):
        percents = [100 // len(rows)] * len(rows)
        percents[0] += 100 - sum(percents)
        pairs = zip(rows["grader"], percents, rows["desired_weight"], strict=True)
        found[str(name)] = {grader: Share(percent / 100, desired) for grader, percent, desired in pairs}
    return found


def test_weights_that_do_not_fit_are_found_anew() -> None:
    """Those of other settings or other graders, and what are no weights."""
    posterior = fitted("average").posterior
    anew = pg.explain(posterior, form="average")
    shares, settings = equal_shares(anew.weights), anew.settings
    unfit = {
        "other settings": KeptWeights(shares, {**settings, "penalty": 0.5}),
        "a missing grader": KeptWeights({name: dict([*mine.items()][1:]) for name, mine in shares.items()}, settings),
        "half of the weight": KeptWeights(
            each(shares, lambda share: share._replace(weight=share.weight / 2)), settings
        ),
        "no numbers": KeptWeights(each(shares, lambda share: share._replace(desired_weight=math.nan)), settings),
    }
    kept = pg.explain(posterior, form="average", kept=KeptWeights(shares, settings))
    for row in kept.weights.to_dict("records"):
        assert row["weight"] == shares[row["submission"]][row["grader"]].weight
    assert not kept.weights.equals(anew.weights)
    for why, weights in unfit.items():
        found = pg.explain(posterior, form="average", kept=weights)
        pd.testing.assert_frame_equal(found.weights, anew.weights, obj=why)
