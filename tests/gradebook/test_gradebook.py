"""The gradebook: immutable, validated, and able to show and take apart what it holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import peerage as pg
from peerage.gradebook.structure import coverage, overlap, parts, reviews_per_grader, reviews_per_submission, surprises
from support.classes.classes import gradebooks

TABLE = pd.DataFrame(
    {
        "submission": ["p1", "p1", "p2", "p2", "p3"],
        "grader": ["ann", "bob", "ann", "tim", "cat"],
        "S": [1, 2, 0, 2, 1],
        "E": [1, None, 0, 1, None],
        "assignment": ["w1", "w1", "w1", "w1", "w2"],
        "role": ["", "", "", "ta", ""],
    }
)


@pytest.fixture
def book() -> pg.Gradebook:
    return pg.read_grades(TABLE)


def test_arrays_cannot_be_changed(book: pg.Gradebook) -> None:
    for array in (book.levels, book.roles, book.review_grader, book.review_submission, book.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": np.zeros((4, 2))}, "do not agree in length"),
        ({"levels": np.full((5, 2), -1)}, "nothing to fit"),
        ({"levels": np.full((5, 2), 9)}, "not on the rubric"),
        ({"graders": ("ann", "bob", "tim", "")}, "neither empty"),
        ({"graders": ("ann", "bob", "tim", "a\0b")}, "control characters"),
        ({"graders": ("ann", "bob", "tim", "ann")}, "must be distinct"),
        ({"authors": (("x;y",), (), ())}, "without semicolons"),
        ({"roles": np.array([0, 0, 0, 7])}, "needs a role"),
        ({"review_grader": np.array([0, 1, 0, 2, 9])}, "not listed"),
        ({"review_grader": np.array([0, 0, 0, 2, 3])}, "twice"),
        ({"times": np.array(["2024-01-01"], dtype="datetime64[us]")}, "do not agree in length"),
    ],
)
def test_refused(book: pg.Gradebook, change: dict[str, Any], message: str) -> None:
    with pytest.raises(pg.InputError, match=message):
        replace(book, **change)


def test_select_keeps_every_place(book: pg.Gradebook) -> None:
    kept = book.select(np.array([True, False, False, True, False]))
    assert (kept.submissions, kept.graders, kept.rubric) == (book.submissions, book.graders, book.rubric)
    assert kept.table()["grader"].tolist() == ["ann", "ann", "tim", "tim"]
    assert reviews_per_submission(kept).tolist() == [1, 1, 0]
    assert parts(kept).tolist() == [0, 1, -1]


def test_select_refuses_what_is_no_mask(book: pg.Gradebook) -> None:
    wrongs: tuple[Any, ...] = (np.ones(4, dtype=bool), np.arange(5))
    for wrong in wrongs:
        with pytest.raises(pg.InputError, match="mask of 5"):
            book.select(wrong)


def test_structure(book: pg.Gradebook) -> None:
    assert reviews_per_grader(book).tolist() == [2, 1, 1, 1]
    assert reviews_per_submission(book).tolist() == [2, 2, 1]
    assert coverage(book) == pytest.approx(8 / 9)
    assert overlap(book) == (2, 1)
    assert parts(book).tolist() == [0, 0, 1]
    assert any("2 parts" in str(surprise) for surprise in surprises(book))


def _class_of_authors(graders: dict[str, str], author: str | None = None) -> str:
    """What is said of a class of eight who grade three others each, with some graders called otherwise."""
    names = [f"s{index}" for index in range(8)]
    rows = [(index, names[(index + step) % 8]) for index in range(8) for step in (1, 2, 3)]
    table = pd.DataFrame({"submission": [f"p{index}" for index, _ in rows], "grader": [name for _, name in rows]})
    table["author"] = [names[index] if author is None or index else author for index, _ in rows]
    table["S"] = [index % 3 for index in range(len(rows))]
    table["grader"] = [graders.get(f"{row}", name) for row, name in enumerate(table["grader"])]
    table["role"] = ["ta" if name == "tim" else "" for name in table["grader"]]
    return "\n".join(map(str, pg.read_grades(table).notices))


def test_graders_who_wrote_nothing_are_named() -> None:
    said = _class_of_authors({"0": "box", "1": "TA-Zoe", "7": "tim"})
    assert "2 graders wrote nothing that was graded: 'box', 'TA-Zoe'; correct an id that is misspelt" in said
    assert "1 grader wrote nothing that was graded: 's0'" in _class_of_authors({}, author="s1")


def test_who_wrote_nothing_is_not_said_where_it_tells_nothing() -> None:
    assert "wrote nothing" not in _class_of_authors({})
    assert "wrote nothing" not in _class_of_authors({"7": "tim"}), "staff do not write"
    assert "wrote nothing" not in _class_of_authors({"0": "box"}, author=""), "it may be whose work has no author"
    assert "wrote nothing" not in _class_of_authors({f"{row}": f"pool{row % 5}" for row in range(24)})


@given(gradebooks())
def test_parts_are_what_walking_the_class_finds(book: pg.Gradebook) -> None:
    reached = [{index} for index in range(book.n_submissions)]
    for _ in range(book.n_submissions):
        for grader in range(book.n_graders):
            seen = set(book.review_submission[book.review_grader == grader].tolist())
            joined = set().union(*(reached[index] for index in seen))
            for index in joined:
                reached[index] = joined
    part = parts(book)
    for first in range(book.n_submissions):
        for second in range(book.n_submissions):
            assert (part[first] == part[second]) == (second in reached[first])


def test_a_long_chain_of_graders_is_one_part() -> None:
    length = 10_000
    order = np.random.default_rng(0).permutation(length)
    link = np.arange(length - 1)
    table = pd.DataFrame(
        {
            "submission": np.concatenate([order[link], order[link + 1]]),
            "grader": np.concatenate([link, link]),
            "grade": np.tile([0, 1], length - 1),
        }
    )
    assert (parts(pg.read_grades(table)) == 0).all()


def test_notebook_form_escapes_names() -> None:
    table = TABLE.rename(columns={"S": "<b>S</b>"})
    book = pg.read_grades(table)
    shown = book._repr_html_()
    assert "&lt;b&gt;S" in shown
    assert "<b>" not in shown
    assert repr(book).startswith("Gradebook(8 grades in 5 reviews of 3 submissions by 4 graders")


def test_write_says_whole_grades_without_decimals(book: pg.Gradebook, tmp_path: Path) -> None:
    book.write(tmp_path / "grades.csv", rubric=True)
    lines = (tmp_path / "grades.csv").read_text().splitlines()
    assert lines[:2] == ["submission,grader,component,grade,assignment,role", "p1,ann,S,1,w1,student"]
    assert pg.Rubric.read(tmp_path / "rubric.toml") == book.rubric


def test_write_refuses_what_it_cannot_do(book: pg.Gradebook, tmp_path: Path) -> None:
    with pytest.raises(pg.InputError, match=r"use \.csv, \.tsv, \.xlsx, \.parquet"):
        book.write(tmp_path / "grades.doc")
    rubric = pg.Rubric.uniform(["Role", "E"], [0, 1, 2])
    with pytest.raises(pg.InputError, match="'Role' cannot be a column of the wide form"):
        replace(book, rubric=rubric).write(tmp_path / "grades.csv", wide=True)
    assert not list(tmp_path.iterdir())


def test_selecting_reviews_keeps_the_components_of_an_assignment() -> None:
    book, _ = pg.simulate(students=6, weeks=2, components=2, seed=0)
    first_week = np.array([name == book.assignments[0] for name in book.assignments])[book.review_submission]
    kept = book.select(first_week)
    assert kept.n_submissions == book.n_submissions
    assert kept.applicable.all(), "submissions without reviews keep their components, to be predicted"
    assert kept.select(np.ones(kept.n_reviews, dtype=bool)).applicable.all()
