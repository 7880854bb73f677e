"""Folders of results made by hand, and how `peerage export` is run on them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from peerage import InputError, cli
from peerage.results.result_folder import writing
from peerage.tables.writing_tables import write_table
from support.programs.importing import EXAMPLES

GRADEBOOK = EXAMPLES / "canvas_gradebook.csv"
MOODLE_ROSTER = EXAMPLES / "moodle_grade_export.csv"

RUBRIC = {
    "Structure": {"grades": [0, 1, 2], "points": [0, 5, 10]},
    "Evidence": {"grades": [0, 1, 2, 3], "points": None},
}
"""A submission that is graded on both can get 13 points."""

TOTALS = [
    ("s1", "Essay 1", "1001", 12.0),
    ("s2", "Essay 1", "1002", 7.625),
    ("s3", "Essay 1", "1003", 13.0),
    ("s4", "Essay 2", "1001", 2.0),
    ("s5", "Essay 2", "1002", 0.0),
]
GRADERS = [
    ("1001", "student", 40.0),
    ("1002", "student", None),
    ("1003", "student", 11.25),
    ("ta", "ta", None),
]
STAFF = GRADERS[-1:]
WEIGHTS = [("s1", "1002", 0.45), ("s1", "1003", 0.55), ("s2", "ta", 1.0)]


def refusal(read: Callable[[Path], object], path: Path) -> str:
    """Why a file is not read."""
    with pytest.raises(InputError) as caught:
        read(path)
    return str(caught.value)


def result_folder(
    folder: Path,
    totals: Iterable[tuple[str, str, str, float]] = TOTALS,
    graders: Iterable[tuple[str, str, float | None]] = GRADERS,
    weights: Sequence[tuple[str, str, float]] = WEIGHTS,
    spot_checks: Sequence[str] = ("s5", "s1"),
    *,
    credit: bool = True,
    required_reviews: int = 0,
) -> Path:
    """Write a folder of results. Evidence was graded in every assignment, Structure in all but Essay 2."""
    totals, graders = list(totals), list(graders)
    tables = {
        "totals.csv": _totals(totals),
        "grades.csv": _grades(totals),
        "graders.csv": _graders(graders, credit=credit),
        "weights.csv": pd.DataFrame(weights, columns=pd.Index(["submission", "grader", "weight"])),
        "spotchecks.csv": pd.DataFrame(
            [(rank, name, 1 / rank, "The graders disagree.") for rank, name in enumerate(spot_checks, start=1)],
            columns=pd.Index(["rank", "submission", "priority", "reason"]),
        ),
    }
    with writing(folder) as fresh:
        for name, table in tables.items():
            if len(table):
                write_table(table, fresh / name)
        counts = {"grades": 9, "reviews": 5, "submissions": 5, "graders": 4}
        choices = {"credit_scale": "0.2:0, 1:50", "required_reviews": required_reviews}
        record = {"rubric": RUBRIC, "counts": counts, "final": "explained", "choices": choices}
        record["explanations"] = {"name_graders": False}
        record |= {"input": [{"name": "peer_grades.csv"}], "warnings": [], "version": "0", "seed": 0}
        (fresh / "run.json").write_text(json.dumps(record))
    return folder


def _totals(totals: Sequence[tuple[str, str, str, float]]) -> pd.DataFrame:
    rows = [(*row, row[3], row[3], row[3]) for row in totals]
    names = ["submission", "assignment", "author", "total", "expected", "lower", "upper"]
    return pd.DataFrame(rows, columns=pd.Index(names))


def _grades(totals: Sequence[tuple[str, str, str, float]]) -> pd.DataFrame:
    rows = [
        {"submission": submission, "component": component, "grade": 2, "confidence": 0.5, "n_grades": 2}
        for submission, assignment in dict.fromkeys(row[:2] for row in totals)
        for component in RUBRIC
        if component == "Evidence" or assignment != "Essay 2"
    ]
    return pd.DataFrame(rows)


def _graders(graders: Sequence[tuple[str, str, float | None]], *, credit: bool) -> pd.DataFrame:
    figures: dict[str, Any] = {"n_graded": 2, "reliability": 1.5, "bias": -0.25, "effort": 0.8}
    bounds = {"dependability": 1.2, "dependability_lower": 0.4, "dependability_upper": 2.1}
    rows = [{"grader": name, "role": role, **figures, **bounds, **_mark(mark)} for name, role, mark in graders]
    table = pd.DataFrame(rows)
    return table if credit else table.drop(columns="credit")


def _mark(mark: float | None) -> dict[str, object]:
    return {"credit_note": "too little to tell" if mark is None else "", "credit": mark}


def run_export(*arguments: object) -> int:
    """Run `peerage export` and return its exit status."""
    return cli.main(["export", *map(str, arguments)])
