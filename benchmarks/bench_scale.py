"""Time and memory of ``peerage fit``, from its start to files written, from 20 thousand to a million grades.

Chains are short: what grows with the class grows in every sweep alike. At the top they are long enough for draws to
exceed the default budget of memory, so that only some are kept, and a fit with more draws takes no more memory.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from figures import peerage, report

STUDENTS = (125, 625, 6250)
"""Each writes 10 submissions and reviews 40, each on four components."""

BURN_IN, DRAWS = 20, 100


def fitted(folder: Path, students: int) -> dict[str, Any]:
    """Simulate a class and fit it."""
    source, out = folder / f"class{students}", folder / f"fit{students}"
    peerage("simulate", "-o", source, "--students", students, "--weeks", 10, "--tas", 0)
    taken = peerage("fit", source / "peer_grades.csv", "-o", out, "--burn-in", BURN_IN, "--draws", DRAWS, "-q")
    record = json.loads((out / "run.json").read_text("utf-8"))
    grades = record["counts"]["grades"]
    return {
        "grades": grades,
        "seconds": taken.seconds,
        "core_seconds": taken.core_seconds,
        "core_microseconds_a_grade": 1e6 * taken.core_seconds / grades,
        "gigabytes": taken.peak_bytes / 1e9,
        "kept_draws": record["kept_draws"],
        "results_megabytes": sum(path.stat().st_size for path in out.iterdir()) / 1e6,
    }


def shown(row: dict[str, Any]) -> None:
    """Print a row of the table."""
    print(
        f"{row['grades']:9,} {row['seconds']:8.1f} {row['core_seconds']:8.1f} {row['core_microseconds_a_grade']:16.0f} "
        f"{row['gigabytes']:5.2f} {row['kept_draws']:5} {row['results_megabytes']:11.1f}",
        flush=True,
    )


def measure() -> dict[str, Any]:
    """A row for each size, and how many times the core time of a grade at the bottom one at the top takes."""
    print(f"peerage fit with 4 chains of {BURN_IN} + {DRAWS} sweeps, from its start to files written\n")
    print(
        f"{'grades':>9} {'seconds':>8} {'core s':>8} {'core µs a grade':>16} {'GB':>5} {'kept':>5} {'MB written':>11}"
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        fitted(Path(folder), 12)  # compiles
        for students in STUDENTS:
            rows.append(fitted(Path(folder), students))
            shown(rows[-1])
    growth = rows[-1]["core_microseconds_a_grade"] / rows[0]["core_microseconds_a_grade"]
    print(f"\nA grade takes {growth:.2f} times as much core time at the top as at the bottom.")
    return {"burn_in": BURN_IN, "draws": DRAWS, "rows": rows, "growth": growth}


if __name__ == "__main__":
    report(measure)
