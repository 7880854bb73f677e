"""What authors give their own work counts nowhere, and is reported beside their grades."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg
from peerage.cli import main
from peerage.gradebook.merging import merged
from peerage.results.results import Results
from support.classes.term import FAST, rows

TABLE = """submission,grader,Structure,Evidence,author
s1,ben,4,3,ada
s1,cem,3,3,ada
s1,ada,5,5,ada
s2,ada,2,5,ben
s2,cem,1,4,ben
s2,ben,2,,ben
s3,ada,5,5,cem
s3,ben,4,4,cem
"""


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    path = tmp_path / "grades.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_own_grades_are_kept_apart(grades: Path, tmp_path: Path) -> None:
    book = pg.read_grades(grades)
    assert [tuple(own) for own in book.self_grades] == [
        ("s1", "ada", "Structure", 5.0),
        ("s1", "ada", "Evidence", 5.0),
        ("s2", "ben", "Structure", 2.0),
    ]
    assert book.n_reviews == 6
    posterior = pg.fit(book, chains=1, draws=20, seed=0)
    posterior.save(tmp_path / "posterior.npz")
    assert pg.load(tmp_path / "posterior.npz").book.self_grades == book.self_grades
    assert merged(book, book).self_grades == book.self_grades


@pytest.mark.parametrize("wide", [False, True])
def test_a_written_gradebook_has_them_too(grades: Path, tmp_path: Path, wide: bool) -> None:
    book = pg.read_grades(grades)
    book.write(tmp_path / "again.csv", wide=wide, rubric=True)
    again = pg.read_grades(tmp_path / "again.csv", tmp_path / "rubric.toml")
    assert set(again.self_grades) == set(book.self_grades)
    assert again.table().equals(book.table())


def test_they_are_reported_beside_the_grades(grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["fit", str(grades), "-o", str(out), *FAST]) == 0
    final = Results.read(out).grades
    found = rows(out / "selfreviews.csv")
    assert [(row["submission"], row["component"]) for row in found] == [
        ("s1", "Structure"),
        ("s1", "Evidence"),
        ("s2", "Structure"),
    ]
    for row in found:
        given = final[row["submission"], row["component"]]
        assert float(row["grade"]) == given
        assert float(row["difference"]) == pytest.approx(float(row["own_grade"]) - given)
    mean = sum(float(row["difference"]) for row in found) / len(found)
    side = "above" if mean > 0 else "below"
    said = f"2 authors graded their own work, {abs(mean):.2f} {side} their grades on average; these grades do not count"
    assert said in " ".join(capsys.readouterr().out.split())
