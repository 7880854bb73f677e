"""Stopping long work from another thread.

::

    stop = threading.Event()
    with stoppable(stop):
        ...                     # whatever is called in here looks at the event by and by, with check_stopped()

Whoever wants the work to end sets the event; the work then raises :class:`~peerage.errors.Stopped` where it looks next.
Events belong to the thread that entered the block and to the threads that it starts for its tasks, so that what lies
between need not hand them on. Blocks can be nested: work stops if any of their events is set.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from peerage.errors import Stopped

_EVENTS: ContextVar[tuple[threading.Event, ...]] = ContextVar("events that stop this work", default=())


@contextmanager
def stoppable(stop: threading.Event | None) -> Iterator[None]:
    """Let an event stop what is done in the block; None adds nothing."""
    token = _EVENTS.set(_EVENTS.get() if stop is None else (*_EVENTS.get(), stop))
    try:
        yield
    finally:
        _EVENTS.reset(token)


def check_stopped() -> None:
    """Raise :class:`~peerage.errors.Stopped` if this work is to stop."""
    if any(event.is_set() for event in _EVENTS.get()):
        raise Stopped
