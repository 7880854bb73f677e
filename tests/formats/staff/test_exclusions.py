"""Reviews that do not count: they leave no trace but in the record, and nothing is excluded by mistake."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main
from support.classes.term import FAST, TABLES, class_table, fitted, record, written

HEADER = "grader,submission,reason\n"


def both_ways(table: pd.DataFrame, gone: pd.Series[bool], rules: str, home: Path) -> tuple[Path, Path]:
    """The results of a class with some reviews excluded, and of the same class without those rows."""
    grades = written(table, home / "all" / "class.csv")
    (grades.parent / "exclude.csv").write_text(HEADER + rules, encoding="utf-8")
    without = written(table[~gone], home / "without" / "class.csv")
    return fitted(grades, home / "excluded"), fitted(without, home / "never")


@pytest.mark.parametrize("what", ["grader", "submission", "review"])
def test_an_excluded_review_has_no_influence_at_all(what: str, tmp_path: Path) -> None:
    table = class_table()
    grader, submission = table["grader"] == "student1", table["submission"] == table["submission"][0]
    assert (grader & submission).any()
    rule, gone = {
        "grader": ("student1,,copied", grader),
        "submission": (f",{table['submission'][0]},withdrawn", submission),
        "review": (f"student1,{table['submission'][0]},a friend", grader & submission),
    }[what]
    excluded, never = both_ways(table, gone, rule + "\n", tmp_path)
    for name in TABLES:
        assert (excluded / name).read_bytes() == (never / name).read_bytes()
    one, other = (pg.load(folder / "posterior.npz") for folder in (excluded, never))
    np.testing.assert_array_equal(one.draws["true_grade"], other.draws["true_grade"])
    assert [entry["reason"] for entry in record(excluded)["exclusions"]] == [rule.split(",")[2]]
    assert record(excluded)["exclusions"][0]["n_reviews"] == len(
        table[gone][["submission", "grader"]].drop_duplicates()
    )
    assert record(excluded)["counts"] == record(never)["counts"]


def test_what_only_an_excluded_review_says_is_forgotten(tmp_path: Path) -> None:
    text = "submission,grader,grade,author\np1,mad,99,mad\np1,ann,1,\np1,bob,3,\np2,ann,2,\np2,bob,1,\n"
    (tmp_path / "all.csv").write_text(text)
    (tmp_path / "rest.csv").write_text(text.replace("p1,mad,99,mad\n", ""))
    rule = pg.Exclusion("mad", "", "invents grades")
    book, rest = pg.read_grades(tmp_path / "all.csv", exclude=[rule]), pg.read_grades(tmp_path / "rest.csv")
    pd.testing.assert_frame_equal(book.table(), rest.table())
    assert (book.rubric, book.authors, book.graders) == (rest.rubric, rest.authors, rest.graders)
    assert book.exclusions[0].n_reviews == 1


def test_exclusions_are_said_shown_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grades = written(class_table(), tmp_path / "class.csv")
    (tmp_path / "exclude.csv").write_text(HEADER + "student1,,copied & <pasted>\n")
    folder = fitted(grades, tmp_path / "out")
    said = capsys.readouterr()
    assert "note: using exclude.csv, found beside the grades, to exclude reviews" in said.err
    assert "excluded 8 reviews" in said.err
    assert "all reviews by 'student1' (8 reviews): copied & <pasted>" in said.out
    assert "copied &amp; &lt;pasted&gt;" in (folder / "report.html").read_text("utf-8")
    assert pg.load(folder / "posterior.npz").book.exclusions == (
        pg.Exclusion("student1", "", "copied & <pasted>", n_reviews=8),
    )


def test_a_file_that_is_named_replaces_the_one_beside_the_grades(tmp_path: Path) -> None:
    grades = written(class_table(), tmp_path / "class.csv")
    (tmp_path / "exclude.csv").write_text(HEADER + "student1,,one\n")
    (tmp_path / "other.csv").write_text(HEADER + "student2,,two\n")
    book = pg.read_grades(grades, exclude=tmp_path / "other.csv")
    assert [rule.grader for rule in book.exclusions] == ["student2"]
    assert pg.read_grades(grades, exclude=()).n_graders == pg.read_grades(grades).n_graders + 1


def test_an_update_goes_on_excluding(tmp_path: Path) -> None:
    table = class_table()
    grades = written(table, tmp_path / "class.csv")
    (tmp_path / "exclude.csv").write_text(HEADER + "student1,,copied\n")
    folder = fitted(grades, tmp_path / "out")
    (tmp_path / "new").mkdir()
    new = "submission,grader,component,grade\nlate,student1,Component 1,1\nlate,student2,Component 1,4\n"
    (tmp_path / "new" / "new.csv").write_text(new)
    assert main(["update", str(folder), str(tmp_path / "new" / "new.csv"), "-q"]) == 0
    book = pg.load(folder / "posterior.npz").book
    assert "late" in book.submissions
    assert "student1" not in book.graders
    assert [rule.n_reviews for rule in book.exclusions] == [9]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("nobody,,copied\n", "exclude.csv, row 2: nothing to exclude: the grades do not hold all reviews by 'nobody'"),
        (
            "student1,,copied\n,w9,x\n",
            "exclude.csv, row 3: nothing to exclude: the grades do not hold",
        ),
        (",,copied\n", "exclude.csv, row 2: names neither a grader nor a submission; name the grader"),
        ("student1,, \n", "exclude.csv, row 2: the reason is empty; give a reason"),
    ],
)
def test_bad_rows_are_named_with_a_remedy(
    rules: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grades = written(class_table(), tmp_path / "class" / "class.csv")
    (grades.parent / "exclude.csv").write_text(HEADER + rules)
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), *FAST]) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith(words)
    assert "\n" not in said
    assert not (tmp_path / "out").exists()


def test_files_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    table = class_table(weeks=1)
    first, second = (written(table, tmp_path / name / "class.csv") for name in "ab")
    for path in (first, second):
        (path.parent / "exclude.csv").write_text(HEADER + "student1,,copied\n")
    with pytest.raises(pg.InputError, match=r"several files called exclude.csv .*; say which to use"):
        pg.read_grades([first, second])
    (tmp_path / "headless.csv").write_text("who,why\nstudent1,x\n")
    with pytest.raises(pg.InputError, match=r"headless.csv: has no column 'reason'"):
        pg.read_grades(first, exclude=tmp_path / "headless.csv")
    everybody = [pg.Exclusion(name, "", "all") for name in set(table["grader"])]
    with pytest.raises(pg.InputError, match="every review is excluded"):
        pg.read_grades(first, exclude=everybody)


def test_a_second_column_of_a_name_in_other_capitals_is_left_out_and_said(tmp_path: Path) -> None:
    grades = written(class_table(), tmp_path / "class.csv")
    (tmp_path / "exclude.csv").write_text("Grader,grader,reason\nstudent2,student1,copied\n")
    book = pg.read_grades(grades)
    assert "student1" not in book.graders
    assert "exclude.csv: left out 1 extra column: 'Grader'" in map(str, book.notices)


def test_an_import_keeps_excluded_reviews(tmp_path: Path) -> None:
    grades = written(class_table(), tmp_path / "class.csv")
    (tmp_path / "exclude.csv").write_text(HEADER + "student1,,copied\n")
    assert main(["import", str(grades), "-o", str(tmp_path / "imported")]) == 0
    assert "student1" in pg.read_grades(tmp_path / "imported" / "peer_grades.csv").graders
