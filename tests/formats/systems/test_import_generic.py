"""Components of the wide form that are called what a field may be called too."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg


def _read(folder: Path, text: str) -> pg.Gradebook:
    path = folder / "grades.csv"
    path.write_text(text)
    return pg.read_grades(path)


@pytest.mark.parametrize("name", ["Essay", "Paper", "Project", "Exercise", "Homework"])
def test_a_kind_of_work_can_be_a_component(tmp_path: Path, name: str) -> None:
    header = f"submission,grader,Structure,{name},assignment"
    book = _read(tmp_path, f"{header}\np1,ann,1,3,w1\np1,bob,2,4,w1\np2,ann,2,4,w2\np2,bob,1,4,w2\n")
    assert book.rubric.names == ("Structure", name)
    assert book.values[:, 1].tolist() == [3, 4, 4, 4]
    assert book.assignments == ("w1", "w2")
    assert not [notice for notice in book.notices if "left out" in notice.message]


@pytest.mark.parametrize("name", ["Project", "Exercise", "Homework"])
def test_grades_that_reviews_disagree_on_are_no_assignment(tmp_path: Path, name: str) -> None:
    book = _read(tmp_path, f"Paper ID,grader,{name},S\np1,ann,3,1\np1,bob,4,2\np2,ann,4,2\np2,bob,4,1\n")
    assert book.rubric.names == (name, "S")
    assert set(book.assignments) == {""}


def test_a_project_that_reviews_agree_on_is_still_the_assignment(tmp_path: Path) -> None:
    book = _read(tmp_path, "submission,grader,Project,S\np1,ann,1,1\np1,bob,1,2\np2,ann,2,2\np2,bob,2,1\n")
    assert book.rubric.names == ("S",)
    assert book.assignments == ("1", "2")


def test_other_names_of_people_and_times_are_no_components(tmp_path: Path) -> None:
    book = _read(tmp_path, "submission,grader,Reviewer ID,assignment,Week,S\np1,ann,17,a,1,1\np1,bob,18,a,1,2\n")
    assert book.rubric.names == ("S",)
    assert any("left out 2 extra columns: 'Reviewer ID', 'Week'" in notice.message for notice in book.notices)


def test_a_column_of_words_is_no_component(tmp_path: Path) -> None:
    book = _read(tmp_path, "submission,grader,Essay,S\np1,ann,on cats,1\np1,bob,on cats,2\n")
    assert book.rubric.names == ("S",)


@pytest.mark.parametrize(
    "header",
    [
        "submissionid,reviewerid,S,{}",
        "Submission ID,Reviewer ID,Reviewer Role,S,{}",
        "Paper,Assessor,Assessee,S,{}",
        "Paper,Evaluator,Evaluatee,S,{}",
        "Submission ID,Rater,Assessment Type,S,{}",
        "submission,grader,State,S,{}",
    ],
)
def test_a_table_of_ones_own_is_taken_for_no_system(tmp_path: Path, header: str) -> None:
    names = header.format("T").split(",")
    rows = [["student" if "Role" in name else f"{person}{name[0]}" for name in names[:-2]] for person in "ab"]
    rows[1][0] = rows[0][0]
    lines = [",".join([*row, str(index), "0"]) for index, row in enumerate(rows)]
    (tmp_path / "rubric.toml").write_text("[components]\nS.grades = [0, 1]\nT.grades = [0, 1]\n")
    book = _read(tmp_path, "\n".join([",".join(names), *lines]))
    assert book.rubric.names == ("S", "T")
    assert not any("recognised" in notice.message for notice in book.notices)
