"""How requests travel: with a time limit, slowly enough for Canvas, and again where that may help.

Canvas gives every token an allowance that refills with time, and says with each answer how much is left. A request
beyond it is refused with status 429, or 403 in earlier versions, and was not carried out.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from peerage.canvas.place import Patience, Report
from peerage.errors import ServiceError

RESERVE = 100.0
"""The allowance below which we pause. Canvas sets 50 aside for each request until it is done."""

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
        self._remaining = math.inf

    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> requests.Response:
        """Send a request until it is answered, or until patience ends."""
        options["timeout"] = self._patience.timeout
        reason, pause = "Canvas's allowance for this token is nearly used up", 0.0
        for attempt in range(self._patience.attempts):
            self._wait(max(pause, self._until_refilled()), reason)
            pause = self._patience.pause * 2**attempt
            try:
                response = super().send(request, *args, **options)
                response.content  # noqa: B018  The body is read here, where a failure of it can be mended.
            except _BROKEN as error:
                reason = _unanswered(error, self._patience.timeout)
                if request.method != "GET":
                    remedy = "see what became of it before trying again"
                    raise ServiceError(f"{reason}; it may have done what was asked, or not: {remedy}") from None
                continue
            self._remaining = _number(response.headers, _REMAINING, math.inf)
            if _is_throttled(response):
                reason = "Canvas asks to slow down"
                pause = max(pause, _number(response.headers, "Retry-After", 0))
            elif response.status_code in _PASSING and request.method == "GET":
                reason = f"Canvas failed (status {response.status_code})"
            else:
                return response
        raise ServiceError(f"{reason}, {self._patience.attempts} times in a row; try again later")

    def _until_refilled(self) -> float:
        """For how many seconds the allowance has to refill before the next request."""
        return max(0.0, RESERVE - self._remaining) / self._patience.refill

    def _wait(self, seconds: float, reason: str) -> None:
        if seconds > self._patience.longest:
            raise ServiceError(f"{reason}: it would take a pause of {seconds:.0f} seconds; try again later")
        if seconds:
            self._report(f"{reason}; waiting {seconds:.3g} s")
            time.sleep(seconds)


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
        return float(headers[name])
    except (KeyError, ValueError):
        return default
