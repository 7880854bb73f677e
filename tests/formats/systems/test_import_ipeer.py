"""iPeer's export."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg
from support.programs.importing import EXAMPLES, changed, problems, rows, said

EXAMPLE = EXAMPLES / "ipeer.csv"
RECOGNISED = "ipeer.csv: was recognised as an export of iPeer (ipeer); if that is wrong, name its format"


def test_exactly_the_grades_of_the_example() -> None:
    book = pg.read_grades(EXAMPLE)
    assert rows(book, "assignment", "author") == [
        ("Project 1/0041", "0042", "Q1", 4, "Project 1", "0041"),
        ("Project 1/0041", "0042", "Q2", 8.5, "Project 1", "0041"),
        ("Project 1/0041", "0043", "Q1", 5, "Project 1", "0041"),
        ("Project 1/0041", "0043", "Q2", 7, "Project 1", "0041"),
        ("Project 1/0042", "0041", "Q1", 3, "Project 1", "0042"),
        ("Project 2/0041", "0042", "Q1", 2, "Project 2", "0041"),
        ("Project 2/0041", "0042", "Q2", 6, "Project 2", "0041"),
    ]
    assert [component.legend for component in book.rubric.components] == ["0, 1, 2, 3, 4, 5", "0 to 10 by 0.5"]
    assert said(book) == [
        RECOGNISED,
        "ipeer.csv: left out 1 evaluation without any grade (row 5)",
        "ipeer.csv: gives only the maximum of each criterion; the grades below it are taken to be evenly spaced; "
        "give a rubric if they are not",
        "dropped 1 review of the grader's own work, by '0042'",
    ]


def test_a_name_that_two_people_have_is_not_guessed(tmp_path: Path) -> None:
    changes = [("Ben Okoro,0042,Ada Novak,0041", "Ada Novak,0042,Ada Novak,"), ("Ben Okoro,0042,4", "Ben Okoro,,4")]
    book = pg.read_grades(changed("ipeer.csv", tmp_path, changes))
    assert "ipeer.csv: left out 1 evaluation with the name 'Ada Novak', which two people have (row 4)" in said(book)
    assert ("Project 1/0041", "0042", "Q1", 4) in rows(book)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "Event",
            "Happening",
            ": has no column 'Event'; export it again with all columns, or name them as the system does",
        ),
        (
            " ( /",
            " (of ",
            ": has no column such as 'Q1 ( /5)'; export the evaluation's questions with their maxima",
        ),
        (
            "0042,4,,8.5",
            "0042,6,,8.5",
            ", row 2: the grade 6 of 'Q1' is not on the rubric (0, 1, 2, 3, 4, 5); correct it, or move such grades to "
            "the nearest legal grade",
        ),
        (
            "0042,4,,8.5",
            "0042,four,,8.5",
            ", row 2: the grade 'four' of 'Q1' is not a number; write a number, or leave the cell empty if nothing "
            "was graded",
        ),
    ],
)
def test_malformed_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert problems(changed("ipeer.csv", tmp_path, [(old, new)])) == [RECOGNISED, f"ipeer.csv{message}"]
