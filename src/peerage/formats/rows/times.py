"""When reviews were written: ISO 8601, and what forms and spreadsheets write instead.

``2024/09/30 5:05:12 PM GMT+2`` is Google's, ``9/30/2024 17:05`` a spreadsheet's. Whether a day or a month comes first
is told by the column: by any number beyond 12.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.datetime64]

NO_TIME = np.datetime64("NaT", "us")

_ZONES = {
    -10: "HST", -9: "AKST", -8: "PST AKDT", -7: "MST PDT", -6: "CST MDT", -5: "EST CDT", -4: "EDT", 0: "UTC GMT Z WET",
    1: "CET WEST BST", 2: "EET CEST", 3: "EEST", 9: "JST", 10: "AEST", 11: "AEDT", 12: "NZST", 13: "NZDT",
}  # fmt: skip
_OFFSETS = {zone: hours for hours, zones in _ZONES.items() for zone in zones.split()}
"""Hours that zones are ahead of universal time, by the names that forms give them."""

_WRITTEN = re.compile(
    r"(?P<first>\d{1,4})(?P<mark>[/.\-])(?P<second>\d{1,2})(?P=mark)(?P<third>\d{1,4})"
    r"(?:,?\s+(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?:[:.](?P<second_of_minute>\d{2}))?"
    r"(?:\s*(?P<half>[ap])\.?m\.?)?(?:\s*(?P<zone>[A-Z]{1,5})?"
    r"(?:(?P<sign>[+-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?)?)?)?",
    re.IGNORECASE,
)


def time_of(text: str) -> np.datetime64:
    """The time that a text says, in universal time if it names its zone; unknown if it does not tell."""
    return np.datetime64(times_of([text])[0])


def times_of(texts: Sequence[str]) -> Times:
    """The times that the texts of a column say."""
    times = np.array([_iso(text) for text in texts], dtype="datetime64[us]")
    unread = np.flatnonzero(np.isnat(times)).tolist()
    matches = {place: match for place in unread if (match := _WRITTEN.fullmatch(texts[place]))}
    if matches:
        day_first = _day_first(list(matches.values()))
        for place, match in matches.items():
            times[place] = _written(match, day_first)
    return times


def _iso(text: str) -> np.datetime64:
    try:
        return _universal(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return NO_TIME


def _written(match: re.Match[str], day_first: bool | None) -> np.datetime64:
    first, second, third = (int(match[name]) for name in ("first", "second", "third"))
    if len(match["first"]) == 4:
        year, month, day = first, second, third
    elif match["mark"] == ".":
        day, month, year = first, second, third
    elif day_first is None:
        return NO_TIME
    else:
        (day, month), year = (first, second) if day_first else (second, first), third
    try:
        when = datetime(year if year > 99 else 2000 + year, month, day, *_clock(match))
        return _universal(when.replace(tzinfo=_zone(match)))
    except (ValueError, OverflowError):
        return NO_TIME


def _day_first(matches: Sequence[re.Match[str]]) -> bool | None:
    """Whether days come before months where years come last; None if nothing tells."""
    short = [match for match in matches if len(match["first"]) < 4 and match["mark"] != "."]
    day_first = any(int(match["first"]) > 12 for match in short)
    month_first = any(int(match["second"]) > 12 for match in short)
    return None if day_first == month_first else day_first


def _clock(match: re.Match[str]) -> tuple[int, int, int]:
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second_of_minute"))
    if match["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of half a day")
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    return hour, minute, second


def _zone(match: re.Match[str]) -> timezone | None:
    if match["zone"] is None and match["sign"] is None:
        return None
    name = (match["zone"] or "UTC").upper()
    if name not in _OFFSETS:
        raise ValueError("no zone that is known")
    ahead = timedelta(hours=int(match["hours"] or 0), minutes=int(match["minutes"] or 0))
    return timezone(timedelta(hours=_OFFSETS[name]) + (-ahead if match["sign"] == "-" else ahead))


def _universal(time: datetime) -> np.datetime64:
    return np.datetime64(time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time, "us")
