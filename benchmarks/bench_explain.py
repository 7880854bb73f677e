"""What explained grades cost in accuracy, and how fast they are found."""

from __future__ import annotations

from time import perf_counter

import numpy as np

import peerage as pg

SEEDS = range(3)
HEADINGS = (
    "class", "reviews each", "differ", "error, explained", "error, most likely", "rounded, explained",
    "rounded, most likely", "submissions/s",
)  # fmt: skip


def measure(setting: str, reviews: int, weeks: int, seed: int) -> list[float]:
    """One class: the share of grades that differ, the errors of both kinds of grade, and submissions a second.

    An error is the mean distance from the true grade, cut at the rubric's ends; "rounded", from the rubric grade that
    is nearest to the true grade.
    """
    book, truth = pg.simulate(weeks=weeks, reviews_per_student=reviews, setting=setting, seed=seed)
    posterior = pg.fit(book, truth.model, chains=2, draws=500, seed=seed)
    begun = perf_counter()
    explanation = pg.explain(posterior)
    seconds = perf_counter() - begun
    grades, true = explanation.grades, truth.true_grades()
    cut, rounded = np.clip(true["true_grade"], 0, 5), true["rounded"]
    errors = [(grades[kind] - target).abs().mean() for target in (cut, rounded) for kind in ("grade", "most_likely")]
    return [explanation.n_different / len(grades), *errors, book.n_submissions / seconds]


def main() -> None:
    """Print a table of the paper's three classes, with its four reviews a submission and with seven."""
    small, _ = pg.simulate(students=10, weeks=1)
    pg.explain(pg.fit(small, chains=1, draws=10, seed=0))  # compiles
    print(" | ".join(HEADINGS))
    for reviews, weeks in ((4, 10), (7, 5)):
        for setting in "abc":
            means = np.mean([measure(setting, reviews, weeks, seed) for seed in SEEDS], axis=0)
            figures = [f"{means[0]:.1%}", *(f"{error:.3f}" for error in means[1:5]), f"{means[5]:.0f}"]
            print(" | ".join([f"({setting})", f"{reviews}", *figures]), flush=True)


if __name__ == "__main__":
    main()
