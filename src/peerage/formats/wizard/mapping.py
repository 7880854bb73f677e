"""How to read files of one kind: which column is what, what words stand for, which grades are legal.

``import.toml`` holds it, so that next week's file needs no questions::

    format = "table"
    duplicates = "last"                # or "error", "mean"
    snap = false

    [columns]
    submission = "Which paper?"
    grader = "Your e-mail"

    [components.Structure]             # without a column where each row names its component
    column = "How well is it structured?"
    grades = [0, 1, 2, 3]

    [values.grade]                     # what answers in words stand for; "" is no grade
    "Very good" = "3"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import tomli_w

from peerage.errors import InputError, Problem
from peerage.formats.rows.assemble import Duplicates
from peerage.formats.rows.columns.column_roles import REQUIRED
from peerage.formats.systems.extract import Table
from peerage.formats.systems.known_systems import NAMES, TABLE
from peerage.rubric import Rubric
from peerage.support.files.textfile import read_text, read_toml
from peerage.tables.column import Column
from peerage.tables.known_columns import FIELDS, fold
from peerage.tables.sheet import Sheet

MAPPING_NAME = "import.toml"
TRANSLATED = ("grade", "role")
"""The fields whose words can be translated."""

_REMEDY = "correct it, or answer the questions again"


@dataclass(frozen=True)
class FileMapping:
    """What is known about files of one kind.

    Attributes
    ----------
    format_name: which system wrote them
    columns: the column of each field of ours; none if the format says it all
    components: in the wide form, the column of each component
    values: for grades and roles, what the words in the file stand for
    rubric: the legal grades of all components
    duplicates, snap: as :func:`peerage.read_grades` takes them
    """

    format_name: str = TABLE
    columns: Mapping[str, str] = field(default_factory=dict)
    components: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    rubric: Rubric | None = None
    duplicates: Duplicates = "error"
    snap: bool = False

    @property
    def by_author(self) -> bool:
        """Whether what was reviewed is called by its author's name."""
        return fold(self.columns.get("author", "")) == fold(self.columns["submission"])

    @property
    def given(self) -> dict[str, str]:
        """What the columns of :meth:`table` are called, so that no component can be called the same."""
        return {name: f"{name} column" for name in self._fields}

    @property
    def _fields(self) -> dict[str, str]:
        """The columns of fields; an author that is the submission as well is not needed twice."""
        needless = "author" if self.by_author and "assignment" not in self.columns else ""
        return {name: column for name, column in self.columns.items() if name != needless}

    def table(self, sheet: Sheet) -> Table:
        """The columns of a sheet that are mapped, components called by their names."""
        self._require(sheet)
        fields = {name: sheet.column(_found(sheet, column)) for name, column in self._fields.items()}
        graded = {name: sheet.column(_found(sheet, column)) for name, column in self.components.items()}
        fields |= {name: self._translated(name, fields[name]) for name in TRANSLATED if name in fields}
        graded = {name: self._translated("grade", column) for name, column in graded.items()}
        if self.by_author and "assignment" in fields:
            fields["submission"] = _joined(fields["assignment"], fields["submission"])
        header, columns = (*self.given.values(), *graded), (*fields.values(), *graded.values())
        left_out = sheet.left_out({_found(sheet, column) for column in self._used})
        kept = replace(sheet, header=header, columns=columns, notices=(*sheet.notices, *left_out))
        return Table(kept, by_author=self.by_author and "assignment" not in fields)

    @property
    def _used(self) -> list[str]:
        return list(dict.fromkeys([*self.columns.values(), *self.components.values()]))

    def _require(self, sheet: Sheet) -> None:
        missing = [column for column in self._used if not _found(sheet, column)]
        known = f"the file has {', '.join(sheet.header)}"
        remedy = f"answer the questions for this file, or name its format to read it without a mapping ({known})"
        if missing:
            raise InputError(
                [
                    Problem(
                        f"has no column {name!r}, which the mapping names", remedy, sheet.file, setting="interactive"
                    )
                    for name in missing
                ]
            )

    def _translated(self, name: str, column: Column) -> Column:
        words = {fold(word): meaning for word, meaning in self.values.get(name, {}).items()}
        return column.map(lambda text: words.get(fold(text), text))

    @classmethod
    def read(cls, path: Path) -> FileMapping:
        """Read ``import.toml``."""
        return cls.from_toml(read_text(path), file=path.name)

    @classmethod
    def from_toml(cls, text: str, *, file: str = "") -> FileMapping:
        """Read a mapping from TOML text; ``file`` names its origin in messages."""
        document = read_toml(text, file)
        for message in _problems(document):
            raise InputError(Problem(message, _REMEDY, file, setting="interactive"))
        parts = {name: dict(entry) for name, entry in document.get("components", {}).items()}
        columns = {name: entry.pop("column") for name, entry in parts.items() if "column" in entry}
        return cls(
            document.get("format", TABLE),
            document.get("columns", {}),
            columns,
            document.get("values", {}),
            Rubric.from_dict(parts, file=file) if parts else None,
            document.get("duplicates", "error"),
            document.get("snap", False),
        )

    def to_toml(self) -> str:
        """The text of ``import.toml``."""
        parts = tomllib.loads(self.rubric.to_toml())["components"] if self.rubric else {}
        components = {
            name: {**({"column": self.components[name]} if name in self.components else {}), **entry}
            for name, entry in parts.items()
        }
        document = {"format": self.format_name, "duplicates": self.duplicates, "snap": self.snap}
        tables = {"columns": self.columns, "components": components, "values": self.values}
        return tomli_w.dumps({**document, **{name: table for name, table in tables.items() if table}})


def _found(sheet: Sheet, column: str) -> str:
    """The column of a name: of the very name, or else the same but for capitals; empty if there is none."""
    alike = [name for name in sheet.header if fold(name) == fold(column)]
    return column if column in alike else next(iter(alike), "")


def _joined(first: Column, second: Column) -> Column:
    """Two columns as one, each pair of values divided by a stroke; empty where the second is."""
    pairs = ((first[row].strip(), second[row].strip()) for row in range(len(first)))
    return Column.of_texts([f"{one}/{other}" if one and other else other for one, other in pairs])


def _problems(document: Mapping[str, Any]) -> Iterator[str]:
    """What keeps a document from being a mapping, the first thing first."""
    known = ("format", "duplicates", "snap", "columns", "components", "values")
    yield from (f"there is no setting {name!r}" for name in document if name not in known)
    if document.get("format", TABLE) not in NAMES:
        yield f"there is no format {document['format']!r}"
    if document.get("duplicates", "error") not in get_args(Duplicates):
        yield f"duplicates cannot be {document['duplicates']!r}"
    if not isinstance(document.get("snap", False), bool):
        yield "snap is true or false"
    columns, values = document.get("columns", {}), document.get("values", {})
    if not _maps_texts(columns):
        yield "its columns do not pair names with names"
    elif columns:
        yield from (f"there is no {name!r} to map" for name in columns if name not in FIELDS)
        yield from (f"it names no column for the {name}" for name in REQUIRED if name not in columns)
    if not isinstance(values, dict) or not all(name in TRANSLATED and _maps_texts(values[name]) for name in values):
        yield f"its values do not pair words of {' or '.join(TRANSLATED)} with what they stand for"
    yield from _component_problems(document.get("components", {}), columns)


def _component_problems(components: Any, columns: Mapping[str, str]) -> Iterator[str]:
    if not isinstance(components, dict) or not all(isinstance(entry, dict) for entry in components.values()):
        yield "its components are not sections such as [components.Structure]"
        return
    yield from (
        f"a component cannot be called {name!r}"
        for name in components
        if fold(name) in FIELDS and fold(name) != "grade"
    )
    with_column = [name for name, entry in components.items() if "column" in entry]
    if not all(isinstance(components[name]["column"], str) for name in with_column):
        yield "the column of a component is a name in quotation marks"
    is_long = "component" in columns
    if is_long and ("grade" not in columns or with_column):
        yield "where rows name their components, one column holds the grade and components have none of their own"
    if columns and not is_long and (not components or len(with_column) < len(components)):
        yield "it does not say which column holds the grades of each component"


def _maps_texts(table: Any) -> bool:
    return isinstance(table, dict) and all(isinstance(text, str) for text in table.values())
