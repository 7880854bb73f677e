"""How long it takes to simulate classes."""

from __future__ import annotations

from time import perf_counter

from peerage.simulation.classes import simulate


def main() -> None:
    """Print seconds for a class as in the paper and for one of 100,000 students."""
    for students, weeks in ((120, 10), (100_000, 1)):
        start = perf_counter()
        book, _ = simulate(students, weeks)
        print(f"{students:,} students, {weeks} weeks, {book.n_grades:,} grades: {perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
