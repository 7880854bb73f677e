"""Grades that were handed out stay; what the posterior would change is listed, with a reason that is true."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main
from peerage.results.results import Results
from peerage.results.schema import GRADES
from peerage.term.published import Published
from support.classes.term import FAST, TABLES, class_table, fitted, graders_of, grades_of, record, rows, written
from support.programs.reporting import staff_page_of

TABLE = class_table(students=10)
FIRST = TABLE[TABLE["assignment"] == "week1"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a first week, and those of two weeks that keep its grades."""
    home = tmp_path_factory.mktemp("term")
    published = fitted(written(FIRST, home / "one" / "class.csv"), home / "week1")
    fitted(written(TABLE, home / "two" / "class.csv"), home / "week2", "--published", str(published))
    fitted(home / "two" / "class.csv", home / "fresh")
    return home


def proposals(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["submission"], row["component"]): row for row in rows(folder / "proposals.csv")}


def test_no_published_grade_changes(home: Path) -> None:
    published, kept = grades_of(home / "week1"), grades_of(home / "week2")
    assert {cell: kept[cell] for cell in published} == published
    assert grades_of(home / "fresh") != kept
    status = {(row["submission"], row["component"]): row["status"] for row in rows(home / "week2" / "grades.csv")}
    assert {cell for cell, said in status.items() if said == "published"} == set(published)
    totals = {row["submission"]: row["total"] for row in rows(home / "week2" / "totals.csv")}
    assert all(totals[row["submission"]] == row["total"] for row in rows(home / "week1" / "totals.csv"))


def test_what_students_were_told_stays_too(home: Path) -> None:
    submissions = set(FIRST["submission"])
    for name in ("explanations.csv", "weights.csv"):
        kept = [row for row in rows(home / "week2" / name) if row["submission"] in submissions]
        assert kept == rows(home / "week1" / name)
        rest = [row for row in rows(home / "week2" / name) if row["submission"] not in submissions]
        assert rest == [row for row in rows(home / "fresh" / name) if row["submission"] not in submissions]


def test_sentences_that_named_graders_do_not_stay_where_graders_are_not_to_be_named(tmp_path: Path) -> None:
    published = fitted(written(FIRST, tmp_path / "one" / "class.csv"), tmp_path / "week1", "--name-graders")
    told = {row["sentence"] for row in rows(published / "explanations.csv")}
    graders = set(FIRST["grader"])
    assert any(grader in sentence for sentence in told for grader in graders)
    two = written(TABLE, tmp_path / "two" / "class.csv")
    named = fitted(two, tmp_path / "named", "--published", str(published), "--name-graders")
    assert told < {row["sentence"] for row in rows(named / "explanations.csv")}
    kept = fitted(two, tmp_path / "week2", "--published", str(published))
    sentences = [row["sentence"] for row in rows(kept / "explanations.csv")]
    assert any("was published earlier and stays the same" in sentence for sentence in sentences)
    assert not any(grader in sentence for sentence in sentences for grader in graders)


def test_the_proposals_are_what_a_fresh_fit_gives_and_how_sure_that_is(home: Path) -> None:
    published, fresh, listed = grades_of(home / "week1"), grades_of(home / "fresh"), proposals(home / "week2")
    assert set(listed) == {cell for cell, grade in published.items() if fresh[cell] != grade} != set()
    mass = pg.load(home / "fresh" / "posterior.npz").level_mass()
    for cell, row in listed.items():
        before, after = float(row["published"]), float(row["proposed"])
        assert (before, after, float(row["difference"])) == (published[cell], fresh[cell], after - before)
        mine = mass[(mass["submission"] == cell[0]) & (mass["component"] == cell[1])]
        beyond = mine[(mine["grade"] > before) == (after > before)]
        beyond = beyond[beyond["grade"] != before]
        assert float(row["certainty"]) == pytest.approx(beyond["probability"].sum(), abs=1e-4)
    sure = sum(float(row["certainty"]) >= 0.9 for row in listed.values())
    assert record(home / "week2")["published"] == {"kept": len(published), "proposed": len(listed), "sure": sure}


def test_a_proposal_without_new_reviews_names_a_grader_who_was_re_estimated(home: Path) -> None:
    reviewers = FIRST.groupby("submission")["grader"].agg(set)
    old, new = (graders_of(home / name) for name in ("week1", "fresh"))
    for (submission, _), row in proposals(home / "week2").items():
        words = row["why"].split()
        if words[3] == "elsewhere":  # staff's grades moved the class as a whole
            continue
        estimate, grader = words[1], words[3].strip("'")
        assert grader in reviewers[submission]
        before, after = (float(table[grader][estimate]) for table in (old, new))
        assert words[5:9] == ["re-estimated", "from", f"{before:.2f}", "to"]
        assert words[9] == f"{after:.2f}"


def test_republishing_takes_everything_over_and_says_what_changed(home: Path, tmp_path: Path) -> None:
    folder = fitted(home / "two" / "class.csv", tmp_path / "out", "--published", str(home / "week1"), "--republish")
    assert grades_of(folder) == grades_of(home / "fresh")
    assert "proposals.csv" not in {path.name for path in folder.iterdir()}
    moved = {(row["submission"], row["component"]) for row in rows(folder / "changes.csv") if row["before"]}
    assert moved == set(proposals(home / "week2"))
    for results in (folder, home / "week2"):
        assert (results / "report.html").read_bytes().decode() == staff_page_of(results)


def test_nothing_new_gives_the_same_files(home: Path, tmp_path: Path) -> None:
    again = fitted(home / "two" / "class.csv", tmp_path / "out", "--published", str(home / "week1"))
    for name in (*TABLES, "proposals.csv", "report.html"):
        assert (again / name).read_bytes() == (home / "week2" / name).read_bytes()
    assert record(again) | {"timings": None} == record(home / "week2") | {"timings": None}


def test_a_proposal_keeps_its_reason_until_it_is_settled(home: Path, tmp_path: Path) -> None:
    again = fitted(home / "two" / "class.csv", tmp_path / "out", "--published", str(home / "week2"))
    assert grades_of(again) == grades_of(home / "week2")
    assert proposals(again) == proposals(home / "week2")


def test_late_reviews_and_overrides_of_published_grades(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = next(iter(grades_of(home / "week1")))
    late = [{"submission": cell[0], "grader": "latecomer", "component": cell[1], "grade": 0.0, "role": "instructor"}]
    grades = written(pd.concat([TABLE, pd.DataFrame(late)]), tmp_path / "class" / "class.csv")
    folder = fitted(grades, tmp_path / "out", "--published", str(home / "week2"))
    assert "1 late review of submissions with published grades, by 'latecomer'" in capsys.readouterr().err
    assert grades_of(folder)[cell] == grades_of(home / "week1")[cell] != 0
    assert "1 new review, by 'latecomer'" in proposals(folder)[cell]["why"]
    (grades.parent / "override.csv").write_text(f"submission,component,grade,reason\n{cell[0]},{cell[1]},1,appeal\n")
    folder = fitted(grades, tmp_path / "out", "--published", str(folder))
    assert grades_of(folder)[cell] == 1
    assert cell not in proposals(folder)


def test_an_update_keeps_published_grades(home: Path, tmp_path: Path) -> None:
    cell = next(iter(grades_of(home / "week1")))
    (tmp_path / "new.csv").write_text(
        f"submission,grader,component,grade,role\n{cell[0]},prof,{cell[1]},0,instructor\n"
    )
    out = tmp_path / "out"
    assert main(["update", str(home / "week2"), str(tmp_path / "new.csv"), "-o", str(out), "-q"]) == 0
    published = grades_of(home / "week1")
    assert {place: grades_of(out)[place] for place in published} == published
    assert "1 new review, by 'prof'" in proposals(out)[cell]["why"]


def test_what_cannot_be_kept_is_said(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = TABLE[TABLE["assignment"] == "week2"]
    fitted(written(second, tmp_path / "class.csv"), tmp_path / "out", "--published", str(home / "week1"))
    assert "left out 10 submissions with published grades but no reviews today" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--republish"], "--republish"),
        (["--published", "nowhere"], "nowhere: there are no results here; name a folder that peerage has written"),
    ],
)
def test_bad_requests_are_refused(
    home: Path, options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grades = home / "two" / "class.csv"
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), *FAST, *options]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_grades_of_many_decimals_are_kept(tmp_path: Path) -> None:
    table = TABLE.assign(grade=TABLE["grade"] / 3)
    rubric = pg.Rubric.uniform(["Component 1", "Component 2"], [level / 3 for level in range(6)])
    (tmp_path / "thirds.toml").write_text(rubric.to_toml())
    options = ["--rubric", str(tmp_path / "thirds.toml")]
    first = written(table[table["assignment"] == "week1"], tmp_path / "one" / "class.csv")
    published = grades_of(fitted(first, tmp_path / "week1", *options))
    options += ["--published", str(tmp_path / "week1")]
    kept = grades_of(fitted(written(table, tmp_path / "two" / "class.csv"), tmp_path / "week2", *options))
    assert set(published.values()) <= set(rubric["Component 1"].grades)
    assert published.items() <= kept.items()


def test_a_published_grade_that_is_no_longer_legal_is_refused(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rubric = pg.Rubric.uniform(["Component 1", "Component 2"], [index / 10 - 0.05 for index in range(60)])
    (tmp_path / "fine.toml").write_text(rubric.to_toml())
    options = ["--snap", "--rubric", str(tmp_path / "fine.toml"), "--published", str(home / "week1")]
    assert main(["fit", str(home / "two" / "class.csv"), "-o", str(tmp_path / "out"), *FAST, *options]) == 2
    said = capsys.readouterr().err
    assert "is not on today's rubric; use the earlier rubric" in said
    assert not (tmp_path / "out").exists()


def test_averages_are_kept_and_their_last_decimal_is_no_proposal(tmp_path: Path) -> None:
    published = fitted(written(FIRST, tmp_path / "one" / "class.csv"), tmp_path / "week1", "--final", "average")
    table = written(TABLE, tmp_path / "two" / "class.csv")
    kept = fitted(table, tmp_path / "week2", "--published", str(published), "--final", "average")
    fresh = fitted(table, tmp_path / "fresh", "--final", "average")
    before, today = grades_of(published), grades_of(fresh)
    assert any(grade % 1 for grade in before.values())
    assert before.items() <= grades_of(kept).items()
    assert set(proposals(kept)) == {cell for cell, grade in before.items() if abs(today[cell] - grade) > 0.1 + 1e-9}


def handed_out(final: str, *grades: tuple[str, float, str]) -> Results:
    """Results of one component with grades of some status, in a form of final grades."""
    table = pd.DataFrame(grades, columns=["submission", "grade", "status"]).assign(component="Essay")
    return Results.from_rows({GRADES: table}, {"final": final})


def test_each_published_grade_is_judged_by_the_form_that_it_was_handed_out_in() -> None:
    rubric = pg.Rubric.uniform(["Essay"], range(6))
    rows = [(name, grader, "Essay", 3) for name in ("s1", "s2", "s3") for grader in ("ann", "bob")]
    book = pg.read_grades(pd.DataFrame(rows, columns=["submission", "grader", "component", "grade"]), rubric)
    averages = handed_out("average", ("s1", 3.7, "computed"))
    rounded = handed_out("explained", ("s1", 3.7, "published"), ("s2", 4, "computed"))
    Published(rounded, earlier=(averages,)).check(book)
    Published(handed_out("average", ("s3", 2.5, "computed")), earlier=(rounded, averages)).check(book)
    coarse = replace(book, rubric=pg.Rubric.uniform(["Essay"], [0, 1, 2, 3, 5, 6]))
    latest = handed_out("average", ("s2", 4, "published"), ("s3", 2.5, "computed"))
    with pytest.raises(pg.InputError, match="the published grade 4 of 's2' in 'Essay' is not on today's rubric"):
        Published(latest, earlier=(rounded, averages)).check(coarse)
