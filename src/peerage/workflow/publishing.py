"""Grades that are handed out: what that changes for students, and the record of it in a project.

A project is a folder. Whenever grades are handed out, a copy of the results goes to its folder ``published``, under the
next number, and is never replaced. Later fits and updates in the project keep these grades.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from peerage.decisions.final_grades import STAFF, Cell
from peerage.errors import Problem, ResultsError
from peerage.results import result_folder
from peerage.results.result_folder import PUBLICATION
from peerage.results.results import Results
from peerage.results.run_record import read_record
from peerage.results.several_classes_results import SeveralResults
from peerage.results.verifying import changed_files
from peerage.support.files.json_files import read_json
from peerage.support.words.wording import counted
from peerage.term.published import REPUBLISHED, Published
from peerage.workflow.save_results import fill, fill_all

FOLDER = "published"
"""The folder of a project in which everything that was handed out is kept."""

Source = Path | Results | SeveralResults
"""Results in a folder or in memory, of one class or several."""


@dataclass(frozen=True)
class Announced:
    """What students learn when grades are handed out.

    Attributes
    ----------
    new, same: how many grades nobody was told before, and how many are as they were told
    changed: the grades before and after that are not as students were told, those that staff set included
    missing: how many grades were handed out before and are not in these results
    notices: files of the results that are not what was written
    """

    new: int
    same: int
    changed: Mapping[Cell, tuple[float, float]]
    missing: int
    notices: tuple[Problem, ...] = ()

    @property
    def is_news(self) -> bool:
        """Whether anybody learns anything."""
        return bool(self.new or self.changed)


@dataclass(frozen=True)
class Publication:
    """Results that were handed out: where the copy is, and when that was."""

    path: Path
    at: datetime


def announce(results: Results, earlier: Published | None = None, *, replace: bool = False) -> Announced:
    """What students learn if these results are handed out.

    A grade that was handed out may change if staff set it, or if the fit was asked to replace published grades, or
    with ``replace``; other changes are refused.
    """
    told = {} if earlier is None else earlier.handed_out.grades
    changed = {cell: (told[cell], grade) for cell, grade in results.grades.items() if told.get(cell, grade) != grade}
    if not (replace or results.record.get(REPUBLISHED)):
        status = Published(results).side.status
        unasked = [cell for cell in changed if status[cell] != STAFF]
        if unasked:
            (submission, component), number = unasked[0], counted(len(unasked), "grade")
            before, after = changed[unasked[0]]
            example = f"{submission} in {component} was {before:g} and is {after:g}"
            remedy = "fit again in this project, which keeps them, or ask to replace them"
            raise ResultsError(
                f"{number} would differ from what students were told: {example}; {remedy}", setting="replace"
            )
    new = sum(cell not in told for cell in results.grades)
    missing = sum(cell not in results.grades for cell in told)
    return Announced(new, len(results.grades) - new - len(changed), changed, missing)


def publish(
    source: Source, project: Path, at: datetime, *, replace: bool = False
) -> tuple[Publication | None, Announced]:
    """Record that results were handed out, those in a folder or in memory; nothing is recorded if all were before.

    Classes that were fitted together are handed out together.
    """
    if isinstance(source, Results) and "class" in source.record:
        own = source.record["class"]
        message = f"these results are about one {own['by']} of several, {own['name']!r}"
        raise ResultsError(f"{message}; give the results of all of them")
    earlier = published_in([entry.path for entry in publications(project)])
    parts = [announce(results, earlier.get(name), replace=replace) for name, results in classes_of(source).items()]
    announced = _sum(parts, _changed(source))
    if not announced.is_news:
        return None, announced
    target = project / FOLDER / str(1 + max((int(entry.path.name) for entry in publications(project)), default=0))
    origin = result_folder.outermost(source).name if isinstance(source, Path) else ""
    with result_folder.writing(target) as fresh:
        _fill(source, fresh)
        record = {"at": at.isoformat(timespec="seconds"), "from": origin}
        (fresh / PUBLICATION).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    return Publication(target, at), announced


def publications(project: Path) -> list[Publication]:
    """What was handed out in a project, the latest first."""
    home = project / FOLDER
    numbered = [entry for entry in home.iterdir() if entry.name.isdecimal()] if home.is_dir() else []
    found = [entry for entry in numbered if (entry / PUBLICATION).is_file()]
    return [_read(entry) for entry in sorted(found, key=lambda entry: int(entry.name), reverse=True)]


def published_in(folders: Sequence[Path]) -> dict[str, Published]:
    """What results in some folders, the latest first, say was handed out in each class; one alone has no name."""
    found: dict[str, list[Results]] = {}
    for folder in folders:
        for name, results in classes_of(folder).items():
            found.setdefault(name, []).append(results)
    return {name: Published(latest, earlier=tuple(earlier)) for name, (latest, *earlier) in found.items()}


def published_alone(folders: Sequence[Path]) -> Published | None:
    """What results in some folders, the latest first, say was handed out in a class that is alone."""
    results = [Results.read(folder) for folder in folders]
    return Published(results[0], earlier=tuple(results[1:])) if results else None


def published_classes(folders: Sequence[Path], by: str) -> list[SeveralResults]:
    """Results in some folders that were handed out; each has to have a class for each value of a column."""
    for folder in folders:
        if read_record(result_folder.find(folder)).get("by") != by:
            message = f"{folder}: these results do not have a class for each {by}"
            raise ResultsError(f"{message}; name results that do", setting="by")
    return [SeveralResults.read(folder) for folder in folders]


def classes_of(source: Source) -> dict[str, Results]:
    """The results of each class, in a folder or in memory, by name; those of one class alone have no name."""
    if isinstance(source, Results):
        return {"": source}
    if isinstance(source, SeveralResults):
        return dict(source.classes)
    home = result_folder.outermost(result_folder.find(source))
    return dict(SeveralResults.read(home).classes) or {"": Results.read(home)}


def _fill(source: Source, folder: Path) -> None:
    """Copy or write results into a folder that is being written."""
    if isinstance(source, Results):
        fill(source, folder)
    elif isinstance(source, SeveralResults):
        fill_all(source, folder)
    else:
        shutil.copytree(result_folder.outermost(source), folder, dirs_exist_ok=True)


def _read(folder: Path) -> Publication:
    try:
        at = datetime.fromisoformat(read_json(folder / PUBLICATION)["at"])
    except (ValueError, KeyError, TypeError):
        raise ResultsError(f"{folder / PUBLICATION}: is damaged; restore it from a copy") from None
    return Publication(folder, at)


def _changed(source: Source) -> tuple[Problem, ...]:
    """What is not as it was written, in the whole folder or in those that results in memory were read from."""
    if isinstance(source, Path):
        return changed_files(result_folder.outermost(result_folder.find(source)))
    return tuple(notice for results in classes_of(source).values() for notice in results.changed)


def _sum(parts: Sequence[Announced], notices: tuple[Problem, ...]) -> Announced:
    """What the students of all classes learn."""
    return Announced(
        sum(part.new for part in parts),
        sum(part.same for part in parts),
        {cell: grades for part in parts for cell, grades in part.changed.items()},
        sum(part.missing for part in parts),
        notices,
    )
