"""What the words of everyday.toml do not show: the grades and the people that were understood."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import openpyxl
import pytest

import peerage as pg
from peerage.formats.rows.times import times_of


def read(folder: Path, text: str, **options: object) -> pg.Gradebook:
    (folder / "g.csv").write_text(text, encoding="utf-8")
    return pg.read_grades(folder / "g.csv", **options)  # type: ignore[arg-type]


def test_percentages_of_a_workbook_are_what_it_shows(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (["submission", "grader", "Q1"], ["p1", "ann", 0.85], ["p1", "bob", 0.7], ["p2", "ann", 1]):
        sheet.append(row)
    for cell in sheet["C"][1:]:
        cell.number_format = "0%"
    book.save(tmp_path / "g.xlsx")
    assert pg.read_grades(tmp_path / "g.xlsx").values[:, 0].tolist() == [85, 70, 100]


def test_reviews_beside_each_other_are_those_of_their_reviewers(tmp_path: Path) -> None:
    book = read(tmp_path, "Paper,Reviewer 1,Score 1,Reviewer 2,Score 2\np1,ann,3,bob,4\np2,cat,5,,\n")
    found = book.table()[["submission", "grader", "grade"]].to_numpy().tolist()
    assert found == [["p1", "ann", 3], ["p1", "bob", 4], ["p2", "cat", 5]]


def test_shares_and_letters_become_grades(tmp_path: Path) -> None:
    book = read(tmp_path, "submission,grader,Q1,Q2\np1,ann,4/5,A-\np1,bob,2.5/5,f\np2,ann,N/A,B+\n")
    np.testing.assert_allclose(book.values, [[4, 3.7], [2.5, 0], [np.nan, 3.3]])
    assert book.rubric["Q1"].legend == "0 to 5 by 0.5"


def test_one_person_in_two_spellings_reviews_no_work_of_theirs(tmp_path: Path) -> None:
    text = "submission,author,grader,Q1\np1,Ann,ann,5\np1,Ann,bob,3\np2,bob,ANN,2\np3,Rene\u0301,Ren\u00e9,2\n"
    book = read(tmp_path, text)
    assert book.graders == ("bob", "ann")
    assert book.authors == (("ann",), ("bob",))
    exact = read(tmp_path, text, exact_ids=True)
    assert exact.graders == ("ann", "bob", "ANN", "Ren\u00e9")


def test_capitals_count_in_submissions_that_are_not_called_by_their_authors(tmp_path: Path) -> None:
    assert read(tmp_path, "submission,grader,Q1\nxY,ann,1\nXy,ann,2\n xY,bob,3\n").submissions == ("xY", "Xy")


def test_staff_may_spell_ids_as_they_like(tmp_path: Path) -> None:
    (tmp_path / "exclude.csv").write_text("grader,submission,reason\nBOB,P1,copied\n")
    book = read(tmp_path, "submission,grader,Q1\np1,ann,1\np1,bob,2\np2,ann,2\np2,bob,3\n")
    assert book.n_reviews == 3


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2024/09/30 5:05:12 PM GMT+2", "2024-09-30T15:05:12"),
        ("2024/09/30 12:05:12 am GMT+5:30", "2024-09-29T18:35:12"),
        ("2024/09/30 9:05:12 AM EDT", "2024-09-30T13:05:12"),
        ("30.09.2024 17:05", "2024-09-30T17:05"),
        ("2024-09-30 17:05+02:00", "2024-09-30T15:05"),
        ("2024/09/30 13:05:12 PM", "NaT"),
        ("2024/09/30 9:05:12 AM XYZ", "NaT"),
        ("2024/13/30 9:05", "NaT"),
    ],
)
def test_times(text: str, time: str) -> None:
    np.testing.assert_array_equal(times_of([text]), np.array([time], dtype="datetime64[us]"))


def test_a_column_tells_whether_days_or_months_come_first() -> None:
    for texts, first in ((["9/10/2024", "9/30/2024"], "2024-09-10"), (["9/10/2024", "30/9/2024"], "2024-10-09")):
        assert times_of(texts)[0] == np.datetime64(first)
    assert np.isnat(times_of(["9/10/2024", "8/9/2024"])).all()


def test_comments_on_parts_of_the_work_say_what_they_are_about(tmp_path: Path) -> None:
    text = "submission,grader,Q1,Comment on Q1,Q2,Why Q2? Comments\np1,ann,1,long,2,thin\np1,bob,2, ,3,ok\n"
    assert read(tmp_path, text).comments == ("Comment on Q1: long\nWhy Q2? Comments: thin", "Why Q2? Comments: ok")


def test_grades_and_dates_that_are_called_like_comments_are_none(tmp_path: Path) -> None:
    header = "submission,grader,Q1,Quality of feedback,Feedback date,Remarks"
    book = read(tmp_path, f"{header}\np1,ann,1,4,2024-01-02,so\np1,bob,2,3,2024-01-03,\n")
    assert book.rubric.names == ("Q1", "Quality of feedback")
    assert book.comments == ("so", "")
