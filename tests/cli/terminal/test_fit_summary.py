"""The summary of a fit as text: readable whatever the names and the width."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import peerage as pg
from peerage.cli.terminal import fit_summary
from peerage.gradebook.book import TA
from peerage.results.summary import SHOWN_GRADERS
from support.classes.tiny import tiny_class


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    book, _ = pg.simulate(12, 2, seed=4, tas=1, calibrations=1, components=3)
    return pg.fit(book, chains=2, draws=100, burn_in=20, seed=1)


def shown(posterior: pg.Posterior, width: int) -> list[str]:
    file = io.StringIO()
    fit_summary.show(posterior, Console(file=file, width=width, markup=False, highlight=False, emoji=False))
    return file.getvalue().splitlines()


def renamed(posterior: pg.Posterior, graders: list[str]) -> pg.Posterior:
    return replace(posterior, book=replace(posterior.book, graders=tuple(graders)))


def test_the_text_says_what_was_fitted(posterior: pg.Posterior) -> None:
    lines = shown(posterior, 80)
    assert lines[0].endswith("of 25 submissions by 12 students, 1 TA, 1 instructor.")
    assert lines[1] == "Fitted with bias + effort + censoring: 2 chains of 100 draws, seed 1."
    assert any(line.startswith("Component 1  0, 1, 2, 3, 4, 5") for line in lines)


def test_where_students_graded_nothing_the_text_does_not_compare() -> None:
    book = tiny_class(0)
    only_staff = replace(book, roles=np.where(np.arange(7) < 5, TA, book.roles))
    text = "\n".join(shown(pg.fit(only_staff, chains=1, draws=20, seed=0), 80))
    assert "nan" not in text
    assert "differ from" not in text
    assert "most dependable" not in text
    assert "the peers'" not in text.split("On average, the most likely")[1]


@pytest.mark.parametrize("width", [80, 120])
def test_lines_fit_the_width_and_long_names_are_cut(posterior: pg.Posterior, width: int) -> None:
    names = [f"{index:02}" + "x" * 200 for index in range(posterior.book.n_graders)]
    lines = shown(renamed(posterior, names), width)
    assert max(map(len, lines)) <= width
    ranked = [line for line in lines if "x…" in line]
    assert len(ranked) == 2 * SHOWN_GRADERS
    assert all(" to " in line and "%" in line for line in ranked)


def test_names_are_printed_as_they_are_and_on_one_line(posterior: pg.Posterior) -> None:
    names = [f"[red]:smile:\n{index}" for index in range(posterior.book.n_graders)]
    lines = shown(renamed(posterior, names), 80)
    assert sum("[red]:smile: " in line for line in lines) == 2 * SHOWN_GRADERS


def test_features_that_the_model_lacks_have_no_column(posterior: pg.Posterior) -> None:
    plain = pg.fit(posterior.book, pg.Model(bias=False, effort=False, priors="paper"), chains=1, draws=20, seed=0)
    (heading,) = [line for line in shown(plain, 80) if "dependability" in line and "reviews" in line]
    assert heading.split() == ["student", "dependability", "reviews"]


def test_what_to_do_next_is_said_in_two_lines() -> None:
    checks = pd.DataFrame({"submission": ["a", "b\nc", "d", "e"]})
    graders = pd.DataFrame({"standing": ["practice", "supervised", "unsupervised", "unsupervised", "staff"]})
    assert list(fit_summary.attention(checks, graders)) == [
        "Check first: a, b c, d (spotchecks.csv).",
        "1 student should practise, 2 may grade unsupervised (graders.csv).",
    ]
    assert len(list(fit_summary.attention(checks.head(0), graders))) == 1


def test_what_was_learned_and_chosen_is_wrapped_without_loose_ends() -> None:
    book, _ = pg.simulate(10, 1, seed=4, tas=0, components=2)
    posterior = pg.fit(book, "auto", chains=1, draws=100, burn_in=20, seed=1)
    lines = shown(posterior, 80)
    text = " ".join(" ".join(lines).split())
    assert posterior.held_out is not None
    assert posterior.choice is not None
    assert posterior.held_out.sentence in text
    assert all(" ".join(sentence.split()) in text for sentence in posterior.choice.sentences)
    start = next(index for index, line in enumerate(lines) if line.startswith("Learned from the class: "))
    block = lines[start : lines.index("", start)]
    assert "No staff graded, so the general level of the grades is that of the peers." in " ".join(block)
    assert max(map(len, block)) <= 80
    assert [line for line in block if line.endswith(" ")] == []
    rivals = block[next(index for index, line in enumerate(block) if line.startswith(" ")) :]
    assert len(rivals) > len(posterior.choice.table) - 1
    assert all(line.startswith("  ") for line in rivals)
