"""Classes of which the truth is known: simulated kinds, and real ones that staff graded too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.formats import read_grades
from peerage.gradebook import Gradebook
from peerage.tables.reading_files import read_sheet

Floats = NDArray[np.float64]

GRADES, STAFF = "peer_grades.csv", "staff_grades.csv"
"""The files of a real class."""


@dataclass(frozen=True, eq=False)
class KnownClass:
    """A class and what is true in it.

    Attributes
    ----------
    book: the class
    truth: (submissions, components) true grades, NaN where unknown; on the scale of 0 to 5 if ``on_scale``
    on_scale: whether the truth is on the scale of the grades, or staff's scale differs
    """

    book: Gradebook
    truth: Floats
    on_scale: bool = True


@dataclass(frozen=True)
class Kind:
    """A kind of class: its name, what is particular about it, and how one is drawn from a seed."""

    name: str
    title: str
    draw: Callable[[int], KnownClass]
    is_real: bool = False


@dataclass(frozen=True)
class RealClass:
    """A folder with ``peer_grades.csv`` and ``staff_grades.csv``, and perhaps a ``rubric.toml``."""

    folder: Path

    def __call__(self, _seed: int) -> KnownClass:
        """The class; there is one alone."""
        return read_real_class(self.folder)


def real_kinds(folders: list[Path]) -> tuple[list[Kind], list[str]]:
    """The real classes that are there, and what is said of the others."""
    found, missing = [], []
    for folder in folders:
        absent = [name for name in (GRADES, STAFF) if not (folder / name).is_file()]
        if absent:
            missing.append(f"{folder}: skipped, because there is no {' and no '.join(absent)}")
        else:
            found.append(Kind(folder.name, f"the real class in {folder.name}", RealClass(folder), is_real=True))
    return found, missing


def read_real_class(folder: Path) -> KnownClass:
    """Read a class and staff's grades: submission, grade (or staff_grade), and component where there are several.

    Several staff grades of one submission count with their mean. Where a staff grade lies beyond the rubric, staff's
    scale is another one.
    """
    book = read_grades(folder / GRADES)
    sheet = read_sheet(folder / STAFF, STAFF)
    column = next((name for name in ("grade", "staff_grade") if name in sheet.header), None)
    if column is None or "submission" not in sheet.header:
        raise InputError(Problem("has no columns submission and grade", "name them so", STAFF))
    texts = {name: [sheet.column(name)[row].strip() for row in range(len(sheet))] for name in sheet.header}
    rows = pd.DataFrame({"submission": texts["submission"], "grade": pd.to_numeric(texts[column], errors="coerce")})
    rows["component"] = texts.get("component", [book.rubric.names[0]] * len(rows))
    means = rows.dropna().groupby(["submission", "component"])["grade"].mean()
    truth = np.full(book.applicable.shape, np.nan)
    for index, submission in enumerate(book.submissions):
        for place, name in enumerate(book.rubric.names):
            truth[index, place] = means.get((submission, name), np.nan)
    if np.isnan(truth).all():
        raise InputError(Problem("grades no submission of the class", "check the ids", STAFF))
    scaled = np.stack([entry.to_model(truth[:, place]) for place, entry in enumerate(book.rubric.components)], axis=1)
    known = scaled[~np.isnan(scaled)]
    on_scale = bool((known >= -1e-9).all() and (known <= 5 + 1e-9).all())
    return KnownClass(book, scaled if on_scale else truth, on_scale)
