"""`peerage canvas pull`, through canvasapi, from a small Canvas on loopback."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

import peerage as pg
from peerage import cli
from peerage.canvas.place import Patience
from peerage.cli.commands import canvas as command
from support.programs.canvas_course import course
from support.programs.canvas_server import (
    ASSIGNMENT,
    COURSE,
    TOKEN,
    Canvas,
    answered,
    cut_off,
    held,
    late,
    serving,
    throttled,
)
from support.programs.children import running
from support.programs.importing import rows, run_import
from support.programs.terminals import converse

QUICK = Patience(timeout=1.5, attempts=4, pause=0.01, longest=1.0, refill=1e6, poll=0.01, job=2.0)
REVIEWS, SUBMISSIONS = (f"assignments/{ASSIGNMENT}/{name}" for name in ("peer_reviews", "submissions"))
NO_SERVER = "is not the address of a Canvas server; write https://canvas.school.edu"
ASSIGNMENT_PATH, RUBRIC_PATH = f"assignments/{ASSIGNMENT}", "rubrics/77"


@pytest.fixture
def canvas(monkeypatch: pytest.MonkeyPatch) -> Iterator[Canvas]:
    monkeypatch.setenv("CANVAS_TOKEN", TOKEN)
    monkeypatch.setattr(command, "PATIENCE", QUICK)
    with serving(course(per_page=8)) as served:
        yield served


def pull(canvas: Canvas, out: Path, *more: str, number: int = ASSIGNMENT, path: str = "") -> int:
    place = ["--url", canvas.url + path, "--course", str(COURSE), "--assignment", str(number)]
    return cli.main(["canvas", "pull", *place, "-o", str(out), *more])


def test_what_is_written_holds_just_the_grades_of_the_assignment(
    canvas: Canvas, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "class"
    assert pull(canvas, out) == 0
    pages = (REVIEWS, f"{REVIEWS} 2", f"{REVIEWS} 3")
    assert canvas.requests == [ASSIGNMENT_PATH, *pages, SUBMISSIONS, RUBRIC_PATH]
    book = pg.read_grades(out / "peer_grades.csv")
    expected = {
        (str(entry["artifact_id"]), str(entry["assessor_id"]), name, float(score["points"]))
        for entry in canvas.rubric["assessments"]
        for name, score in zip(("Thesis", "Evidence"), entry["data"], strict=True)
        if entry["artifact_id"] != 999
    }
    assert {(*row[:3], row[3]) for row in rows(book)} == expected
    assert set(book.assignments) == {"Essay 1"}
    assert dict(zip(book.graders, book.roles, strict=True))["9001"] == 1
    assert [component.legend for component in book.rubric.components] == ["0, 1, 2, 3, 4"] * 2
    captured = capsys.readouterr()
    assert "note: rubric-1.json: left out 1 assessment of a submission that is not listed (row 20)" in captured.out
    assert captured.out.endswith(
        "Kept 38 grades in 19 reviews of 6 submissions by 6 students, 1 ta.\n"
        "  Thesis: 0, 1, 2, 3, 4\n  Evidence: 0, 1, 2, 3, 4\n"
        f"Written to {out}: peer_grades.csv, rubric.toml, canvas\n"
    )
    assert captured.err == "18 peer reviews of 'Essay 1'\n6 submissions\nthe rubric and all assessments with it\n"


def test_the_raw_answers_give_the_same_grades_offline(canvas: Canvas, tmp_path: Path) -> None:
    out = tmp_path / "class"
    assert pull(canvas, out) == 0
    asked = len(canvas.requests)
    assert json.loads((out / "canvas" / "rubric-1.json").read_text()) == canvas.rubric
    assert run_import(out, "-o", tmp_path / "again") == 0
    for name in ("peer_grades.csv", "rubric.toml"):
        assert (tmp_path / "again" / name).read_bytes() == (out / name).read_bytes()
    assert len(canvas.requests) == asked


def test_the_text_of_submissions_stays_in_canvas(canvas: Canvas, tmp_path: Path) -> None:
    assert pull(canvas, tmp_path / "class") == 0
    assert "private essay" not in _everything(tmp_path)


def test_the_token_is_nowhere(canvas: Canvas, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    canvas.faults[f"{REVIEWS} 2"] = [answered(400, {"errors": "odd"}), late(1.7)]
    assert pull(canvas, tmp_path / "class") == 1
    assert pull(canvas, tmp_path / "class") == 0
    captured = capfd.readouterr()
    assert TOKEN not in captured.out + captured.err + _everything(tmp_path)
    assert sum(path.is_file() for path in tmp_path.rglob("*")) == 10


@pytest.mark.parametrize("token", ["7~two words", "7~line\nbreak", "7~gr\u00fc\u00dfe", "  "])
def test_a_token_that_cannot_be_one_is_not_shown(
    canvas: Canvas, tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CANVAS_TOKEN", token)
    assert pull(canvas, tmp_path / "class") == 2
    message = capfd.readouterr().err
    assert message.splitlines()[-1].startswith(
        "there is no Canvas token; " if not token.strip() else "the Canvas token has characters that no token has; "
    )
    assert not token.strip() or token not in message
    assert canvas.requests == []


def test_throttling_is_waited_out(canvas: Canvas, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    canvas.faults[f"{REVIEWS} 2"] = [throttled(429, Retry_After="0.2"), throttled(403)]
    canvas.faults[RUBRIC_PATH] = [answered(503, "busy")]
    assert pull(canvas, tmp_path / "class") == 0
    assert [canvas.counts[path] for path in (REVIEWS, f"{REVIEWS} 2", f"{REVIEWS} 3", RUBRIC_PATH)] == [1, 3, 1, 2]
    waits = [line for line in capsys.readouterr().err.splitlines() if "waiting" in line]
    assert waits == [
        "Canvas asks to slow down; waiting 0.2 s",
        "Canvas asks to slow down; waiting 0.02 s",
        "Canvas failed (status 503); waiting 0.01 s",
    ]


def test_a_small_allowance_is_left_to_refill(
    canvas: Canvas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "PATIENCE", Patience(refill=200.0))
    answer = answered(200, canvas.assignments[ASSIGNMENT], X_Rate_Limit_Remaining="60")
    canvas.faults[ASSIGNMENT_PATH] = [answer]
    assert pull(canvas, tmp_path / "class") == 0
    assert "Canvas's allowance for this token is nearly used up; waiting 0.2 s" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "times", "message"),
    [
        (throttled(429), 4, "Canvas asks to slow down, 4 times in a row; try again later"),
        (throttled(403), 4, "Canvas asks to slow down, 4 times in a row; try again later"),
        (
            throttled(429, Retry_After="3600"),
            1,
            "Canvas asks to slow down: it would take a pause of 3600 seconds; try again later",
        ),
        (late(1.7), 4, "Canvas did not answer in 1.5 seconds, 4 times in a row; try again later"),
        (cut_off, 4, "Canvas could not be reached, 4 times in a row; try again later"),
        (answered(500, "oh"), 4, "Canvas failed (status 500), 4 times in a row; try again later"),
    ],
    ids=["429", "403", "long pause", "timeout", "cut off", "500"],
)
def test_patience_ends_and_the_same_command_goes_on(
    canvas: Canvas, tmp_path: Path, fault: object, times: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "class"
    canvas.faults[f"{REVIEWS} 3"] = [fault] * times  # type: ignore[list-item]
    assert pull(canvas, out) == 1
    assert capsys.readouterr().err.splitlines()[-2:] == [
        f"what was fetched is in {out}.partial; the same command continues from there",
        message,
    ]
    assert not out.exists()
    before = canvas.counts
    assert pull(canvas, out) == 0
    assert canvas.counts - before == {f"{REVIEWS} 3": 1, SUBMISSIONS: 1, RUBRIC_PATH: 1}
    assert "continuing the pull that began at " in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["class"]
    assert pg.read_grades(out / "peer_grades.csv").n_reviews == 19


_PROGRAM = "import sys; from peerage.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "killed"])
def test_an_interrupted_pull_does_not_fetch_again_what_it_has(canvas: Canvas, tmp_path: Path, stop: int) -> None:
    out = tmp_path / "class"
    release = Event()
    canvas.faults[SUBMISSIONS] = [held(release)]
    place = ["--url", canvas.url, "--course", str(COURSE), "--assignment", str(ASSIGNMENT), "-o", str(out)]
    with running(_PROGRAM, "canvas", "pull", *place) as child:
        assert child.stderr is not None
        assert child.stderr.readline() == "18 peer reviews of 'Essay 1'\n"
        child.send_signal(stop)
        status = child.wait()
        said = child.stderr.read()
        release.set()
    assert status == (130 if stop == signal.SIGINT else -stop)
    assert stop != signal.SIGINT or said.splitlines()[-1] == "interrupted"
    assert not out.exists()
    before = canvas.counts
    assert pull(canvas, out) == 0
    assert (canvas.counts - before).keys() == {SUBMISSIONS, RUBRIC_PATH}


def test_grades_off_the_rubric_need_no_second_fetch(
    canvas: Canvas, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    canvas.rubric["assessments"][0]["data"][0]["points"] = 4.5
    assert pull(canvas, tmp_path / "class") == 2
    assert "rubric-1.json, row 1: the grade 4.5 of 'Thesis' is not on the rubric" in capsys.readouterr().err
    asked = len(canvas.requests)
    assert pull(canvas, tmp_path / "class", "--snap") == 0
    assert len(canvas.requests) == asked


def test_a_finished_pull_is_replaced_as_a_whole(canvas: Canvas, tmp_path: Path) -> None:
    out = tmp_path / "class"
    assert pull(canvas, out) == 0
    canvas.rubric["assessments"][0]["data"][0]["points"] = 0
    canvas.faults[RUBRIC_PATH] = [answered(400, "no")]
    before = (out / "peer_grades.csv").read_bytes()
    assert pull(canvas, out) == 1
    assert (out / "peer_grades.csv").read_bytes() == before
    assert pull(canvas, out) == 0
    assert (out / "peer_grades.csv").read_bytes() != before
    assert canvas.counts[REVIEWS] == 2


def test_the_unfinished_pull_of_another_assignment_is_refused(
    canvas: Canvas, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    canvas.faults[REVIEWS] = [answered(400, "no")]
    assert pull(canvas, tmp_path / "class") == 1
    assert pull(canvas, tmp_path / "class", number=35) == 2
    assert f"{tmp_path / 'class'}.partial: holds the unfinished pull of another assignment" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "answer", "message"),
    [
        (
            ASSIGNMENT_PATH,
            answered(401, {"errors": [{"message": "Expired access token."}]}, WWW_Authenticate="Bearer"),
            "Canvas does not accept the token: it is wrong or has expired; make a new one in Canvas, "
            "under Account, Settings, New access token (set CANVAS_TOKEN, or type it when asked)",
        ),
        (
            ASSIGNMENT_PATH,
            answered(401, {"status": "unauthorized", "errors": [{"message": "not authorized"}]}),
            "the token has no permission to see or change this in course 12; use the token of a teacher of the course",
        ),
        (
            RUBRIC_PATH,
            answered(403, {"status": "unauthorized"}),
            "the token has no permission to see or change this in course 12; use the token of a teacher of the course",
        ),
        (
            ASSIGNMENT_PATH,
            answered(404, {"errors": []}),
            "URL has no course 12 with assignment 34, or hides it; compare both ids with the address of the "
            "assignment in a browser",
        ),
        (
            ASSIGNMENT_PATH,
            answered(200, "<html>Log in</html>"),
            "URL does not answer like Canvas; copy the address from a browser in which Canvas is open (--url)",
        ),
        *(
            (
                path,
                answered(200, content),
                "URL does not answer like Canvas; copy the address from a browser in which Canvas is open (--url)",
            )
            for path, content in (
                (ASSIGNMENT_PATH, {"ok": True}),
                (ASSIGNMENT_PATH, []),
                (REVIEWS, {"id": 1}),
                (REVIEWS, [1]),
            )
        ),
        (
            REVIEWS,
            answered(200, [], Link='<https://other.edu/api/v1/courses/12/x?page=2>; rel="next"'),
            "Canvas calls itself https://other.edu here; use that address (--url)",
        ),
        (
            REVIEWS,
            answered(200, []),
            "the assignment 'Essay 1' has no peer reviews; assign them in Canvas first",
        ),
    ],
    ids=[
        "expired",
        "unauthorised",
        "forbidden",
        "missing",
        "no JSON",
        *("no id", "a list", "no list", "no entries"),
        "another name",
        "no reviews",
    ],
)
def test_refusals_are_one_sentence(
    canvas: Canvas, tmp_path: Path, path: str, answer: object, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    canvas.faults[path] = [answer]  # type: ignore[list-item]
    assert pull(canvas, tmp_path / "class") == 2
    assert capsys.readouterr().err.splitlines()[-1] == message.replace("URL", canvas.url)
    assert not (tmp_path / "class").exists()
    assert canvas.counts[path] == 1


def test_a_pull_that_came_too_early_can_be_repeated(canvas: Canvas, tmp_path: Path) -> None:
    canvas.faults[REVIEWS] = [answered(200, [])]
    assert pull(canvas, tmp_path / "class") == 2
    assert list(tmp_path.iterdir()) == []
    assert pull(canvas, tmp_path / "class") == 0


def test_an_assignment_without_rubric(canvas: Canvas, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pull(canvas, tmp_path / "class", number=35) == 2
    assert "has no rubric, so its peer reviews have no scores; choose an" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("canvas.school.edu", NO_SERVER),
        ("https://[canvas.school.edu", NO_SERVER),
        ("https://me:secret@canvas.school.edu", NO_SERVER),
        ("ftp://canvas.school.edu", NO_SERVER),
        ("http://canvas.school.edu", "would send the token unencrypted; write https:// instead"),
    ],
)
def test_addresses_that_are_refused(
    canvas: Canvas, tmp_path: Path, url: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    canvas.url = url
    assert pull(canvas, tmp_path / "class") == 2
    assert capsys.readouterr().err == f"{url!r} {message} (--url)\n"


def test_the_address_of_any_page_of_the_server_will_do(canvas: Canvas, tmp_path: Path) -> None:
    assert pull(canvas, tmp_path / "class", path="/courses/12/assignments/34?module_item_id=5") == 0


def test_a_folder_that_no_pull_has_written_is_no_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_import(tmp_path, "-o", tmp_path / "class") == 2
    message = "is a folder, but not one that peerage canvas pull wrote; name the files in it"
    assert capsys.readouterr().err == f"{tmp_path}: {message}\n"


def test_a_folder_of_other_files_is_refused_before_anything_is_fetched(canvas: Canvas, tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "mine.txt").write_text("mine")
    assert pull(canvas, tmp_path / "class") == 2
    assert canvas.requests == []


def test_without_canvasapi_the_message_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['canvasapi'] = None; from peerage.cli import main; "
        "sys.exit(main(['canvas', 'pull', '--url', 'https://a.edu', '--course', '1', '--assignment', '2', '-o', 'x']))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr == "Canvas needs an optional dependency; install it with: pip install 'peerage[canvas]'\n"


def test_what_is_missing_below_canvasapi_is_named() -> None:
    """To install the extra again would not help."""
    program = "import sys; sys.modules['urllib3'] = None; import peerage.canvas.client"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError" in run.stderr
    assert "urllib3" in run.stderr
    assert "MissingExtraError" not in run.stderr


def test_without_a_token_there_is_a_prompt_that_shows_nothing(
    canvas: Canvas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CANVAS_TOKEN")
    place = ["--url", canvas.url, "--course", str(COURSE), "--assignment", str(ASSIGNMENT)]
    arguments = ["canvas", "pull", *place, "-o", str(tmp_path / "class")]
    status, shown = converse(arguments, b"not shown", [TOKEN.encode() + b"\n"])
    assert status == 0
    assert "18 peer reviews" in shown
    assert TOKEN not in shown


def test_without_a_token_and_a_terminal(
    canvas: Canvas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("CANVAS_TOKEN")
    assert pull(canvas, tmp_path / "class") == 2
    assert capsys.readouterr().err == "there is no Canvas token; give one (set CANVAS_TOKEN, or type it when asked)\n"


def _everything(folder: Path) -> str:
    """The text of all files in a folder, and their names."""
    return "\n".join(f"{path} {path.read_text(encoding='utf-8')}" for path in folder.rglob("*") if path.is_file())
