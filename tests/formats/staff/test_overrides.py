"""Grades that the staff set: they replace the final grade everywhere, and only the staff read why."""

from __future__ import annotations

from pathlib import Path

import pytest

from peerage.cli import main
from support.classes.term import FAST, class_table, fitted, grades_of, record, rows, written

HEADER = "submission,component,grade,reason\n"
REASON = "the appeal of 3 May"


@pytest.fixture(scope="module")
def grades(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(class_table(), tmp_path_factory.mktemp("class") / "class.csv")


@pytest.fixture(scope="module")
def plain(grades: Path) -> Path:
    return fitted(grades, grades.parent / "plain")


@pytest.fixture(scope="module")
def cell(plain: Path) -> tuple[str, str]:
    """A grade that is not 0."""
    return next(cell for cell, grade in grades_of(plain).items() if grade > 0)


def override_file(path: Path, text: str) -> Path:
    path.write_text(HEADER + text, encoding="utf-8")
    return path


def test_a_grade_that_is_set_replaces_the_final_grade_and_nothing_else(
    grades: Path, plain: Path, cell: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = override_file(tmp_path / "appeals.csv", f"{cell[0]},{cell[1]},0,{REASON}\n")
    folder = fitted(grades, tmp_path / "out", "--override", str(file))
    assert grades_of(folder) == grades_of(plain) | {cell: 0.0}
    before, after = (
        {row["submission"]: float(row["total"]) for row in rows(home / "totals.csv")} for home in (plain, folder)
    )
    assert {name for name in before if before[name] != after[name]} == {cell[0]}
    assert after[cell[0]] == before[cell[0]] - grades_of(plain)[cell]
    status = {(row["submission"], row["component"]): row["status"] for row in rows(folder / "grades.csv")}
    assert [place for place, said in status.items() if said != "computed"] == [cell]
    sentences = {(row["submission"], row["component"]): row["sentence"] for row in rows(folder / "explanations.csv")}
    assert sentences[cell] == f"The grade for {cell[1]} is 0. It was set by the course staff."
    assert sentences | {cell: ""} == {
        (row["submission"], row["component"]): row["sentence"] for row in rows(plain / "explanations.csv")
    } | {cell: ""}
    assert f"{cell[0]} in {cell[1]}: 0 ({REASON})" in capsys.readouterr().out
    assert record(folder)["overrides"] == [{"submission": cell[0], "component": cell[1], "grade": 0, "reason": REASON}]


def test_the_reason_is_for_the_staff_alone(grades: Path, cell: tuple[str, str], tmp_path: Path) -> None:
    file = override_file(tmp_path / "appeals.csv", f"{cell[0]},{cell[1]},0,{REASON}\n")
    folder = fitted(grades, tmp_path / "out", "--override", str(file))
    assert REASON in (folder / "report.html").read_text("utf-8")
    assert main(["report", str(folder), "--for-students", str(tmp_path / "pages")]) == 0
    pages = [page.read_text("utf-8") for page in (tmp_path / "pages").rglob("*.html")]
    assert any("It was set by the course staff." in page for page in pages)
    assert not any(REASON in page for page in pages)
    assert all(REASON not in (folder / name).read_text("utf-8") for name in ("grades.csv", "explanations.csv"))


def test_it_is_found_beside_the_grades_applies_to_most_likely_grades_and_survives_an_update(
    cell: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grades = written(class_table(), tmp_path / "class" / "class.csv")
    override_file(grades.parent / "override.csv", f"{cell[0]},{cell[1]},0,{REASON}\n")
    folder = fitted(grades, tmp_path / "out", "--final", "most-likely")
    assert "note: using override.csv, found beside the grades, to set grades" in capsys.readouterr().err
    assert grades_of(folder)[cell] == 0
    (tmp_path / "new.csv").write_text(f"submission,grader,component,grade\n{cell[0]},newcomer,{cell[1]},5\n")
    assert main(["update", str(folder), str(tmp_path / "new.csv"), "-q"]) == 0
    assert grades_of(folder)[cell] == 0
    assert record(folder)["overrides"][0]["reason"] == REASON


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("nothing,Component 1,3,x", "row 2: there is no submission 'nothing'; write the id as the grades do"),
        ("week1-1,Style,3,x", "row 2: there is no component 'Style'; use one of Component 1, Component 2"),
        (
            "week1-1,Component 1,2.5,x",
            "row 2: the grade 2.5 of 'Component 1' is not on the rubric; use 0, 1, 2, 3, 4, 5",
        ),
        ("week1-1,Component 1,good,x", "row 2: the grade 'good' is not a number; write a legal grade"),
        ("week1-1,Component 1,3,", "row 2: the reason is empty; give a reason"),
        ("week1-1,Component 1,3,\x07", "row 2: the reason '\\x07' holds a control character; remove it"),
        (
            "week1-1,Component 1,3,x\nweek1-1,Component 1,4,y",
            "row 3: the grade of 'week1-1' in 'Component 1' is set in row 2 already; remove one of the rows",
        ),
    ],
)
def test_bad_rows_are_named_with_a_remedy(
    grades: Path, row: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = override_file(tmp_path / "appeals.csv", f"{row}\n")
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), *FAST, "--override", str(file)]) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith(f"appeals.csv, {words}")
    assert "\n" not in said
    assert not (tmp_path / "out").exists()
