"""The summary of a fit: its numbers are those of the tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import peerage as pg
from peerage.gradebook.book import TA
from peerage.results.summary import SHOWN_GRADERS, _extremes, summarise
from support.classes.tiny import tiny_class


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    book, _ = pg.simulate(12, 2, seed=4, tas=1, calibrations=1, components=3)
    return pg.fit(book, chains=2, draws=100, burn_in=20, seed=1)


def test_spreads_compare_the_peers_with_the_estimates(posterior: pg.Posterior) -> None:
    table = posterior.submissions()
    found = summarise(posterior)
    for spread in found.spreads:
        rows = table[table["component"] == spread.component.name]
        assert spread.n_compared == len(rows)
        assert spread.peer_mean == pytest.approx(rows["peer_mean"].mean())
        assert spread.peer_sd == pytest.approx(rows["peer_mean"].std(ddof=0))
        assert spread.mean == pytest.approx(rows["expected"].mean())
        assert spread.sd == pytest.approx(rows["expected"].std(ddof=0))
        assert spread.n_changed == (rows["most_likely"] != np.floor(rows["peer_mean"] + 0.5)).sum()
    assert (found.n_grades, found.n_compared) == (len(table), len(table))
    assert found.n_changed == sum(spread.n_changed for spread in found.spreads)
    assert found.confidence == pytest.approx(table["confidence"].mean())
    assert found.n_unsure == (table["confidence"] < 0.5).sum()


def test_only_what_students_graded_is_compared() -> None:
    book = tiny_class(0)
    only_staff = replace(book, roles=np.where(np.arange(7) < 5, TA, book.roles))
    posterior = pg.fit(only_staff, chains=1, draws=20, seed=0)
    found = summarise(posterior)
    assert (found.n_compared, found.n_changed, len(found.most_dependable)) == (0, 0, 0)
    assert found.n_grades == 10


def test_most_and_least_dependable_are_distinct_students_judged_by_their_intervals(posterior: pg.Posterior) -> None:
    found, table = summarise(posterior), posterior.graders()
    students = table[table["role"] == "student"]
    most, least = list(found.most_dependable["grader"]), list(found.least_dependable["grader"])
    assert most == list(students.nlargest(SHOWN_GRADERS, "dependability_lower")["grader"])
    assert not set(most) & set(least)
    assert found.least_dependable["dependability_upper"].max() <= students["dependability_upper"].quantile(0.5)


def test_nobody_with_a_very_large_bias_is_held_up(posterior: pg.Posterior) -> None:
    table = posterior.graders()
    best = table[table["role"] == "student"].nlargest(1, "dependability_lower").index[0]
    table.loc[best, "bias"] = -3.6
    most, least = _extremes(table)
    assert table.loc[best, "grader"] not in {*most["grader"], *least["grader"]}


def test_graders_whose_reliability_is_fixed_are_not_ranked() -> None:
    fixed = pg.Fixed(reliability={"a": 9.0, "b": 0.01})
    posterior = pg.fit(tiny_class(0), pg.Model(fixed=fixed, priors="paper"), chains=1, draws=20, seed=0)
    found = summarise(posterior)
    ranked = {*found.most_dependable["grader"], *found.least_dependable["grader"]}
    assert ranked <= {"c", "d", "e"}
    assert (len(found.most_dependable), len(found.least_dependable)) == (1, 1)
