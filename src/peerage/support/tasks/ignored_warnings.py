"""Calling a package whose warnings concern nobody here.

Filters of warnings are the whole process's. ``warnings.catch_warnings`` swaps their list for a copy and puts the old
one back: of two threads that do so at a time, one leaves the other's filters behind. Here a filter is put into the list
that is there, and taken out again. Should other code bring back a list that has it, it silences that package alone.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, cast

_LOCK = threading.Lock()


@dataclass
class _Ignoring:
    """The filter of one package: how many blocks need it, and the lists that have it."""

    entry: tuple[Any, ...]
    blocks: int = 0
    lists: list[list[Any]] = field(default_factory=list)


_PACKAGES: dict[str, _Ignoring] = {}


@contextmanager
def ignoring_warnings_of(package: str) -> Iterator[None]:
    """Ignore what a package warns of, while any thread is in such a block."""
    with _LOCK:
        pattern = re.compile(rf"{re.escape(package)}(\.|\Z)")
        ours = _PACKAGES.setdefault(package, _Ignoring(("ignore", None, Warning, pattern, 0)))
        ours.blocks += 1
        filters = _filters()
        if ours.entry not in filters:
            filters.insert(0, ours.entry)
            ours.lists.append(filters)
    try:
        yield
    finally:
        with _LOCK:
            ours.blocks -= 1
            if not ours.blocks:
                for filters in (*ours.lists, _filters()):
                    with suppress(ValueError):
                        filters.remove(ours.entry)
                ours.lists.clear()


def _filters() -> list[Any]:
    """The filters in force, the very list."""
    return cast("list[Any]", warnings.filters)
