"""Canvas peer reviews as scripts export them."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg
from support.programs.importing import EXAMPLES, changed, problems, rows, said

EXAMPLE = EXAMPLES / "canvas_reviews.csv"
RECOGNISED = (
    "canvas_reviews.csv: was recognised as peer reviews that a script exported from Canvas (canvas-csv); "
    "if that is wrong, name its format"
)


def test_exactly_the_grades_of_the_example() -> None:
    book = pg.read_grades(EXAMPLE)
    assert rows(book, "author") == [
        ("1001", "1002", "Criteria #1", 8, "1001"),
        ("1001", "1002", "Criteria #2", 4, "1001"),
        ("1001", "1003", "Criteria #1", 7.5, "1001"),
        ("1001", "1003", "Criteria #2", 4, "1001"),
        ("1002", "1001", "Criteria #1", 6, "1002"),
        ("1002", "1001", "Criteria #2", 3, "1002"),
        ("1003", "1001", "Criteria #1", 10, "1003"),
        ("1003", "1001", "Criteria #2", 3, "1003"),
        ("1004", "1002", "Criteria #1", 5, "1004"),
    ]
    assert [component.legend for component in book.rubric.components] == ["0 to 10 by 0.5", "0, 1, 2, 3, 4, 5"]
    assert said(book) == [
        RECOGNISED,
        "canvas_reviews.csv: left out 1 review not completed (row 5)",
        "canvas_reviews.csv: left out 1 completed review without any score (row 9)",
        "canvas_reviews.csv: gives only the maximum of each criterion; the grades below it are taken to be evenly "
        "spaced; give a rubric if they are not",
        "dropped 1 review of the grader's own work, by '1003'",
    ]


def test_names_alone_count_as_ids(tmp_path: Path) -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / "names.csv"
    path.write_text("".join(line if line.startswith("lines") else line.split(",", 2)[2] for line in lines))
    book = pg.read_grades(path, duplicates="last")
    assert book.graders == ("Ben Okoro", "Sam Lee", "Ada Novak")
    assert "names.csv: has names but no ids; people of one name count as one person" in said(book)


def test_a_name_that_two_people_have_is_not_guessed(tmp_path: Path) -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").replace("user_id,assessor_id", "user_id").splitlines(keepends=True)
    path = tmp_path / "authors.csv"
    path.write_text(
        "".join(",".join((parts := line.split(","))[:1] + parts[2:]) if line[0] == "1" else line for line in lines)
    )
    book = pg.read_grades(path)
    assert book.graders == ("1002", "1001")
    assert "authors.csv: left out 2 reviews with the name 'Sam Lee', which two people have (rows 3, 7)" in said(book)


def test_several_files_are_several_assignments(tmp_path: Path) -> None:
    paths = [tmp_path / f"week{week}.csv" for week in (1, 2)]
    for path in paths:
        path.write_bytes(EXAMPLE.read_bytes())
    book = pg.read_grades(paths)
    assert book.n_grades == 18
    assert book.submissions[:2] == ("week1/1001", "week1/1002")
    assert book.assignments[0] == "week1"
    assert book.authors[0] == ("1001",)


@pytest.mark.parametrize("points", ["11", "-1", "7.33"])
def test_points_off_the_rubric_are_refused_or_moved(tmp_path: Path, points: str) -> None:
    path = changed("canvas_reviews.csv", tmp_path, [("9.0,6.0,3.0", f"9.0,{points},3.0")])
    assert problems(path) == [
        RECOGNISED,
        f"canvas_reviews.csv, row 4: the grade {points} of 'Criteria #1' is not on the rubric (0 to 10 by 0.5); "
        "correct it, or move such grades to the nearest legal grade",
    ]
    book = pg.read_grades(path, snap=True)
    assert any("1 grade moved to the nearest legal grade" in notice for notice in said(book))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "State,",
            "Status,",
            "canvas_reviews.csv: has no column 'State'; export it again with all columns, or name "
            "them as the system does",
        ),
        (
            "assigned",
            "overdue",
            "canvas_reviews.csv, row 5: the state 'overdue' is unknown; a review is assigned or completed",
        ),
        (
            " (10.0),Criteria #2 (5.0)",
            ",Criteria #2",
            "canvas_reviews.csv: has no column such as 'Criteria #1 (10.0)'; "
            "export a column for each criterion, with its maximum in brackets",
        ),
        (
            "9.0,6.0,",
            "9.0,six,",
            "canvas_reviews.csv, row 4: the grade 'six' of 'Criteria #1' is not a number; write a "
            "number, or leave the cell empty if nothing was graded",
        ),
        (
            "1002,1001,completed,Ada Novak",
            "1002,,completed,",
            "canvas_reviews.csv, row 4: the grader is empty; give each row the id of its grader, or remove the row",
        ),
    ],
)
def test_malformed_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert problems(changed("canvas_reviews.csv", tmp_path, [(old, new)])) == [RECOGNISED, message]


def test_criteria_whose_maxima_differ_between_files(tmp_path: Path) -> None:
    first = changed("canvas_reviews.csv", tmp_path, []).rename(tmp_path / "week1.csv")
    second = changed("canvas_reviews.csv", tmp_path, [("#2 (5.0)", "#2 (8.0)")])
    assert problems(first, second)[2:] == [
        "canvas_reviews.csv: 'Criteria #2' has the grades 0 to 8 by 1 here but 0, 1, 2, 3, 4, 5 in week1.csv; "
        "give a rubric, or import the files one by one"
    ]
