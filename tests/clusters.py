"""A Dask scheduler and its workers, as processes on this machine that do not outlive a test."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 60.0


class Cluster:
    """A scheduler, and workers that are started when asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.processes = folder, list[subprocess.Popen[bytes]]()
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", self._file)
        self.address = self._address()

    def start_worker(self) -> subprocess.Popen[bytes]:
        """A worker with one thread, which nobody starts again if it dies."""
        local = str(self.folder / f"worker{len(self.processes)}")
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", local)
        return self._start("worker", self.address, "--host", "127.0.0.1", *options)

    def stop(self) -> None:
        """End all processes."""
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    @property
    def _file(self) -> str:
        return str(self.folder / "scheduler.json")

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.folder / "log.txt").open("ab") as log:
            process = subprocess.Popen([sys.executable, "-m", "dask", *arguments], stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def _address(self) -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                return str(json.loads(Path(self._file).read_text())["address"])
            except (OSError, ValueError):
                time.sleep(0.05)
        raise TimeoutError((self.folder / "log.txt").read_text())


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A scheduler without workers, until the block ends."""
    started = Cluster(folder)
    try:
        yield started
    finally:
        started.stop()
