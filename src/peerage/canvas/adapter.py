"""How requests travel: with limits, slowly enough for Canvas, to no other server, and again where that may help.

Canvas gives every token an allowance that refills with time, and says with each answer how much is left. A request
beyond it is refused with status 429, or 403 in earlier versions, and was not carried out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from io import BytesIO
from threading import Event
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter

from peerage.canvas.place import BOUNDS, Patience, Report
from peerage.canvas.time_limit import within
from peerage.errors import InputError, Problem, ServiceError
from peerage.support.files.bounded_files import MEGABYTE
from peerage.support.files.nesting import is_too_deep

RESERVE = 100.0
"""The allowance below which we pause. Canvas sets 50 aside for each request until it is done."""

_PART = 16_384
_ENCODINGS = ("", "identity", "gzip", "deflate")
_REMAINING = "X-Rate-Limit-Remaining"
_BROKEN = (requests.Timeout, requests.ConnectionError, requests.exceptions.ChunkedEncodingError)
_PASSING = (500, 502, 503, 504)
"""Failures of the server that may pass."""


class PoliteAdapter(HTTPAdapter):
    """Sends requests, waits when Canvas wants that, and repeats those that failed without having done anything."""

    def __init__(self, patience: Patience, report: Report) -> None:
        super().__init__()
        self._patience = patience
        self._report = report
        self._bounds = BOUNDS
        self._remaining = math.inf
        self._ends = time.monotonic() + patience.total
        self._received = 0

    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> requests.Response:
        """Send a request until it is answered, or until patience ends."""
        options |= {"timeout": self._patience.timeout, "stream": True}
        reason, pause = "Canvas's allowance for this token is nearly used up", 0.0
        for attempt in range(self._patience.attempts):
            self._wait(max(pause, self._until_refilled()), reason)
            pause = self._patience.pause * 2**attempt
            try:
                response = self._answer(lambda: super(PoliteAdapter, self).send(request, *args, **options))
            except _BROKEN as error:
                reason = _unanswered(error, self._patience.timeout)
                if request.method != "GET":
                    doubt = "the change may or may not have been made"
                    raise ServiceError(f"{reason}; {doubt}; check in Canvas before you try again") from None
                continue
            self._remaining = _number(response.headers, _REMAINING, math.inf)
            if _is_throttled(response):
                reason = "Canvas asks to slow down"
                pause = max(pause, _number(response.headers, "Retry-After", 0))
            elif response.status_code in _PASSING and request.method == "GET":
                reason = f"Canvas failed (status {response.status_code})"
            else:
                return _from_here(response)
        raise ServiceError(f"{reason}, {self._patience.attempts} times in a row; try again later")

    def _answer(self, ask: Callable[[], requests.Response]) -> requests.Response:
        """What Canvas answers, within the limits of time and size."""
        seconds = min(self._patience.answer, self._ends - time.monotonic())
        most = min(self._bounds.answer_megabytes, self._bounds.megabytes - self._received / MEGABYTE)
        response = within(seconds, lambda given_up: _whole(ask(), most, given_up))
        self._received += len(response.content)
        return response

    def _until_refilled(self) -> float:
        """For how many seconds the allowance has to refill before the next request."""
        return max(0.0, RESERVE - self._remaining) / self._patience.refill

    def _wait(self, seconds: float, reason: str) -> None:
        if time.monotonic() + seconds > self._ends:
            raise ServiceError(f"Canvas took more than {self._patience.total:g} seconds in all; try again later")
        if seconds > self._patience.longest:
            raise ServiceError(f"{reason}: it would take a pause of {seconds:.0f} seconds; try again later")
        if seconds:
            self._report(f"{reason}; waiting {seconds:.3g} s")
            time.sleep(seconds)


def _whole(response: requests.Response, most: float, given_up: Event) -> requests.Response:
    """An answer with its body, which is read here, where a failure of it can be mended, and not beyond some megabytes.

    Compressed bodies are unpacked a little at a time. One that is compressed several times over has no such bound.
    """
    if response.headers.get("Content-Encoding", "identity").strip().lower() not in _ENCODINGS:
        response.close()
        raise ServiceError("Canvas compresses its answer in an unknown way; ask its administrator")
    body = bytearray()
    for part in response.iter_content(_PART):
        body += part
        if given_up.is_set() or len(body) > most * MEGABYTE:
            response.close()
            raise ServiceError(
                f"Canvas's answers are larger than the limit ({most:,.0f} megabytes); ask its administrator"
            )
    if is_too_deep(bytes(body)):
        raise ValueError("the answer is nested too deeply")
    secret = str(response.request.headers.get("Authorization", "")).rpartition(" ")[2].encode()
    whole = requests.Response()
    for name in ("connection", "encoding", "headers", "reason", "request", "status_code", "url"):
        setattr(whole, name, getattr(response, name))
    whole.raw = BytesIO(body.replace(secret, b"***") if secret else body)
    return whole


def _from_here(response: requests.Response) -> requests.Response:
    """The answer, unless it sends us to another server, which would learn what only Canvas may."""
    if response.is_redirect:
        origin = urlsplit(str(response.request.url))
        target = urlsplit(urljoin(str(response.request.url), response.headers["Location"]))
        if (target.scheme, target.netloc) != (origin.scheme, origin.netloc):
            message = f"Canvas sends us to another server, {target.scheme}://{target.netloc}"
            raise InputError(Problem(message, "use that address if it is your school's Canvas", setting="url"))
    return response


def _is_throttled(response: requests.Response) -> bool:
    if response.status_code == 403:
        return "Rate Limit Exceeded" in response.text
    return response.status_code == 429


def _unanswered(error: requests.RequestException, timeout: float) -> str:
    if isinstance(error, requests.Timeout):
        return f"Canvas did not answer in {timeout:g} seconds"
    return "Canvas could not be reached"


def _number(headers: Mapping[str, str], name: str, default: float) -> float:
    """A header that is a number; Retry-After may also be a date, which says less than our own pause."""
    try:
        number = float(headers[name])
    except (KeyError, ValueError):
        return default
    return number if math.isfinite(number) else default
