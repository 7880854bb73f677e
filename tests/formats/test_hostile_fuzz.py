"""Nothing that a file can contain ends in anything but a gradebook or an InputError."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from hypothesis import example, given
from hypothesis import strategies as st

import peerage as pg
from support.classes.classes import NASTY

MAGIC = (
    b"",
    b"PK\x03\x04",
    b"PAR1",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"submission,grader,grade\n",
    b"sep=;\n",
)
cells = st.sampled_from([*NASTY, "1", "2", "2.5", "3,5", "submission", "component", "grade", "role", "ta", "time", "S"])
typed = cells | st.none() | st.integers() | st.floats() | st.booleans() | st.datetimes()
lines = st.lists(cells, max_size=6)


def _outcome(read: Callable[[], pg.Gradebook]) -> int:
    """How many grades, or else how many problems, came out."""
    try:
        return read().n_grades
    except pg.InputError as error:
        return len(error.problems)


def _read(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grades.csv"
        path.write_bytes(data)
        assert _outcome(lambda: pg.read_grades(path)) > 0


@given(st.sampled_from(MAGIC), st.binary(max_size=300))
def test_any_bytes(magic: bytes, data: bytes) -> None:
    _read(magic + data)


@given(
    st.lists(lines, max_size=8),
    st.sampled_from(["submission,grader,grade", "submission;grader;component;grade", "Reviewer\tPaper\tS\tE", ""]),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
@example([["x"]], "submission,grader,grade", ",", "\r", False)
def test_any_table(rows: list[list[str]], header: str, delimiter: str, line_end: str, quote: bool) -> None:
    written = [[f'"{cell}"' if quote else cell for cell in row] for row in rows]
    _read(line_end.join([header, *(delimiter.join(row) for row in written)]).encode())


@given(
    st.dictionaries(
        st.sampled_from(["submission", "grader", "grade", "component", "role", "author", "time", "S"]),
        st.lists(
            cells | st.none() | st.integers() | st.floats() | st.booleans() | st.datetimes(), min_size=3, max_size=3
        ),
    )
)
def test_any_table_in_memory(columns: dict[str, list[object]]) -> None:
    assert _outcome(lambda: pg.read_grades(pd.DataFrame(columns))) > 0
