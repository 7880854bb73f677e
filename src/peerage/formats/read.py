"""``read_grades``: from one or several files to a gradebook."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

import pandas as pd

from peerage.errors import InputError, Problem
from peerage.formats import parquet, text, workbook
from peerage.formats.assemble import Duplicates, assemble
from peerage.formats.entries import gather
from peerage.formats.findings import Findings, collect
from peerage.formats.layout import Layout, understand
from peerage.formats.names import FIELDS
from peerage.formats.sheet import Sheet
from peerage.gradebook import Gradebook
from peerage.rubric import Rubric

Reader = Callable[[str, bytes], Sheet]
PathLike = str | os.PathLike[str]
RUBRIC_NAME = "rubric.toml"

_READERS: tuple[tuple[bytes, Reader], ...] = ((b"PK\x03\x04", workbook.read), (b"PAR1", parquet.read))
"""What reads a file that begins with these bytes; anything else is text."""

_UNREADABLE = (
    (b"\xd0\xcf\x11\xe0", "is an old Excel file or has a password", "save it as .xlsx without a password"),
    (b"\x1f\x8b", "is compressed", "unpack it first"),
    (b"%PDF", "is a PDF", "export the table as CSV or XLSX"),
)


def read_grades(
    paths: PathLike | Sequence[PathLike],
    rubric: PathLike | Rubric | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    snap: bool = False,
    duplicates: Duplicates = "error",
) -> Gradebook:
    """Read grades from one or several files (CSV, TSV, XLSX or Parquet; long or wide).

    Without ``rubric``, a ``rubric.toml`` beside the files is used; without that, the rubric is inferred.
    ``columns`` maps our column names to the file's, as in ``{"grader": "Reviewer"}``. With ``snap``, grades that
    are not on the rubric move to the nearest that is. ``duplicates`` says what happens when a grader grades a
    component of a submission more than once: an error, the last grade, or the mean.

    What was surprising is in the gradebook's ``notices``; :class:`InputError` lists everything that is wrong.
    """
    files = [Path(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    if not files:
        raise InputError(Problem("no file of grades was given", "name at least one"))
    found = Findings()
    sheets = collect(found, (partial(read_sheet, file, name) for file, name in zip(files, _names(files), strict=True)))
    rubric = _rubric_beside(files, found) if rubric is None else _as_rubric(rubric)
    return _from_sheets(sheets, rubric, columns or {}, snap, duplicates, found)


def from_table(
    table: pd.DataFrame,
    rubric: PathLike | Rubric | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    snap: bool = False,
    duplicates: Duplicates = "error",
) -> Gradebook:
    """The same for a table in memory, whose rows messages count from 0."""
    sheet = parquet.from_frame("", table, first_row=0)
    rubric = None if rubric is None else _as_rubric(rubric)
    return _from_sheets([sheet], rubric, columns or {}, snap, duplicates, Findings())


def _from_sheets(
    sheets: Sequence[Sheet],
    rubric: Rubric | None,
    columns: Mapping[str, str],
    snap: bool,
    duplicates: Duplicates,
    found: Findings,
) -> Gradebook:
    _check_options(columns, duplicates)
    components = None if rubric is None else rubric.names
    layouts = collect(found, (partial(understand, sheet, components, columns) for sheet in sheets))
    found.problems += _missing_components(sheets, layouts, rubric)
    found.refuse()
    for sheet, layout in zip(sheets, layouts, strict=True):
        found.notices += (*sheet.notices, *layout.notices)
    return assemble(gather(sheets, layouts), rubric, found, snap=snap, duplicates=duplicates)


def _check_options(columns: Mapping[str, str], duplicates: str) -> None:
    unknown = [name for name in columns if name not in FIELDS]
    if unknown:
        raise InputError(Problem(f"columns: there is no {unknown[0]!r} to map", f"use {', '.join(FIELDS)}"))
    if duplicates not in get_args(Duplicates):
        remedy = f"use {', '.join(get_args(Duplicates))}"
        raise InputError(Problem(f"duplicates: {duplicates!r} is not understood", remedy))


def _names(files: Sequence[Path]) -> list[str]:
    """What messages call the files: their names, or their paths where names repeat."""
    names = [file.name for file in files]
    return names if len(set(names)) == len(names) else [str(file) for file in files]


def read_sheet(path: Path, name: str) -> Sheet:
    """Read one file of any kind; messages call it ``name``."""
    try:
        data = path.read_bytes()
    except OSError as error:
        problem = Problem(f"cannot be read ({error.strerror})", "check the path", str(path))
        raise InputError(problem) from None
    for mark, message, remedy in _UNREADABLE:
        if data.startswith(mark):
            raise InputError(Problem(message, remedy, name))
    reader = next((reader for mark, reader in _READERS if data.startswith(mark)), text.read)
    return reader(name, data)


def _as_rubric(rubric: PathLike | Rubric) -> Rubric:
    return rubric if isinstance(rubric, Rubric) else Rubric.read(Path(rubric))


def _rubric_beside(files: Sequence[Path], found: Findings) -> Rubric | None:
    """The ``rubric.toml`` in the files' folder, if there is one."""
    candidates = {file.parent / RUBRIC_NAME for file in files}
    present = sorted(path for path in candidates if path.is_file())
    if not present:
        return None
    rubrics = [Rubric.read(path) for path in present]
    if any(rubric != rubrics[0] for rubric in rubrics):
        message = f"the files have different rubrics beside them: {', '.join(map(str, present))}"
        raise InputError(Problem(message, "say which to use with --rubric"))
    found.note(f"the rubric is {RUBRIC_NAME}, found beside the grades")
    return rubrics[0]


def _missing_components(sheets: Sequence[Sheet], layouts: Sequence[Layout], rubric: Rubric | None) -> Iterable[Problem]:
    """Components of the rubric that no file has a column for, if all files are wide."""
    if rubric is None or not all(layout.components for layout in layouts):
        return
    columns = {name for layout in layouts for name in layout.components}
    files = ", ".join(filter(None, (sheet.file for sheet in sheets)))
    for name in rubric.names:
        if name not in columns:
            remedy = "add the column, name it as the rubric does, or remove the component from the rubric"
            yield Problem(f"has no column for the component {name!r}", remedy, files)
