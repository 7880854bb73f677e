"""A million grades are read and checked in well under 2 GB."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "bench_reading.py"


@pytest.mark.slow
@pytest.mark.parametrize("wide", [False, True], ids=["long", "wide"])
def test_memory_for_a_million_grades(wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARK.parent)
    ours, _ = runpy.run_path(str(BENCHMARK))["compare"](wide=wide)
    assert ours.peak_bytes < 1e9
