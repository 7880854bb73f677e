"""A Dask cluster of real processes: the same table as here, also when a worker dies, and sentences where it fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import pandas as pd
import pytest

import peerage as pg
from peerage.evaluation.prior_search.search_folder import FINDINGS
from peerage.inference.fitting import fit
from peerage.support.tasks import executor
from peerage.support.tasks.executor import open_executor
from peerage_studies.running import run_study
from support.programs.clusters import Cluster, Counted, arrivals, cluster

pytestmark = pytest.mark.slow

GRID = {"mu_s": [3, 4], "sigma_b": [0.1, 0.5, 1]}


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


def found_by(book: pg.Gradebook, out: Path, address: str | None = None) -> pd.DataFrame:
    """The table of a search, without what it cost."""
    plan, sampling = pg.SearchPlan(keep=3, folds=3), pg.Sampling(chains=2, draws=100, burn_in=50, seed=1)
    found = pg.search(book, grid=GRID, plan=plan, out=out, sampling=sampling, running=pg.Running(scheduler=address))
    return found.table.drop(columns="seconds")


def kill_in_the_middle(worker: Popen[bytes], out: Path, when: int, seen: list[int]) -> None:
    """Kill a worker as soon as so many tasks are done."""
    while (done := (out / FINDINGS).read_bytes().count(b"\n") if (out / FINDINGS).exists() else 0) < when:
        time.sleep(0.01)
    worker.kill()
    seen.append(done)


def test_sentences_and_the_same_table_though_a_worker_dies(
    scheduler: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as impatient:
        impatient.setattr(executor, "_ANSWER", 0.5)
        with pytest.raises(pg.ServiceError, match="has no worker or is gone; start a worker with: dask worker tcp://"):
            open_executor(scheduler=scheduler.address).__enter__()
        with pytest.raises(pg.ServiceError, match="no Dask scheduler answers there"):
            open_executor(scheduler="tcp://127.0.0.1:9").__enter__()

    doomed, _ = scheduler.start_worker(), scheduler.start_worker()
    book, _ = pg.simulate(students=12, weeks=2, components=2, seed=2)
    with open_executor(scheduler=scheduler.address) as dask:
        dask.client.wait_for_workers(2, timeout=60)  # type: ignore[attr-defined]
        with pytest.raises(pg.ModelError, match="there is no model 'nonsense'"):
            list(dask.map(fit, book, ["nonsense"]))
        seen_by = [result for _, result in dask.map(arrivals, Counted(100_000), [0.02] * 20)]
        assert len({process for process, _ in seen_by}) == 2
        assert {count for _, count in seen_by} == {1}, "what tasks share is sent once to a worker"
    posterior = pg.fit(book, chains=1, draws=50, seed=0)
    explained = [pg.explain(posterior, scheduler=address) for address in (None, scheduler.address)]
    pd.testing.assert_frame_equal(explained[0].weights, explained[1].weights, check_exact=True)
    studied = [
        run_study("baselines", classes=("b",), replicates=1, quick=True, scheduler=address)
        for address in (None, scheduler.address)
    ]
    pd.testing.assert_frame_equal(studied[0], studied[1], check_exact=True)
    seen: list[int] = []
    there, here = tmp_path / "there", tmp_path / "here"
    killer = threading.Thread(target=kill_in_the_middle, args=(doomed, there, 4, seen))
    killer.start()
    table = found_by(book, there, scheduler.address)
    killer.join()
    assert seen[0] < len((there / FINDINGS).read_bytes().splitlines()), "the worker died before the end"
    assert doomed.wait() == -9
    pd.testing.assert_frame_equal(table, found_by(book, here), check_exact=True)

    (survivor,) = (process for process in scheduler.workers if process.poll() is None)
    lost = tmp_path / "lost"
    killer = threading.Thread(target=kill_in_the_middle, args=(survivor, lost, 4, seen))
    killer.start()
    with monkeypatch.context() as impatient:
        impatient.setattr(executor, "_ANSWER", 2)
        with pytest.raises(pg.ServiceError, match="the scheduler has no worker"):
            found_by(book, lost, scheduler.address)
    killer.join()
    pd.testing.assert_frame_equal(table, found_by(book, lost), check_exact=True)
