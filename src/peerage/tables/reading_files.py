"""A file by its kind: a sheet, a JSON document or an XML tree, before anybody asks which system wrote it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from peerage.errors import InputError, Problem
from peerage.support.files.bounded_files import MEGABYTE, read_bounded
from peerage.support.files.nesting import is_too_deep
from peerage.tables import delimited_text, parquet
from peerage.tables.limits import Allowance
from peerage.tables.sheet import Sheet

Reader = Callable[[str, bytes, Allowance], Sheet]


def _workbook(file: str, data: bytes, allowance: Allowance) -> Sheet:
    from peerage.tables import xlsx  # what it needs takes long to load, and most files are no workbooks

    return xlsx.read(file, data, allowance)


_READERS: tuple[tuple[bytes, Reader], ...] = ((b"PK\x03\x04", _workbook), (b"PAR1", parquet.read))
"""What reads a file that begins with these bytes; anything else is text."""

_UNREADABLE = (
    (b"\xd0\xcf\x11\xe0", "is an old Excel file or has a password", "save it as .xlsx without a password"),
    (b"\x1f\x8b", "is compressed", "unpack it first"),
    (b"%PDF", "is a PDF", "export the table as CSV or XLSX"),
)

_JSON = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[{\[\]])")
_XML = re.compile(rb"\s*<(?:\?xml|activity)\b")
"""How documents begin. A table's first column may begin with a bracket too, but not so."""


@dataclass(frozen=True, eq=False)
class Source:
    """A file's name and what it holds: a :class:`Sheet`, an XML element, or anything that JSON can say.

    The hash is of the very bytes that were read, which the file may no longer hold.
    """

    file: str
    content: Any
    sha256: str

    @property
    def sheet(self) -> Sheet:
        """The sheet, or an error that says what the file is instead."""
        if isinstance(self.content, Sheet):
            return self.content
        kind = "XML" if isinstance(self.content, ET.Element) else "JSON"
        raise InputError(Problem(f"is {kind}, but not from a known system", "export it as CSV or XLSX", self.file))

    @property
    def header(self) -> frozenset[str]:
        """The folded names of the sheet's columns; none if it is no sheet."""
        return frozenset(map(str.casefold, self.content.header)) if isinstance(self.content, Sheet) else frozenset()


def read_source(path: Path, name: str, allowance: Allowance | None = None) -> Source:
    """Read one file of any kind; messages call it ``name``."""
    allowance = allowance or Allowance()
    data = read_bytes(path, name, allowance)
    sha256 = hashlib.sha256(data).hexdigest()
    start = data.removeprefix(b"\xef\xbb\xbf")
    for begins, parse in ((_JSON, _json), (_XML, _xml)):
        if begins.match(start):
            allowance.check("document", len(data) / MEGABYTE, "megabytes of JSON or XML", name)
            return Source(name, parse(name, start), sha256)
    return Source(name, _sheet(name, data, allowance), sha256)


def read_sheet(path: Path, name: str) -> Sheet:
    """Read one file that has to be a table; messages call it ``name``."""
    allowance = Allowance()
    return _sheet(name, read_bytes(path, name, allowance), allowance)


def read_bytes(path: Path, name: str, allowance: Allowance | None = None) -> bytes:
    """What a file holds, unless it is missing, too large or of a kind that is never read."""
    allowance = allowance or Allowance()
    data, megabytes = read_bounded(path, allowance.limits.megabytes, partial(allowance.check_time, name))
    allowance.check("megabytes", megabytes, "megabytes", name)
    for mark, message, remedy in _UNREADABLE:
        if data.startswith(mark):
            raise InputError(Problem(message, remedy, name))
    return data


def _sheet(name: str, data: bytes, allowance: Allowance) -> Sheet:
    reader = next((reader for mark, reader in _READERS if data.startswith(mark)), delimited_text.read)
    return reader(name, data, allowance)


def _json(name: str, data: bytes) -> Any:
    try:
        if is_too_deep(data):
            raise ValueError("it is nested too deeply")
        return json.loads(data)
    except ValueError as error:
        raise InputError(Problem(f"is damaged JSON ({error})", "save it again", name)) from None


def _xml(name: str, data: bytes) -> ET.Element:
    """The XML tree. A document type, which alone can define entities, is refused before anything is parsed."""
    content, _ = delimited_text.decode(name, data)
    if "<!DOCTYPE" in content:
        raise InputError(Problem("has a document type (DOCTYPE), which is not read", "export it again", name))
    try:
        return ET.fromstring(content)
    except ET.ParseError as error:
        raise InputError(Problem(f"is damaged XML ({error})", "export it again", name)) from None
