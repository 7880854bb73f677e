"""Where many tasks run: in threads here, or on a Dask cluster.

::

    with open_executor(workers=2) as executor:
        for index, result in executor.map(score, book, models):
            ...

``score(book, model)`` is a function of a module. What the tasks share, the book here, reaches each worker once; results
come as they are completed, each with its item's index. An exception in a task ends the map and is raised as itself. A
map that ends early, by an exception, Ctrl-C or because nobody asks for more, stops the tasks that are running.

Threads suffice here: kernels release the interpreter's lock, and what a fit does outside of them is a few per cent of
its time. A process would first spend some seconds on imports.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from queue import Empty, SimpleQueue
from types import ModuleType
from typing import Any, Protocol, TypeVar

from peerage import __version__
from peerage.errors import InputError, MissingExtraError, ServiceError

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

_PAUSE = 0.1
"""Seconds between looks at what else may have happened."""

_ANSWER = 10
"""Seconds in which a scheduler and its first worker have to answer."""


class Executor(Protocol):
    """Runs a function on many items."""

    def map(self, function: Callable[[S, T], R], shared: S, items: Iterable[T]) -> Iterator[tuple[int, R]]:
        """``function(shared, item)`` for each item: (index of the item, result), as they are completed."""
        ...


def open_executor(workers: int | None = None, scheduler: str | None = None) -> AbstractContextManager[Executor]:
    """Run tasks in ``workers`` threads, one a processor unless told, or on the Dask cluster of a scheduler.

    >>> with open_executor(workers=2) as executor:
    ...     sorted(executor.map(pow, 2, [3, 4]))
    [(0, 8), (1, 16)]
    """
    if scheduler is not None:
        if workers is not None:
            raise InputError("a cluster has workers of its own; give a number of workers or a scheduler, not both")
        return _cluster(scheduler)
    return _threads(workers or os.cpu_count() or 1)


@contextmanager
def _threads(workers: int) -> Iterator[Executor]:
    yield _Threads(workers)


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

        def work() -> None:
            try:
                while True:
                    index, item = todo.get_nowait()
                    done.put((index, function(shared, item)))
            except Empty:
                return
            except BaseException as error:
                done.put(error)

        threads = [threading.Thread(target=work) for _ in range(min(self.workers, count))]
        for thread in threads:
            thread.start()
        try:
            for _ in range(count):
                outcome = _next(done)
                if isinstance(outcome, BaseException):
                    raise outcome
                yield outcome
        except BaseException:
            for thread in threads:
                _interrupt(thread)
            raise
        finally:
            for thread in threads:
                thread.join()


def _next(queue: SimpleQueue[R]) -> R:
    """The next entry, in short waits, so that Ctrl-C is heeded on every system."""
    while True:
        try:
            return queue.get(timeout=_PAUSE)
        except Empty:
            continue


class _Stopped(BaseException):
    """Raised in a thread whose result nobody waits for any more."""


def _interrupt(thread: threading.Thread) -> None:
    """Raise :class:`_Stopped` in a thread, as soon as it is back in Python code; the sampler looks up every 0.1 s."""
    if thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Stopped))


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
        try:
            client.wait_for_workers(1, timeout=_ANSWER)
        except TimeoutError:
            message = f"the scheduler has no worker; start one with: dask worker {scheduler}"
            raise ServiceError(f"{scheduler}: {message}") from None
        yield _Dask(dask, client)


class _Dask:
    """The workers of a Dask cluster; tasks of a worker that dies go to the others."""

    def __init__(self, dask: ModuleType, client: Any) -> None:
        self.dask, self.client = dask, client

    def map(self, function: Callable[[S, T], R], shared: S, items: Iterable[T]) -> Iterator[tuple[int, R]]:
        (everywhere,) = self.client.scatter([shared], broadcast=True)
        futures = {
            self.client.submit(_run, __version__, function, everywhere, item, pure=False): index
            for index, item in enumerate(items)
        }
        try:
            for future in self.dask.as_completed(list(futures), loop=self.client.loop):
                yield futures[future], future.result()
        except (self.dask.KilledWorker, CancelledError) as error:
            message = "the cluster lost the workers that this ran on; see that they have enough memory, and start again"
            raise ServiceError(message) from error
        finally:
            self.client.cancel([future for future in futures if not future.done()])


def _run(version: str, function: Callable[[S, T], R], shared: S, item: T) -> R:
    """Run a task on a worker, unless that might give other numbers than here."""
    if version != __version__:
        raise ServiceError(f"a worker has peerage {__version__}, this is {version}; install the same version there")
    return function(shared, item)
