"""Moodle's Workshop: its tables, and the backup that holds the same."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg
from support.programs.importing import EXAMPLES, problems, rows, said

FOLDER = EXAMPLES / "moodle"
BACKUP = FOLDER / "workshop.xml"
TABLES = [FOLDER / f"{name}.csv" for name in ("submissions", "assessments", "grades", "rubric", "levels")]
RECOGNISED = [
    f"{path.name}: was recognised as a table of Moodle's Workshop (moodle-tables); if that is wrong, name its format"
    for path in TABLES
]
RECOGNISED_BACKUP = (
    "workshop.xml: was recognised as workshop.xml of a Moodle backup (moodle-backup); if that is wrong, name its format"
)
GRADES = [
    ("301", "42", "Structure & flow", 4, "41"),
    ("301", "42", "Evidence", 2, "41"),
    ("301", "43", "Structure & flow", 2, "41"),
    ("301", "43", "Evidence", 6, "41"),
    ("302", "41", "Structure & flow", 0, "42"),
    ("303", "41", "Structure & flow", 4, "43"),
    ("303", "41", "Evidence", 6, "43"),
]


def _changed(folder: Path, name: str, old: str, new: str) -> list[Path]:
    """The tables, one of which has some text replaced."""
    paths = []
    for table in TABLES:
        text = table.read_text(encoding="utf-8")
        if table.stem == name:
            assert old in text
            text = text.replace(old, new)
        paths.append(folder / table.name)
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def _changed_backup(folder: Path, old: str, new: str) -> Path:
    text = BACKUP.read_text(encoding="utf-8")
    assert old in text
    path = folder / BACKUP.name
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_exactly_the_grades_of_the_tables() -> None:
    book = pg.read_grades(TABLES)
    assert rows(book, "author") == GRADES
    assert set(book.assignments) == {"12"}
    assert [component.legend for component in book.rubric.components] == ["0, 2, 4", "0, 2, 6"]
    assert str(book.table()["time"][0]) == "2024-03-02 10:00:00"
    assert said(book) == [
        *RECOGNISED,
        "grades.csv: left out 1 grade that was not given by a rubric (row 15)",
        "grades.csv: left out 2 grades of a practice submission (rows 12, 13)",
        "grades.csv: left out 1 grade of an assessment or submission that the files do not hold (row 14)",
        "assessments.csv: left out 1 assessment without any grade (row 5)",
        "dropped 1 review of the grader's own work, by '43'",
    ]


def test_exactly_the_grades_of_the_backup() -> None:
    book = pg.read_grades(BACKUP)
    assert rows(book, "author") == GRADES
    assert set(book.assignments) == {"Essays on water"}
    assert book.rubric == pg.read_grades(TABLES).rubric
    assert said(book) == [
        RECOGNISED_BACKUP,
        "workshop.xml: left out 1 practice submission with its assessments (row 1)",
        "workshop.xml: left out 1 assessment without any grade (row 4)",
        "dropped 1 review of the grader's own work, by '43'",
    ]


def test_without_the_rubric_grades_are_inferred() -> None:
    book = pg.read_grades(TABLES[:3])
    assert book.rubric.names == ("dimension 21", "dimension 22")
    assert any("comes without the rubric's levels" in notice for notice in said(book))


def test_dimensions_of_one_description_are_told_apart(tmp_path: Path) -> None:
    book = pg.read_grades(_changed(tmp_path, "rubric", "Evidence", "Structure &amp; flow"))
    assert book.rubric.names == ("Structure & flow (21)", "Structure & flow (22)")


def test_points_between_levels_are_refused_or_moved(tmp_path: Path) -> None:
    paths = _changed(tmp_path, "grades", "5,903,rubric,21,0.00000", "5,903,rubric,21,3.00000")
    assert problems(*paths) == [
        *RECOGNISED,
        "grades.csv, row 6: the grade 3.00000 of 'Structure & flow' is not on the rubric (0, 2, 4); "
        "correct it, or move such grades to the nearest legal grade",
    ]
    assert ("302", "41", "Structure & flow", 4) in rows(pg.read_grades(paths, snap=True))


@pytest.mark.parametrize(
    ("table", "old", "new", "message"),
    [
        ("grades", "dimensionid", "dimension", "grades.csv: has no column 'dimensionid'; export it again with all "),
        ("assessments", "reviewerid", "reviewer", "assessments.csv: has no column 'reviewerid'; export it again with "),
        ("submissions", "example", "kind", "submissions.csv: has no column 'example'; export it again with all "),
        (
            "submissions",
            "302,12",
            "301,12",
            "submissions.csv, row 3: the id '301' is in the table twice; give each table once, from one site",
        ),
        (
            "levels",
            "6.00000",
            "many",
            "rubric.csv: the levels of 'Evidence' are not two or more different grades; export the rubric's levels",
        ),
        (
            "grades",
            "7,905,rubric,21,4.00000",
            "7,905,rubric,21,four",
            "grades.csv, row 8: the grade 'four' of 'Structure & flow' is not a number; write a number, or leave the "
            "cell empty if nothing was graded",
        ),
    ],
)
def test_malformed_tables(tmp_path: Path, table: str, old: str, new: str, message: str) -> None:
    found = problems(*_changed(tmp_path, table, old, new))
    assert found[:-1] == RECOGNISED
    assert found[-1].startswith(message)


def test_tables_that_are_not_there() -> None:
    assert problems(TABLES[2]) == [
        RECOGNISED[2],
        "grades.csv: comes without the table workshop_submissions and workshop_assessments; "
        "give workshop_submissions, workshop_assessments, workshop_grades together",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "<strategy>rubric",
            "<strategy>accumulative",
            "workshop.xml: its workshop is graded by the strategy 'accumulative'; only rubrics can be imported",
        ),
        (
            "<reviewerid>42</reviewerid>",
            "",
            "workshop.xml, row 1: the assessment has no reviewerid; make the backup again",
        ),
        (
            "<grade>6.00000</grade><definition>",
            "<grade>2.00000</grade><definition>",
            "workshop.xml, row 2: the grade 6.00000 of 'Evidence' is not on the rubric (0, 2); correct it, or move "
            "such grades to the nearest legal grade",
        ),
    ],
)
def test_malformed_backups(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert problems(_changed_backup(tmp_path, old, new))[:2] == [RECOGNISED_BACKUP, message]


def test_a_backup_that_defines_entities_is_refused(tmp_path: Path) -> None:
    entity = '<!DOCTYPE activity [<!ENTITY e SYSTEM "file:///etc/passwd">]><activity id'
    assert problems(_changed_backup(tmp_path, "<activity id", entity)) == [
        "workshop.xml: has a document type (DOCTYPE), which is not read; export it again"
    ]


def test_a_damaged_backup(tmp_path: Path) -> None:
    (found,) = problems(_changed_backup(tmp_path, "</workshop>", ""))
    assert found.startswith("workshop.xml: is damaged XML (mismatched tag: line ")


def test_the_backup_of_another_activity(tmp_path: Path) -> None:
    path = tmp_path / "forum.xml"
    path.write_text('<?xml version="1.0"?><activity modulename="forum"><forum id="1"/></activity>')
    assert problems(path) == ["forum.xml: is XML, but not from a known system; export it as CSV or XLSX"]
