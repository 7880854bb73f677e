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
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    yield importlib.import_module("run")
    for name in ("run", "tables", "figures"):
        sys.modules.pop(name)


@pytest.fixture
def results() -> Any:
    return json.loads((BENCHMARKS / "results.json").read_text("utf-8"))


def test_the_page_shows_the_last_run(tables: ModuleType, results: Any) -> None:
    page = tables.PAGE.read_text("utf-8")
    assert tables.renewed(page, results) == page
    for run in results["measured"].values():
        assert run["date"] in page
        assert date.fromisoformat(run["date"])


def test_another_run_changes_the_page(tables: ModuleType, results: Any) -> None:
    page = tables.PAGE.read_text("utf-8")
    results["scale"]["rows"][-1]["gigabytes"] = 12.34
    assert "12.34" not in page
    assert "| 12.34 |" in tables.renewed(page, results)


def test_a_section_that_is_run_alone_leaves_the_others_as_they_were(run: ModuleType, results: Any) -> None:
    header = {"date": "2030-01-01", "version": "9.9", "machine": results["measured"]["scale"]["machine"]}
    renewed = run.renewed(results, {"first": {"compilation": 1.23456}}, header)
    assert renewed["first"] == {"compilation": 1.235}
    assert renewed["measured"]["first"] == header
    others = [name for name in run.SECTIONS if name != "first"]
    assert all(renewed[name] == results[name] for name in others)
    assert all(renewed["measured"][name] == results["measured"][name] for name in others)
    shown = run.tables.provenance(renewed).splitlines()
    assert shown[0].startswith("Measured on 2030-01-01 with peerage 9.9 on ")
    assert shown[0].endswith(": first.")


def test_a_page_without_room_for_a_table_is_noticed(tables: ModuleType, results: Any) -> None:
    page = tables.PAGE.read_text("utf-8").replace("<!-- sweep -->", "")
    with pytest.raises(ValueError, match="no place for a table called 'sweep'"):
        tables.renewed(page, results)
