"""Whatever ids and names contain, what an export writes is read back as it was, in every format."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import peerage as pg
from peerage.errors import InputError
from peerage.exports.canvas_gradebook_csv import STUDENT_COLUMNS, CanvasGradebook, GradebookColumn
from peerage.exports.export_options import Options
from peerage.exports.exporting import EXPORTS, Export, export_folder
from peerage.exports.moodle_grades import ID_COLUMNS, Grades
from peerage.exports.mta2_files import Files
from peerage.exports.sheets import SHEETS, SheetCells
from peerage.exports.students_csv import StudentRow
from peerage.exports.workbook import Workbook
from peerage.formats.systems.known_systems import FORMATS
from peerage.tables.reading_files import read_source
from support.classes.classes import NASTY, ids, texts
from support.programs.exporting import RUBRIC, result_folder

unhurried = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
HARD = [text for text in [*NASTY, "a|b"] if text.strip() not in ("", "x")]
BY_NAME = {known.NAME: known for known in EXPORTS}

piped = st.sampled_from(["|", "a|b", "||", "|,|", "x|\ny"])
codes = st.one_of(ids, piped)
numbers = st.integers(-100_000, 100_000).map(lambda number: number / 100)
optional = st.none() | numbers
digits = st.integers(1, 10**12).map(str)


@st.composite
def gradebooks(draw: st.DrawFn) -> CanvasGradebook:
    names = draw(st.lists(st.tuples(texts, digits), min_size=1, max_size=3, unique_by=lambda pair: pair[1]))
    columns = tuple(GradebookColumn(name, number, draw(st.sampled_from(["", "10", "12.50"]))) for name, number in names)
    who = st.tuples(*(st.one_of(st.just(""), texts, piped) for _ in STUDENT_COLUMNS[1:]))
    cells = st.tuples(*(st.sampled_from(["", "EX", "N/A", "3.25", "-1.00"]) for _ in columns))
    # A name with these words is not one to Canvas, and a row of blanks is not a student.
    name = st.one_of(texts, piped).filter(lambda text: "Points Possible" not in text)
    students = draw(st.lists(st.tuples(name, digits, who, cells), max_size=4))
    return CanvasGradebook(columns, tuple(((name, number, *who[1:]), cells) for name, number, who, cells in students))


@st.composite
def moodle(draw: st.DrawFn) -> Grades:
    items = tuple(draw(st.lists(st.one_of(texts, piped), min_size=1, max_size=3)))
    row = st.tuples(codes, st.tuples(*(optional for _ in items)))
    return Grades(draw(st.sampled_from(sorted(ID_COLUMNS))), items, tuple(draw(st.lists(row, max_size=4))))


mta2 = st.builds(
    Files,
    st.lists(st.tuples(codes, numbers, st.lists(st.tuples(codes, numbers), max_size=3).map(tuple)), max_size=4).map(
        tuple
    ),
    st.lists(st.tuples(codes, numbers, numbers, numbers), max_size=4).map(tuple),
    st.lists(st.tuples(codes, numbers), max_size=4).map(tuple),
)
students = st.lists(st.builds(StudentRow, codes, texts, texts, optional, optional), max_size=4).map(tuple)


@st.composite
def workbooks(draw: st.DrawFn) -> Workbook:
    text = st.none() | st.one_of(texts, piped).filter(bool)
    cells = {"submission": text, "reason": text, "total": optional, "weight": optional}
    titles = draw(st.lists(st.sampled_from(list(SHEETS)), min_size=1, max_size=3, unique=True))
    row = st.tuples(*cells.values())
    tables = {title: SheetCells(tuple(cells), tuple(draw(st.lists(row, min_size=1, max_size=3)))) for title in titles}
    # Blank rows at the end of a sheet do not exist.
    tables = {title: SheetCells(table.header, (*table.rows, ("end", None, 1, None))) for title, table in tables.items()}
    return Workbook(tables)


CONTENTS: dict[str, st.SearchStrategy[Any]] = {
    "canvas-gradebook": gradebooks(),
    "moodle-grades": moodle(),
    "mta2": mta2,
    "xlsx": workbooks(),
    "csv": students,
}


def place(known: Export, folder: str) -> Path:
    """Where to write: a file, or the folder itself."""
    return Path(folder) if known.NAME == "mta2" else Path(folder) / f"x{Path(f'x{known.ENDING}').suffix}"


def test_every_format_is_tried() -> None:
    assert list(CONTENTS) == list(BY_NAME)


@pytest.mark.parametrize("name", CONTENTS)
@unhurried
@given(data=st.data())
def test_what_is_written_is_read(name: str, data: st.DataObject) -> None:
    known, content = BY_NAME[name], data.draw(CONTENTS[name])
    with tempfile.TemporaryDirectory() as folder:
        path = place(known, folder)
        known.write(content, path)
        assert known.read(path) == content


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results about people, submissions and assignments that are all called by what files find hard to keep."""
    return result_folder(
        tmp_path_factory.mktemp("hard") / "out",
        [(text, text, text.strip(), 4.5) for text in HARD],
        [(text.strip(), "student", 80.0) for text in HARD],
        [(text, text.strip(), 1.0) for text in HARD],
        HARD,
    )


def test_hard_ids_in_a_table_of_students(hard: Path) -> None:
    written = BY_NAME["csv"].read(export_folder(hard, "csv").path)
    assert written == tuple(StudentRow(text.strip(), text, text, 4.5, 80) for text in HARD)


def test_hard_ids_in_the_files_for_mechanical_ta(hard: Path) -> None:
    assert BY_NAME["mta2"].read(export_folder(hard, "mta2").path) == Files(
        tuple((text, 4.5, ((text.strip(), 1.0),)) for text in HARD),
        tuple((text.strip(), 0.4, 1.2, 2.1) for text in HARD),
        tuple((text, float(rank)) for rank, text in enumerate(HARD, start=1)),
    )


def test_hard_ids_in_the_workbook(hard: Path) -> None:
    tables = BY_NAME["xlsx"].read(export_folder(hard, "xlsx").path).tables
    assert [row[:4] for row in tables["Totals"].rows] == [(text, text, text.strip(), 4.5) for text in HARD]
    assert [row[0] for row in tables["Grades"].rows] == [text for text in HARD for _ in RUBRIC]


def test_hard_ids_in_moodle_s_grades(hard: Path) -> None:
    written = BY_NAME["moodle-grades"].read(
        export_folder(hard, "moodle-grades", options=Options(id_column="username")).path
    )
    assert written.items == (*(f"{text} (submission)" for text in HARD), "Peer grading (assessment)")
    assert [who for who, _ in written.rows] == [text.strip() for text in HARD]


def test_hard_ids_in_canvas_s_gradebook(hard: Path) -> None:
    given = tuple(f"{text}={number}" for number, text in enumerate(HARD, start=1))
    options = Options(id_column="SIS Login ID", assignment_ids=given, credit_id="999")
    written = BY_NAME["canvas-gradebook"].read(export_folder(hard, "canvas-gradebook", options=options).path)
    assert [(column.name, column.id) for column in written.columns[:-1]] == [
        (text, str(number)) for number, text in enumerate(HARD, start=1)
    ]
    assert [who[3] for who, _ in written.students] == [text.strip() for text in HARD]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of each format; of the folder, its file of grades."""
    folder = result_folder(tmp_path_factory.mktemp("exports") / "out")
    ids = Options(assignment_ids=("Essay 1=1", "Essay 2=2"))
    paths = {name: export_folder(folder, name, options=ids if "canvas" in name else None).path for name in BY_NAME}
    return paths | {"mta2": paths["mta2"] / "grades.csv"}


@pytest.mark.parametrize("held", CONTENTS)
@pytest.mark.parametrize("said", CONTENTS)
def test_no_format_is_taken_for_another(said: str, held: str, files: dict[str, Path], tmp_path: Path) -> None:
    if said == held:
        return
    path = files[held]
    if said == "mta2":
        (tmp_path / "grades.csv").write_bytes(path.read_bytes())
        path = tmp_path
    with pytest.raises(InputError):
        BY_NAME[said].read(path)


@pytest.mark.parametrize("held", CONTENTS)
def test_no_export_is_taken_for_grades(held: str, files: dict[str, Path]) -> None:
    source = read_source(files[held], files[held].name)
    assert not any(known.recognises(source) for known in FORMATS)
    with pytest.raises(InputError):
        pg.read_grades(files[held])
