"""Rows of a study that takes long, kept in a CSV file so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

Row = Mapping[str, Any]


def study_options(description: str | None, csv: str, classes: int) -> argparse.ArgumentParser:
    """What every such study can be asked: where its rows are kept, and how many classes of each kind it measures."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=Path, nargs="?", default=Path(csv))
    parser.add_argument("--classes", type=int, default=classes)
    return parser


def measure_missing(path: Path, cases: Iterable[Row], measure: Callable[[Any], Iterable[Row]]) -> pd.DataFrame:
    """Measure the cases that the file does not have yet, and write it anew after each; a case names its columns."""
    rows: list[dict[Any, Any]] = pd.read_csv(path).to_dict("records") if path.exists() else []
    for case in cases:
        if not any(all(row[name] == value for name, value in case.items()) for row in rows):
            rows += [{**case, **row} for row in measure(case)]
            pd.DataFrame(rows).to_csv(path.with_suffix(".new"), index=False)
            path.with_suffix(".new").replace(path)
            print(", ".join(f"{name} {value}" for name, value in case.items()), file=sys.stderr, flush=True)
    return pd.DataFrame(rows)
