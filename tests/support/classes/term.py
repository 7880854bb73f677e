"""A small class, week after week: its tables, its files and its fits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import peerage as pg
from peerage.cli import main

FAST = ["--chains", "2", "--draws", "30", "--burn-in", "10", "--priors", "paper", "-q", "--final", "explained"]
"""Long enough for everything to be written, too short to be believed; legal grades, whose changes can be foretold."""

TABLES = ("grades.csv", "totals.csv", "graders.csv", "spotchecks.csv", "weights.csv", "explanations.csv")


def class_table(students: int = 8, weeks: int = 2, seed: int = 3) -> pd.DataFrame:
    """The grades of a class with a TA, in long form."""
    book, _ = pg.simulate(students, weeks, seed=seed, tas=1, components=2)
    return book.table()


def written(table: pd.DataFrame, path: Path) -> Path:
    """The table as a file, with the rubric of 0 to 5 beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(path, index=False)
    rubric = pg.Rubric.uniform(dict.fromkeys(table["component"]), range(6))
    (path.parent / "rubric.toml").write_text(rubric.to_toml(), encoding="utf-8")
    return path


def fitted(grades: Path, out: Path, *options: str) -> Path:
    """The results of a fit that succeeds."""
    assert main(["fit", str(grades), "-o", str(out), *FAST, *options]) == 0
    return out


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table, as text."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    return [{str(name): cell for name, cell in row.items()} for row in table.to_dict("records")]


def record(folder: Path) -> dict[str, Any]:
    """What ``run.json`` holds."""
    content: dict[str, Any] = json.loads((folder / "run.json").read_text("utf-8"))
    return content


def grades_of(folder: Path) -> dict[tuple[str, str], float]:
    """The final grades."""
    return {(row["submission"], row["component"]): float(row["grade"]) for row in rows(folder / "grades.csv")}


def graders_of(folder: Path) -> dict[str, dict[str, str]]:
    """What is believed of each grader, as text."""
    return {row["grader"]: row for row in rows(folder / "graders.csv")}


def changed(table: pd.DataFrame, where: Callable[[pd.DataFrame], pd.Series[bool]], grade: float) -> pd.DataFrame:
    """The table with another grade in some rows."""
    return table.assign(grade=table["grade"].mask(where(table), grade))
