"""Rubrics and priors that do not fall in with the grids: nothing leaks out of a bin and nothing overflows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import peerage as pg
from peerage.inference.layout import lay_out
from peerage.inference.numerics.likelihood import low_effort_masses
from peerage.rubric import Component, Rubric
from support.classes.tiny import tiny_class

HALVES = tuple(step / 2 for step in range(7))
PERCENT = tuple(map(float, range(101)))


@pytest.mark.parametrize("grades", [HALVES, PERCENT], ids=["halves", "percent"])
@pytest.mark.parametrize("censoring", [True, False])
def test_a_fixed_grade_is_certain_where_bins_end_within_grid_cells(grades: tuple[float, ...], censoring: bool) -> None:
    book, _ = pg.simulate(students=8, weeks=1, components=Rubric((Component("Only", grades),)), seed=0)
    fixed = grades[len(grades) // 3]
    model = pg.Model(censoring=censoring, fixed=pg.Fixed(true_grade={(book.submissions[0], "Only"): fixed}))
    row = pg.fit(book, model, chains=1, draws=50, burn_in=20, seed=0).submissions().iloc[0]
    gap = (grades[1] - grades[0]) / 2
    assert (row.most_likely, row.expected, row.confidence) == (fixed, pytest.approx(fixed), pytest.approx(1.0))
    assert fixed - gap - 1e-6 <= row.lower <= row.upper <= fixed + gap + 1e-6


def test_an_author_named_twice_counts_once() -> None:
    book = tiny_class(0)
    twice = replace(book, authors=tuple(names * 2 for names in book.authors))
    model = pg.Model(correlation=True, priors="paper")
    once, again = (lay_out(entry, model).reports for entry in (book, twice))
    assert once.authors.tolist() == again.authors.tolist()
    assert once.authored.tolist() == again.authored.tolist()


@pytest.mark.parametrize("mu_s", [5.0, -5.0])
@pytest.mark.parametrize("censoring", [True, False])
def test_correlation_with_priors_too_narrow_for_the_density_at_zero(mu_s: float, censoring: bool) -> None:
    priors = pg.Priors.paper(mu_s=mu_s, sigma_s=0.05, sigma_tau=0.05)
    model = pg.Model(correlation=True, censoring=censoring, priors=priors)
    posterior = pg.fit(tiny_class(0), model, chains=1, draws=20, burn_in=5, seed=0)
    assert np.isfinite(posterior.graders()["reliability"]).all()


def test_low_effort_probabilities_keep_their_upper_tail() -> None:
    cuts = np.array([0.5, 1.5, 2.5, 3.5, 4.5])
    upwards = low_effort_masses(cuts, 0.0, 16.0, 0.0, 5.0)
    downwards = low_effort_masses(cuts, 5.0, 16.0, 0.0, 5.0)
    assert upwards[::-1] == pytest.approx(downwards, rel=1e-9)
    assert upwards.min() > 0


@pytest.mark.parametrize("reliability", [16.0, 1000.0, 1e6])
def test_contradicting_graders_of_any_fixed_reliability_meet_in_the_middle(reliability: float) -> None:
    book = tiny_class(1)
    levels = book.levels.copy()
    levels[:3, 0] = [1, 4, -1]
    fixed = pg.Fixed(reliability={"b": reliability, "c": reliability}, bias=dict.fromkeys(book.graders, 0.0))
    model = pg.Model(effort=False, fixed=fixed, priors="paper")
    posterior = pg.fit(replace(book, levels=levels), model, chains=1, draws=20, burn_in=10, seed=0)
    assert posterior.submissions().iloc[0].expected == pytest.approx(2.5, abs=0.2)
