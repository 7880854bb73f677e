"""Findings of benchmarks, searches and studies that were changed are refused in a sentence."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peerage as pg
from peerage.evaluation.benchmark.known_classes import ClassKind, KnownClass
from peerage.evaluation.benchmark.running import FINDINGS, benchmark
from peerage.evaluation.prior_search.search_folder import Folder as SearchFolder
from peerage.methods.method_registry import find
from peerage_studies.study_folder import Folder as StudyFolder
from support.classes.tiny import tiny_class

BOOK = tiny_class(1)
SHAPE = BOOK.applicable.shape


def text(value: float, count: int) -> str:
    return base64.b64encode(np.full(count, value, "<f8").tobytes()).decode()


CELLS = int(np.prod(SHAPE))
ROW = "row 1: is not what a benchmark writes; remove that row"
FIT = "what was found by mean on tiny does not fit that class; remove the folder"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"shape": [1, 1], "scores": text(1, 1), "sd": text(1, 1)}, FIT),
        ({"shape": [0], "scores": "", "sd": ""}, FIT),
        ({"shape": [*SHAPE, 1]}, FIT),
        ({"scores": text(np.nan, CELLS)}, FIT),
        ({"shape": [-1, SHAPE[1]]}, ROW),
        ({"shape": [10**9, 10**9]}, ROW),
        ({"scores": text(1e308, CELLS)}, ROW),
        ({"scores": text(np.inf, CELLS)}, ROW),
        ({"sd": text(-1, CELLS)}, ROW),
        ({"trouble": ["needs authors"]}, ROW),
        ({"converged": "no"}, ROW),
        ({"seconds": True}, ROW),
        ({"gain": "1"}, ROW),
        ({"task": [0.0, 0, 0]}, ROW),
        ({"task": "000"}, ROW),
    ],
    ids=str,
)
def test_a_benchmark(tmp_path: Path, change: Mapping[str, Any], said: str) -> None:
    kind = ClassKind("tiny", "tiny classes", lambda _: KnownClass(BOOK, np.full(SHAPE, 2.5)))
    out = tmp_path / "out"

    def go_on() -> None:
        benchmark([kind], [find("mean")], replicates=1, quick=True, workers=1, out=out).table()

    go_on()
    line = json.loads((out / FINDINGS).read_text())
    (out / FINDINGS).write_text(json.dumps(line | dict(change)) + "\n", encoding="utf-8")
    with pytest.raises(pg.ResultsError, match=said):
        go_on()


@pytest.mark.parametrize(
    "change",
    [{"sums": text(-1, 2)}, {"sums": text(np.nan, 3)}, {"fold": "1"}, {"fold": 0.5}, {"seconds": None}, {"priors": []}],
    ids=str,
)
def test_a_search(tmp_path: Path, change: Mapping[str, Any]) -> None:
    line = {"priors": pg.Priors.paper().to_dict(), "fold": 0, "seconds": 1.5, "sums": text(-1, 3)}
    path = tmp_path / "findings.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert len(SearchFolder(tmp_path, 3).found) == 1
    path.write_text(json.dumps(line | dict(change)) + "\n", encoding="utf-8")
    with pytest.raises(pg.ResultsError, match="row 1: is not what a search writes; remove that row"):
        SearchFolder(tmp_path, 3)


@pytest.mark.parametrize(
    "change",
    [
        {"rows": 3},
        {"rows": [["a", "b"]]},
        {"rows": [["a", 1, "mae", "0.5"]]},
        {"rows": [["a", {}, "mae", 0.5]]},
        {"seconds": "1"},
        {"task": 3},
    ],
    ids=str,
)
def test_a_study(tmp_path: Path, change: Mapping[str, Any]) -> None:
    line = {"task": {"course": 1}, "seconds": 2, "rows": [["graders", 4, "mae", 0.5], ["all", "a", "mae", 1]]}
    path = tmp_path / "effort.findings.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert len(StudyFolder(tmp_path, "effort").found) == 1
    path.write_text(json.dumps(line | dict(change)) + "\n", encoding="utf-8")
    with pytest.raises(pg.ResultsError, match="row 1: is not what a study writes; remove that row"):
        StudyFolder(tmp_path, "effort")
