"""`peerage import --interactive`: its questions, what becomes of the answers, and files that need none."""

from __future__ import annotations

import io
import re
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import peerage as pg
from peerage.formats.wizard.mapping import FileMapping
from peerage.tables.known_columns import FIELDS, fold
from support.classes.classes import names, scales
from support.programs.importing import EXAMPLES, rows, run_import
from support.programs.terminals import converse

WIDE = """When,Your student number,Colleague,Structure of the essay,Use of evidence,Hours,Remarks
2024-03-01 10:00,17,18,4 - good,Very good,2,nice
2024-03-01 10:05,17,19,5 - superb,Good,1,
2024-03-01 11:00,18,17,2 - weak,Poor,3,=x
2024-03-02 09:00,18,19,5 - superb,Very good,1,
2024-03-02 09:30,19,17,3 - fair,Not seen,1,
"""
ANSWERS = [
    *("", "", ""),  # what was reviewed, by whom, in columns
    *("4, use of evidence", "Structure", "Evidence"),
    *("", "", "", ""),  # author, assignment, role, time
    *("", "", "", ""),  # 4 - good, 5 - superb, 2 - weak, 3 - fair
    *("4", "3", "2", "none"),  # very good, good, poor, not seen
    *("0 to 5 by 1", "0, 1, 2, 3, 4"),
]
LONG = """Paper,Rater,Rater role,Criterion,Points,Batch
p1,ann,Pupil,S,1,w1
p1,bob,Pupil,S,3,w1
p1,tom,Teacher,S,2.5,w1
p2,ann,Pupil,S,2,w2
p2,ann,Pupil,S,3,w2
"""


@pytest.fixture
def week(tmp_path: Path) -> Path:
    path = tmp_path / "week1.csv"
    path.write_text(WIDE)
    return path


def answer(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Type some lines."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def interview(monkeypatch: pytest.MonkeyPatch, path: Path, out: Path, *lines: str) -> int:
    answer(monkeypatch, *lines)
    return run_import("--interactive", path, "-o", out)


def test_answers_in_words_become_grades(
    week: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "class"
    assert interview(monkeypatch, week, out, *ANSWERS) == 0
    book = pg.read_grades(out / "peer_grades.csv")
    assert rows(book, "author") == [
        ("18", "17", "Structure", 4, "18"),
        ("18", "17", "Evidence", 4, "18"),
        ("19", "17", "Structure", 5, "19"),
        ("19", "17", "Evidence", 3, "19"),
        ("17", "18", "Structure", 2, "17"),
        ("17", "18", "Evidence", 2, "17"),
        ("19", "18", "Structure", 5, "19"),
        ("19", "18", "Evidence", 4, "19"),
        ("17", "19", "Structure", 3, "17"),
    ]
    assert str(book.table()["time"][0]) == "2024-03-01 10:00:00"
    assert [component.legend for component in book.rubric.components] == ["0, 1, 2, 3, 4, 5", "0, 1, 2, 3, 4"]
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-2:] == [
        f"Written to {out}: peer_grades.csv, rubric.toml, import.toml",
        f"The next file needs no questions: --mapping {out / 'import.toml'}",
    ]
    shown = captured.err
    assert "   4  Structure of the essay: 4 - good, 5 - superb, 2 - weak\n" in shown
    assert "What was reviewed? (submission) [Colleague]: " in shown
    assert "Who reviewed it? (grader) [Your student number]: " in shown
    assert "Which columns hold grades? (numbers, separated by commas) [4, 6]: " in shown
    assert "Which grades can Structure get? (0, 1, 2 or 0 to 3 by 0.5) [2, 3, 4, 5]: " in shown


def test_the_next_file_needs_no_questions(
    week: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interview(monkeypatch, week, tmp_path / "class", *ANSWERS) == 0
    second = tmp_path / "week2.csv"
    second.write_text(WIDE.replace("4 - good", "1").replace("Remarks", "Any remarks"))
    answer(monkeypatch)
    capsys.readouterr()
    mapping = tmp_path / "class" / "import.toml"
    assert run_import(second, "--mapping", mapping, "-o", tmp_path / "second") == 0
    assert pg.read_grades(tmp_path / "second" / "peer_grades.csv").values[0].tolist() == [1, 4]
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "note: week2.csv: left out 2 extra columns: 'Hours', 'Any remarks'\n" in captured.out
    assert (tmp_path / "second" / "import.toml").read_bytes() == mapping.read_bytes()


def test_a_folder_can_be_imported_again_with_its_own_mapping(
    week: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "class"
    assert interview(monkeypatch, week, out, *ANSWERS) == 0
    names = ("peer_grades.csv", "rubric.toml", "import.toml")
    before = [(out / name).read_bytes() for name in names]
    assert run_import(week, "--mapping", out / "import.toml", "-o", out) == 0
    assert [(out / name).read_bytes() for name in names] == before


def test_a_mapping_beside_the_file_is_used_and_said(
    week: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interview(monkeypatch, week, tmp_path / "class", *ANSWERS) == 0
    (tmp_path / "class" / "import.toml").rename(tmp_path / "import.toml")
    capsys.readouterr()
    assert run_import(week, "-o", tmp_path / "again") == 0
    assert capsys.readouterr().err == (
        "note: using import.toml, found beside the files; if that is wrong, use --format\n"
    )
    other = tmp_path / "other.csv"
    other.write_text("submission,grader,S\np1,ann,1\np1,bob,2\n")
    assert run_import(other, "-o", tmp_path / "other") == 2
    assert (
        "other.csv: has no column 'Colleague', which the mapping names; answer the questions for this file, or "
        "name its format to read it without a mapping (the file has submission, grader, S)"
    ) in capsys.readouterr().err
    assert run_import(other, "--format", "table", "-o", tmp_path / "other") == 0


def test_files_of_several_weeks_are_assignments_of_their_own(
    week: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interview(monkeypatch, week, tmp_path / "class", *ANSWERS) == 0
    second = tmp_path / "week2.csv"
    second.write_text(WIDE)
    mapping = tmp_path / "class" / "import.toml"
    capsys.readouterr()
    assert run_import(week, second, "--mapping", mapping, "-o", tmp_path / "both") == 0
    book = pg.read_grades(tmp_path / "both" / "peer_grades.csv")
    assert book.submissions == ("week1/18", "week1/19", "week1/17", "week2/18", "week2/19", "week2/17")
    assert book.authors[:2] == (("18",), ("19",))
    assert set(book.assignments) == {"week1", "week2"}
    assert "submission column" not in capsys.readouterr().out


def test_a_row_may_name_its_component(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "long.csv"
    path.write_text(LONG)
    lines = [*("", "", "", "", ""), *("", "6", "3", ""), *("", "instructor"), "0 to 4 by 1", "yes", "mean"]
    assert interview(monkeypatch, path, tmp_path / "class", *lines) == 0
    book = pg.read_grades(tmp_path / "class" / "peer_grades.csv")
    assert rows(book, "assignment", "role") == [
        ("p1", "ann", "S", 1, "w1", "student"),
        ("p1", "bob", "S", 3, "w1", "student"),
        ("p1", "tom", "S", 3, "w1", "instructor"),
        ("p2", "ann", "S", 3, "w2", "student"),
    ]
    mapping = tomllib.loads((tmp_path / "class" / "import.toml").read_text())
    assert (mapping["duplicates"], mapping["snap"]) == ("mean", True)
    assert mapping["values"]["role"] == {"Pupil": "student", "Teacher": "instructor"}


def test_works_called_by_their_authors_differ_between_assignments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "weeks.csv"
    path.write_text("Week,Rater,Reviewee,S\n1,ann,bob,1\n1,bob,ann,2\n2,ann,bob,3\n2,bob,ann,1\n")
    lines = ["3", *("",) * 4, "3", *("",) * 4]
    assert interview(monkeypatch, path, tmp_path / "class", *lines) == 0
    book = pg.read_grades(tmp_path / "class" / "peer_grades.csv")
    assert book.submissions == ("1/bob", "1/ann", "2/bob", "2/ann")
    assert book.authors == (("bob",), ("ann",), ("bob",), ("ann",))


def test_answers_are_checked_and_asked_for_again(
    week: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = list(ANSWERS)
    for place, wrong in reversed([(0, "99"), (2, "both"), (3, "4,x"), (4, "author"), (5, "structure"), (14, "good")]):
        lines.insert(place, wrong)
    lines[-1:-1] = ["5", "0 to 4 by 3"]
    assert interview(monkeypatch, week, tmp_path / "class", *lines) == 0
    shown = capsys.readouterr().err
    for message in (
        "  there is no column '99'; give a number from 1 to 7 or a name\n",
        "  answer columns or rows\n",
        "  there is no column 'x'; give a number from 1 to 7 or a name\n",
        "  'author' is the name of something else\n",
        "  'structure' is the name of something else\n",
        "  'good' is not a number\n",
        "  component 'Evidence': it needs at least two grades\n",
        "  component 'Evidence': the steps of '0 to 4 by 3' do not end at 4; write '0 to 3 by 0.5'\n",
    ):
        assert message in shown


def test_a_form_keeps_what_is_known_of_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = EXAMPLES / "google_form.csv"
    assert interview(monkeypatch, path, tmp_path / "class", *("",) * 12) == 0
    assert rows(pg.read_grades(tmp_path / "class" / "peer_grades.csv")) == rows(pg.read_grades(path))
    assert tomllib.loads((tmp_path / "class" / "import.toml").read_text())["format"] == "forms"


def test_a_file_of_a_known_system_needs_one_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = EXAMPLES / "canvas_reviews.csv"
    assert interview(monkeypatch, path, tmp_path / "class", "") == 0
    assert rows(pg.read_grades(tmp_path / "class" / "peer_grades.csv")) == rows(pg.read_grades(path))
    mapping = tmp_path / "class" / "import.toml"
    assert run_import(path, "--mapping", mapping, "-o", tmp_path / "again") == 0


def test_a_damaged_file_of_a_known_system_is_asked_about_as_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text("Assessor,Assessee,State,S (5.0)\nann,bob,done,1\nbob,ann,done,3\n")
    assert interview(monkeypatch, path, tmp_path / "class", "2", "1", *("",) * 8) == 0
    shown = capsys.readouterr().err
    assert (
        "reviews.csv looks like peer reviews that a script exported from Canvas, but cannot be read as that:" in shown
    )
    assert "reviews.csv, row 2: the state 'done' is unknown" in shown
    assert pg.read_grades(tmp_path / "class" / "peer_grades.csv").values.tolist() == [[1], [3]]


def test_answers_that_end_too_early_write_nothing(
    week: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(len(ANSWERS)):
        assert interview(monkeypatch, week, tmp_path / "class", *ANSWERS[:number]) == 2
        message = "the answers ended before the questions did; run it again and answer every question"
        assert capsys.readouterr().err.splitlines()[-1] == f"{message}; Enter accepts what is in brackets"
    assert [path.name for path in tmp_path.iterdir()] == ["week1.csv"]


@pytest.mark.parametrize(("key", "status"), [(b"\x03", 130), (b"\x04", 2), (None, 0)], ids=["Ctrl-C", "Ctrl-D", "all"])
def test_in_a_terminal(week: Path, tmp_path: Path, key: bytes | None, status: int) -> None:
    typed = [line.encode() + b"\n" for line in ANSWERS] if key is None else [b"\n", b"\n", key]
    ended, shown = converse(["import", "--interactive", str(week), "-o", str(tmp_path / "class")], b"]: ", typed)
    assert ended == status, shown
    assert "Traceback" not in shown
    assert (tmp_path / "class").exists() == (status == 0)


def test_text_of_a_file_cannot_command_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("Paper,Rater,S\x1b]0;x\x07\np1\x1b[2J,ann,1\np1\x1b[2J,bob,2\n")
    interview(monkeypatch, path, tmp_path / "class", "9")
    assert "\x1b" not in capsys.readouterr().err


def test_ways_that_exclude_each_other(week: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for pair in (
        ("--interactive", "--mapping", "m.toml"),
        ("--interactive", "--format", "table"),
        ("--mapping", "m.toml", "--columns", "grader=Rater"),
    ):
        assert run_import(week, *pair, "-o", tmp_path / "class") == 2
        assert "these options cannot be used together; use " in capsys.readouterr().err
    assert run_import(week, week, "--interactive", "-o", tmp_path / "class") == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("columns = [", "not valid TOML: "),
        ("colums = {}", "there is no setting 'colums'"),
        ("format = 'blackboard'", "there is no format 'blackboard'"),
        ("duplicates = 'first'", "duplicates cannot be 'first'"),
        ("snap = 1", "snap is true or false"),
        ("columns = 3", "its columns do not pair names with names"),
        ("columns = {grader = 1}", "its columns do not pair names with names"),
        ("columns = {marker = 'x'}", "there is no 'marker' to map"),
        ("columns = {grader = 'x'}", "it names no column for the submission"),
        ("columns = {grader = 'x', submission = 'y'}", "it does not say which column holds the grades"),
        ("columns = {grader = 'x', submission = 'y', component = 'z'}", "where rows name their components"),
        ("components = 1", "its components are not sections"),
        ("[components.author]\ngrades = [0, 1]", "a component cannot be called 'author'"),
        ("[components.S]\ncolumn = 1\ngrades = [0, 1]", "the column of a component is a name"),
        ("[components.S]\ngrades = [1]", "component 'S': it needs at least two grades"),
        ("[values.time]\na = 'b'", "its values do not pair words of grade or role"),
    ],
)
def test_mappings_that_are_refused(
    week: Path, tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.toml"
    path.write_text(text)
    assert run_import(week, "--mapping", path, "-o", tmp_path / "class") == 2
    assert capsys.readouterr().err.startswith(f"m.toml: {message}")
    assert not (tmp_path / "class").exists()


@given(st.lists(names.filter(lambda name: fold(name) not in FIELDS), min_size=1, max_size=3, unique_by=fold), st.data())
def test_a_mapping_survives_its_file(named: list[str], data: st.DataObject) -> None:
    columns = {"submission": data.draw(names), "grader": data.draw(names)}
    rubric = pg.Rubric(tuple(pg.Component(name, tuple(map(float, data.draw(scales())))) for name in named))
    words = {"grade": data.draw(st.dictionaries(names, st.sampled_from(["", "1", "2.5"]), min_size=1, max_size=3))}
    mapping = FileMapping("table", columns, {name: f"{name}?" for name in named}, words, rubric, "mean", snap=True)
    assert FileMapping.from_toml(mapping.to_toml()) == mapping


def test_the_mapping_in_the_documentation_is_one() -> None:
    page = (Path(__file__).parents[3] / "docs" / "import" / "wizard.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    mapping = FileMapping.from_toml(example)
    assert mapping.by_author
    assert mapping.values["grade"]["Not seen"] == ""
