"""What a server needs: progress as values, fits that stop when asked, and a process that stays as it was."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.decisions.choices import DecisionChoices
from peerage.inference import posterior as posterior_module
from peerage.inference.checking import leave_one_out, predictive_density
from peerage.inference.numerics import rhat_and_ess
from peerage.inference.sampling import chains
from peerage.methods.models.crowd_labels import DawidSkene
from peerage.results.results import Results
from peerage.support.tasks import executor
from peerage.tables import xlsx
from peerage.tables.limits import Allowance
from peerage.tables.sheet import Sheet
from peerage.workflow.fit_class import fit_class
from peerage.workflow.fit_plan import FitPlan, SamplingPlan

FOREVER = 1_000_000
"""Draws of a fit that would take minutes."""


@pytest.fixture(scope="module")
def book() -> pg.Gradebook:
    book, _ = pg.simulate(students=10, weeks=2, components=2, seed=1)
    pg.fit(book, chains=2, draws=5, burn_in=5, seed=0)  # compiles
    return book


def test_of_two_fits_in_one_process_one_is_stopped_and_the_other_ends_well(book: pg.Gradebook) -> None:
    halfway, stop = threading.Event(), threading.Event()

    def watch(progress: pg.Progress) -> None:
        if progress.done:
            halfway.set()

    def endless() -> pg.Posterior:
        return pg.fit(book, draws=FOREVER, chains=2, seed=3, workers=1, memory=0.01, progress=watch, stop=stop)

    def short() -> pg.Posterior:
        assert halfway.wait(60)
        return pg.fit(book, draws=100, chains=2, seed=4, workers=1, stop=threading.Event())

    with ThreadPoolExecutor(2) as pool:
        stopped, whole = pool.submit(endless), pool.submit(short)
        posterior = whole.result(120)
        assert not stopped.done()
        stop.set()
        with pytest.raises(pg.Stopped):
            stopped.result(60)
    alone = pg.fit(book, draws=100, chains=2, seed=4)
    pd.testing.assert_frame_equal(posterior.submissions(), alone.submissions(), check_exact=True)


def test_progress_is_told_in_the_callers_thread_until_all_is_done(book: pg.Gradebook) -> None:
    told: list[tuple[pg.Progress, int]] = []
    pg.fit(
        book, chains=2, draws=200, burn_in=50, seed=0, progress=lambda now: told.append((now, threading.get_ident()))
    )
    assert {thread for _, thread in told} == {threading.get_ident()}
    assert {now.phase for now, _ in told} == {"sampling"}
    done = [now.done for now, _ in told]
    assert done == sorted(done)
    assert told[0][0].done == 0
    assert told[-1][0] == pg.Progress("sampling", 500, 500)


def test_many_fits_are_counted_and_an_update_tells_its_sweeps(book: pg.Gradebook) -> None:
    fits: list[pg.Progress] = []
    first, _ = pg.fit_many([book, book], chains=1, draws=10, burn_in=5, seed=0, progress=fits.append)
    assert fits == [pg.Progress("fitting", done, 2) for done in range(3)]
    sweeps: list[pg.Progress] = []
    first.update(book, draws=20, burn_in=10, progress=sweeps.append)
    assert sweeps[-1] == pg.Progress("sampling", 30, 30)


@pytest.mark.parametrize(
    "work",
    [
        lambda book, stop: pg.fit(book, "auto", draws=20, stop=stop),
        lambda book, stop: pg.fit_many([book], draws=20, stop=stop),
        lambda book, stop: pg.evaluate(book, folds=2, sampling=pg.Sampling(draws=20), running=pg.Running(stop=stop)),
        lambda book, stop: pg.search(book, sampling=pg.Sampling(draws=20), running=pg.Running(stop=stop)),
        lambda book, stop: pg.fit(book, chains=1, draws=5, burn_in=5).update(book, stop=stop),
        lambda book, stop: pg.fit(book, chains=1, draws=5, burn_in=5).extend(10, stop=stop),
    ],
    ids=["auto", "fit_many", "evaluate", "search", "update", "extend"],
)
def test_whatever_samples_can_be_stopped(book: pg.Gradebook, work: Any) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(pg.Stopped):
        work(book, stop)


def test_a_listener_that_fails_ends_the_fit(book: pg.Gradebook) -> None:
    def fail(progress: pg.Progress) -> None:
        if progress.done:
            raise OSError("the browser is gone")

    with pytest.raises(OSError, match="the browser is gone"):
        pg.fit(book, draws=FOREVER, chains=2, seed=3, memory=0.01, progress=fail)


def test_the_process_is_left_as_it_was(book: pg.Gradebook, capfd: pytest.CaptureFixture[str]) -> None:
    def state() -> dict[str, object]:
        return {
            "switch interval": sys.getswitchinterval(),
            "signals": [signal.getsignal(number) for number in sorted(signal.valid_signals())],
            "files": open_files(),
            "environment": dict(os.environ),
            "warnings": list(warnings.filters),
            "floating point": np.geterr(),
            "threads": threading.active_count(),
            "folder": Path.cwd(),
        }

    seen: list[dict[str, object]] = []
    before = state()
    posterior = pg.fit(book, chains=2, draws=50, burn_in=20, seed=0, progress=lambda _: seen.append(state()))
    pg.explain(posterior)
    pg.evaluate(book, models=[pg.Model()], folds=2, sampling=pg.Sampling(chains=1, draws=20, burn_in=20))
    after = state()
    assert after == before
    for during in seen:
        del during["threads"], during["files"]
        assert during == {name: value for name, value in before.items() if name in during}
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("workers", [1, 2])
def test_as_many_workers_as_a_fit_was_given_work_on_what_is_made_of_it(
    book: pg.Gradebook, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    used: list[int] = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, max_workers: int) -> None:
            used.append(max_workers)
            super().__init__(max_workers)

    class Threads(executor._Threads):
        def __init__(self, workers: int) -> None:
            used.append(workers)
            super().__init__(workers)

    for module in (leave_one_out, predictive_density, rhat_and_ess, chains):
        monkeypatch.setattr(module, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(executor, "_Threads", Threads)
    first = pg.fit(book, chains=2, draws=20, burn_in=5, seed=0, workers=workers)
    for posterior in (first, first.extend(10), first.update(book, draws=10)):
        Results.of(posterior)
        posterior.log_likelihood()
        assert posterior.workers == workers
    assert max(used) == workers
    assert pg.fit_many([book], chains=1, draws=5, burn_in=5, seed=0, workers=2)[0].workers == 2


@pytest.mark.parametrize("step", ["explain", "credit", "check", "propose", "leave_one_out"])
def test_a_server_can_stop_what_follows_the_draws(
    book: pg.Gradebook, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked to stop while a step is made, the work ends before the next; explanations and spot checks are one step."""
    stop, made = threading.Event(), list[str]()

    def noted(owner: Any, name: str) -> None:
        whole = getattr(owner, name)

        def note(*args: Any, **settings: Any) -> Any:
            made.append(name)
            if name == step:
                stop.set()
            return whole(*args, **settings)

        monkeypatch.setattr(owner, name, note)

    for name in ("explain", "credit", "propose"):
        noted(DecisionChoices, name)
    noted(pg.Posterior, "check")
    noted(posterior_module, "leave_one_out")
    plan = FitPlan(sampling=SamplingPlan(chains=2, draws=20, burn_in=5, seed=0, stop=stop))
    with pytest.raises(pg.Stopped):
        fit_class(book, plan)
    assert made[-1] == step or {made[-1], step} == {"explain", "propose"}


def test_two_threads_that_ignore_another_packages_warnings_leave_the_filters_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A method of Crowd-Kit begins, a workbook is opened, the method ends, and only then is the workbook read."""
    labelling, opened, labelled = threading.Event(), threading.Event(), threading.Event()
    label, open_book = DawidSkene.skills, xlsx._first_sheet
    workbook = tmp_path / "grades.xlsx"
    pd.DataFrame({"submission": ["s"], "grader": ["g"], "Style": [3]}).to_excel(workbook, index=False)

    def slow_label(*args: Any) -> Any:
        labelling.set()
        assert opened.wait(60)
        return label(*args)

    def slow_open(*args: Any) -> Any:
        opened.set()
        assert labelled.wait(60)
        warnings.warn_explicit("no style", UserWarning, "stylesheet.py", 1, "openpyxl.styles.stylesheet", registry={})
        return open_book(*args)

    def read() -> Sheet:
        assert labelling.wait(60)
        return xlsx.read(str(workbook), workbook.read_bytes(), Allowance())

    monkeypatch.setattr(DawidSkene, "skills", slow_label)
    monkeypatch.setattr(xlsx, "_first_sheet", slow_open)
    book, _ = pg.simulate(students=10, weeks=1, components=1, seed=1)
    before, heard = list(warnings.filters), "warned of what nobody ignores"
    with ThreadPoolExecutor(2) as pool:
        reading, labels = pool.submit(read), pool.submit(pg.aggregate, book, "dawid-skene", seed=0)
        assert opened.wait(60)
        with pytest.raises(UserWarning, match=heard):
            warnings.warn(heard, UserWarning, stacklevel=1)
        assert labels.result(60).converged
        labelled.set()
        assert len(reading.result(60)) == 1
    assert warnings.filters == before


def open_files() -> dict[str, str]:
    """What the process has open by descriptor, where the system tells."""
    listing = Path("/proc/self/fd")
    # The descriptor of the listing itself is closed by the time it is looked at.
    entries = listing.iterdir() if listing.exists() else ()
    return {entry.name: str(entry.readlink()) for entry in entries if entry.exists()}
