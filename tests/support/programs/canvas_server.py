"""A small Canvas on loopback: the documented endpoints for one course, with faults that a test can order.

It answers over real HTTP from a thread: lists in pages with ``Link`` headers, 401 for a wrong token, refusals beyond
the allowance, answers that come too late, and grades that are written by a job.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

TOKEN = "7~secretSecretSecret"
COURSE, ASSIGNMENT, CREDIT, RUBRIC = 12, 34, 35, 77

Fault = Callable[["Handler"], bool]
"""Answers a request in its own way, or returns False to let it be answered as usual."""


class QuietServer(ThreadingHTTPServer):
    """A server that says nothing when a client hangs up on it."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print what went wrong, unless the client went away."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@dataclass
class Canvas:
    """The course: what it holds, what was asked for, and which requests go wrong.

    ``faults`` has for each path, without ``/api/v1/courses/12/``, what becomes of the first requests to it.
    """

    assignments: dict[int, dict[str, Any]]
    peer_reviews: list[dict[str, Any]]
    rubric: dict[str, Any]
    submissions: dict[int, list[dict[str, Any]]]
    per_page: int = 100
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    jobs: list[dict[str, Any]] = field(default_factory=list)
    forgetful: bool = False
    url: str = ""

    @property
    def counts(self) -> Counter[str]:
        """How often each path was asked for."""
        return Counter(self.requests)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"
    canvas: Canvas

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def send(self, status: int, content: Any, **headers: str) -> bool:
        """Send an answer; text is sent as it is, anything else as JSON."""
        body = (content if isinstance(content, str) else json.dumps(content)).encode()
        self.send_response(status)
        for name, value in {"X_Rate_Limit_Remaining": "600.0", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):  # Whoever asked may have gone.
            self.end_headers()
            self.wfile.write(body)
        return True

    def _answer(self, usual: Callable[[str, dict[str, list[str]]], bool]) -> None:
        parts = urlsplit(self.path)
        path = parts.path.removeprefix("/api/v1/").removeprefix(f"courses/{COURSE}/")
        query = parse_qs(parts.query)
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.canvas.requests.append(f"{path} {query['page'][0]}" if "page" in query else path)
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            self.send(401, {"errors": [{"message": "Invalid access token."}]}, WWW_Authenticate="Bearer")
            return
        waiting = self.canvas.faults.get(self.canvas.requests[-1], [])
        if waiting and waiting.pop(0)(self):
            return
        if not usual(path, query):
            self.send(404, {"errors": [{"message": "The specified resource does not exist."}]})

    def _get(self, path: str, query: dict[str, list[str]]) -> bool:
        numbers = [int(number) for number in re.findall(r"\d+", path)]
        if re.fullmatch(r"assignments/\d+", path) and numbers[0] in self.canvas.assignments:
            return self.send(200, self.canvas.assignments[numbers[0]])
        if path == f"assignments/{ASSIGNMENT}/peer_reviews":
            return self._page(path, self.canvas.peer_reviews, query)
        if re.fullmatch(r"assignments/\d+/submissions", path) and numbers[0] in self.canvas.submissions:
            fields = query.get("response_fields[]")
            entries = self.canvas.submissions[numbers[0]]
            shown = [{name: entry[name] for name in entry if not fields or name in fields} for entry in entries]
            return self._page(path, shown, query)
        if path == f"rubrics/{RUBRIC}" and query["include[]"] == ["assessments"] and query["style"] == ["full"]:
            return self.send(200, self.canvas.rubric)
        if re.fullmatch(r"progress/\d+", path) and numbers[0] < len(self.canvas.jobs):
            return self.send(200, self._advanced(numbers[0]))
        return False

    def _page(self, path: str, entries: list[dict[str, Any]], query: dict[str, list[str]]) -> bool:
        size = min(self.canvas.per_page, int(query["per_page"][0]))
        page = int(query.get("page", ["1"])[0])
        rest = [f"response_fields[]={name}" for name in query.get("response_fields[]", [])]
        rest += [f"include[]={name}" for name in query.get("include[]", [])]
        address = f"{self.canvas.url}/api/v1/courses/{COURSE}/{path}?"
        links = {"current": page, "first": 1, **({"next": page + 1} if page * size < len(entries) else {})}
        header = ",".join(
            f'<{address}{"&".join([*rest, f"page={number}", f"per_page={size}"])}>; rel="{name}"'
            for name, number in links.items()
        )
        return self.send(200, entries[(page - 1) * size : page * size], Link=header)

    def _post(self, path: str, _: dict[str, list[str]]) -> bool:
        form = parse_qsl(self.body.decode())
        match = re.fullmatch(r"assignments/(\d+)/submissions/update_grades", path)
        if not match:
            return False
        job = {"id": len(self.canvas.jobs), "assignment": int(match[1]), "form": form, "workflow_state": "queued"}
        self.canvas.jobs.append(job)
        return self.send(200, {"id": job["id"], "workflow_state": "queued", "message": None})

    def _advanced(self, number: int) -> dict[str, Any]:
        """A job one step on: queued, running, completed; it writes when it completes, unless it is to fail."""
        job = self.canvas.jobs[number]
        following = {"queued": "running", "running": "failed" if job.get("fails") else "completed"}
        job["workflow_state"] = following.get(job["workflow_state"], job["workflow_state"])
        if job["workflow_state"] == "completed" and not self.canvas.forgetful:
            _write(self.canvas.submissions[job["assignment"]], job["form"])
        return {"id": number, "workflow_state": job["workflow_state"], "message": job.get("fails")}


def _write(submissions: list[dict[str, Any]], form: list[tuple[str, str]]) -> None:
    for name, value in form:
        match = re.fullmatch(r"grade_data\[(\d+)\]\[(posted_grade|text_comment)\]", name)
        assert match, name
        (entry,) = [entry for entry in submissions if entry["user_id"] == int(match[1])]
        if match[2] == "posted_grade":
            entry["score"] = entry["entered_score"] = float(value)
        else:
            entry.setdefault("submission_comments", []).append({"comment": value})


def throttled(status: int, **headers: str) -> Fault:
    """Refuse a request because the allowance is used up."""
    text = f"{status} Forbidden (Rate Limit Exceeded)\n"
    return lambda handler: handler.send(status, text, **{"X_Rate_Limit_Remaining": "0.0", **headers})


def answered(status: int, content: Any, **headers: str) -> Fault:
    """Give another answer than usual."""
    return lambda handler: handler.send(status, content, **headers)


def late(seconds: float) -> Fault:
    """Answer as usual, but after some time."""

    def wait(_: Handler) -> bool:
        time.sleep(seconds)
        return False

    return wait


def held(release: Event) -> Fault:
    """Answer as usual, but not before an event."""

    def wait(_: Handler) -> bool:
        release.wait()
        return False

    return wait


def cut_off(handler: Handler) -> bool:
    """Begin an answer and close the connection in the midst of it."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"[{")
    handler.close_connection = True
    return True


@contextmanager
def serving(canvas: Canvas) -> Iterator[Canvas]:
    """Serve a course until the block ends."""
    handler = type("BoundHandler", (Handler,), {"canvas": canvas})
    server = QuietServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    canvas.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield canvas
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
