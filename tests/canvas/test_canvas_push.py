"""`peerage canvas push`, through canvasapi, into a small Canvas on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from peerage import cli
from peerage.canvas import push
from peerage.canvas.place import Patience
from peerage.cli.commands import canvas as command
from peerage.tables.writing_tables import write_table
from support.programs.canvas_course import course
from support.programs.canvas_server import ASSIGNMENT, COURSE, CREDIT, TOKEN, Canvas, answered, late, serving, throttled
from support.programs.exporting import result_folder

QUICK = Patience(timeout=1.5, attempts=4, pause=0.01, longest=1.0, refill=1e6, poll=0.01, job=0.5)
BULK = f"assignments/{ASSIGNMENT}/submissions/update_grades"
TOTALS = [
    ("501", "Essay 1", "1001", 12.0),
    ("502", "Essay 1", "1002", 7.625),
    ("503", "Essay 1", "1003", 13.0),
    ("503", "Essay 1", "1004", 13.0),
    ("507", "Essay 1", "1007", 2.0),
    ("508", "Essay 1", "ann", 3.0),
    ("509", "Essay 1", "", 4.0),
]
GRADERS = [("1001", "student", 90.0), ("1002", "student", None), ("1003", "student", 61.25), ("9001", "ta", None)]


@pytest.fixture
def canvas(monkeypatch: pytest.MonkeyPatch) -> Iterator[Canvas]:
    monkeypatch.setenv("CANVAS_TOKEN", TOKEN)
    monkeypatch.setattr(command, "PATIENCE", QUICK)
    with serving(course(per_page=4)) as served:
        served.assignments[ASSIGNMENT]["points_possible"] = 13
        yield served


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = result_folder(tmp_path / "results", TOTALS, GRADERS)
    sentences = [(name, part, f"{part} of {name}.") for name in ("501", "502", "503") for part in ("S", "E")]
    write_table(
        pd.DataFrame(sentences, columns=pd.Index(["submission", "component", "sentence"])), made / "explanations.csv"
    )
    return made


def run(canvas: Canvas, folder: Path, *more: str, number: int = ASSIGNMENT) -> int:
    place = ["--url", canvas.url, "--course", str(COURSE), "--assignment", str(number)]
    return cli.main(["canvas", "push", str(folder), *place, *more])


def entry(canvas: Canvas, student: int, number: int = ASSIGNMENT) -> dict[str, Any]:
    """A student's submission in Canvas."""
    return next(entry for entry in canvas.submissions[number] if entry["user_id"] == student)


def scores(canvas: Canvas, number: int = ASSIGNMENT) -> list[float | None]:
    return [entry["entered_score"] for entry in canvas.submissions[number]]


def test_a_dry_run_shows_what_would_change_and_writes_nothing(
    canvas: Canvas, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for student, score in ((1001, 12.0), (1002, 5.0)):
        entry(canvas, student).update(score=score - 1, entered_score=score)
    entry(canvas, 1003)["excused"] = True
    assert run(canvas, folder) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines() == [
        "Essay 1 (assignment 34): 2 changes, 1 as they are",
        "  Student 2 (1002): 5 → 7.63",
        "  Student 4 (1004): none → 13",
        "  not in the course, left out: 1007, ann",
        "  excused in Canvas, left as they are: Student 3 (1003)",
        "  in the course but without a grade in the results, left as they are: Student 5 (1005), Student 6 (1006)",
        "Nothing was written. To write 2 changes, add --yes.",
    ]
    assert captured.err == "note: left out 1 submission without an author: '509'\n"
    assert canvas.jobs == []
    assert BULK not in canvas.requests
    assert scores(canvas) == [12, 5, None, None, None, None]


def test_yes_writes_and_a_second_time_there_is_nothing_to_do(
    canvas: Canvas, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(canvas, folder, "--yes") == 0
    assert scores(canvas) == [12, 7.63, 13, 13, None, None]
    assert len(canvas.jobs) == 1
    captured = capsys.readouterr()
    assert captured.out.endswith("Written: 4 changes.\n")
    assert captured.err.endswith("Essay 1 (assignment 34): 4 of 4 changes written\n")
    assert run(canvas, folder, "--yes") == 0
    assert capsys.readouterr().out.endswith("There is nothing to write.\n")
    assert len(canvas.jobs) == 1


def test_a_grade_that_staff_changed_is_shown_again(
    canvas: Canvas, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(canvas, folder, "--yes") == 0
    entry(canvas, 1001).update(score=9.5, entered_score=9.5)
    capsys.readouterr()
    assert run(canvas, folder) == 0
    assert "  Student 1 (1001): 9.5 → 12\n" in capsys.readouterr().out
    assert entry(canvas, 1001)["entered_score"] == 9.5


def test_sentences_become_one_comment_and_only_once(
    canvas: Canvas, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(canvas, folder, "--yes") == 0
    assert run(canvas, folder, "--yes", "--comment") == 0
    assert "  Student 1 (1001): 12, with a comment\n" in capsys.readouterr().out
    assert not any("posted_grade" in name for name, _ in canvas.jobs[1]["form"])
    for student, submission in ((1001, 501), (1004, 503)):
        (comment,) = entry(canvas, student)["submission_comments"]
        assert comment["comment"] == f"S: S of {submission}.\nE: E of {submission}."
    assert run(canvas, folder, "--yes", "--comment") == 0
    assert len(canvas.jobs) == 2


def test_marks_for_peer_grading_go_to_their_own_assignment(
    canvas: Canvas, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(canvas, folder, "--credit-assignment", str(CREDIT)) == 0
    captured = capsys.readouterr()
    assert "Peer grading (assignment 35): 2 changes, 0 as they are" in captured.out
    assert any(line.startswith("note: no mark for") and "'1002'" in line for line in captured.err.splitlines())
    assert run(canvas, folder, "--credit-assignment", str(CREDIT), "--yes") == 0
    assert scores(canvas, CREDIT) == [90, None, 61.25, None, None, None]


def test_many_students_are_written_in_several_jobs(
    canvas: Canvas, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push, "BATCH", 3)
    assert run(canvas, folder, "--yes") == 0
    assert [len(job["form"]) for job in canvas.jobs] == [3, 1]
    assert scores(canvas) == [12, 7.63, 13, 13, None, None]


def test_throttled_jobs_are_asked_for_again(canvas: Canvas, folder: Path) -> None:
    canvas.faults[BULK] = [throttled(429), throttled(403)]
    canvas.faults["progress/0"] = [throttled(429)]
    assert run(canvas, folder, "--yes") == 0
    assert canvas.counts[BULK] == 3
    assert len(canvas.jobs) == 1


def test_a_job_that_is_not_answered_is_not_asked_for_twice(
    canvas: Canvas, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    canvas.faults[BULK] = [late(1.8)]
    assert run(canvas, folder, "--yes") == 1
    assert canvas.counts[BULK] == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "Canvas did not answer in 1.5 seconds; the change may or may not have been made; check in Canvas before you "
        "try again"
    )


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {"id": 0, "workflow_state": "failed", "message": "no such user"},
            "Canvas failed to write the grades of 1001, 1002, 1003, 1004 (no such user); push them again to see "
            "what is left to do",
        ),
        (
            {"id": 0, "workflow_state": "running"},
            "Canvas has not finished after 0.5 seconds; push the grades again later to see what is left to do",
        ),
    ],
    ids=["failed", "endless"],
)
def test_jobs_that_do_not_end_well(
    canvas: Canvas, folder: Path, answer: object, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    canvas.faults["progress/0"] = [answered(200, answer)] * 100
    assert run(canvas, folder, "--yes") == 1
    captured = capsys.readouterr()
    assert captured.err.splitlines()[-1] == message
    assert "Written" not in captured.out


def test_what_canvas_claims_is_checked(canvas: Canvas, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    canvas.forgetful = True
    assert run(canvas, folder, "--yes") == 1
    message = (
        "Canvas says that everything was written, but these are not as they should be: Student 1 (1001): none → 12; "
    )
    assert message in capsys.readouterr().err


def test_points_and_groups_that_may_surprise_are_said(
    canvas: Canvas, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    canvas.assignments[ASSIGNMENT].update(points_possible=100, group_category_id=3)
    assert run(canvas, folder) == 0
    said = capsys.readouterr().out
    assert "  note: the results are out of 13 points and the assignment is worth 100; points are written as" in said
    assert "  note: in this assignment Canvas gives the whole group what one member gets\n" in said


@pytest.mark.parametrize("kind", ["pass_fail", "not_graded"])
def test_an_assignment_without_points_is_refused(canvas: Canvas, folder: Path, kind: str) -> None:
    canvas.assignments[ASSIGNMENT]["grading_type"] = kind
    assert run(canvas, folder, "--yes") == 2
    assert canvas.jobs == []


def test_of_several_assignments_one_has_to_be_named(
    canvas: Canvas, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = result_folder(tmp_path / "two")
    assert run(canvas, folder) == 2
    assert capsys.readouterr().err.endswith(
        "the results are of 2 assignments: 'Essay 1', 'Essay 2'; say which of them to write (--only)\n"
    )
    assert run(canvas, folder, "--only", "Essay 3") == 2
    assert run(canvas, folder, "--only", "Essay 2", "--yes") == 0
    assert scores(canvas) == [2, 0, None, None, None, None]


def test_results_without_sentences_or_marks(canvas: Canvas, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "plain", TOTALS, credit=False)
    assert run(canvas, folder, "--comment") == 2
    assert "has no sentences, because its grades are the most likely ones" in capsys.readouterr().err
    assert run(canvas, folder, "--credit-assignment", "35") == 2
    assert "has no marks for peer grading; write only the grades" in capsys.readouterr().err
    assert run(canvas, tmp_path / "nowhere") == 2
    assert canvas.requests == []


def test_sentences_that_name_graders_are_not_written(
    canvas: Canvas, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = json.loads((folder / "run.json").read_text("utf-8"))
    record["explanations"]["name_graders"] = True
    (folder / "run.json").write_text(json.dumps(record), "utf-8")
    assert run(canvas, folder, "--yes", "--comment") == 2
    assert "has sentences that name the graders, and authors must not know them; fit again" in capsys.readouterr().err
    assert canvas.requests == []


def test_the_token_is_in_no_message(canvas: Canvas, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(canvas, folder, "--yes", "--comment") == 0
    canvas.faults[f"assignments/{ASSIGNMENT}"] = [answered(401, {"errors": []}, WWW_Authenticate="Bearer")]
    assert run(canvas, folder) == 2
    captured = capfd.readouterr()
    assert TOKEN not in captured.out + captured.err
    assert not any(TOKEN.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_from_canvas_and_back(canvas: Canvas, tmp_path: Path) -> None:
    place = ["--url", canvas.url, "--course", str(COURSE), "--assignment", str(ASSIGNMENT)]
    pulled, fitted = tmp_path / "essay1", tmp_path / "grades"
    assert cli.main(["canvas", "pull", *place, "-o", str(pulled)]) == 0
    sampling = ["--chains", "1", "--draws", "20", "--burn-in", "20"]
    assert cli.main(["fit", str(pulled / "peer_grades.csv"), "-o", str(fitted), *sampling, "-q"]) == 0
    assert run(canvas, fitted, "--comment", "--yes") == 0
    totals = pd.read_csv(fitted / "totals.csv").set_index("author")["total"]
    assert scores(canvas) == [totals[entry["user_id"]] for entry in canvas.submissions[ASSIGNMENT]]
    assert all("Thesis: " in entry["submission_comments"][0]["comment"] for entry in canvas.submissions[ASSIGNMENT])


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda canvas: canvas.assignments[ASSIGNMENT].pop("name"), "the assignment is not as its documentation says"),
        (lambda canvas: entry(canvas, 1001).update(entered_score="12"), "'entered_score' is not a whole number or a"),
        (lambda canvas: entry(canvas, 1001).update(user="Ann"), "'user' is not a table"),
    ],
)
def test_answers_that_lack_something_are_refused(
    canvas: Canvas,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[Canvas], object],
    said: str,
) -> None:
    spoil(canvas)
    assert run(canvas, folder) == 2
    assert said in capsys.readouterr().err
