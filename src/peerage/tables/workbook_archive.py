"""A workbook's archive that gives out no more markup than openpyxl can hold.

A few kilobytes can unpack to a million styles or to a row of a million cells, for each of which openpyxl makes objects
a hundred times as large before anybody sees them. So the elements are counted on their way to it.
"""

from __future__ import annotations

import io
import zipfile
from typing import IO, Any
from xml.parsers import expat

from peerage.tables.limits import Allowance

_REPEATED = {"worksheet": ("row", "rows"), "sst": ("si", "cells")}
"""What large parts are made of, by their outermost element, and its limit; openpyxl forgets each after reading it."""


class WorkbookArchive(zipfile.ZipFile):
    """The files that a workbook is made of, each of them counted while it is read."""

    def __init__(self, file: str, data: bytes, allowance: Allowance) -> None:
        super().__init__(io.BytesIO(data))
        self.data = data
        self._file, self._allowance = file, allowance

    def open(self, *arguments: Any, **options: Any) -> IO[bytes]:
        """One of the files, which is counted while it is read."""
        return _Counted(super().open(*arguments, **options), self._file, self._allowance)  # type: ignore[return-value]


class _Counted(io.BufferedIOBase):
    """A file of markup that is counted while it is read, until it is no markup any more."""

    def __init__(self, source: IO[bytes], file: str, allowance: Allowance) -> None:
        self._source, self._file, self._allowance = source, file, allowance
        self._parser: expat.XMLParserType | None = _counter(file, allowance)

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes, unless they hold too much."""
        data = self._source.read(-1 if size is None else size)
        self._allowance.check_time(self._file)
        if self._parser is not None:
            try:
                self._parser.Parse(data, False)
            except expat.ExpatError:
                # From here on, no other parser reads it either.
                self._parser = None
        return data

    def close(self) -> None:
        self._source.close()
        super().close()


def _counter(file: str, allowance: Allowance) -> expat.XMLParserType:
    """A parser that counts rows or texts (``parts``), the elements in one of them, and the elements beside them."""
    repeated, limit = "", ""
    parts = beside = inside = depth = 0
    most = allowance.limits.markup

    def start(name: str, _attributes: object) -> None:
        nonlocal repeated, limit, beside, inside, depth
        if depth:
            depth += 1
            inside += 1
            if inside > most:
                refuse(inside)
            return
        name = name.rpartition(":")[2]
        if not limit:
            repeated, limit = _REPEATED.get(name, ("", "markup"))
        if name == repeated:
            depth, inside = 1, 0
        else:
            beside += 1
            if beside > most:
                refuse(beside)

    def end(_name: str) -> None:
        nonlocal parts, depth
        if depth:
            depth -= 1
            if not depth:
                parts += 1
                allowance.check(limit, parts, limit, file)

    def refuse(elements: int) -> None:
        allowance.check("markup", elements, "elements of markup in a row or beside its rows", file)

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    return parser
