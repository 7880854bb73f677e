"""Open edX's two reports on open response assessments."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg
from support.programs.importing import EXAMPLES, changed, problems, rows, said

WIDE, LONG = EXAMPLES / "ora_data.csv", EXAMPLES / "ora_long.csv"
RECOGNISED = "ora_data.csv: was recognised as Open edX's report ora_data (ora-data); if that is wrong, name its format"
RECOGNISED_LONG = (
    "ora_long.csv: was recognised as Open edX's report with a row per assessment (ora-long); "
    "if that is wrong, name its format"
)
COMMON = [
    ("s-01", "anon_ben", "Ideas", 3, "anon_ada", "student"),
    ("s-01", "anon_ben", "Style (form)", 1, "anon_ada", "student"),
    ("s-01", "anon_cem", "Ideas", 1, "anon_ada", "student"),
    ("s-01", "anon_cem", "Style (form)", 2, "anon_ada", "student"),
    ("s-01", "anon_prof", "Ideas", 1, "anon_ada", "ta"),
    ("s-01", "anon_prof", "Style (form)", 1, "anon_ada", "ta"),
    ("s-02", "anon_ada", "Ideas", 0, "anon_ben", "student"),
    ("s-02", "anon_ada", "Style (form)", 0, "anon_ben", "student"),
    ("s-02", "anon_cem", "Ideas", 3, "anon_ben", "student"),
]


def test_exactly_the_grades_of_ora_data() -> None:
    book = pg.read_grades(WIDE)
    assert rows(book, "author", "role") == [
        *COMMON,
        ("s-04", "anon_ben", "Ideas", 1, "anon_dee", "student"),
        ("s-04", "anon_ben", "Style (form)", 1, "anon_dee", "student"),
    ]
    assert set(book.assignments) == {"Essay: rivers"}
    assert str(book.table()["time"][2]) == "2024-03-04 10:30:00"
    assert said(book) == [
        RECOGNISED,
        "ora_data.csv: left out 1 response without any assessment (row 4)",
        "ora_data.csv: left out 1 assessment without any points (row 5)",
        "the rubric was inferred from the grades seen (Ideas: 0, 1, 2, 3; Style (form): 0, 1, 2); "
        "give a rubric if other grades are possible",
        "dropped 1 review of the grader's own work, by 'anon_ada'",
    ]


def test_exactly_the_grades_of_the_long_report() -> None:
    book = pg.read_grades(LONG)
    assert rows(book, "author", "role") == [
        (submission, grader, component.replace("Style (form)", "Style: form"), grade, author, role)
        for submission, grader, component, grade, author, role in COMMON
    ]
    assert str(book.table()["time"][2]) == "2024-03-04 10:30:00"
    assert said(book)[:2] == [
        RECOGNISED_LONG,
        "ora_long.csv: left out 1 response without any assessment (row 8)",
    ]


@pytest.mark.parametrize(("report", "style"), [(WIDE, "Style (form)"), (LONG, "Style: form")])
def test_self_assessments_are_kept_apart(report: Path, style: str) -> None:
    own = pg.read_grades(report).self_grades
    assert [tuple(grade) for grade in own] == [("s-01", "anon_ada", "Ideas", 3.0), ("s-01", "anon_ada", style, 2.0)]


def test_the_author_assesses_whatever_the_scorer_is_called(tmp_path: Path) -> None:
    path = changed("ora_long.csv", tmp_path, [("SE,anon_ada", "SE,anon_other_id")])
    assert pg.read_grades(path).self_grades == pg.read_grades(LONG).self_grades


def test_a_line_without_points_is_reported(tmp_path: Path) -> None:
    book = pg.read_grades(changed("ora_data.csv", tmp_path, [("-- Ideas: Poor (0)", "-- Ideas: Poor (zero)")]))
    assert ("s-02", "anon_ada", "Ideas", 0) not in rows(book)
    assert "ora_data.csv: left out 1 line that looks like a score but ends without points (row 3)" in said(book)


def test_feedback_cannot_change_who_scored(tmp_path: Path) -> None:
    forged = "-- overall_feedback: Good.\n-- type: ST\n-- scorer_id: anon_prof"
    book = pg.read_grades(changed("ora_data.csv", tmp_path, [("-- overall_feedback: Good.", forged)]))
    assert rows(book, "author", "role")[:9] == COMMON


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "Assessment Scores",
            "Scores",
            ": has no column 'Assessment Scores'; export it again with all columns, or name them as the system does",
        ),
        (
            "Assessment #22\n-- Ideas",
            "Assessment #23\n-- Ideas",
            ", row 3: assessment 22 is not in the Assessment Scores; export the report again",
        ),
        (
            "-- scorer_id: anon_prof\n",
            "",
            ", row 2: assessment 14 has no 'scorer_id' in its details; export the report again",
        ),
        ("-- type: ST", "-- type: XX", ", row 2: the assessment type 'XX' is unknown; it has to be PE, SE or ST"),
        (
            "second line, Ideas: Poor 0",
            "-- Ideas: Excellent (9)",
            ", row 2: assessment 11 scores 'Ideas' 2 times; remove lines of feedback that look like scores",
        ),
    ],
)
def test_malformed_ora_data(tmp_path: Path, old: str, new: str, message: str) -> None:
    found = problems(changed("ora_data.csv", tmp_path, [(old, new)]))
    assert found[:2] == [RECOGNISED, f"ora_data.csv{message}"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "Anonymous Scorer Id",
            "Scorer",
            ": has no column 'Anonymous Scorer Id'; export it again with all columns, or name them as the system does",
        ),
        (
            "Points 2",
            "Points B",
            ": has no column 'Points 2'; export it again with all columns, or name them as the system does",
        ),
        (",ST,", ",TA,", ", row 5: the assessment type 'TA' is unknown; it has to be PE, SE or ST"),
        (
            ",Fair,1,2,,Excellent",
            ",Fair,one,2,,Excellent",
            ", row 3: the grade 'one' of 'Ideas' is not a number; write a number, or leave the cell empty if nothing "
            "was graded",
        ),
    ],
)
def test_malformed_long_reports(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert problems(changed("ora_long.csv", tmp_path, [(old, new)])) == [RECOGNISED_LONG, f"ora_long.csv{message}"]


def test_a_long_report_without_criteria(tmp_path: Path) -> None:
    path = changed("ora_long.csv", tmp_path, [("Criterion 1: ", ""), ("Criterion 2: ", "")])
    assert problems(path)[1:] == [
        "ora_long.csv: has no column such as 'Criterion 1: Ideas'; export the report again with its criteria"
    ]
