"""Answers of Canvas in which something is missing or is something else: a result or a sentence, and no other course."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from peerage import cli
from peerage.canvas.place import Patience
from peerage.cli.commands import canvas as command
from support.programs.canvas_course import course
from support.programs.canvas_server import ASSIGNMENT, COURSE, RUBRIC, TOKEN, Canvas, answered, late, serving
from support.programs.exporting import result_folder
from support.programs.importing import run_import

QUICK = Patience(timeout=1.0, attempts=2, pause=0.01, longest=1.0, refill=1e6, poll=0.01, job=0.2, total=20.0)
UPDATE = f"assignments/{ASSIGNMENT}/submissions/update_grades"
GONE = object()
OTHERS: tuple[object, ...] = (
    GONE,
    None,
    True,
    -1,
    10**400,
    1e308,
    "x",
    "../../users/self",
    [],
    {},
    [None],
    {"id": None},
)


@pytest.fixture
def canvas(monkeypatch: pytest.MonkeyPatch) -> Iterator[Canvas]:
    monkeypatch.setenv("CANVAS_TOKEN", TOKEN)
    monkeypatch.setattr(command, "PATIENCE", QUICK)
    with serving(course()) as served:
        yield served


def run(canvas: Canvas, what: str, *more: str, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit status of a command, and what it says."""
    place = ["--url", canvas.url, "--course", str(COURSE), "--assignment", str(ASSIGNMENT)]
    status = cli.main(["canvas", what, *more, *place])
    said = capfd.readouterr().err
    assert "Traceback" not in said, said
    assert status in (0, 1, 2)
    assert said or status == 0
    return status, said


def changed(thing: dict[str, Any], name: str, value: object) -> None:
    thing.pop(name, None)
    if value is not GONE:
        thing[name] = value


def assignment(canvas: Canvas) -> dict[str, Any]:
    return canvas.assignments[ASSIGNMENT]


def submission(canvas: Canvas) -> dict[str, Any]:
    return canvas.submissions[ASSIGNMENT][0]


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        *((assignment, name) for name in ("id", "name", "course_id", "grading_type", "points_possible")),
        *((submission, name) for name in ("id", "user_id", "score", "entered_score", "user", "submission_comments")),
    ],
)
def test_a_push_of_which_something_is_something_else(
    canvas: Canvas,
    tmp_path: Path,
    thing: Callable[[Canvas], dict[str, Any]],
    name: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    results = result_folder(tmp_path / "results", [("s1", "Essay 1", "1001", 3.0)])
    before = dict(thing(canvas))
    for value in OTHERS:
        changed(thing(canvas), name, value)
        run(canvas, "push", str(results), "--comment", capfd=capfd)
        thing(canvas).clear()
        thing(canvas).update(before)
    assert run(canvas, "push", str(results), capfd=capfd)[0] == 0


@pytest.mark.parametrize("name", ["id", "workflow_state", "message"])
def test_a_job_of_which_something_is_something_else(
    canvas: Canvas, tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    results = result_folder(tmp_path / "results", [("s1", "Essay 1", "1001", 3.0)])
    for value in OTHERS:
        job: dict[str, Any] = {"id": 7, "workflow_state": "failed", "message": "no"}
        changed(job, name, value)
        canvas.faults[UPDATE] = [answered(200, job)]
        assert run(canvas, "push", str(results), "--yes", capfd=capfd)[0] != 0
    assert not any("users" in request for request in canvas.requests)


@pytest.mark.parametrize("name", ["id", "name", "rubric_settings"])
def test_a_pull_of_which_something_is_something_else(
    canvas: Canvas, tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for number, value in enumerate((*OTHERS, {"id": "../../../users/self"})):
        changed(assignment(canvas), name, value)
        run(canvas, "pull", "-o", str(tmp_path / str(number)), capfd=capfd)
    assert not any("users" in request for request in canvas.requests)


@pytest.mark.parametrize("kind", ["peer_reviews", "submissions", "rubric"])
def test_reviews_submissions_and_rubrics_of_which_something_is_gone(
    canvas: Canvas, tmp_path: Path, kind: str, capfd: pytest.CaptureFixture[str]
) -> None:
    things = {"peer_reviews": canvas.peer_reviews[0], "submissions": submission(canvas), "rubric": canvas.rubric}
    thing = things[kind]
    for name in list(thing):
        value = thing.pop(name)
        run(canvas, "pull", "-o", str(tmp_path / name), capfd=capfd)
        thing[name] = value


def test_grades_go_to_the_course_that_was_named(
    canvas: Canvas, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    results = result_folder(tmp_path / "results", [("s1", "Essay 1", "1001", 3.0)])
    assignment(canvas).update(id=99, course_id=98)
    assert run(canvas, "push", str(results), "--yes", capfd=capfd)[0] == 0
    assert UPDATE in canvas.requests
    assert submission(canvas)["entered_score"] == 3.0


def test_an_answer_that_was_changed_where_it_is_kept(
    canvas: Canvas, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    canvas.faults[f"rubrics/{RUBRIC}"] = [answered(404, {"errors": []})]
    assert run(canvas, "pull", "-o", str(tmp_path / "class"), capfd=capfd)[0] == 2
    kept = tmp_path / "class.partial" / f"assignment-{1}.json"
    kept.write_text(json.dumps({"id": ASSIGNMENT}))
    status, said = run(canvas, "pull", "-o", str(tmp_path / "class"), capfd=capfd)
    assert (status, "the assignment is not as its documentation says (there is no 'name')" in said) == (2, True)
    kept.unlink()
    assert run(canvas, "pull", "-o", str(tmp_path / "class"), capfd=capfd)[0] == 2


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_question_goes_to_another_server(
    canvas: Canvas, tmp_path: Path, status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(course()) as other:
        canvas.faults[f"assignments/{ASSIGNMENT}"] = [answered(status, "", Location=f"{other.url}/api/v1/courses/12")]
        ended, said = run(canvas, "pull", "-o", str(tmp_path / "class"), capfd=capfd)
        assert (ended, f"Canvas sends us to another server, {other.url}; " in said) == (2, True)
        assert other.requests == []


def test_a_server_that_takes_its_time_for_every_page_is_given_up(
    canvas: Canvas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "PATIENCE", Patience(timeout=5.0, attempts=2, pause=0.01, refill=1e6, total=1.0))
    canvas.per_page = 1
    path = f"assignments/{ASSIGNMENT}/peer_reviews"
    for page in ("", *(f" {number}" for number in range(2, 20))):
        canvas.faults[f"{path}{page}"] = [late(0.2)]
    status, said = run(canvas, "pull", "-o", str(tmp_path / "class"), capfd=capfd)
    assert status == 1
    assert "Canvas took more than 1 seconds in all; try again later" in said or "was not complete after" in said
    assert len([request for request in canvas.requests if request.startswith(path)]) < 10


@pytest.mark.parametrize(
    "index",
    [
        '{"answers": [{"request": "a", "file": "../../secret.json", "link": ""}]}',
        '{"place": {"url": "", "course": 1, "assignment": 1}, "begun": "", "answers": [{"request": "a"}]}',
        '{"place": {"url": "", "course": 1, "assignment": 1}, "begun": "",'
        ' "answers": [{"request": "a", "file": "/etc/passwd", "link": ""}]}',
        "[" * 5000,
        "[]",
    ],
)
def test_an_index_that_was_changed_is_refused(tmp_path: Path, index: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "class" / "canvas"
    folder.mkdir(parents=True)
    (folder / "pull.json").write_text(index)
    assert run_import(tmp_path / "class", "-o", tmp_path / "again") == 2
    assert "Traceback" not in capsys.readouterr().err
    assert not (tmp_path / "again").exists()
