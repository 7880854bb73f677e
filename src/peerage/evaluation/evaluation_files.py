"""The files of an evaluation."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from peerage.evaluation.ablations import FEATURES
from peerage.evaluation.evaluation import Evaluation
from peerage.evaluation.figure_files import save_figure
from peerage.results import result_folder
from peerage.results.provenance import provenance
from peerage.tables.writing_tables import write_table

TABLE, REVIEWS, TESTS, TEXT, RECORD = "evaluation.csv", "reviews.csv", "tests.csv", "evaluation.txt", "run.json"
FIGURE = "evaluation"

_DECIMALS = {"elpd": 3, "elpd_se": 3, "delta": 3, "delta_se": 3, "grade_change": 4, "seconds": 2, "t": 3}
_REVIEW_DECIMALS = 6


def write_evaluation(found: Evaluation, path: Path) -> list[str]:
    """Write the tables, the figure, the text and how they came about to a folder, and return the files' names."""
    with result_folder.writing(path) as folder:
        return _fill(found, folder)


def _fill(found: Evaluation, folder: Path) -> list[str]:
    """Write the files into a folder that is being written."""
    write_table(table_as_written(found), folder / TABLE)
    write_table(found.reviews().round(_REVIEW_DECIMALS), folder / REVIEWS)
    write_table(_rounded(found.tests()), folder / TESTS)
    (folder / TEXT).write_bytes(("\n".join(found.sentences) + "\n").encode())
    (folder / RECORD).write_bytes((json.dumps(record(found), indent=1) + "\n").encode())
    return [TEXT, TABLE, REVIEWS, TESTS, *save_figure(found.figure(), folder, FIGURE), RECORD]


def table_as_written(found: Evaluation) -> pd.DataFrame:
    """The table of models, with flags as true and false, empty for baselines, and figures to a few decimals."""
    table = _rounded(found.table())
    words = {True: "true", False: "false"}
    for name in FEATURES:
        table[name] = [words.get(flag) for flag in table[name]]
    return table


def record(found: Evaluation) -> dict[str, Any]:
    """How the evaluation came about, as plain values."""
    rows = table_as_written(found).replace({np.nan: None}).to_dict("records")
    return provenance(found.book) | {
        "method": "leave-one-out" if found.folds is None else "cross-validation",
        "folds": None if found.folds is None else int(found.folds.max()) + 1,
        "sampling": asdict(found.sampling),
        "models": {name: model.to_dict() for name, model in found.models.items()},
        "refitted": {name: found.scores[name].refitted for name in found.models},
        "evaluation": rows,
        "sentences": found.sentences,
    }


def _rounded(table: pd.DataFrame) -> pd.DataFrame:
    rounded = table.round({name: places for name, places in _DECIMALS.items() if name in table})
    return rounded.assign(p_value=[float(f"{value:.3g}") for value in table["p_value"]])
