"""The pages of small classes, made as a user would make them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import peerage as pg
from peerage.cli import main
from peerage.decisions.choices import DecisionChoices
from peerage.gradebook.input_files import InputFile
from peerage.report.pages import staff_html
from peerage.results.results import Results
from peerage.workflow.save_results import write_results


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


class Outline(HTMLParser):
    """The tags of a page with their attributes, and the text of its scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.code: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.lasttag in ("script", "style") and data.strip():
            self.code.setdefault(self.tags[-1][1].get("id") or self.lasttag, data)

    def attributes(self, *names: str) -> list[str]:
        return [value or "" for _, entries in self.tags for name, value in entries.items() if name in names]


def write(posterior: pg.Posterior, folder: Path, **choices: Any) -> Path:
    """The folder of a fit's results."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    source = folder.parent / "grades.csv"
    source.write_bytes(b"the grades")
    write_results(Results.of(posterior, [InputFile.of(source)], DecisionChoices(**choices)), folder)
    return folder


def staff_page_of(folder: Path) -> str:
    """The page for the staff about the results in a folder."""
    return staff_html(Results.read(folder))


def data_of(page: str) -> Any:
    return json.loads(Outline(page).code["data"])
