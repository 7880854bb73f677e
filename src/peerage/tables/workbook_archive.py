"""A workbook's archive that gives out no more markup than openpyxl can hold.

A few kilobytes can unpack to a million styles or to a row of a million cells, for each of which openpyxl makes objects
a hundred times as large before anybody sees them. So the elements are counted on their way to it. Most files are long
only because they have many rows, each of them short: there are fewer elements in a row than bytes, and rows that are
written in the common way are told apart without a parser.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import IO, Any
from xml.parsers import expat

from openpyxl.xml.constants import SHEET_MAIN_NS

from peerage.tables.limits import Allowance

_HEAD = re.compile(
    rb'(<\?xml version="1\.0"( encoding="(UTF|utf)-8")?( standalone="\w+")?\?>\s*)?'
    rb"<\w+ ([^<>']* )?xmlns=\"" + re.escape(SHEET_MAIN_NS.encode()) + rb'"'
)
"""How a file begins in which names without a prefix are a workbook's."""

_OTHERWISE = re.compile(rb"<[!?]|xmlns\s*=")
"""What could hide a tag (a comment, say), or give it another meaning."""

Repeated = tuple[str, str]
"""The name of an element that openpyxl forgets after reading it, and the limit of how many there are."""

NOTHING: Repeated = "", "markup"
ROWS: Repeated = "row", "rows"
TEXTS: Repeated = "si", "cells"


class WorkbookArchive(zipfile.ZipFile):
    """The files that a workbook is made of, each of them counted while it is read.

    Attributes
    ----------
    repeated: what openpyxl forgets of the files that it reads piece by piece
    """

    def __init__(self, file: str, data: bytes, allowance: Allowance) -> None:
        super().__init__(io.BytesIO(data))
        self.data = data
        self.repeated = ROWS
        self._file, self._allowance = file, allowance

    def open(self, *arguments: Any, **options: Any) -> IO[bytes]:
        """One of the files, to be read piece by piece."""
        counter = _Counter(self._file, self._allowance, self.repeated)
        return _Counted(super().open(*arguments, **options), counter)  # type: ignore[return-value]

    def read(self, name: str | zipfile.ZipInfo, pwd: bytes | None = None) -> bytes:
        """One of the files as a whole, of which openpyxl forgets nothing."""
        with super().open(name, pwd=pwd) as source:
            data = source.read()
        _Counter(self._file, self._allowance, NOTHING).count(data)
        return data


class _Counted(io.BufferedIOBase):
    """A file of markup that is counted while it is read."""

    def __init__(self, source: IO[bytes], counter: _Counter) -> None:
        self._source, self._counter = source, counter

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes, unless they hold too much."""
        data = self._source.read(-1 if size is None else size)
        self._counter.count(data)
        return data

    def close(self) -> None:
        self._source.close()
        super().close()


class _Counter:
    """Counts rows or texts (``parts``), the elements in one of them, and the elements beside them."""

    def __init__(self, file: str, allowance: Allowance, repeated: Repeated) -> None:
        self._file, self._allowance, self._most = file, allowance, allowance.limits.markup
        self._repeated, self._limit = repeated
        self._begins, self._ends = f"<{self._repeated}".encode(), f"</{self._repeated}>".encode()
        self._parts = 0
        self._head = self._rest = b""
        self._parser: expat.XMLParserType | None = None

    def count(self, data: bytes) -> None:
        """Refuse what is too much; what no parser can read is an error."""
        self._allowance.check_time(self._file)
        if self._parser is None:
            self._rest += data
            if self._is_common():
                return
            # What was left out between the two are whole parts, and without them it is markup too.
            data, self._parser = self._head + self._rest, self._exact()
        self._parser.Parse(data, False)

    def _is_common(self) -> bool:
        """Take off the parts that are complete, if all are short and written in the common way; else nothing."""
        if not self._head:
            length = self._rest.find(self._begins) if self._repeated else -1
            if length < 0:
                return len(self._rest) <= self._most
            head = _HEAD.match(self._rest, 0, length)
            if length > self._most or head is None or _OTHERWISE.search(self._rest, head.end(), length):
                return False
            self._head, self._rest = self._rest[:length], self._rest[length:]
        if any(mark in self._rest for mark in (b"<!", b"<?", b"xmlns")):
            return False
        *parts, rest = self._rest.split(self._ends)
        if max(map(len, (*parts, rest))) > self._most or any(part.rfind(self._begins) for part in parts):
            return False
        self._parts, self._rest = self._parts + len(parts), rest
        self._allowance.check(self._limit, self._parts, self._limit, self._file)
        return True

    def _exact(self) -> expat.XMLParserType:
        """A parser that counts every element."""
        repeated, most = f"{SHEET_MAIN_NS} {self._repeated}", self._most
        beside = inside = depth = 0

        def start(name: str, _attributes: object) -> None:
            nonlocal beside, inside, depth
            if depth:
                depth += 1
                inside += 1
                if inside > most:
                    refuse(inside)
            elif name == repeated:
                depth, inside = 1, 0
            else:
                beside += 1
                if beside > most:
                    refuse(beside)

        def end(_name: str) -> None:
            nonlocal depth
            if depth:
                depth -= 1
                if not depth:
                    self._parts += 1
                    self._allowance.check(self._limit, self._parts, self._limit, self._file)

        def refuse(elements: int) -> None:
            noun = "elements of markup in a row or beside its rows"
            self._allowance.check("markup", elements, noun, self._file)

        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler, parser.EndElementHandler = start, end
        return parser
