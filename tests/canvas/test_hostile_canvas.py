"""A server that is not Canvas, or means harm: every command ends in bounded time and memory, with a sentence."""

from __future__ import annotations

import gzip
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread

import pytest

from peerage import cli
from peerage.canvas import adapter, client
from peerage.canvas.place import Bounds, Patience
from peerage.cli.commands import canvas as command
from support.programs.canvas_course import course
from support.programs.canvas_server import (
    ASSIGNMENT,
    COURSE,
    TOKEN,
    Canvas,
    Fault,
    Handler,
    QuietServer,
    answered,
    serving,
)
from support.programs.exporting import result_folder

QUICK = Patience(
    timeout=1.0, attempts=2, pause=0.01, longest=1.0, refill=1e6, poll=0.01, job=2.0, answer=2.0, total=8.0
)
SMALL = Bounds(answer_megabytes=2, megabytes=5, pages=5)
ASSIGNMENT_PATH = f"assignments/{ASSIGNMENT}"
REVIEWS = f"{ASSIGNMENT_PATH}/peer_reviews"
SUBMISSIONS = f"{ASSIGNMENT_PATH}/submissions"
UPDATE = f"{SUBMISSIONS}/update_grades"

MOST_SECONDS = 60.0
"""Far less than the servers here would take, and more than a busy machine needs."""

MOST_MEGABYTES = 40.0


@pytest.fixture
def canvas(monkeypatch: pytest.MonkeyPatch) -> Iterator[Canvas]:
    monkeypatch.setenv("CANVAS_TOKEN", TOKEN)
    monkeypatch.setattr(command, "PATIENCE", QUICK)
    monkeypatch.setattr(adapter, "BOUNDS", SMALL)
    monkeypatch.setattr(client, "BOUNDS", SMALL)
    with serving(course(per_page=8)) as served:
        yield served


def place(canvas: Canvas) -> list[str]:
    return ["--url", canvas.url, "--course", str(COURSE), "--assignment", str(ASSIGNMENT)]


def peak_megabytes() -> float:
    """The most memory that this process, server included, has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def pulled(canvas: Canvas, out: Path, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit status and the last line of a pull, which ends soon whatever the server does."""
    begun, before = time.monotonic(), peak_megabytes()
    status = cli.main(["canvas", "pull", *place(canvas), "-o", str(out)])
    assert time.monotonic() - begun < MOST_SECONDS
    assert peak_megabytes() - before < MOST_MEGABYTES
    captured = capfd.readouterr()
    assert TOKEN not in captured.out + captured.err
    assert "Traceback" not in captured.err
    said = [line for line in captured.err.splitlines() if not line.startswith("what was fetched is in ")]
    return status, said[-1]


def begin(handler: Handler, **headers: str) -> None:
    handler.send_response(200)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Connection", "close")
    handler.close_connection = True
    handler.end_headers()


def endless(part: bytes, pause: float = 0.0, **headers: str) -> Fault:
    """A body without end."""

    def answer(handler: Handler) -> bool:
        begin(handler, **headers)
        with suppress(OSError):
            for _ in range(10_000):
                handler.wfile.write(part)
                time.sleep(pause)
        return True

    return answer


def body(content: bytes, **headers: str) -> Fault:
    def answer(handler: Handler) -> bool:
        begin(handler, **headers)
        with suppress(OSError):
            handler.wfile.write(content)
        return True

    return answer


def slow_headers(handler: Handler) -> bool:
    with suppress(OSError):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        for _ in range(1000):
            handler.wfile.write(b"a")
            time.sleep(0.3)
    handler.close_connection = True
    return True


BOMB = gzip.compress(bytes(50_000_000))
TOO_MUCH = "Canvas's answers are larger than the limit (2 megabytes); ask its administrator"
INCOMPLETE = "Canvas's answer was not complete after 2 seconds; try again later"


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (endless(b" " * 65_536), TOO_MUCH),
        (body(BOMB, Content_Encoding="gzip"), TOO_MUCH),
        (body(gzip.compress(BOMB), Content_Encoding="gzip, gzip"), "Canvas compresses its answer in an unknown way"),
        (endless(b" ", 0.3), INCOMPLETE),
        (endless(b"1\r\n \r\n", 0.3, Transfer_Encoding="chunked"), INCOMPLETE),
        (slow_headers, INCOMPLETE),
        (answered(200, "[" * 100_000), "{url} does not answer like Canvas; "),
        (answered(200, '{"id": ' + "9" * 10_000 + "}"), "{url} does not answer like Canvas; "),
        (answered(401, "[" * 100_000, WWW_Authenticate="Bearer"), "{url} does not answer like Canvas; "),
        (answered(302, "", Location="/api/v1/courses/12/assignments/34"), "{url} could not be used: TooManyRedirects"),
        (answered(302, "", Location="ftp://x"), "Canvas sends us to another server, ftp://x; "),
    ],
    ids=[
        *("endless", "bomb", "bomb in a bomb", "byte by byte", "chunk by chunk", "slow headers"),
        *("deep", "digits", "deep refusal", "round and round", "ftp"),
    ],
)
def test_an_answer_that_does_not_end_or_is_none(
    canvas: Canvas, tmp_path: Path, fault: Fault, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    canvas.faults[ASSIGNMENT_PATH] = [fault] * 40
    status, said = pulled(canvas, tmp_path / "class", capfd)
    assert status in (1, 2)
    assert said.startswith(message.format(url=canvas.url))


def next_page(number: Callable[[int], int]) -> Fault:
    """A page of the list that names another."""

    def answer(handler: Handler) -> bool:
        page = int(handler.path.partition("page=")[2].partition("&")[0] or 1) if "?page=" in handler.path else 1
        link = f'<{handler.canvas.url}/api/v1/courses/{COURSE}/{REVIEWS}?page={number(page)}>; rel="next"'
        review = {"assessor_id": 1, "asset_id": 2, "user_id": 3, "workflow_state": "completed"}
        return handler.send(200, [review], Link=link)

    return answer


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (lambda page: page + 1, "Canvas's list of peer reviews has more than 5 pages; ask its administrator"),
        (lambda page: page, "Canvas's list of peer reviews repeats a page; ask its administrator"),
        (lambda page: 3 - page, "Canvas's list of peer reviews repeats a page; ask its administrator"),
    ],
    ids=["endless", "itself", "back and forth"],
)
def test_a_list_without_end(
    canvas: Canvas, tmp_path: Path, number: Callable[[int], int], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for page in ("", *(f" {number}" for number in range(10))):
        canvas.faults[f"{REVIEWS}{page}"] = [next_page(number)] * 10
    assert pulled(canvas, tmp_path / "class", capfd) == (1, message)


def test_all_answers_together_have_a_limit(canvas: Canvas, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    canvas.assignments[ASSIGNMENT]["description"] = "x" * 1_900_000
    canvas.rubric["title"] = "x" * 1_900_000
    canvas.submissions[ASSIGNMENT][0]["submitted_at"] = "x" * 1_900_000
    status, said = pulled(canvas, tmp_path / "class", capfd)
    assert (status, said.partition(" (")[0]) == (1, "Canvas's answers are larger than the limit")


@pytest.mark.parametrize("value", ["nan", "inf", "-5", "1e999"])
def test_pauses_that_are_no_numbers(
    canvas: Canvas, tmp_path: Path, value: str, capfd: pytest.CaptureFixture[str]
) -> None:
    canvas.faults[ASSIGNMENT_PATH] = [answered(429, "slow", Retry_After=value, X_Rate_Limit_Remaining=value)]
    status, _ = pulled(canvas, tmp_path / "class", capfd)
    assert status == 0


class Stranger(BaseHTTPRequestHandler):
    """Another server, to which nothing may be sent."""

    heard: list[bytes]

    def do_POST(self) -> None:
        self.heard.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        self.send_response(200)
        self.end_headers()

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def stranger() -> Iterator[tuple[str, list[bytes]]]:
    heard: list[bytes] = []
    handler = type("Bound", (Stranger,), {"heard": heard})
    server = QuietServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", heard
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_grades_are_sent_to_no_other_server(
    canvas: Canvas,
    tmp_path: Path,
    stranger: tuple[str, list[bytes]],
    status: int,
    capfd: pytest.CaptureFixture[str],
) -> None:
    url, heard = stranger
    student = str(canvas.submissions[ASSIGNMENT][0]["user_id"])
    folder = result_folder(tmp_path / "results", [("s1", "Essay 1", student, 3.0)])
    canvas.faults[UPDATE] = [answered(status, "", Location=f"{url}/take")]
    assert cli.main(["canvas", "push", str(folder), *place(canvas), "--yes"]) == 2
    assert f"Canvas sends us to another server, {url}; use that address" in capfd.readouterr().err
    assert heard == []


def test_names_and_titles_forge_no_line_and_move_no_cursor(
    canvas: Canvas, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    entry = canvas.submissions[ASSIGNMENT][0]
    entry["user"] = {"name": "Ann\n  Bob (2): 0 → 100\x1b[2J\x9b31m\u202e"}
    canvas.assignments[ASSIGNMENT]["name"] = "Essay\r\x1b]0;title\x07"
    folder = result_folder(tmp_path / "results", [("s1", "Essay 1", str(entry["user_id"]), 3.0)])
    assert cli.main(["canvas", "push", str(folder), *place(canvas)]) == 0
    out = capfd.readouterr().out
    assert [line for line in out.splitlines() if line.lstrip().startswith("Bob")] == []
    assert not set(out) & set("\x1b\x9b\x07\r\u202e")
    assert r"Ann\n  Bob (2): 0 → 100\x1b[2J\x9b31m\u202e" in out


@pytest.mark.parametrize("echo", [TOKEN, "".join(f"\\u{ord(character):04x}" for character in TOKEN)])
def test_a_token_that_the_server_repeats_is_not_shown_or_kept(
    canvas: Canvas, tmp_path: Path, echo: str, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = '{"id": 34, "name": "' + echo + '", "rubric_settings": null}'
    canvas.faults[ASSIGNMENT_PATH] = [answered(400, f"no: {TOKEN}"), answered(200, answer)]
    assert pulled(canvas, tmp_path / "class", capfd)[0] == 1
    status, said = pulled(canvas, tmp_path / "class", capfd)
    assert (status, said) == (
        2,
        "the assignment '***' has no rubric, so its peer reviews have no scores; choose an assignment with a rubric",
    )
    kept = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(TOKEN.encode() in content for content in kept)
