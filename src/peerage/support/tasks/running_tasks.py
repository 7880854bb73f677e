"""Where many tasks run, who is told how far they are, and what stops them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from peerage.support.tasks.executor import Executor, open_executor
from peerage.support.tasks.listening import listening
from peerage.support.tasks.progress import Listener
from peerage.support.tasks.stop_requests import stoppable


@dataclass(frozen=True)
class Running:
    """Where tasks run.

    Attributes
    ----------
    workers: how many tasks run at the same time on this machine; one per processor unless given
    scheduler: the address of a Dask scheduler whose workers run the tasks instead
    progress, stop: as in :func:`peerage.fit`
    """

    workers: int | None = None
    scheduler: str | None = None
    progress: bool | Listener = False
    stop: threading.Event | None = None

    @contextmanager
    def begun(self) -> Iterator[tuple[Executor, Listener]]:
        """What runs tasks, and who is told of progress, while the caller has not said stop."""
        with (
            stoppable(self.stop),
            open_executor(self.workers, self.scheduler) as executor,
            listening(self.progress) as listener,
        ):
            yield executor, listener
