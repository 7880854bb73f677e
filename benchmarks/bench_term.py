"""A rerun of a term to date that keeps the grades handed out, as a multiple of a fit that keeps nothing.

Prints the ratio of their processor times, measured in one run on the standard class with short chains: what is kept is
compared once, however long the chains are.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import peerage as pg
from figures import report
from peerage.gradebook.input_files import InputFile
from peerage.results import result_folder
from peerage.results.results import Results
from peerage.results.schema import PROPOSALS
from peerage.term.published import Published

WEEKS = 10


def measure() -> dict[str, Any]:
    """Fit a term whose last week is new, and keep the grades of the weeks before."""
    book, _ = pg.simulate(weeks=WEEKS, seed=0)
    with TemporaryDirectory() as home:
        grades, folder = Path(home) / "grades.csv", Path(home) / "results"
        table = book.table()
        pg.read_grades(table[table["assignment"] != f"week{WEEKS}"], book.rubric).write(grades)
        inputs = [InputFile.of(grades)]
        handed_out = Results.of(_fit(pg.read_grades(grades, book.rubric)), inputs)
        with result_folder.writing(folder) as fresh:
            handed_out.write(fresh)
        begun = time.process_time()
        posterior = _fit(book)
        Results.of(posterior, inputs)
        plain = time.process_time() - begun
        begun = time.process_time()
        published = Published(Results.read(folder))
        published.check(book)
        notices = list(published.notices(book))
        told = published.handed_out
        reading = time.process_time() - begun
        results = Results.of(posterior, inputs, handed_out=told)
        begun = time.process_time()
        proposed = len(published.proposed(results).tables[PROPOSALS])
        comparing = time.process_time() - begun
    ratio = (plain + reading + comparing) / plain
    print(f"{len(told.grades):,} grades kept, {proposed:,} changes proposed, {len(notices)} notices")
    print(f"a rerun that keeps them takes {ratio:.2f} times as long as a fit that does not")
    return {"kept": len(told.grades), "proposed": proposed, "ratio": ratio}


def _fit(book: pg.Gradebook) -> pg.Posterior:
    return pg.fit(book, chains=2, draws=100, burn_in=100, seed=0)


if __name__ == "__main__":
    report(measure)
