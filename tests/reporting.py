"""The pages of small classes, made as a user would make them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import peerage as pg
from peerage.cli import main


@dataclass(frozen=True)
class Pages:
    """A folder of results, and the pages made from it."""

    posterior: pg.Posterior
    folder: Path

    @property
    def staff(self) -> Path:
        """The page for the staff, which every fit writes."""
        return self.folder / "report.html"

    @property
    def student(self) -> Path:
        """The page for the first author, written when it is first asked for."""
        path = self.folder.with_name("student.html")
        if not path.exists():
            author = next(name for names in self.posterior.book.authors for name in names)
            assert main(["report", str(self.folder), "--for-student", author, "--out", str(path)]) == 0
        return path


def pages_of(book: pg.Gradebook, folder: Path, *options: str, source: str = "grades.csv") -> Pages:
    """Fit a class from its file, shortly; its pages are in or beside the folder of results."""
    results = folder / "results"
    book.write(folder / source, rubric=True)
    fast = ["--chains", "2", "--draws", "40", "--burn-in", "10", "--quiet"]
    assert main(["fit", str(folder / source), "-o", str(results), *fast, *options]) == 0
    return Pages(pg.load(results / "posterior.npz"), results)
