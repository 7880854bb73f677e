"""The schema of results: what is written has its columns, files are named nowhere else, and the docs tell the same."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import peerage
from peerage.cli import main
from peerage.results.results import Results
from peerage.results.schema import POSTERIOR, RECORD, REPORT, TABLES, Kind, ResultTable
from support.classes.term import class_table, fitted, written

SOURCES = Path(peerage.__file__).parent
DOCS = SOURCES.parents[1] / "docs"
OTHERS = {"exports/mta2_files.py"}
"""Modules about another system's files that happen to have the same names."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results that have every table and column: comments, own work, drifting biases taken off, a week published."""
    home = tmp_path_factory.mktemp("schema")
    table = class_table()
    own = table.iloc[:1].assign(grader=table["author"].iloc[0], role="student")
    table = pd.concat([table, own], ignore_index=True)
    table["comment"] = ["" if index % 3 else f"=nice, student{index}" for index in range(len(table))]
    first = fitted(written(table[table["assignment"] == "week1"], home / "one" / "class.csv"), home / "first")
    options = ["--priors", "learned", "--drift", "--adjust-bias", "--published", str(first), "--seed", "1"]
    second = fitted(written(table, home / "two" / "class.csv"), home / "second", *options)
    assert main(["compare", str(first), str(second)]) == 0
    return second


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.file)
def test_a_file_has_the_columns_of_its_table(folder: Path, table: ResultTable) -> None:
    frame = pd.read_csv(folder / table.file, dtype=str, keep_default_na=False)
    assert tuple(frame.columns) == table.names


def test_what_is_read_is_what_was_written(folder: Path, tmp_path: Path) -> None:
    """Values keep their types and digits on the way to a folder and back."""
    results = Results.read(folder)
    for table, frame in results.tables.items():
        for name in frame.columns:
            kind, dtype = table.kind(name), frame[name].dtype
            assert pd.api.types.is_numeric_dtype(dtype) != kind.is_text
            assert kind is not Kind.COUNT or dtype == np.int64
    results.write(tmp_path)
    for table in results.tables:
        assert (tmp_path / table.file).read_bytes() == (folder / table.file).read_bytes()
    assert (tmp_path / RECORD).read_bytes() == (folder / RECORD).read_bytes()


def test_files_are_named_in_the_schema_alone() -> None:
    names = [table.file for table in TABLES] + [REPORT, POSTERIOR, RECORD]
    literal = re.compile("|".join(rf"[\"']{re.escape(name)}[\"']" for name in names))
    found = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if literal.search(path.read_text("utf-8")) and path.name not in ("schema.py", "evaluation_files.py")
    }
    assert found == OTHERS


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.file)
def test_the_documentation_says_of_every_column_what_the_schema_does(table: ResultTable) -> None:
    """The documentation adds links, and options in parentheses."""
    text = (DOCS / "results.md").read_text("utf-8")
    assert f"| `{table.file}` |" in text
    section = re.search(rf"^## {re.escape(table.file)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None, f"docs/results.md has no section about {table.file}"
    rows = [row.split(" | ") for row in section[1].splitlines() if row.startswith("| `")]
    documented = [(name, _plain(meaning)) for cell, meaning in rows for name in re.findall(r"`(\w+)`", cell)]
    ends = ("_lower", "_upper")
    assert documented == [(column.name, column.meaning) for column in table.columns if not column.name.endswith(ends)]


def _plain(meaning: str) -> str:
    """A cell without links and options."""
    without_links = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", meaning.removesuffix(" |"))
    return re.sub(r" \(`--[a-z-]+`\)", "", without_links)
