"""How often a grade falls because a report of it was raised, and by how much.

With graders' values and efforts held, expected grades cannot fall (``tests/decisions/test_axioms.py``). Averages can:
one set of weights serves all components of a submission. After a refit what is believed of graders changes too.

``python benchmarks/study_raised.py [CSV] [CLASSES] [REPORTS]`` raises some reports (10 unless told otherwise), one at a
time, by a level, in each of some classes near the top of their scale (``staffed``; 2 unless told otherwise). It prints
how often the grade of that component falls, and by how much on the scale of 0 to 5. A run that was interrupted goes on
where it stopped.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import peerage as pg
from kept_rows import measure_missing
from known_truth import Floats, averages, expected
from peerage.gradebook.book import STUDENT
from staffed import Class, Kind, draw_class
from tables import table

KIND = Kind(mean_bias=-0.5, staff=1, share=0.2)
FORMS = {"expected": expected, "final": averages}


def held(drawn: Class, book: pg.Gradebook) -> pg.Posterior:
    """The posterior of true grades alone, all else being known, which has no noise."""
    names = dict(zip(book.graders, drawn.bias.tolist(), strict=True))
    fixed = pg.Fixed(
        bias=names,
        reliability=dict.fromkeys(book.graders, 1.5),
        effort={name: 1.0 for name, role in zip(book.graders, book.roles, strict=True) if role == STUDENT},
    )
    return pg.fit(book, pg.Model(priors="paper", fixed=fixed), chains=1, draws=2, burn_in=0, seed=0)


def refitted(_drawn: Class, book: pg.Gradebook) -> pg.Posterior:
    """A default fit."""
    return pg.fit(book, seed=0)


FITS = {"graders held": held, "after a refit": refitted}


def measure(fit: str, seed: int, reports: int) -> list[dict[str, float]]:
    """A row for each raised report: by how much the grade of its component rises, in each form."""
    drawn, rng = draw_class(KIND, seed), np.random.default_rng([seed, 1])
    book, tops = drawn.book, np.array([part.n_levels - 1 for part in drawn.book.rubric.components])
    can = np.argwhere(book.levels < tops)
    before = _grades(FITS[fit](drawn, book))
    rows = []
    for review, part in rng.permutation(can)[:reports]:
        levels = book.levels.copy()
        levels[review, part] += 1
        after = _grades(FITS[fit](drawn, replace(book, levels=levels)))
        cell = (book.review_submission[review], part)
        rows.append({name: float(after[name][cell] - before[name][cell]) for name in FORMS})
    return rows


def _grades(posterior: pg.Posterior) -> dict[str, Floats]:
    return {name: form(posterior) for name, form in FORMS.items()}


def markdown(rows: pd.DataFrame) -> str:
    """How often and how far grades fall."""
    cells = []
    for fit, part in rows.groupby("fit", sort=False):
        for name in FORMS:
            falls = -part[name][part[name] < -1e-6]
            far = f"{falls.mean():.3f}, at most {falls.max():.3f}" if len(falls) else "–"
            cells.append((str(fit), name, f"{len(falls)} of {len(part)}", far, f"{part[name].mean():+.3f}"))
    return table(("", "grades", "fell", "by", "mean change"), cells)


def main(path: str = "study_raised.csv", classes: str = "2", reports: str = "10") -> None:
    """Measure what is missing and print the table."""
    cases = ({"fit": fit, "seed": seed} for fit in FITS for seed in range(int(classes)))
    rows = measure_missing(Path(path), cases, lambda case: measure(case["fit"], case["seed"], int(reports)))
    print(markdown(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
