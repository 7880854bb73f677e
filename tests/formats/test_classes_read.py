"""Several classes in one file: each is read as if its rows were a file of their own."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.tables.column import Column
from support.programs.importing import EXAMPLES

LONG = """submission,grader,component,grade,section,author,role
p1,ann,S,1,A,bob,
p1,ta,S,2,A,bob,ta
p2,bob,S,4,A,ann,
p2,ta,S,3,A,ann,ta
q1,dan,S,0,B,eve,
q1,ta,S,2,B,eve,ta
q2,eve,S,5,B,dan,
q2,ann,S,5,B,dan,ta
"""
WIDE = """submission,grader,Structure,Course
p1,ann,1,101
p1,bob,2,101
q1,dan,5,102
q1,eve,3,102
"""


def messages(book: pg.Gradebook) -> list[str]:
    return [str(notice) for notice in book.notices]


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    path = tmp_path / "grades.csv"
    path.write_text(LONG)
    return path


def test_each_class_is_the_one_of_a_file_of_its_own(grades: Path, tmp_path: Path) -> None:
    books = pg.read_classes(grades, by="section")
    assert list(books) == ["A", "B"]
    header, *lines = LONG.splitlines(keepends=True)
    for name, book in books.items():
        (tmp_path / "alone.csv").write_text(header + "".join(line for line in lines if f",{name}," in line))
        alone = pg.read_grades(tmp_path / "alone.csv")
        pd.testing.assert_frame_equal(book.table(), alone.table())
        assert (book.rubric, book.graders, book.submissions) == (alone.rubric, alone.graders, alone.submissions)


def test_graders_in_several_classes_and_scales_that_differ_are_said_in_each(grades: Path) -> None:
    for book in pg.read_classes(grades, by="Section").values():
        assert "2 graders in more than one Section, estimated separately in each: 'ta', 'ann'" in messages(book)
        scales = "1, 2, 3, 4 in 'A'; 0, 2, 5 in 'B'"
        assert f"classes differ in the grades of 'S': {scales}; if that is wrong, give a rubric" in messages(book)
    rubric = pg.Rubric.uniform(["S"], range(6))
    books = pg.read_classes(grades, rubric, by="section")
    assert [book.rubric for book in books.values()] == [rubric, rubric]
    assert not any("differ" in message for book in books.values() for message in messages(book))
    assert [book.roles[book.graders.index("ann")] for book in books.values()] == [0, 1]


def test_a_column_of_numbers_that_tells_classes_apart_is_no_component(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(WIDE)
    assert pg.read_grades(tmp_path / "wide.csv").rubric.names == ("Structure", "Course")
    books = pg.read_classes(tmp_path / "wide.csv", by="course")
    assert {name: book.rubric.names for name, book in books.items()} == {"101": ("Structure",), "102": ("Structure",)}


def test_the_assignment_can_tell_classes_apart_by_the_name_that_it_is_mapped_from(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text(WIDE)
    books = pg.read_classes(
        tmp_path / "wide.csv", by="assignment", reading=pg.Reading(columns={"assignment": "Course"})
    )
    assert {name: set(book.assignments) for name, book in books.items()} == {"101": {"101"}, "102": {"102"}}


def test_without_a_column_there_is_one_class(grades: Path) -> None:
    (name, book), *others = pg.read_classes(grades, by=None).items()
    assert (name, others) == ("", [])
    pd.testing.assert_frame_equal(book.table(), pg.read_grades(grades).table())


def test_exclusions_count_in_the_class_that_they_are_about(grades: Path) -> None:
    rules = [pg.Exclusion("ta", "", "absent"), pg.Exclusion("", "q2", "withdrawn")]
    books = pg.read_classes(grades, pg.Rubric.uniform(["S"], range(6)), by="section", reading=pg.Reading(exclude=rules))
    assert books["A"].exclusions == (replace(rules[0], n_reviews=2),)
    assert books["B"].exclusions == (replace(rules[0], n_reviews=1), replace(rules[1], n_reviews=2))
    (grades.parent / "exclude.csv").write_text("grader,submission,reason\nta,,absent\nnobody,,typing error\n")
    with pytest.raises(pg.InputError, match=r"exclude.csv, row 3: nothing to exclude: the grades do not hold"):
        pg.read_classes(grades, by="section")


def test_a_class_of_which_nothing_is_left_is_left_out_and_said(tmp_path: Path) -> None:
    times = {"A": "2024-09-30", "B": "2024-10-02"}
    header, *lines = LONG.splitlines()
    dated = [f"{line},{times[line.split(',')[4]]}" for line in lines]
    (tmp_path / "grades.csv").write_text("\n".join([f"{header},time", *dated]))
    books = pg.read_classes(tmp_path / "grades.csv", by="section", reading=pg.Reading(until="2024-10-01"))
    assert list(books) == ["A"]
    assert "left out section 'B': every review was written after 2024-10-01" in messages(books["A"])
    with pytest.raises(pg.InputError, match="section 'A': every review was written after 2024-01-01"):
        pg.read_classes(tmp_path / "grades.csv", by="section", reading=pg.Reading(until="2024-01-01"))


@pytest.mark.parametrize(
    ("changed", "by", "words"),
    [
        (
            LONG,
            "course",
            "grades.csv: has no column 'course' to tell classes apart; the columns are",
        ),
        (
            LONG,
            "grader",
            "grades.csv: the column 'grader' holds the grader, so it cannot tell classes apart; name a column",
        ),
        (
            LONG,
            "author",
            "grades.csv: the column 'author' holds the author, so it cannot tell classes apart; name a column",
        ),
        (
            LONG.replace("p2,bob,S,4,A", "p2,bob,S,4, "),
            "section",
            "grades.csv, row 4: the section is empty; say which class the row belongs to",
        ),
        (LONG.replace(",A,", ",A\x07,"), "section", "holds a control character"),
        (
            LONG.replace("p2,ta,S,3,A", "p2,ta,S,3,B"),
            "section",
            "grades.csv, row 5: the section of submission 'p2' is 'B' here but 'A' in row 4; give the work",
        ),
        (
            LONG + "r1,ann,S,3,C,bob,\nr1,ta,S,3,C,bob,ta\n",
            "section",
            "section 'C': every grade of 'S' is 3",
        ),
        (LONG.replace("q1,ta,S,2", "q1,ta,S,two"), "section", "grades.csv, row 7: the grade 'two'"),
    ],
)
def test_what_cannot_be_told_apart_is_named(tmp_path: Path, changed: str, by: str, words: str) -> None:
    (tmp_path / "grades.csv").write_text(changed)
    with pytest.raises(pg.InputError) as error:
        pg.read_classes(tmp_path / "grades.csv", by=by)
    assert words in str(error.value)
    assert len({problem.message for problem in error.value.problems}) == 1


def test_values_that_differ_in_capitals_alone_are_said(tmp_path: Path) -> None:
    (tmp_path / "grades.csv").write_text(LONG.replace(",B,", ",a,"))
    said = messages(pg.read_classes(tmp_path / "grades.csv", by="section")["a"])
    assert (
        "'A' and 'a' are treated as different classes; if they are the same, write the section the same way everywhere"
        in said
    )


def test_every_file_needs_the_column(grades: Path, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("submission,grader,component,grade\np9,ann,S,1\n")
    with pytest.raises(pg.InputError, match=r"more.csv: has no column 'section' to tell classes apart"):
        pg.read_classes([grades, tmp_path / "more.csv"], by="section")


@pytest.mark.parametrize(
    ("name", "by", "columns", "classes"),
    [
        ("grades.csv", "course", None, [""]),
        ("grades.csv", "assignment", None, [""]),
        ("grades.csv", "assignment", {"assignment": "Section"}, ["A", "B"]),
        ("weeks.csv", "assignment", None, ["A", "B"]),
        ("ipeer.csv", "assignment", None, ["Project 1", "Project 2"]),
        ("ipeer.csv", "section", None, [""]),
        ("canvas_reviews.csv", "assignment", None, [""]),
    ],
)
def test_a_column_that_may_be_absent_is_found_wherever_it_is_found_otherwise(
    grades: Path, name: str, by: str, columns: dict[str, str] | None, classes: list[str]
) -> None:
    grades.with_name("weeks.csv").write_text(LONG.replace("section", "Week"))
    path = EXAMPLES / name if (EXAMPLES / name).exists() else grades.with_name(name)
    reading = pg.Reading(columns=columns or {})
    assert list(pg.read_classes(path, by=by, by_optional=True, reading=reading)) == classes
    if classes == [""]:
        with pytest.raises(pg.InputError, match=f"{name}: has no column '{by}' to tell classes apart"):
            pg.read_classes(path, by=by, reading=reading)


def test_a_column_that_may_be_absent_is_needed_if_any_file_has_it(grades: Path, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("submission,grader,component,grade\np9,ann,S,1\n")
    with pytest.raises(pg.InputError, match=r"more.csv: has no column 'section' to tell classes apart"):
        pg.read_classes([grades, tmp_path / "more.csv"], by="section", by_optional=True)
    with pytest.raises(pg.InputError, match=r"ipeer.csv: has no column 'group name' to tell classes apart"):
        pg.read_classes(EXAMPLES / "ipeer.csv", by="group name", by_optional=True)


def test_a_class_takes_no_memory_for_what_other_classes_say() -> None:
    column = Column.of_texts([f"p{index}" for index in range(50_000)])
    tracemalloc.start()
    few = column.only(np.array([7, 3, 7]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (few.values, few.codes.tolist()) == (("p7", "p3"), [0, 1, 0])
    assert peak < 50_000
