"""Classes of which the truth is known: simulated kinds, and real ones that staff graded too."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.formats import read_grades
from peerage.gradebook import Gradebook
from peerage.gradebook.writing import GRADES_NAME
from peerage.rubric import LARGEST_GRADE
from peerage.tables.reading_files import read_sheet

Floats = NDArray[np.float64]

STAFF = "staff_grades.csv"
"""The file of what staff gave in a real class."""


@dataclass(frozen=True, eq=False)
class KnownClass:
    """A class and what is true in it.

    Attributes
    ----------
    book: the class
    truth: (submissions, components) true grades, NaN where unknown; on the scale of 0 to 5 if ``on_scale``
    on_scale: whether the truth is on the scale of the grades, or staff's scale differs
    noise: (submissions, components) standard errors of the truth, where several staff graded; else 0
    """

    book: Gradebook
    truth: Floats
    on_scale: bool = True
    noise: Floats | None = None

    def fingerprint(self) -> str:
        """A hash of the reviews and of the truth, by which another class is told from this one."""
        book, found = self.book, hashlib.sha256()
        scales = [[entry.name, list(map(float, entry.grades))] for entry in book.rubric.components]
        ids = [list(book.submissions), list(book.graders), list(book.assignments), list(map(list, book.authors))]
        found.update(json.dumps([*ids, scales]).encode())
        for numbers in (book.roles, book.review_submission, book.review_grader, book.levels):
            found.update(np.asarray(numbers, "<i8").tobytes())
        # The last digits of a computed truth may differ between machines.
        found.update(np.round(self.truth, 6).astype("<f4").tobytes())
        return found.hexdigest()[:16]


@dataclass(frozen=True)
class ClassKind:
    """A kind of class: its name, what is particular about it, and how one is drawn from a seed."""

    name: str
    title: str
    draw: Callable[[int], KnownClass]
    is_real: bool = False


@dataclass(frozen=True)
class RealClass:
    """A folder with ``peer_grades.csv``, mostly ``staff_grades.csv``, and perhaps a ``rubric.toml``."""

    folder: Path

    def __call__(self, _seed: int) -> KnownClass:
        """The class; there is one alone."""
        return read_real_class(self.folder)


def real_kinds(folders: list[Path]) -> tuple[list[ClassKind], list[str]]:
    """The real classes that are there, and what is said of the others."""
    found, missing = [], []
    for folder in folders:
        if not (folder / GRADES_NAME).is_file():
            missing.append(f"{folder}: skipped, because there is no {GRADES_NAME}")
            continue
        if not (folder / STAFF).is_file():
            missing.append(f"{folder}: there is no {STAFF}, so that only held-out reviews are predicted")
        found.append(ClassKind(folder.name, f"the real class in {folder.name}", RealClass(folder), is_real=True))
    return found, missing


def read_real_class(folder: Path) -> KnownClass:
    """Read a class and staff's grades: submission, grade (or staff_grade), and component where there are several.

    Several staff grades of one submission count with their mean, whose noise is known then. Where a staff grade lies
    beyond the rubric, staff's scale is another one. Without staff's grades nothing is known to be true.
    """
    book = read_grades(folder / GRADES_NAME)
    if not (folder / STAFF).is_file():
        return KnownClass(book, np.full(book.applicable.shape, np.nan))
    by_cell = _staff_grades(folder, book).groupby(["submission", "component"])["grade"]
    truth, noise = (_placed(book, values) for values in (by_cell.mean(), by_cell.sem()))
    if np.isnan(truth).all():
        raise InputError(Problem("grades no submission of the class", "check the ids", STAFF))
    scaled = np.stack([entry.to_model(truth[:, place]) for place, entry in enumerate(book.rubric.components)], axis=1)
    known = scaled[~np.isnan(scaled)]
    on_scale = bool((known >= -1e-9).all() and (known <= 5 + 1e-9).all())
    spans = np.array([5 / (entry.grades[-1] - entry.grades[0]) for entry in book.rubric.components])
    noise = np.nan_to_num(noise) * (spans if on_scale else 1.0)
    return KnownClass(book, scaled if on_scale else truth, on_scale, noise if noise.any() else None)


def _staff_grades(folder: Path, book: Gradebook) -> pd.DataFrame:
    """A row for each staff grade: submission, component, grade."""
    sheet = read_sheet(folder / STAFF, STAFF)
    column = next((name for name in ("grade", "staff_grade") if name in sheet.header), None)
    if column is None or "submission" not in sheet.header:
        raise InputError(Problem("has no columns submission and grade", "name them so", STAFF))
    texts = {name: [sheet.column(name)[row].strip() for row in range(len(sheet))] for name in sheet.header}
    parts = texts.get("component", [book.rubric.names[0]] * len(sheet))
    grades = pd.to_numeric(pd.Series(texts[column], dtype=object), errors="coerce").to_numpy(np.float64)
    for row, (text, part) in enumerate(zip(texts[column], parts, strict=True)):
        if text and not abs(grades[row]) <= LARGEST_GRADE:
            message = f"the grade {text!r} is not a number between -{LARGEST_GRADE:,.0f} and {LARGEST_GRADE:,.0f}"
            raise InputError(Problem(message, "correct it, or leave it empty", STAFF, int(sheet.rows[row])))
        if part not in book.rubric.names:
            remedy = f"name one of {', '.join(book.rubric.names)}"
            raise InputError(Problem(f"there is no component {part!r}", remedy, STAFF, int(sheet.rows[row])))
    return pd.DataFrame({"submission": texts["submission"], "grade": grades, "component": parts}).dropna()


def _placed(book: Gradebook, values: pd.Series[float]) -> Floats:
    """(submissions, components) a value of each, NaN where there is none."""
    cells = pd.MultiIndex.from_product([book.submissions, book.rubric.names])
    placed = values.reindex(cells).to_numpy(np.float64)
    return np.asarray(placed.reshape(book.n_submissions, len(book.rubric)), dtype=np.float64)
