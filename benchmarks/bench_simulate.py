"""How long it takes to simulate classes."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from figures import report
from peerage.simulation.simulated_class import simulate


def measure() -> dict[str, Any]:
    """Seconds for a class as in the paper and for one of 100,000 students."""
    rows = []
    for students, weeks in ((120, 10), (100_000, 1)):
        start = perf_counter()
        book, _ = simulate(students, weeks)
        rows.append({"students": students, "grades": book.n_grades, "seconds": perf_counter() - start})
        print(f"{students:,} students, {weeks} weeks, {book.n_grades:,} grades: {rows[-1]['seconds']:.2f} s")
    return {"rows": rows}


if __name__ == "__main__":
    report(measure)
