"""A Dask scheduler and its workers, as processes on this machine that do not outlive a test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 60.0


class Counted:
    """Counts how often it has arrived in a process."""

    arrivals = 0

    def __setstate__(self, state: dict[str, bytes]) -> None:
        Counted.arrivals += 1
        self.__dict__.update(state)

    def __init__(self, size: int) -> None:
        self.content = bytes(size)


def arrivals(_: Counted, pause: float) -> tuple[int, int]:
    """A task: the process that does it, and how often what all tasks share has arrived there."""
    time.sleep(pause)
    return os.getpid(), Counted.arrivals


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
    def workers(self) -> list[subprocess.Popen[bytes]]:
        """The workers that were started."""
        return self.processes[1:]

    @property
    def _file(self) -> str:
        return str(self.folder / "scheduler.json")

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        # Workers find the functions of this module too.
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        with (self.folder / "log.txt").open("ab") as log:
            command = [sys.executable, "-m", "dask", *arguments]
            process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
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
