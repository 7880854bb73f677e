"""The page on performance shows the figures of the last run of the benchmarks."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    yield importlib.import_module("tables")
    for name in ("tables", "figures"):
        sys.modules.pop(name)


@pytest.fixture
def results() -> Any:
    return json.loads((BENCHMARKS / "results.json").read_text("utf-8"))


def test_the_page_shows_the_last_run(tables: ModuleType, results: Any) -> None:
    page = tables.PAGE.read_text("utf-8")
    assert tables.renewed(page, results) == page
    assert results["date"] in page
    assert date.fromisoformat(results["date"])


def test_another_run_changes_the_page(tables: ModuleType, results: Any) -> None:
    page = tables.PAGE.read_text("utf-8")
    results["scale"]["rows"][-1]["gigabytes"] = 12.34
    assert "12.34" not in page
    assert "| 12.34 |" in tables.renewed(page, results)


def test_a_page_without_room_for_a_table_is_noticed(tables: ModuleType, results: Any) -> None:
    page = tables.PAGE.read_text("utf-8").replace("<!-- sweep -->", "")
    with pytest.raises(ValueError, match="no place for a table called 'sweep'"):
        tables.renewed(page, results)
