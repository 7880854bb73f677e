"""A limit to how long something takes that cannot be asked to stop, such as an answer that comes byte by byte."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

from peerage.errors import ServiceError

Result = TypeVar("Result")


def within(seconds: float, work: Callable[[Event], Result]) -> Result:
    """What ``work`` returns or raises, unless it takes longer.

    It runs in a thread of its own. When the time is over, nobody waits for that thread any more, and the event that it
    was given is set.
    """
    given_up = Event()
    outcome: SimpleQueue[tuple[Result | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            outcome.put((work(given_up), None))
        except BaseException as error:
            outcome.put((None, error))

    Thread(target=run, daemon=True).start()
    try:
        result, error = outcome.get(timeout=max(seconds, 0.0))
    except Empty:
        raise ServiceError(f"Canvas's answer was not complete after {seconds:,.3g} seconds; try again later") from None
    finally:
        given_up.set()
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # Without an error there is a result.
