"""Results in folders, with the page for the staff: written whole or not at all, replaced, added to."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

from peerage.errors import ResultsError
from peerage.report.pages import classes_html, staff_html
from peerage.results import result_folder
from peerage.results.results import Results
from peerage.results.run_record import complete, read_record
from peerage.results.schema import (
    BIASES,
    CHANGES,
    CHECKS,
    COMMENTS,
    EXPLANATIONS,
    GRADERS,
    GRADES,
    NEEDED,
    POSTERIOR,
    PROPOSALS,
    RECORD,
    REPORT,
    SELF_REVIEWS,
    TOTALS,
    WEIGHTS,
    ResultTable,
)
from peerage.results.several_classes_results import SeveralResults
from peerage.results.table_values import written
from peerage.support.tasks.made_together import made_together
from peerage.tables.writing_tables import csv_text
from peerage.workflow.saved_elsewhere import saved_elsewhere

_ORDER: tuple[str | ResultTable, ...] = (
    REPORT,
    *(GRADES, TOTALS, GRADERS, CHECKS, WEIGHTS, EXPLANATIONS, COMMENTS, SELF_REVIEWS, BIASES),
    *(POSTERIOR, RECORD),
    *(PROPOSALS, CHANGES),
)
"""The files, in the order in which a reader may want them; those about grades handed out before come last."""

CLASSES_FILES = (REPORT, *(table.file for table in NEEDED), RECORD)
"""What lies above the folders of several classes."""


def files_of(results: Results) -> list[str]:
    """The names of the files that are written about a class."""
    present = (entry for entry in _ORDER if isinstance(entry, str) or entry in results.tables)
    return [entry if isinstance(entry, str) else entry.file for entry in present]


def write_results(results: Results, path: Path) -> None:
    """Write the results of a class to a folder."""
    posteriors = [] if results.draws is None else [results.posterior]
    with saved_elsewhere(posteriors, partial(fill, results)), result_folder.writing(path) as folder:
        fill(results, folder)


def write_classes(several: SeveralResults, path: Path) -> None:
    """Write the results of several classes to a folder."""
    posteriors = [results.posterior for results in several.classes.values()]
    with saved_elsewhere(posteriors, partial(fill_all, several)), result_folder.writing(path) as folder:
        fill_all(several, folder)


def fill_all(several: SeveralResults, folder: Path) -> None:
    """Write the results of several classes and their pages into a folder that is being written."""
    for name, results in several.classes.items():
        own = folder / several.folders[name]
        own.mkdir()
        fill(results, own)
        result_folder.seal(own)
    _fill_common(several, folder)


def fill(results: Results, folder: Path) -> None:
    """Write results and their page into a folder that is being written."""
    page, _ = made_together(2, results, staff_html, partial(_write, folder))
    (folder / REPORT).write_bytes(page.encode())


def _write(folder: Path, results: Results) -> None:
    results.write(folder)


def _fill_common(several: SeveralResults, folder: Path) -> None:
    several.write_common(folder)
    (folder / REPORT).write_bytes(classes_html(several).encode())


def replace_results(results: Results, earlier: Results, path: Path) -> Path:
    """Put results in the place of earlier ones, which are kept in the folder returned.

    A class of several is replaced together with what it has in common with the others.
    """
    target, home = path.resolve(), result_folder.outermost(path)
    with result_folder.writing(home) as fresh:
        # Other writers wait now, so nothing can come between this look and what follows.
        if complete(read_record(result_folder.find(target))) != earlier.record:
            raise ResultsError(f"{path}: these results were replaced in the meantime; run the update again")
        kept = result_folder.keep(home)
        if target == home:
            fill(results, fresh)
        else:
            _fill_class(results, target.name, home, fresh)
    return kept


def _fill_class(results: Results, folder: str, home: Path, fresh: Path) -> None:
    """Write the results of one class of several, and what is above the folders of all."""
    several = SeveralResults.read(home)
    name = next(name for name, own in several.folders.items() if own == folder)
    shutil.copytree(home, fresh, dirs_exist_ok=True)
    shutil.rmtree(fresh / folder)
    (fresh / folder).mkdir()
    fill(results, fresh / folder)
    result_folder.seal(fresh / folder)
    _fill_common(replace(several, classes={**several.classes, name: results}), fresh)


def add_changes(results: Results, path: Path) -> None:
    """Add a table of changes, and a page that shows it, to the results in a folder."""
    table = written(CHANGES, results.tables[CHANGES])
    result_folder.add(path, CHANGES.file, csv_text(table))
    result_folder.add(path, REPORT, staff_html(results))


def rewrite_report(path: Path) -> Path:
    """Write the page about results anew and, if they are of several classes, those of the classes."""
    several = SeveralResults.read(path)
    if not several.classes:
        return result_folder.add(path, REPORT, staff_html(Results.read(path)))
    for name, results in several.classes.items():
        result_folder.add(path / several.folders[name], REPORT, staff_html(results))
    return result_folder.add(path, REPORT, classes_html(several))
