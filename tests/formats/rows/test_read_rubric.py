"""The rubric that is inferred from the grades seen, and what is said about scales."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.formats.rows.inferred_scale import up_to


def _book(grades: list[float], rubric: pg.Rubric | None = None, *, snap: bool = False) -> pg.Gradebook:
    rows = range(len(grades))
    table = pd.DataFrame({"submission": [f"p{row // 2}" for row in rows], "grader": [f"g{row % 2}" for row in rows]})
    return pg.read_grades(table.assign(S=grades), rubric, snap=snap)


def _notes(book: pg.Gradebook) -> str:
    return "\n".join(map(str, book.notices))


@pytest.mark.parametrize(
    ("seen", "legal"),
    [
        ([0, 1, 5, 3], (0, 1, 2, 3, 4, 5)),
        ([0.5, 2, 3, 1], (0.5, 1, 1.5, 2, 2.5, 3)),
        ([0.1, 0.2, 0.1 + 0.2, 0.7], (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)),
        ([-1, 1], (-1, 1)),
        ([2, 2.75, 2.9, 3], (2, 2.75, 2.9, 3)),
        ([0, 33.3, 66.7, 100], (0, 33.3, 66.7, 100)),
        ([0, 0.33333, 0.66667, 1], (0, 0.33333, 0.66667, 1)),
        ([0, 1 / 3, 2 / 3, 2], (0, 0.333333, 0.666667, 1, 1.333333, 1.666667, 2)),
    ],
)
def test_inferred_grades(seen: list[float], legal: tuple[float, ...]) -> None:
    assert _book(seen).rubric["S"].grades == legal


def test_what_was_inferred_is_said() -> None:
    assert "the rubric was inferred from the grades seen (S: 0, 1, 2)" in _notes(_book([0, 1, 2]))
    assert "not evenly spaced" in _notes(_book([2, 2.75, 2.9, 3]))


def test_one_distinct_grade_asks_for_a_rubric() -> None:
    with pytest.raises(pg.InputError, match="every grade of 'S' is 3, so its scale cannot be inferred; give a rubric"):
        _book([3, 3, 3])


def test_too_many_distinct_grades_are_no_component() -> None:
    with pytest.raises(pg.InputError, match="'S' has 1,002 different grades, too many for a component"):
        _book([float(grade) for grade in reversed(range(1002))])
    assert _book([float(grade) for grade in reversed(range(1001))]).rubric["S"].n_levels == 1001


def test_grades_that_are_no_grades_ask_for_a_rubric() -> None:
    with pytest.raises(pg.InputError, match="'S' has grades beyond 1,000,000, too large for a component"):
        _book([1, 1e299])


def test_a_wide_range_of_fine_grades_keeps_those_seen() -> None:
    assert _book([0, 0.001, 100]).rubric["S"].grades == (0, 0.001, 100)


def test_snapping_rounds_half_up_and_stays_on_the_rubric() -> None:
    rubric = pg.Rubric.uniform("S", [0, 1, 2, 4])
    book = _book([-3, 0.5, 1.49, 3, 99], rubric, snap=True)
    assert book.table()["grade"].tolist() == [0, 1, 1, 4, 4]
    assert "5 grades moved to the nearest legal grade: -3 to 0 in row 0, 0.5 to 1 in row 1" in _notes(book)


def test_heaping_is_reported_on_fine_scales_only() -> None:
    fine = pg.Rubric.uniform("S", range(101))
    assert "100% of the grades of 'S' are multiples of 10" in _notes(_book([50, 60, 70, 80], fine))
    assert "90% of the grades of 'S' are multiples of 5" in _notes(
        _book([50, 55, 75, 85, 60, 65, 35, 85, 95, 81], fine)
    )
    assert "multiples" not in _notes(_book([50, 61, 72, 80], fine))
    assert "multiples" not in _notes(_book([0, 5, 10, 5], pg.Rubric.uniform("S", range(11))))


def test_two_grades_are_reported() -> None:
    assert "'S' has only two grades" in _notes(_book([0, 1, 1]))
    assert "two grades" not in _notes(_book([0, 1, 1], pg.Rubric.uniform("S", [0, 1, 2])))


def test_a_scale_known_by_its_ends_takes_little_memory_however_many_grades_are_seen() -> None:
    """A table of all grades by all legal ones would take 30 million entries."""
    seen = np.random.default_rng(0).integers(0, 1001, 30_000).astype(float)
    tracemalloc.start()
    component = up_to("S", 1000, seen)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert component.legend == "0 to 1000 by 1"
    assert peak < 10 * seen.nbytes
