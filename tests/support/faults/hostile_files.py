"""How the files of a hostile-input case are made, and how it is run."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd

from peerage.cli import main

DEFAULT_ARGUMENTS = ("g.csv",)


def run_case(case: Mapping[str, Any]) -> int:
    """Write the case's files into the current folder, run ``peerage check`` there and return its status."""
    for name, content in case.get("files", {}).items():
        Path(name).write_bytes(_bytes(content))
    return main(["check", *case.get("arguments", DEFAULT_ARGUMENTS)])


def _bytes(content: str | Mapping[str, Any]) -> bytes:
    if isinstance(content, str):
        return content.encode()
    if "hex" in content:
        return bytes.fromhex(content["hex"])
    if "sheets" in content:
        return workbook(content["sheets"])
    if "parquet" in content:
        return parquet(content["parquet"])
    return str(content["text"]).encode(content["encoding"])


def workbook(sheets: Sequence[Sequence[Sequence[object]]]) -> bytes:
    """An XLSX file with some sheets of rows."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for number, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(f"Sheet{number}")
        for row in rows:
            sheet.append(list(row))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def parquet(columns: Mapping[str, Sequence[object]]) -> bytes:
    """A Parquet file."""
    buffer = io.BytesIO()
    pd.DataFrame(dict(columns)).to_parquet(buffer)
    return buffer.getvalue()
