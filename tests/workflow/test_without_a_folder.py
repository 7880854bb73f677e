"""What the command line does, done by a program: from a table in memory to grades, an update and pages.

Nothing is written to a folder, and not a word to the terminal.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import peerage as pg
from peerage.decisions.choices import DecisionChoices
from peerage.gradebook.input_files import InputFile
from peerage.gradebook.rulings import Override
from peerage.report.pages import staff_html, student_files, student_html
from peerage.report.report_source import ReportSource
from peerage.results.results import Results
from peerage.results.schema import (
    BIASES,
    CHANGES,
    COMMENTS,
    EXPLANATIONS,
    GRADERS,
    GRADES,
    PROPOSALS,
    SELF_REVIEWS,
    TABLES,
    TOTALS,
    WEIGHTS,
)
from peerage.results.several_classes_results import SeveralResults
from peerage.term.published import Published
from peerage.workflow.compare_results import compare
from peerage.workflow.fit_class import fit_class
from peerage.workflow.fit_classes import fit_classes
from peerage.workflow.fit_plan import FitPlan, SamplingPlan, StaffInput
from peerage.workflow.update_class import update_class
from support.classes.term import class_table

RUBRIC = pg.Rubric.uniform(["Component 1", "Component 2"], range(6))
PLAN = FitPlan(
    model=pg.Model(priors="paper"),
    choices=DecisionChoices(spot_checks=3),
    sampling=SamplingPlan(chains=2, draws=30, burn_in=10, seed=0),
)
TABLE = class_table()
FIRST = TABLE[TABLE["assignment"] == "week1"]
INPUT = InputFile("the course's database", "00")


@pytest.fixture(scope="module")
def first_week() -> Results:
    """The results of the first week, from a data frame."""
    return fit_class(pg.read_grades(FIRST, RUBRIC), PLAN, inputs=[INPUT])


@pytest.fixture(autouse=True)
def nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[None]:
    """No test of this file leaves a file or a word."""
    monkeypatch.chdir(tmp_path)
    yield
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_from_a_data_frame_to_published_grades_an_update_and_pages(first_week: Results) -> None:
    """A term of a class that exists in memory alone."""
    assert set(first_week.tables) == set(TABLES) - {COMMENTS, SELF_REVIEWS, BIASES, PROPOSALS, CHANGES}
    assert first_week.record["input"] == [{"name": INPUT.name, "sha256": INPUT.sha256}]

    # The second week keeps what was handed out in the first, but for one grade that the staff set.
    cell, given = next(iter(first_week.grades.items()))
    staff = StaffInput(overrides=(Override(*cell, (given + 1) % 6, "an appeal"),))
    excluded = pg.Exclusion(TABLE["grader"].iloc[-1], "", "a friend")
    book = pg.read_grades(TABLE, RUBRIC, exclude=[excluded])
    second = fit_class(book, PLAN, inputs=[INPUT], staff=staff, published=Published(first_week))
    assert second.grades[cell] == (given + 1) % 6
    assert all(second.grades[other] == grade for other, grade in first_week.grades.items() if other != cell)
    assert second.record["published"]["kept"] == len(first_week.grades) - 1
    assert second.record["published"]["proposed"] == len(second.tables[PROPOSALS])
    assert [rule["reason"] for rule in second.record["exclusions"]] == ["a friend"]

    # A teacher grades a submission of the second week, and the class is updated.
    submission = next(name for name, _ in second.grades if (name, cell[1]) not in first_week.grades)
    checked = pd.DataFrame(
        [{"submission": submission, "grader": "prof", "component": cell[1], "grade": 0, "role": "instructor"}]
    )
    updated = update_class(second, pg.read_grades(checked, RUBRIC), inputs=[InputFile("a spot check", "11")])
    assert [entry["name"] for entry in updated.results.record["input"]] == [INPUT.name, "a spot check"]
    assert "prof" in set(updated.results.tables[GRADERS]["grader"])
    assert updated.results.record["published"]["kept"] == second.record["published"]["kept"]
    moved = {(change.submission, change.component): change.after for change in updated.changes}
    assert {name for name in second.grades if second.grades[name] != updated.results.grades[name]} == set(moved)

    # What changed is told with reasons, and pages are made of all of it.
    compared = compare(second, updated.results)
    assert {(change.submission, change.component) for change in compared.changes} == set(moved)
    assert all(change.why for change in compared.changes)
    page = staff_html(compared.results)
    assert "a friend" in page
    assert "an appeal" in page
    source = ReportSource(compared.results)
    pages = {student: student_html(source, student) for student in student_files(source)}
    assert set(pages) == {name for names in book.authors for name in names}


def test_published_grades_can_be_given_as_rows(first_week: Results) -> None:
    """A database has what students were told, and not the fit behind it."""
    rows = first_week.tables[GRADES][["submission", "component", "grade"]].merge(first_week.tables[EXPLANATIONS])
    weights = first_week.tables[WEIGHTS][["submission", "grader", "weight"]]
    book = pg.read_grades(TABLE, RUBRIC)
    kept = fit_class(book, PLAN, published=Published.of_rows(rows, weights))
    known = fit_class(book, PLAN, published=Published(first_week))
    assert kept.grades == known.grades
    for table in (TOTALS, EXPLANATIONS):
        pd.testing.assert_frame_equal(kept.tables[table], known.tables[table])
    columns = ["submission", "component", "published", "proposed", "certainty"]
    pd.testing.assert_frame_equal(kept.tables[PROPOSALS][columns], known.tables[PROPOSALS][columns])
    assert set(kept.tables[PROPOSALS]["why"]) <= {"the reviews behind the earlier grade are not known"}
    pairs = ["submission", "grader", "weight"]
    pd.testing.assert_frame_equal(kept.tables[WEIGHTS][pairs], known.tables[WEIGHTS][pairs])


@pytest.mark.parametrize(
    ("lacking", "reviews", "message"),
    [
        ("grade", None, "the rows, each about a component of a submission, have no column 'grade'; add it"),
        ("component", None, "the rows, each about a component of a submission, have no column 'component'; add it"),
        (
            "",
            ["submission", "grader"],
            "the rows, each about a review that holds a grade, have no column 'weight'",
        ),
    ],
)
def test_rows_that_lack_a_column_are_refused(lacking: str, reviews: list[str] | None, message: str) -> None:
    rows = pd.DataFrame([("s1", "Essay", 3, "because")], columns=["submission", "component", "grade", "sentence"])
    weights = None if reviews is None else pd.DataFrame(columns=reviews)
    with pytest.raises(pg.InputError, match=f"^{message}"):
        Published.of_rows(rows.drop(columns=lacking, errors="ignore"), weights)


@pytest.mark.parametrize("grade", ["good", None])
def test_a_row_without_a_grade_is_named(grade: str | None) -> None:
    rows = pd.DataFrame([("s1", "Essay", 3), ("s2", "Essay", grade)], columns=["submission", "component", "grade"])
    with pytest.raises(pg.InputError, match=r"^row 1: .* in the column 'grade' is not a number; correct it"):
        Published.of_rows(rows)


def test_several_classes_are_fitted_as_each_would_be(first_week: Results) -> None:
    second = TABLE[TABLE["assignment"] == "week2"]
    books = {"one": pg.read_grades(FIRST, RUBRIC), "two": pg.read_grades(second, RUBRIC)}
    several = fit_classes(books, "section", PLAN, inputs=[INPUT])
    for table, frame in first_week.tables.items():
        pd.testing.assert_frame_equal(several.classes["one"].tables[table], frame)
    assert several.classes["two"].record["class"] == {"by": "section", "name": "two"}
    assert list(several.joined(GRADES)["section"].unique()) == ["one", "two"]
    again = fit_classes(books, "section", PLAN, published=[SeveralResults.of("section", {"one": first_week})])
    assert again.classes["one"].grades == first_week.grades
    assert "published" not in again.classes["two"].record


def test_a_fit_tells_how_far_it_is_and_stops_when_told() -> None:
    told: list[pg.Progress] = []
    stop = threading.Event()

    def listen(progress: pg.Progress) -> None:
        told.append(progress)
        stop.set()

    plan = FitPlan(model=PLAN.model, sampling=SamplingPlan(draws=10_000_000, seed=0, progress=listen, stop=stop))
    with pytest.raises(pg.Stopped):
        fit_class(pg.read_grades(FIRST, RUBRIC), plan)
    assert told
