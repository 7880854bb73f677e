"""Peer reviews from Canvas and grades back, done by a program: values and notices, and not a word to the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import peerage as pg
from peerage.canvas.place import Patience, Place
from peerage.formats.reading_choices import Reading
from peerage.results.results import Results
from peerage.workflow.import_class import import_class
from peerage.workflow.pull_from_canvas import pull_from_canvas, unfinished
from peerage.workflow.push_to_canvas import desired_in_canvas, plan_push, push_to_canvas
from support.programs.canvas_course import course
from support.programs.canvas_server import ASSIGNMENT, COURSE, CREDIT, TOKEN, Canvas, answered, serving
from support.programs.exporting import result_folder

QUICK = Patience(timeout=0.5, attempts=2, pause=0.01, longest=1.0, refill=1e6, poll=0.01, job=2.0)


@pytest.fixture
def canvas() -> Iterator[Canvas]:
    with serving(course(per_page=8)) as served:
        yield served


@pytest.fixture(autouse=True)
def nothing_is_said(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capfd.readouterr() == ("", "")


def at(canvas: Canvas, assignment: int = ASSIGNMENT) -> Place:
    return Place.of(canvas.url, COURSE, assignment)


def test_a_pull_that_failed_continues_and_can_be_imported_again(canvas: Canvas, tmp_path: Path) -> None:
    out, told = tmp_path / "class", list[str]()
    canvas.faults[f"assignments/{ASSIGNMENT}/submissions"] = [answered(400, {"errors": "odd"})]
    with pytest.raises(pg.ServiceError):
        pull_from_canvas(at(canvas), TOKEN, out, patience=QUICK, report=told.append)
    assert (unfinished(out).is_dir(), out.exists()) == (True, False)
    book = pull_from_canvas(at(canvas), TOKEN, out, patience=QUICK, report=told.append)
    assert not unfinished(out).exists()
    assert any(line.startswith("continuing the pull that began at") for line in told)
    assert book.n_reviews == pg.read_grades(out / "peer_grades.csv").n_reviews == 19
    answers = sorted((out / "canvas").glob("*-*.json"))
    again = import_class(answers, tmp_path / "again", reading=Reading(format_name="canvas-json"))
    assert again.n_reviews == 19
    assert (tmp_path / "again" / "peer_grades.csv").read_bytes() == (out / "peer_grades.csv").read_bytes()


def test_nothing_is_imported_over_its_own_source(tmp_path: Path) -> None:
    grades = tmp_path / "class" / "grades.csv"
    grades.parent.mkdir()
    grades.write_text("submission,grader,component,grade\ns,a,Essay,1\ns,b,Essay,2\n")
    with pytest.raises(pg.ResultsError, match="lies in this folder"):
        import_class([grades], tmp_path / "class")


def test_a_push_is_planned_and_then_done(canvas: Canvas, tmp_path: Path) -> None:
    totals = [("501", "Essay 1", "1001", 12.0), ("502", "Essay 1", "1002", 7.5), ("503", "Essay 1", "", 3.0)]
    results = Results.read(result_folder(tmp_path / "results", totals, [("1001", "student", 90.0)]))
    desired = desired_in_canvas(results, at(canvas), at(canvas, CREDIT))
    assert [place for place, _ in desired.grades] == [at(canvas), at(canvas, CREDIT)]
    assert any("without an author" in notice.message for notice in desired.notices)
    assert not any("was changed" in notice.message for notice in desired.notices)
    planned = plan_push(desired, TOKEN, patience=QUICK, report=lambda _: None)
    assert [[change.after for change in push.plan.changes] for push in planned] == [[12, 7.5], [90]]
    assert canvas.jobs == []
    push_to_canvas(planned)
    again = plan_push(desired, TOKEN, patience=QUICK, report=lambda _: None)
    assert [push.plan.changes for push in again] == [(), ()]


def test_a_push_notes_what_was_changed_by_hand(canvas: Canvas, tmp_path: Path) -> None:
    folder = result_folder(tmp_path / "results")
    (folder / "totals.csv").write_text((folder / "totals.csv").read_text().replace("7.625", "9"))
    desired = desired_in_canvas(Results.read(folder), at(canvas), only="Essay 1")
    assert desired.notices[0].file == "results/totals.csv"
    assert desired.notices[0].message.startswith("was changed")
