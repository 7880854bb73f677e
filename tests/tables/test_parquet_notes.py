"""Parquet files carry notes for pandas, which may be damaged while the rest is whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import peerage as pg

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def test_odd_notes_are_refused_in_a_sentence(tmp_path: Path) -> None:
    table = pa.table({"submission": ["a", "a"], "grader": ["x", "y"], "S": [1, 2]})
    notes = {"index_columns": [], "column_indexes": [], "columns": [{"name": "S"}], "pandas_version": "2"}
    pq.write_table(table.replace_schema_metadata({b"pandas": json.dumps(notes).encode()}), tmp_path / "g.parquet")
    with pytest.raises(pg.InputError, match="is not a readable Parquet file; write it again"):
        pg.read_grades(tmp_path / "g.parquet")
