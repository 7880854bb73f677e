"""Many tasks at once, in threads: every result once, errors as themselves, and nothing left running."""

from __future__ import annotations

import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator

import pytest

import peerage as pg
from peerage.support.tasks.executor import open_executor
from peerage.support.tasks.stop_requests import check_stopped, stoppable
from support.programs.children import running

LONG = 300.0
"""Seconds that a task would take if nobody stopped it."""


def wait_for(barrier: threading.Barrier, item: int) -> int:
    barrier.wait(timeout=LONG)
    return item


def find_nothing(_: None, item: int) -> int:
    raise queue.Empty(item)


def fail_or_wait(ended: list[int], item: int) -> None:
    if item == 0:
        raise pg.ModelError("this task fails")
    try:
        for _ in range(int(LONG / 0.01)):
            check_stopped()
            time.sleep(0.01)
    finally:
        ended.append(item)


def count_at_work(at_work: list[int], _: int) -> int:
    at_work.append(1)
    time.sleep(0.01)
    seen = len(at_work)
    at_work.pop()
    return seen


def test_each_item_has_one_result() -> None:
    with open_executor(workers=3) as executor:
        assert sorted(executor.map(pow, 2, range(50))) == [(index, 2**index) for index in range(50)]
        assert list(executor.map(pow, 2, [])) == []


def test_as_many_tasks_run_at_once_as_there_are_workers() -> None:
    with open_executor(workers=2) as executor:
        assert sorted(executor.map(wait_for, threading.Barrier(2), range(4))) == [(n, n) for n in range(4)]
    with open_executor(workers=1) as executor:
        assert {seen for _, seen in executor.map(count_at_work, [], range(5))} == {1}


def test_an_error_is_raised_as_itself_and_stops_the_other_tasks() -> None:
    ended: list[int] = []
    before, begun = threading.active_count(), time.monotonic()
    with open_executor(workers=3) as executor, pytest.raises(pg.ModelError, match="this task fails"):
        list(executor.map(fail_or_wait, ended, range(9)))
    assert time.monotonic() - begun < LONG / 3
    assert set(ended) <= {1, 2}, "tasks that had not begun never do"
    assert threading.active_count() == before


def test_no_error_of_a_task_is_taken_for_the_end() -> None:
    with open_executor(workers=1) as executor, pytest.raises(queue.Empty):
        list(executor.map(find_nothing, None, [3]))


def test_tasks_stop_when_nobody_asks_for_more() -> None:
    ended: list[int] = []
    begun = time.monotonic()
    with open_executor(workers=2) as executor:
        results: Iterator[tuple[int, None]] = executor.map(slow_after_the_first, ended, range(9))
        assert next(results) == (0, None)
        results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - begun < LONG / 3


def test_an_event_of_the_caller_stops_all_tasks() -> None:
    ended: list[int] = []
    stop, begun = threading.Event(), time.monotonic()
    threading.Timer(0.3, stop.set).start()
    with open_executor(workers=2) as executor, stoppable(stop), pytest.raises(pg.Stopped, match="stopped before"):
        list(executor.map(fail_or_wait, ended, range(1, 9)))
    assert set(ended) == {1, 2}
    assert time.monotonic() - begun < LONG / 3
    check_stopped()  # outside of the block, the event concerns nobody


def test_ctrl_c_while_tasks_are_being_started_stops_those_that_run(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    begun, start = time.monotonic(), threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with open_executor(workers=2) as executor, pytest.raises(KeyboardInterrupt):
        list(executor.map(fail_or_wait, ended, range(1, 9)))
    assert len(ended) <= 1
    assert time.monotonic() - begun < LONG / 3


def slow_after_the_first(ended: list[int], item: int) -> None:
    if item:
        fail_or_wait(ended, item)


FITS = """
import sys
import peerage as pg
from peerage.support.tasks.executor import open_executor

def long_fit(book, seed):
    sys.stdout.write("begun\\n")
    sys.stdout.flush()
    pg.fit(book, draws=1, burn_in=1_000_000_000, chains=1, seed=seed, workers=1)

book, _ = pg.simulate(students=6, weeks=1, components=1, seed=0)
pg.fit(book, draws=1, chains=1, seed=0)
with open_executor(workers=2) as executor:
    list(executor.map(long_fit, book, range(2)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process there")
def test_ctrl_c_stops_fits_that_are_under_way() -> None:
    with running(FITS) as child:
        assert child.stdout is not None
        assert [child.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=LONG / 3)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert "Stopped" not in errors


def test_without_dask_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(pg.MissingExtraError, match=r"pip install 'peerage\[cluster\]'"),
        open_executor(scheduler="tcp://127.0.0.1:1"),
    ):
        pass


def test_a_number_of_workers_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(pg.InputError, match="give a number of workers or a scheduler, not both"):
        open_executor(workers=2, scheduler="tcp://127.0.0.1:1")
    with pytest.raises(pg.InputError, match="there must be at least one worker, not 0"):
        open_executor(workers=0)
