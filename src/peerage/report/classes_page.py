"""What the page about several classes shows: a few figures of each, and the way to its own page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from peerage.report.first_screen import Attention, Figure, first_screen
from peerage.report.report_source import ReportSource
from peerage.results.results import Results
from peerage.results.schema import REPORT
from peerage.results.several_classes_results import SeveralResults
from peerage.support.words.wording import counted


@dataclass(frozen=True)
class ClassSummary:
    """A class: the address of its page beside this one, how much there was to fit, and the first screen of its page.

    ``figures`` are found by their titles.
    """

    name: str
    address: str
    counts: str
    figures: Mapping[str, Figure]
    attention: tuple[Attention, ...]


@dataclass(frozen=True)
class ClassesPage:
    """The whole page.

    Attributes
    ----------
    title: the names of the files of grades
    by: the column that tells the classes apart
    counts: how much there was to fit in all classes, in words
    titles: those of the figures that any class has
    classes: the classes, in the order of the files
    notices: what was surprising about the files as a whole
    """

    title: str
    by: str
    counts: str
    titles: tuple[str, ...]
    classes: tuple[ClassSummary, ...]
    notices: tuple[Mapping[str, str], ...]


def classes_page(several: SeveralResults) -> ClassesPage:
    """The page about the results of several classes."""
    record, counts = several.record, several.record["counts"]
    summaries = tuple(_summary(name, results, several.folders[name]) for name, results in several.classes.items())
    return ClassesPage(
        title=", ".join(entry["name"] for entry in record["input"]),
        by=several.by,
        counts=f"{counted(counts['reviews'], 'review')} of {counted(counts['submissions'], 'submission')}",
        titles=tuple(dict.fromkeys(title for summary in summaries for title in summary.figures)),
        classes=summaries,
        notices=tuple(record["notices"]),
    )


def _summary(name: str, results: Results, folder: str) -> ClassSummary:
    screen = first_screen(ReportSource(results))
    figures = {figure.title: figure for figure in screen.figures}
    return ClassSummary(name, f"{quote(folder)}/{REPORT}", screen.counts, figures, screen.attention)
