"""Time and memory of ``peerage fit``, from reading to files written, from 20 thousand to a million grades.

Chains are short: what grows with the class grows in every sweep alike. At the top they are long enough for draws to
exceed the default budget of memory, so that only some are kept, and a fit with more draws takes no more memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

STUDENTS = (125, 625, 1875, 6250)
"""Each writes 10 submissions and reviews 40, each on four components."""

BURN_IN, DRAWS = 20, 100

_CHILD = """
import resource, sys
from peerage.cli import main
status = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
sys.exit(status)
"""


def peerage(*arguments: str | int | Path) -> tuple[float, int]:
    """Run a command in a process of its own: its seconds and the most memory that it took, in bytes."""
    begun = time.perf_counter()
    child = subprocess.run(
        [sys.executable, "-c", _CHILD, *map(str, arguments)], check=True, stdout=subprocess.PIPE, text=True
    )
    return time.perf_counter() - begun, int(child.stdout.splitlines()[-1])


def fitted(folder: Path, students: int) -> dict[str, Any]:
    """Simulate a class and fit it."""
    source, out = folder / f"class{students}", folder / f"fit{students}"
    peerage("simulate", "-o", source, "--students", students, "--weeks", 10, "--tas", 0)
    settings = ("--burn-in", BURN_IN, "--draws", DRAWS, "-q")
    seconds, peak = peerage("fit", source / "peer_grades.csv", "-o", out, *settings)
    record = json.loads((out / "run.json").read_text("utf-8"))
    grades = record["counts"]["grades"]
    return {
        "grades": grades,
        "seconds": seconds,
        "sampling": record["timings"]["sampling"],
        "microseconds_a_grade": 1e6 * seconds / grades,
        "gigabytes": peak / 1e9,
        "kept_draws": record["kept_draws"],
        "results_megabytes": sum(path.stat().st_size for path in out.iterdir()) / 1e6,
    }


def measure() -> dict[str, Any]:
    """A row for each size, and how much more a grade takes at the top than at the bottom."""
    with tempfile.TemporaryDirectory() as folder:
        fitted(Path(folder), 12)  # compiles
        rows = [fitted(Path(folder), students) for students in STUDENTS]
    growth = rows[-1]["microseconds_a_grade"] / rows[0]["microseconds_a_grade"]
    return {"burn_in": BURN_IN, "draws": DRAWS, "rows": rows, "growth": growth}


if __name__ == "__main__":
    found = measure()
    print(f"peerage fit with 4 chains of {BURN_IN} + {DRAWS} sweeps, from reading to files written\n")
    print(f"{'grades':>9} {'seconds':>8} {'sampling':>9} {'µs a grade':>11} {'GB':>5} {'kept':>5} {'MB written':>11}")
    for row in found["rows"]:
        print(
            f"{row['grades']:9,} {row['seconds']:8.1f} {row['sampling']:9.1f} {row['microseconds_a_grade']:11.0f} "
            f"{row['gigabytes']:5.2f} {row['kept_draws']:5} {row['results_megabytes']:11.1f}"
        )
    print(f"\nA grade takes {found['growth']:.2f} times as long at the top as at the bottom.")
