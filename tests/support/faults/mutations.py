"""Ways to damage a file: by its bytes, and by what it is made of."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any

import numpy as np
import openpyxl
import pandas as pd

from support.faults.tampering import arrays_of_bytes, bytes_of_arrays, flipped, other_meta, tampered

Rng = np.random.Generator
Mutation = Callable[[bytes, Rng], bytes]

NASTY_TEXT = (
    *("", " ", "0", "-1", "-0.0", "1e308", "1e-320", "9" * 400, "NaN", "inf", "None", "null", "true", "[]", "{}"),
    *("=1+1", "@x", "'", '"', '""', ",", ";", "\t", "|", "\n", "\r", "\x00", "\x1b[2J", "\u202e", "\ufeff", "é", "𝟙"),
    *("e\u0301", "ß", "İ", "１", "85%", "4/5", "4 out of 5", "A+", "F", "1.0", "007", "2024-13-99", "0000-00-00"),
    *("9999999999-01-01", "submission", "grader", "grade", "component", "author", "role", "time", "ta", "instructor"),
    *("../../etc/passwd", "<script>", "&lt;", "<!DOCTYPE x>", "x" * 5000, "sep=;", "a**b", "\\", "%s", "{0}"),
)
NASTY_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 10**30, -(10**30), 1.5, 1e308, 5e-324, "", "x", [], {}, [None], [[]], {"": {}}),
    *({"id": 1}, [{"id": None}], "9" * 400, "\x00", "é"),
)
TYPED: tuple[Any, ...] = (None, True, 0, -1, 2, 3.5, 1e300, datetime(2024, 9, 30, 17, 5), timedelta(1), time(1, 2), "3")
PIECES = (b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"PK\x03\x04", b"PAR1", b"\r", b"\n", b'"', b"<", b"{", b"[")


def choice(rng: Rng, things: Any) -> Any:
    """One of some things."""
    return things[int(rng.integers(len(things)))]


def other_bytes(data: bytes, rng: Rng) -> bytes:
    """Some bytes changed, cut off, repeated or put in."""
    if not data or rng.random() < 0.3:
        place = int(rng.integers(len(data) + 1))
        piece: bytes = choice(rng, PIECES)
        return data[:place] + piece * int(rng.integers(1, 4)) + data[place:]
    broken: bytes = choice(rng, list(flipped(data, rng)))
    return broken


def repeated_bytes(data: bytes, rng: Rng) -> bytes:
    """A short piece of the file a great many times, as in files that are made to take all time and memory."""
    place, length = int(rng.integers(len(data) + 1)), int(rng.integers(1, 40))
    piece = data[place : place + length]
    return data[:place] + piece * int(rng.integers(1, 20_000 // max(len(piece), 1) + 2)) + data[place:]


def other_cells(data: bytes, rng: Rng) -> bytes:
    """A delimited text whose cells, rows, columns or delimiter are others."""
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig", "replace"))))
    for _ in range(int(rng.integers(1, 4))):
        row = choice(rng, rows) if rows else []
        way = int(rng.integers(6))
        if way <= 1 and row:
            row[int(rng.integers(len(row)))] = choice(rng, NASTY_TEXT)
        elif way == 2 and row:
            del row[int(rng.integers(len(row)))]
        elif way == 3:
            row.append(choice(rng, NASTY_TEXT))
        elif way == 4 and rows:
            column = int(rng.integers(len(rows[0]) + 1))
            value = choice(rng, NASTY_TEXT)
            for each in rows:
                each.insert(min(column, len(each)), value if rng.random() < 0.8 else "3")
        elif rows:
            rows.insert(int(rng.integers(len(rows))), list(choice(rng, rows)))
    text = io.StringIO()
    csv.writer(text, delimiter=choice(rng, ",,,;\t|"), lineterminator=choice(rng, ("\n", "\r\n", "\r"))).writerows(rows)
    return text.getvalue().encode(choice(rng, ("utf-8", "utf-8", "utf-8-sig", "utf-16")), "replace")


def other_json(data: bytes, rng: Rng) -> bytes:
    """A JSON document, one to three of whose parts are something else, twice there or gone."""
    document = json.loads(data)
    for _ in range(int(rng.integers(1, 4))):
        document = _other_part(document, rng)
    return json.dumps(document).encode()


def _other_part(value: Any, rng: Rng) -> Any:
    if not isinstance(value, dict | list) or not value or rng.random() < 0.1:
        return choice(rng, NASTY_VALUES)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key, way = choice(rng, keys), rng.random()
    if way < 0.15:
        del value[key]
    elif way < 0.25 and isinstance(value, list):
        value.append(value[key])
    elif way < 0.3 and isinstance(value, dict):
        value[choice(rng, NASTY_TEXT)] = value[key]
    else:
        value[key] = _other_part(value[key], rng)
    return value


def other_lines(data: bytes, rng: Rng) -> bytes:
    """A text of settings whose lines have other values, or are twice there or gone."""
    lines = data.decode("utf-8", "replace").splitlines() or [""]
    place, way = int(rng.integers(len(lines))), int(rng.integers(5))
    if way <= 2:
        name = lines[place].partition("=")[0]
        value = choice(rng, NASTY_TEXT) if way else json.dumps(choice(rng, NASTY_VALUES))
        lines[place] = f"{name}= {value}"
    elif way == 3:
        lines.insert(place, choice(rng, lines))
    else:
        del lines[place]
    return "\n".join(lines).encode("utf-8", "replace")


def other_member(data: bytes, rng: Rng) -> bytes:
    """An archive one of whose files is damaged, gone or another's."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = choice(rng, sorted(members))
    if rng.random() < 0.1:
        del members[name]
    elif rng.random() < 0.4:
        members[name] = choice(rng, (other_bytes, repeated_bytes))(members[name], rng)
    else:
        parts = members[name].split(b"<")
        place = int(rng.integers(len(parts)))
        parts[place] = choice(rng, (b"", choice(rng, parts), choice(rng, NASTY_TEXT).encode("utf-8", "replace") + b">"))
        members[name] = b"<".join(parts)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return buffer.getvalue()


def other_values(data: bytes, rng: Rng) -> bytes:
    """A workbook with other values in some cells, of whatever type."""
    book = openpyxl.load_workbook(io.BytesIO(data))
    sheet = book.worksheets[0]
    for _ in range(int(rng.integers(1, 4))):
        cell = sheet.cell(int(rng.integers(1, sheet.max_row + 2)), int(rng.integers(1, sheet.max_column + 2)))
        cell.value = choice(rng, (*TYPED, choice(rng, NASTY_TEXT)))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def other_columns(data: bytes, rng: Rng) -> bytes:
    """A Parquet file with a column of other values, or of another type."""
    frame = pd.read_parquet(io.BytesIO(data))
    name = choice(rng, list(frame.columns))
    frame[name] = [choice(rng, (value, choice(rng, TYPED))) for value in [choice(rng, TYPED)] * len(frame)]
    if rng.random() < 0.5:
        frame[name] = pd.Series([choice(rng, TYPED)] * len(frame))
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def other_markup(data: bytes, rng: Rng) -> bytes:
    """An XML text with elements that are gone, moved or something else."""
    parts = data.split(b"<")
    place = int(rng.integers(len(parts)))
    parts[place] = choice(rng, (b"", choice(rng, parts), choice(rng, NASTY_TEXT).encode("utf-8", "replace")))
    return b"<".join(parts)


def other_arrays(data: bytes, rng: Rng) -> bytes:
    """A posterior whose arrays or description are others."""
    arrays = arrays_of_bytes(data)
    for _ in range(int(rng.integers(1, 3))):
        _, arrays = (tampered if rng.random() < 0.7 else other_meta)(arrays, rng)
        if "meta" not in arrays:
            break
    return bytes_of_arrays(arrays)
