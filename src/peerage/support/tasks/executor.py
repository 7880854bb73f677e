"""Where many tasks run: in threads here, or on a Dask cluster.

::

    with open_executor(workers=2) as executor:
        for index, result in executor.map(score, book, models):
            ...

``score(book, model)`` is a function of a module. What the tasks share, the book here, reaches each worker once; results
come as they are completed, each with its item's index. An exception in a task ends the map and is raised as itself. A
map that ends early, by an exception, Ctrl-C or because nobody asks for more, stops the tasks that are running: where
they next call :func:`~peerage.support.tasks.stop_requests.check_stopped`, as the sampler does ten times a second.

Threads suffice here: kernels release the interpreter's lock, and what a fit does outside of them is a few per cent of
its time. A process would first spend some seconds on imports.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import copy_context
from importlib import import_module
from queue import Empty, SimpleQueue
from types import ModuleType
from typing import Any, Protocol, TypeVar

from peerage.errors import InputError, MissingExtraError, ServiceError
from peerage.support.tasks.stop_requests import check_stopped, stoppable
from peerage.version import __version__

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

_PAUSE = 0.5
"""Seconds between looks at what else may have happened."""

_PARCEL = 4_000_000
"""Bytes of what tasks share that are sent to a cluster at a time."""

_ANSWER = 10
"""Seconds in which a scheduler and its first worker have to answer."""


class Executor(Protocol):
    """Runs a function on many items."""

    def map(self, function: Callable[[S, T], R], shared: S, items: Iterable[T]) -> Iterator[tuple[int, R]]:
        """``function(shared, item)`` for each item: (index of the item, result), as they are completed."""
        ...


def open_executor(workers: int | None = None, scheduler: str | None = None) -> AbstractContextManager[Executor]:
    """Run tasks in ``workers`` threads, one per processor unless told, or on the Dask cluster of a scheduler.

    >>> with open_executor(workers=2) as executor:
    ...     sorted(executor.map(pow, 2, [3, 4]))
    [(0, 8), (1, 16)]
    """
    if scheduler is not None:
        if workers is not None:
            raise InputError("a cluster has workers of its own; give a number of workers or a scheduler, not both")
        return _cluster(scheduler)
    if workers is not None and workers < 1:
        raise InputError(f"there must be at least one worker, not {workers}")
    return nullcontext(_Threads(workers or os.cpu_count() or 1))


class _Threads:
    """Threads of this process, which see what they share as it is."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def map(self, function: Callable[[S, T], R], shared: S, items: Iterable[T]) -> Iterator[tuple[int, R]]:
        todo: SimpleQueue[tuple[int, T]] = SimpleQueue()
        done: SimpleQueue[tuple[int, R] | BaseException] = SimpleQueue()
        count = 0
        for entry in enumerate(items):
            todo.put(entry)
            count += 1
        ended = threading.Event()

        def work() -> None:
            with suppress(Empty), stoppable(ended):
                while not ended.is_set():
                    index, item = todo.get_nowait()
                    try:
                        result = function(shared, item)
                    except BaseException as error:
                        done.put(error)
                        return
                    done.put((index, result))

        # A thread has a context of its own: it gets a copy, with the events that stop the work of this one.
        contexts = [copy_context() for _ in range(min(self.workers, count))]
        threads = [threading.Thread(target=context.run, args=(work,)) for context in contexts]
        try:
            for thread in threads:
                thread.start()
            for _ in range(count):
                outcome = _next(done)
                if isinstance(outcome, BaseException):
                    raise outcome
                yield outcome
        finally:
            ended.set()
            for thread in threads:
                if thread.is_alive():  # Ctrl-C may come before all have started
                    thread.join()


def _next(queue: SimpleQueue[R], look: Callable[[], None] | None = None) -> R:
    """The next entry, in short waits, so that Ctrl-C is heeded on every system; between them, look for trouble."""
    while True:
        check_stopped()
        try:
            return queue.get(timeout=_PAUSE)
        except Empty:
            if look is not None:
                look()


@contextmanager
def _cluster(scheduler: str) -> Iterator[Executor]:
    try:
        dask = import_module("distributed")
    except ImportError:
        raise MissingExtraError("a Dask cluster", "cluster") from None
    try:
        client = dask.Client(scheduler, timeout=_ANSWER, set_as_default=False)
    except (OSError, ValueError) as error:
        message = "no Dask scheduler answers there; start one with: dask scheduler"
        raise ServiceError(f"{scheduler}: {message} ({error})") from error
    with client:
        cluster = _Dask(dask, client, scheduler)
        cluster.await_worker()
        yield cluster


class _Dask:
    """The workers of a Dask cluster; tasks of a worker that dies go to the others."""

    def __init__(self, dask: ModuleType, client: Any, scheduler: str) -> None:
        self.dask, self.client, self.scheduler = dask, client, scheduler

    def map(self, function: Callable[[S, T], R], shared: S, items: Iterable[T]) -> Iterator[tuple[int, R]]:
        done: SimpleQueue[Any] = SimpleQueue()
        whole = import_module("cloudpickle").dumps(shared)
        # Dask warns of large parcels, and what is scattered instead is lost with the workers that hold it.
        parcels = (whole[start : start + _PARCEL] for start in range(0, len(whole), _PARCEL))
        arrived = self.client.submit(
            _unpacked, *(self.client.submit(_itself, parcel, pure=False) for parcel in parcels), pure=False
        )
        futures = {
            self.client.submit(_run, __version__, function, arrived, item, pure=False): index
            for index, item in enumerate(items)
        }
        for future in futures:
            future.add_done_callback(done.put)
        try:
            for _ in futures:
                future = _next(done, self.await_worker)
                yield futures[future], future.result()
        except (self.dask.KilledWorker, CancelledError) as error:
            message = "the cluster gave up a task; see that the scheduler runs and that its workers have enough memory"
            raise ServiceError(f"{self.scheduler}: {message}") from error
        finally:
            self.client.cancel([future for future in futures if not future.done()])

    def await_worker(self) -> None:
        """See that there is a worker, now or in a moment."""
        try:
            self.client.wait_for_workers(1, timeout=_ANSWER)
        except OSError:  # a time that is up is one too
            message = f"the scheduler has no worker or is gone; start a worker with: dask worker {self.scheduler}"
            raise ServiceError(f"{self.scheduler}: {message}") from None


def _itself(parcel: bytes) -> bytes:
    return parcel


def _unpacked(*parcels: bytes) -> Any:
    """What tasks share, as a task's result, which workers pass on to each other and make anew if it is lost."""
    return pickle.loads(b"".join(parcels))


def _run(version: str, function: Callable[[S, T], R], shared: S, item: T) -> R:
    """Run a task on a worker, unless that might give other numbers than here."""
    if version != __version__:
        raise ServiceError(f"a worker has peerage {__version__}, this is {version}; install the same version there")
    return function(shared, item)
