"""What the benchmarks share: figures as JSON, cores, and commands run in processes of their own with what they took."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"

_CHILD = f"""
import json, sys
sys.path.insert(0, {str(HERE)!r})
from figures import used
from peerage.cli import main
status = main(sys.argv[1:])
print(json.dumps(used()))
sys.exit(status)
"""


@dataclass(frozen=True)
class Cost:
    """What a program took: seconds from its start to its end, those of all cores, and its peak of memory."""

    seconds: float
    core_seconds: float
    peak_bytes: float


def report(measure: Callable[..., Mapping[str, Any]], *flags: str) -> None:
    """Run a benchmark as a script: it prints what it finds, and ``--json FILE`` writes its figures to a file.

    A flag is an option of that name, which ``measure`` is told by keyword.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file too")
    for flag in flags:
        parser.add_argument(f"--{flag}", action="store_true")
    asked = vars(parser.parse_args())
    file = asked.pop("json")
    found = measure(**asked)
    if file is not None:
        file.write_text(json.dumps(found), "utf-8")


def use_cores(count: int) -> None:
    """Keep this process and its children to so many cores, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


def peerage(*arguments: str | int | Path) -> Cost:
    """Run a command in a process of its own."""
    command = [sys.executable, "-c", _CHILD, *map(str, arguments)]
    # Where Python may not keep what it makes of sources, every start would take some seconds more.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    begun = time.perf_counter()
    child = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    seconds = time.perf_counter() - begun
    return Cost(seconds, **json.loads(child.stdout.splitlines()[-1]))


def used() -> dict[str, float]:
    """The core-seconds and the peak of memory of this process so far."""
    import resource

    taken = resource.getrusage(resource.RUSAGE_SELF)
    peak = taken.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    if sys.platform == "linux":
        # What getrusage says counts the parent's memory too, from before the child became a program of its own.
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
    return {"core_seconds": taken.ru_utime + taken.ru_stime, "peak_bytes": peak}
