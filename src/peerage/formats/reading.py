"""``read_grades``: from one or several files to a gradebook."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from peerage.errors import InputError, Problem
from peerage.formats.chosen_components import Choice
from peerage.formats.deadlines import Until
from peerage.formats.given_files import given_files
from peerage.formats.left_out import NOTHING, Cut
from peerage.formats.reading_choices import PathLike, Reading
from peerage.formats.rows.assemble import Duplicates, assemble
from peerage.formats.rows.columns.column_roles import ColumnLayout, class_column, no_class_column, understand
from peerage.formats.rows.entries import Entries, class_of_rows, gather
from peerage.formats.rows.findings import Findings, collect
from peerage.formats.rows.identity import one_spelling
from peerage.formats.several_classes import books_of, split
from peerage.formats.staff.exclusions import Exclusions
from peerage.formats.systems.extract import LAYOUT, Extract, Table, joined
from peerage.formats.systems.known_systems import recognise
from peerage.formats.wizard.mapping import FileMapping
from peerage.gradebook.book import Gradebook
from peerage.gradebook.input_files import InputFile
from peerage.gradebook.rulings import Exclusion
from peerage.rubric import RUBRIC_NAME, Rubric
from peerage.support.words.spelling import as_text
from peerage.tables.frames import Foreign, sheet_of_frame
from peerage.tables.known_columns import fold
from peerage.tables.limits import Allowance
from peerage.tables.reading_files import read_source
from peerage.tables.sheet import Sheet


@dataclass(frozen=True)
class ClassColumn:
    """The column that tells classes apart, if any; one that is optional need not be there."""

    name: str | None = None
    optional: bool = False


def read_grades(
    paths: PathLike | Sequence[PathLike] | pd.DataFrame | Foreign,
    rubric: PathLike | Rubric | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    components: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    snap: bool = False,
    duplicates: Duplicates = "error",
    exact_ids: bool = False,
    format_name: str | None = None,
    mapping: FileMapping | None = None,
    exclude: PathLike | Sequence[Exclusion] | None = None,
    until: str | None = None,
    limits: Mapping[str, int] | None = None,
) -> Gradebook:
    """Read grades from one or several files (CSV, TSV, XLSX or Parquet; long or wide), or from another system's files.

    A table in memory, such as pandas' or Polars', is read as a file is; messages name its rows by its index.

    Without ``rubric``, a ``rubric.toml`` beside the files is used; without that, the system's own; without that, the
    rubric is inferred. Which system wrote a file is recognised from what it holds, unless ``format_name`` says it.
    ``columns`` maps our column names to the file's, as in ``{"grader": "Reviewer"}``. ``components`` are the only ones
    that are read, and ``drop`` names columns and components that are not. With ``snap``, grades that are not on the
    rubric move to the nearest that is. ``duplicates`` says what happens when a grader grades a component of a
    submission more than once: an error, the last grade, or the mean. Ids that differ only in capitals or spaces are
    one person's, unless ``exact_ids``. A ``mapping``, made from the answers to questions about the file, says which
    format, columns and rubric are meant where no argument does.

    ``exclude`` names reviews that do not count, or a file of them; without it, an ``exclude.csv`` beside the files is
    used. ``until`` leaves out what was written after a day or a time, or after each assignment's own, as in
    ``"week1=2024-09-30,week2=2024-10-07"``. ``limits`` raises or lowers how much is read, as in ``{"columns": 2000}``.

    What was surprising is in the gradebook's ``notices``; :class:`InputError` lists everything that is wrong.
    """
    reading = Reading(
        columns or {},
        components,
        drop,
        snap,
        duplicates,
        exact_ids,
        format_name,
        mapping,
        exclude,
        until,
        limits or {},
    )
    return read_classes(paths, rubric, by=None, reading=reading)[""]


def read_classes(
    paths: PathLike | Sequence[PathLike] | pd.DataFrame | Foreign,
    rubric: PathLike | Rubric | None = None,
    *,
    by: str | None,
    by_optional: bool = False,
    reading: Reading | None = None,
) -> dict[str, Gradebook]:
    """Read several classes, such as sections or courses, from the same files: a gradebook for each value of a column.

    ``by`` names the column; if it is None, or with ``by_optional`` if no file has the column, there is one class, which
    has no name. ``reading`` holds the other choices of :func:`read_grades`. A rubric that is not given is inferred for
    each class. A submission belongs to one class; a grader may be in several, of which none knows what was done in
    another.
    """
    reading = Reading() if reading is None else reading
    column, allowance = ClassColumn(by, by_optional), reading.allowance()
    if isinstance(paths, pd.DataFrame | Foreign):
        table = Table(sheet_of_frame(paths))
        rubric = None if rubric is None else _as_rubric(rubric)
        return _from_tables([table], rubric, reading, allowance, column, Findings(), cut=_cut((), reading))
    return _from_files(given_files(paths), rubric, reading, allowance, column)


def _from_files(
    files: Sequence[Path],
    rubric: PathLike | Rubric | None,
    reading: Reading,
    allowance: Allowance,
    column: ClassColumn,
) -> dict[str, Gradebook]:
    found, mapping, format_name = Findings(), reading.mapping, reading.format_name
    sources = collect(
        found,
        (partial(read_source, file, name, allowance) for file, name in zip(files, _names(files), strict=True)),
    )
    if mapping is not None:
        rubric, format_name = rubric or mapping.rubric, format_name or mapping.format_name
        duplicates = mapping.duplicates if reading.duplicates == "error" else reading.duplicates
        reading = replace(reading, snap=reading.snap or mapping.snap, duplicates=duplicates)
    rubric = _rubric_beside(files, found) if rubric is None else _as_rubric(rubric)
    cut = _cut(files, reading)
    systems, tables = recognise(sources, format_name)
    recognised = [notice for system in systems for notice in system.notices]
    found.notices += recognised
    try:
        extracts = collect(found, (system.read for system in systems))
        allowance.check_time(", ".join(_names(files)))
        own = [Table(sheet) for sheet in collect(found, (partial(getattr, source, "sheet") for source in tables))]
        if mapping is not None and mapping.columns:
            own = [*(table for extract in extracts for table in extract.tables), *own]
            own = collect(found, (partial(mapping.table, table.sheet) for table in own))
            extracts = [replace(extract, tables=()) for extract in extracts]
            reading = replace(reading, columns=mapping.given)
        # A column that a file has but its reader does not keep could hold several classes all the same.
        optional = column.optional and not any(fold(column.name or "") in source.header for source in sources)
        column = replace(column, optional=optional)
        books = _from_tables(own, rubric, reading, allowance, column, found, extracts, cut)
    except InputError as error:
        # A row of another system can hold several grades, and what is wrong with the row is said once.
        raise InputError(dict.fromkeys([*recognised, *error.problems])) from None
    read = tuple(InputFile(as_text(file.name), source.sha256) for file, source in zip(files, sources, strict=True))
    return {name: replace(book, inputs=read) for name, book in books.items()}


def _from_tables(
    tables: Sequence[Table],
    rubric: Rubric | None,
    reading: Reading,
    allowance: Allowance,
    column: ClassColumn,
    found: Findings,
    extracts: Sequence[Extract] = (),
    cut: Cut = NOTHING,
) -> dict[str, Gradebook]:
    tables = [*(table for extract in extracts for table in extract.tables), *tables]
    if reading.columns and not tables:
        remedy = "do not say which column is which, or read the files as plain tables"
        raise InputError(Problem("no file has columns to choose from", remedy, setting="columns"))
    choice = Choice(None if reading.components is None else tuple(reading.components), tuple(reading.drop))
    rubric = rubric or joined(part for extract in extracts for part in extract.components)
    named = [*(rubric.names if rubric else ()), *(name for table in tables for name in table.sheet.header)]
    rubric = choice.of_rubric(rubric)
    tables = [choice.of_table(table, reading.columns) for table in tables]
    resolved = [table.resolved(reading.columns, alone=len(tables) == 1) for table in tables]
    wanted = reading.components if rubric is None else rubric.names
    layouts = collect(found, (partial(understand, sheet, wanted, mapping, column.name) for sheet, mapping in resolved))
    sheets = [sheet for sheet, _ in resolved]
    extracted = [sheet for extract in extracts for sheet in extract.sheets]
    if not extracted:
        found.problems += _missing_components(sheets, layouts, rubric)
    found.refuse()
    found.notices += (notice for extract in extracts for notice in extract.notices)
    found.notices += (notice for table in tables for notice in table.notices(reading.columns))
    sheets = [*extracted, *sheets]
    layouts = [*(_extracted(sheet, column.name) for sheet in extracted), *layouts]
    by = _class_column(sheets, layouts, column, found)
    for sheet, layout in zip(sheets, layouts, strict=True):
        found.notices += (*sheet.notices, *layout.notices)
    entries = choice.of_entries(gather(sheets, layouts), named)
    files = ", ".join(dict.fromkeys(sheet.file for sheet in sheets if sheet.file))
    allowance.check("components", len(entries.component.values), "components", files)
    entries, respelt = (entries, []) if reading.exact_ids else one_spelling(entries)
    found.notices += respelt
    cut = cut if reading.exact_ids else cut.respelt(entries)
    cut.check(entries)
    allowance.check_time(files)

    def build(part: Entries, found: Findings) -> Gradebook:
        kept, excluded = (cut if by is None else cut.within(part)).apply(part, found)
        book = assemble(kept, rubric, found, snap=reading.snap, duplicates=reading.duplicates)
        allowance.check_time(files)
        return replace(book, exclusions=excluded)

    try:
        if by is None:
            return {"": build(entries, found)}
        parts = split(entries, class_of_rows(sheets, layouts), by, found)
        return books_of(parts, by, found, build)
    except InputError as error:
        # Two people who were taken for one seem to repeat or to contradict themselves.
        raise InputError([*respelt, *error.problems]) from None


def _class_column(
    sheets: Sequence[Sheet], layouts: Sequence[ColumnLayout], column: ClassColumn, found: Findings
) -> str | None:
    """The column that tells classes apart, if there are several; every file has to have it."""
    if column.name is None or (column.optional and not any(layout.by for layout in layouts)):
        return None
    found.problems += (
        no_class_column(sheet, column.name) for sheet, layout in zip(sheets, layouts, strict=True) if layout.by is None
    )
    found.refuse()
    return column.name


def _cut(files: Sequence[Path], reading: Reading) -> Cut:
    return Cut(_exclusions(files, reading.exclude), None if reading.until is None else Until.parse(reading.until))


def _extracted(sheet: Sheet, by: str | None) -> ColumnLayout:
    """How a sheet of another system's grades is laid out; it has each of our columns, even if the system has not."""
    column = None if by is None else class_column(sheet, LAYOUT.fields, by)
    if column is not None and len(sheet) and sheet.column(column).blank.all():
        column = None
    return replace(LAYOUT, by=column)


def _names(files: Sequence[Path]) -> list[str]:
    """What messages call the files: their names, or their paths where names repeat."""
    names = [as_text(file.name) for file in files]
    return names if len(set(names)) == len(names) else [as_text(str(file)) for file in files]


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


def _missing_components(
    sheets: Sequence[Sheet], layouts: Sequence[ColumnLayout], rubric: Rubric | None
) -> Iterable[Problem]:
    """Components of the rubric that no file has a column for, if all files are wide."""
    if rubric is None or not all(layout.components for layout in layouts):
        return
    columns = {name for layout in layouts for name in layout.components}
    files = ", ".join(filter(None, (sheet.file for sheet in sheets)))
    for name in rubric.names:
        if name not in columns:
            remedy = "add the column, name it as the rubric does, or remove the component from the rubric"
            yield Problem(f"has no column for the component {name!r}", remedy, files)
