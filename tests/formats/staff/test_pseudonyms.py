"""Made-up names: no id is left in the results, and the key, which only its owner can read, gives them back."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main
from peerage.formats.staff.pseudonyms import Key
from peerage.workflow import fit_class
from support.classes.term import FAST, TABLES, class_table, fitted, rows, written

TABLE = class_table()
FIRST = TABLE[TABLE["assignment"] == "week1"]
IDS = sorted({*TABLE["grader"], *TABLE["submission"], *TABLE["author"]})


def everything(folder: Path) -> str:
    """All bytes of a folder of results, archives unpacked, as text."""
    parts = []
    for path in folder.iterdir():
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                parts += [archive.read(name) for name in archive.namelist()]
        else:
            parts.append(path.read_bytes())
    return b"\n".join(parts).decode("latin-1")


def test_no_id_is_left_in_the_results(tmp_path: Path) -> None:
    grades = written(TABLE, tmp_path / "class" / "class.csv")
    (grades.parent / "exclude.csv").write_text("grader,submission,reason\nstudent1,,student1 is lazy\n")
    (grades.parent / "override.csv").write_text(
        "submission,component,grade,reason\nweek1-1,Component 1,0,for student2\n"
    )
    (grades.parent / "fixed.csv").write_text(
        "variable,id,component,value\neffort,student3,,1\ntrue_grade,week1-2,Component 1,3\n"
    )
    key = tmp_path / "key.csv"
    folder = fitted(grades, tmp_path / "out", "--pseudonyms", str(key), "--fixed", str(grades.parent / "fixed.csv"))
    text = everything(folder)
    assert [name for name in IDS if name in text] == []
    assert "lazy" not in text
    named = Key.read(key)
    assert set(named.people) == {*TABLE["grader"], *TABLE["author"]}
    grade = {(row["submission"], row["component"]): row["grade"] for row in rows(folder / "grades.csv")}
    assert grade[named.submissions["week1-1"], "Component 1"] == "0"
    assert grade[named.submissions["week1-2"], "Component 1"] == "3"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_fit_that_ends_while_another_samples_keeps_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the key was read before a fit and written after it: the names of whoever ended meanwhile were lost."""
    key, second = tmp_path / "key.csv", TABLE.assign(grader="other " + TABLE["grader"], author="")
    grades = {
        name: written(table, tmp_path / name / "class.csv") for name, table in (("first", FIRST), ("second", second))
    }
    sample = fit_class.fit_prepared

    def sample_beside_another(*arguments: Any, **options: Any) -> Any:
        monkeypatch.setattr(fit_class, "fit_prepared", sample)
        fitted(grades["second"], tmp_path / "out2", "--pseudonyms", str(key))
        return sample(*arguments, **options)

    monkeypatch.setattr(fit_class, "fit_prepared", sample_beside_another)
    fitted(grades["first"], tmp_path / "out1", "--pseudonyms", str(key))
    named = Key.read(key)
    for out, table in (("out1", FIRST), ("out2", second)):
        shown = {row["grader"] for row in rows(tmp_path / out / "graders.csv")}
        assert shown == {named.people[name] for name in table["grader"]}


def test_the_class_is_the_same_but_for_its_names() -> None:
    book = pg.read_grades(TABLE)
    key = Key()
    hidden = key.hide(book).table()
    given = book.table()
    for column, names in (("submission", key.submissions), ("grader", key.people), ("author", key.people)):
        given[column] = given[column].map(names)
    order = ["submission", "grader", "component"]
    pd.testing.assert_frame_equal(
        hidden.sort_values(order, ignore_index=True), given.sort_values(order, ignore_index=True)
    )
    assert list(key.hide(book).graders) == sorted(key.people[name] for name in book.graders)


def test_names_stay_from_week_to_week_and_published_grades_too(tmp_path: Path) -> None:
    key = ["--pseudonyms", str(tmp_path / "key.csv")]
    one = fitted(written(FIRST, tmp_path / "one" / "class.csv"), tmp_path / "week1", *key)
    two = written(TABLE, tmp_path / "two" / "class.csv")
    kept = fitted(two, tmp_path / "week2", *key, "--published", str(one))
    grades = {(row["submission"], row["component"]): row["grade"] for row in rows(kept / "grades.csv")}
    for row in rows(one / "grades.csv"):
        assert grades[row["submission"], row["component"]] == row["grade"]
    again = fitted(two, tmp_path / "again", *key, "--published", str(one))
    for name in TABLES:
        assert (again / name).read_bytes() == (kept / name).read_bytes()


def test_what_would_mix_names_or_lose_the_key_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grades = written(FIRST, tmp_path / "class" / "class.csv")
    folder = fitted(grades, tmp_path / "out", "--pseudonyms", str(tmp_path / "key.csv"))
    assert main(["update", str(folder), str(grades)]) == 2
    said = "these results hold made-up names; fit all grades again, with the same key to the names (--pseudonyms)"
    assert said in capsys.readouterr().err
    inside = ["-o", str(tmp_path / "out"), "--pseudonyms", str(tmp_path / "out" / "key.csv")]
    assert main(["fit", str(grades), *FAST, *inside]) == 2
    (tmp_path / "bad.csv").write_text("kind,id,pseudonym\nperson,ann,\n")
    assert main(["fit", str(grades), *FAST, "--pseudonyms", str(tmp_path / "bad.csv")]) == 2
    assert "bad.csv, row 2: is not a row of a key; restore the file as peerage wrote it" in capsys.readouterr().err
