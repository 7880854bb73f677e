"""Grades far from all others, where the scale is inferred: slips are refused, what people do give is not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peerage as pg
from peerage.cli import main
from peerage.formats.rows.lone_grades import doubtful, impossible
from peerage.formats.wizard.guessing import scale_of

ONE_TO_FIVE = [1, 2, 3, 4, 5, 4, 4, 3, 5, 2, 4, 5] * 4
FEW = [4, 5, 3, 4, 5]
HUNDRED = [*range(70, 96)]


def _table(grades: Sequence[float | str], component: str = "S") -> pd.DataFrame:
    rows = range(len(grades))
    table = pd.DataFrame({"submission": [f"p{row // 4}" for row in rows], "grader": [f"g{row % 4}" for row in rows]})
    return table.assign(**{component: grades})


@pytest.mark.parametrize(
    ("others", "slips"),
    [
        (ONE_TO_FIVE, [55]),
        (ONE_TO_FIVE, [11]),
        (ONE_TO_FIVE, [45, 35]),
        (ONE_TO_FIVE, [-7]),
        (ONE_TO_FIVE, [-4, 55]),
        (ONE_TO_FIVE, [1e300, -1e300]),
        ([0, *ONE_TO_FIVE], [-1]),
        ([grade / 2 for grade in range(2, 21)], [70]),
        ([*range(1, 11)] * 2, [-7]),
        (ONE_TO_FIVE * 5, [80, 85, 90, 95, 70]),
        (FEW, [55]),
        ([4] * 20, [44]),
        (HUNDRED, [855]),
        ([-2, -1, 0, 1, 2] * 4, [22]),
        ([-3, -1, -2, -5, 0] * 4, [-55]),
    ],
)
def test_a_slip_is_found(others: list[float], slips: list[float]) -> None:
    seen = np.array([*others[:3], *slips, *others[3:]], dtype=float)
    lone, low, high = impossible(seen)
    assert sorted(seen[lone]) == sorted(slips)
    assert (low, high) == (min(others), max(others))


@pytest.mark.parametrize(
    "seen",
    [
        [*HUNDRED, 0],
        [*HUNDRED, 12],
        [*[90, 92, 95] * 10, 0],
        [*HUNDRED, 110],
        [*ONE_TO_FIVE, 0],
        [*[5] * 50, 0],
        [*[5] * 50, 1],
        [*[4, 5] * 20, 0, 1],
        [*ONE_TO_FIVE, 10],
        [0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1, -1],
        [*[0, 1, 2] * 10, -2],
        [*[0, 1, 2, 3, 4, 5] * 20, -1, -2, -3, -4],
        [*[0] * 40, 5],
        [*[0] * 30, *[1] * 10, 10],
        [*ONE_TO_FIVE, *[9, 10] * 4],
        [*[1] * 12, *[2] * 8, 5],
        [*[0] * 3, *[1] * 8, 3],
        [*[1, 2] * 10, 10],
        [1, 50],
        [1, 2, 3, 2, 99],
        [20, 10, 30, 25, 15, 70],
        [],
        [3],
    ],
)
def test_what_people_give_is_no_slip(seen: list[float]) -> None:
    assert not impossible(np.array(seen, dtype=float)).lone.any()


def test_every_slip_is_refused_with_its_row_and_the_other_problems(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = _table([*ONE_TO_FIVE]).assign(E=[grade * 2 for grade in ONE_TO_FIVE]).astype(object)
    table.loc[4, "S"], table.loc[9, "S"], table.loc[9, "E"], table.loc[20, "E"] = 55, 44, -7, "good"
    table.to_csv(tmp_path / "class.csv", index=False)
    for command in (["check"], ["fit", "-q"]):
        assert main([command[0], str(tmp_path / "class.csv"), *command[1:]]) == 2
        said = capsys.readouterr().err.splitlines()
        remedy = "correct it, or give a rubric that has it (--rubric)"
        for row, slip, component, others in (
            (6, 55, "S", "1 to 5"),
            (11, 44, "S", "1 to 5"),
            (11, -7, "E", "2 to 10"),
        ):
            what = f"the grade {slip} of {component!r} is far from all others ({others}); {remedy}"
            assert f"class.csv, row {row}: {what}" in said
        assert any("row 22: the grade 'good' of 'E' is not a number" in line for line in said)


def test_the_remedies_work() -> None:
    with pytest.raises(pg.InputError, match="the grade 55 of 'S'"):
        pg.read_grades(_table([*ONE_TO_FIVE, 55]))
    rubric = pg.Rubric.uniform("S", [*range(6), 55])
    assert pg.read_grades(_table([*ONE_TO_FIVE, 55]), rubric).table()["grade"].max() == 55
    assert pg.read_grades(_table([*ONE_TO_FIVE, 5])).rubric["S"].grades == (1, 2, 3, 4, 5)


def test_grades_out_of_a_maximum_are_looked_at_where_it_does_not_hold() -> None:
    grades = [f"{grade}/5" for grade in ONE_TO_FIVE]
    assert pg.read_grades(_table([*grades, "0/5"])).rubric["S"].grades == (0, 1, 2, 3, 4, 5)
    with pytest.raises(pg.InputError, match=r"the grade 55\.0 of 'S' is far from all others"):
        pg.read_grades(_table([*grades, "55/5"]))


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ([*HUNDRED, 150], "'S' has grades far from all others (70 to 95): 150 in row 26; correct slips"),
        ([*ONE_TO_FIVE, 10], "(1 to 5): 10 in row 48"),
        ([*[0] * 30, *[1] * 10, 10], "(0 to 1): 10 in row 40"),
    ],
)
def test_what_is_doubtful_is_said(seen: list[float], said: str) -> None:
    assert said in "\n".join(map(str, pg.read_grades(_table(seen)).notices))


@pytest.mark.parametrize("seen", [[*HUNDRED, 0], [*HUNDRED, 110], [*ONE_TO_FIVE, 0], [*[1, 2] * 20, 3]])
def test_nothing_is_said_of_what_is_usual(seen: list[float]) -> None:
    assert "far from" not in "\n".join(map(str, pg.read_grades(_table(seen)).notices))


def test_questions_propose_the_scale_without_a_slip() -> None:
    assert scale_of("S", [*ONE_TO_FIVE, 55]).grades == (1, 2, 3, 4, 5)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 99).map(float), max_size=60))
def test_lone_grades_are_few_and_outside_the_others(seen: list[float]) -> None:
    values = np.array(seen)
    for found in (impossible(values), doubtful(values)):
        assert found.lone.sum() <= 2 * max(1, len(seen) // 20)
        inside = np.clip(values, -2e6, 2e6)[~found.lone]
        assert ((inside >= found.low) & (inside <= found.high)).all()
        if found.lone.any():
            assert not ((values[found.lone] >= 0) & (values[found.lone] <= found.high)).any()


@given(st.lists(st.integers(0, 10), min_size=12, max_size=80), st.sampled_from([10, 0.5, 20]))
def test_the_unit_does_not_matter(grades: list[int], unit: float) -> None:
    seen = np.array([*grades, 25], dtype=float)
    np.testing.assert_array_equal(impossible(seen).lone, impossible(seen * unit).lone)
