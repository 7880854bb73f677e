"""What was known at some time: later reviews leave no trace, and are reported."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import peerage as pg

TEXT = """submission,grader,component,grade,time
p1,ann,S,1,2024-09-30 23:59
p1,bob,S,2,2024-10-01 00:00
p2,ann,S,3,2024-09-30T12:00:00+02:00
p2,bob,S,1,
p3,cat,S,2,2024-10-02
"""


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    path = tmp_path / "grades.csv"
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize(
    ("until", "kept"),
    [
        ("2024-09-30", ["p1 ann", "p2 ann", "p2 bob"]),
        ("2024-10-01 00:00", ["p1 ann", "p1 bob", "p2 ann", "p2 bob"]),
        ("2024-09-30T10:00:00+00:00", ["p2 ann", "p2 bob"]),
        ("2024-10-02", ["p1 ann", "p1 bob", "p2 ann", "p2 bob", "p3 cat"]),
    ],
)
def test_a_day_counts_to_its_end_and_a_time_to_the_minute(grades: Path, until: str, kept: list[str]) -> None:
    table = pg.read_grades(grades, until=until).table()
    assert (table["submission"] + " " + table["grader"]).tolist() == kept


def test_the_class_is_the_one_of_then(grades: Path, tmp_path: Path) -> None:
    lines = TEXT.splitlines(keepends=True)
    (tmp_path / "then.csv").write_text("".join(line for line in lines if "2024-10" not in line))
    book, then = pg.read_grades(grades, until="2024-09-30"), pg.read_grades(tmp_path / "then.csv")
    pd.testing.assert_frame_equal(book.table(), then.table())
    assert (book.rubric, book.graders, book.submissions) == (then.rubric, then.graders, then.submissions)


def test_late_reviews_are_reported(grades: Path) -> None:
    said = [notice.message for notice in pg.read_grades(grades, until="2024-09-30").notices]
    assert "left out 2 reviews written after 2024-09-30, by 'bob', 'cat'" in said
    assert "kept 1 review without a time, despite the time limit" in said
    assert "no review was written after 2024-12-24" in [
        notice.message for notice in pg.read_grades(grades, until="2024-12-24").notices
    ]


def test_each_assignment_can_have_a_time_of_its_own(tmp_path: Path) -> None:
    weeks = {"p1": "week 1", "p2": "week=2", "p3": ""}
    header, *lines = TEXT.splitlines()
    text = [f"{header},assignment", *(f"{line},{weeks[line[:2]]}" for line in lines)]
    # The assignment of a submission may be said in one of its rows alone.
    text[2] = text[2].removesuffix("week 1")
    (tmp_path / "grades.csv").write_text("\n".join(text))
    book = pg.read_grades(tmp_path / "grades.csv", until="week 1=2024-09-30, week=2=2024-09-30 09:00")
    assert (book.table()["submission"] + " " + book.table()["grader"]).tolist() == ["p1 ann", "p2 bob", "p3 cat"]
    said = [notice.message for notice in book.notices]
    assert "left out 1 review of 'week 1' written after 2024-09-30, by 'bob'" in said
    assert "left out 1 review of 'week=2' written after 2024-09-30 09:00, by 'ann'" in said
    assert "kept 1 review without a time, despite the time limit" in said
    with pytest.raises(pg.InputError, match="there is no assignment 'week 3' to limit; use week 1, week=2"):
        pg.read_grades(tmp_path / "grades.csv", until="week 3=2024-09-30")


@pytest.mark.parametrize(
    ("until", "words"),
    [
        ("soon", "'soon' is not a time; write it as"),
        ("2020-01-01", "every review was written after"),
        ("week1=soon", "'soon' is not a time; write it as"),
        ("=2024-09-30", "a time limit names no assignment; write it as"),
        ("a=2024-09-30,a=2024-10-07", "the assignment 'a' has two time limits; write it as"),
        ("a=2024-09-30", "there is no assignment 'a' to limit; add a column called assignment"),
    ],
)
def test_a_time_that_makes_no_sense_is_refused(tmp_path: Path, until: str, words: str) -> None:
    (tmp_path / "grades.csv").write_text(TEXT.replace("p2,bob,S,1,\n", ""))
    with pytest.raises(pg.InputError, match=words):
        pg.read_grades(tmp_path / "grades.csv", until=until)


def test_grades_without_times_cannot_be_cut(tmp_path: Path) -> None:
    (tmp_path / "grades.csv").write_text("submission,grader,component,grade\np1,ann,S,1\np1,bob,S,2\n")
    with pytest.raises(pg.InputError, match=r"grades.csv: does not say when reviews were written"):
        pg.read_grades(tmp_path / "grades.csv", until="2024-09-30")
