"""Several things made of one, in as many threads as there may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from peerage.support.tasks.executor import open_executor

S = TypeVar("S")


def made_together(workers: int, shared: S, *makers: Callable[[S], Any]) -> list[Any]:
    """What each function makes of what they share, in their order; those that take longest should come first.

    >>> made_together(2, [3, 1, 2], sorted, len)
    [[1, 2, 3], 3]
    """
    with open_executor(workers) as executor:
        found = dict(executor.map(_made, shared, makers))
    return [found[place] for place in range(len(makers))]


def _made(shared: S, maker: Callable[[S], Any]) -> Any:
    return maker(shared)
