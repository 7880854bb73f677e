"""What the commands say on standard error, and how."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable

from peerage.errors import InputError, PeerageError, Problem

SHOWN_PER_KIND = 10


def say(text: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(text + "\n")


def describe_error(error: PeerageError) -> str:
    """The error's text; of many problems of one kind, the first few and how many more there are."""
    if not isinstance(error, InputError):
        return str(error)
    return "\n".join(shorten(error.problems))


def shorten(problems: Iterable[Problem]) -> list[str]:
    """A line for each problem, but at most :data:`SHOWN_PER_KIND` of those that share a remedy."""
    lines = []
    seen: Counter[str] = Counter()
    for problem in problems:
        seen[problem.remedy] += 1
        if seen[problem.remedy] <= SHOWN_PER_KIND:
            lines.append(str(problem))
    for remedy, count in seen.items():
        if count > SHOWN_PER_KIND:
            lines.append(f"and {count - SHOWN_PER_KIND:,} more like these: {remedy}")
    return lines
