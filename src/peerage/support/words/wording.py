"""How messages count and list things."""

from __future__ import annotations

from collections.abc import Iterable

SHOWN = 5


def counted(number: int, noun: str) -> str:
    """A number and its noun: ``1 grader``, ``1,200 graders``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(things: Iterable[str]) -> str:
    """The first few things and how many more there are."""
    everything = list(things)
    words = ", ".join(everything[:SHOWN])
    more = len(everything) - SHOWN
    return f"{words} and {more:,} more" if more > 0 else words


def quoted(things: Iterable[str]) -> str:
    """The first few things in quotation marks, and how many more there are."""
    return listed(map(repr, things))
