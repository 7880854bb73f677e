"""Mechanical TA 2's export."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg
from support.programs.importing import EXAMPLES, changed, problems, rows, said

EXAMPLE = EXAMPLES / "mta2.csv"
RECOGNISED = "mta2.csv: was recognised as an export of Mechanical TA 2 (mta2); if that is wrong, name its format"


def test_exactly_the_grades_of_the_example() -> None:
    book = pg.read_grades(EXAMPLE)
    week = "2024-02-02 23:59:00"
    assert rows(book, "assignment", "author", "role") == [
        ("s90", "prof", "Structure", 3, "calibration", "", "instructor"),
        ("s90", "prof", "Evidence", 4, "calibration", "", "instructor"),
        ("s90", "ann", "Structure", 5, "calibration", "", "student"),
        ("s90", "ann", "Evidence", 4, "calibration", "", "student"),
        ("s01", "ann", "Structure", 2, week, "bob", "student"),
        ("s01", "ann", "Evidence", 3, week, "bob", "student"),
        ("s01", "cat", "Structure", 4, week, "bob", "student"),
        ("s01", "tom", "Structure", 3, week, "bob", "ta"),
        ("s01", "tom", "Evidence", 3, week, "bob", "ta"),
        ("s02", "cat", "Structure", 5, week, "ann", "student"),
        ("s02", "cat", "Evidence", 2, week, "ann", "student"),
    ]
    assert said(book) == [
        RECOGNISED,
        "mta2.csv: left out 1 row without any grade: a review that is not finished, or none (row 7)",
        "mta2.csv: read 1 item without grades as comments: 'What was best?'",
        "mta2.csv: kept 1 review although reported or flagged (rows: 5); remove rows that should not count",
        "the rubric was inferred from the grades seen (Structure: 2, 3, 4, 5; Evidence: 2, 3, 4); "
        "give a rubric if other grades are possible",
        "dropped 1 review of the grader's own work, by 'cat'",
        "left out 1 submission without any grade: 's03'",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "Reviewer Role",
            "Role",
            ": has no column 'Reviewer Role'; export it again with all columns, or name them as the system does",
        ),
        (
            "Submission Appealed",
            "Appealed",
            ": has no column 'Submission Appealed'; export it again with all columns, or name them as the system does",
        ),
        (
            "tom,TA",
            "tom,Robot",
            ", row 6: the role 'robot' is unknown; use student, ta, instructor or machine; an empty role means student",
        ),
        (
            "r6,bob,Student,,0.5,,",
            "r6,bob,Student,,0.5,x,",
            ", row 7: the grade 'x' of 'Structure' is not a number; write a number, or leave the cell empty if "
            "nothing was graded",
        ),
        (
            "r4,cat,",
            "r4,,",
            ", row 5: the grader is empty; give each row the id of its grader, or remove the row",
        ),
    ],
)
def test_malformed_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert problems(changed("mta2.csv", tmp_path, [(old, new)])) == [RECOGNISED, f"mta2.csv{message}"]


def test_no_item_of_the_rubric(tmp_path: Path) -> None:
    path = changed(
        "mta2.csv", tmp_path, [("Reviewer Weight,Structure,Evidence,", "Structure,Evidence,Reviewer Weight,")]
    )
    assert problems(path) == [
        RECOGNISED,
        "mta2.csv: has no column of grades between 'Reviewer Weight' and 'Submission Appealed'; "
        "export it again with the rubric's items",
    ]
