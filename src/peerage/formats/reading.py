"""``read_grades``: from one or several files to a gradebook."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import get_args

import pandas as pd

from peerage.errors import InputError, Problem
from peerage.formats.deadlines import Until
from peerage.formats.left_out import NOTHING, Cut
from peerage.formats.rows.assemble import Duplicates, assemble
from peerage.formats.rows.column_roles import Layout, class_column, no_class_column, understand
from peerage.formats.rows.entries import Entries, class_of_rows, gather
from peerage.formats.rows.findings import Findings, collect
from peerage.formats.several_classes import books_of, split
from peerage.formats.staff.exclusions import Exclusions
from peerage.formats.systems.extract import LAYOUT, Extract, Table, joined
from peerage.formats.systems.known_systems import recognise
from peerage.formats.wizard.mapping import FileMapping
from peerage.gradebook.book import Gradebook
from peerage.gradebook.rulings import Exclusion
from peerage.rubric import RUBRIC_NAME, Rubric
from peerage.tables import parquet
from peerage.tables.known_columns import FIELDS, fold
from peerage.tables.reading_files import read_source
from peerage.tables.sheet import Sheet

PathLike = str | os.PathLike[str]


def read_grades(
    paths: PathLike | Sequence[PathLike] | pd.DataFrame,
    rubric: PathLike | Rubric | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    snap: bool = False,
    duplicates: Duplicates = "error",
    format_name: str | None = None,
    mapping: FileMapping | None = None,
    exclude: PathLike | Sequence[Exclusion] | None = None,
    until: str | None = None,
) -> Gradebook:
    """Read grades from one or several files (CSV, TSV, XLSX or Parquet; long or wide), or from another system's files.

    A table in memory is read as a file is; messages count its rows from 0.

    Without ``rubric``, a ``rubric.toml`` beside the files is used; without that, the system's own; without that, the
    rubric is inferred. Which system wrote a file is recognised from what it holds, unless ``format_name`` says it.
    ``columns`` maps our column names to the file's, as in ``{"grader": "Reviewer"}``. With ``snap``, grades that
    are not on the rubric move to the nearest that is. ``duplicates`` says what happens when a grader grades a
    component of a submission more than once: an error, the last grade, or the mean. A ``mapping``, made from
    the answers to questions about the file, says which format, columns and rubric are meant where no argument does.

    ``exclude`` names reviews that do not count, or a file of them; without it, an ``exclude.csv`` beside the files is
    used. ``until`` leaves out what was written after a day or a time, or after each assignment's own, as in
    ``"week1=2024-09-30,week2=2024-10-07"``.

    What was surprising is in the gradebook's ``notices``; :class:`InputError` lists everything that is wrong.
    """
    (book,) = read_classes(
        paths,
        rubric,
        by=None,
        columns=columns,
        snap=snap,
        duplicates=duplicates,
        format_name=format_name,
        mapping=mapping,
        exclude=exclude,
        until=until,
    ).values()
    return book


def read_classes(
    paths: PathLike | Sequence[PathLike] | pd.DataFrame,
    rubric: PathLike | Rubric | None = None,
    *,
    by: str | None,
    by_optional: bool = False,
    columns: Mapping[str, str] | None = None,
    snap: bool = False,
    duplicates: Duplicates = "error",
    format_name: str | None = None,
    mapping: FileMapping | None = None,
    exclude: PathLike | Sequence[Exclusion] | None = None,
    until: str | None = None,
) -> dict[str, Gradebook]:
    """Read several classes, such as sections or courses, from the same files: a gradebook for each value of a column.

    ``by`` names the column; if it is None, or with ``by_optional`` if no file has the column, there is one class, which
    has no name. All else is as in :func:`read_grades`. A rubric that is not given is inferred for each class. A
    submission belongs to one class; a grader may be in several, of which none knows what was done in another.
    """
    if isinstance(paths, pd.DataFrame):
        table = Table(parquet.from_frame("", paths, first_row=0))
        rubric = None if rubric is None else _as_rubric(rubric)
        cut = _cut((), exclude, until)
        return _from_tables([table], rubric, columns or {}, snap, duplicates, Findings(), (), cut, by, by_optional)
    files = [Path(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    if not files:
        raise InputError(Problem("no file of grades was given", "name at least one"))
    found = Findings()
    sources = collect(
        found, (partial(read_source, file, name) for file, name in zip(files, _names(files), strict=True))
    )
    if mapping is not None:
        rubric, format_name = rubric or mapping.rubric, format_name or mapping.format_name
        snap, duplicates = snap or mapping.snap, mapping.duplicates if duplicates == "error" else duplicates
    rubric = _rubric_beside(files, found) if rubric is None else _as_rubric(rubric)
    cut = _cut(files, exclude, until)
    systems, tables = recognise(sources, format_name)
    recognised = [notice for system in systems for notice in system.notices]
    found.notices += recognised
    try:
        extracts = collect(found, (system.read for system in systems))
        own = [Table(sheet) for sheet in collect(found, (partial(getattr, source, "sheet") for source in tables))]
        if mapping is not None and mapping.columns:
            own = [*(table for extract in extracts for table in extract.tables), *own]
            own = collect(found, (partial(mapping.table, table.sheet) for table in own))
            columns, extracts = mapping.given, [replace(extract, tables=()) for extract in extracts]
        # A column that a file has but its reader does not keep could hold several classes all the same.
        by_optional = by_optional and not any(fold(by or "") in source.header for source in sources)
        return _from_tables(own, rubric, columns or {}, snap, duplicates, found, extracts, cut, by, by_optional)
    except InputError as error:
        # A row of another system can hold several grades, and what is wrong with the row is said once.
        raise InputError(dict.fromkeys([*recognised, *error.problems])) from None


def _cut(files: Sequence[Path], exclude: PathLike | Sequence[Exclusion] | None, until: str | None) -> Cut:
    return Cut(_exclusions(files, exclude), None if until is None else Until.parse(until))


def _from_tables(
    tables: Sequence[Table],
    rubric: Rubric | None,
    columns: Mapping[str, str],
    snap: bool,
    duplicates: Duplicates,
    found: Findings,
    extracts: Sequence[Extract] = (),
    cut: Cut = NOTHING,
    by: str | None = None,
    by_optional: bool = False,
) -> dict[str, Gradebook]:
    _check_options(columns, duplicates)
    tables = [*(table for extract in extracts for table in extract.tables), *tables]
    if columns and not tables:
        remedy = "do not say which column is which, or read the files as plain tables"
        raise InputError(Problem("no file has columns to choose from", remedy, setting="columns"))
    rubric = rubric or joined(part for extract in extracts for part in extract.components)
    components = None if rubric is None else rubric.names
    resolved = [table.resolved(columns, alone=len(tables) == 1) for table in tables]
    layouts = collect(found, (partial(understand, sheet, components, mapping, by) for sheet, mapping in resolved))
    sheets = [sheet for sheet, _ in resolved]
    extracted = [sheet for extract in extracts for sheet in extract.sheets]
    if not extracted:
        found.problems += _missing_components(sheets, layouts, rubric)
    found.refuse()
    found.notices += (notice for extract in extracts for notice in extract.notices)
    found.notices += (notice for table in tables for notice in table.notices(columns))
    sheets, layouts = [*extracted, *sheets], [*(_extracted(sheet, by) for sheet in extracted), *layouts]
    if by_optional and not any(layout.by for layout in layouts):
        by = None
    if by is not None:
        found.problems += (
            no_class_column(sheet, by) for sheet, layout in zip(sheets, layouts, strict=True) if layout.by is None
        )
        found.refuse()
    for sheet, layout in zip(sheets, layouts, strict=True):
        found.notices += (*sheet.notices, *layout.notices)
    entries = gather(sheets, layouts)
    cut.check(entries)

    def build(part: Entries, found: Findings) -> Gradebook:
        kept, excluded = (cut if by is None else cut.within(part)).apply(part, found)
        book = assemble(kept, rubric, found, snap=snap, duplicates=duplicates)
        return replace(book, exclusions=excluded)

    if by is None:
        return {"": build(entries, found)}
    parts = split(entries, class_of_rows(sheets, layouts), by, found)
    return books_of(parts, by, found, build)


def _extracted(sheet: Sheet, by: str | None) -> Layout:
    """How a sheet of another system's grades is laid out; it has each of our columns, even if the system has not."""
    column = None if by is None else class_column(sheet, LAYOUT.fields, by)
    if column is not None and len(sheet) and sheet.column(column).blank.all():
        column = None
    return replace(LAYOUT, by=column)


def _check_options(columns: Mapping[str, str], duplicates: str) -> None:
    unknown = [name for name in columns if name not in FIELDS]
    if unknown:
        remedy = f"use {', '.join(FIELDS)}"
        raise InputError(Problem(f"no column can stand for {unknown[0]!r}", remedy, setting="columns"))
    if duplicates not in get_args(Duplicates):
        remedy = f"use {', '.join(get_args(Duplicates))}"
        raise InputError(Problem(f"repeated grades cannot be treated as {duplicates!r}", remedy, setting="duplicates"))


def _names(files: Sequence[Path]) -> list[str]:
    """What messages call the files: their names, or their paths where names repeat."""
    names = [file.name for file in files]
    return names if len(set(names)) == len(names) else [str(file) for file in files]


def _as_rubric(rubric: PathLike | Rubric) -> Rubric:
    return rubric if isinstance(rubric, Rubric) else Rubric.read(Path(rubric))


def _exclusions(files: Sequence[Path], exclude: PathLike | Sequence[Exclusion] | None) -> Exclusions:
    if exclude is None:
        return Exclusions.beside(files)
    if isinstance(exclude, str | os.PathLike):
        return Exclusions.read(Path(exclude))
    return Exclusions(tuple(exclude))


def _rubric_beside(files: Sequence[Path], found: Findings) -> Rubric | None:
    """The ``rubric.toml`` in the files' folder, if there is one."""
    candidates = {file.parent / RUBRIC_NAME for file in files}
    present = sorted(path for path in candidates if path.is_file())
    if not present:
        return None
    rubrics = [Rubric.read(path) for path in present]
    if any(rubric != rubrics[0] for rubric in rubrics):
        message = f"the files have different rubrics beside them: {', '.join(map(str, present))}"
        raise InputError(Problem(message, "say which to use", setting="rubric"))
    found.note(f"using {RUBRIC_NAME}, found beside the grades")
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
