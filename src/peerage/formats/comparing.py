"""Tables of comparisons: judge, winner, loser."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from peerage.errors import InputError, Problem
from peerage.gradebook.comparisons import Comparisons
from peerage.tables.column import Column
from peerage.tables.reading_files import read_sheet

COLUMNS = ("judge", "winner", "loser")


def read_comparisons(path: str | Path) -> Comparisons:
    """Read a table of comparisons (CSV, TSV, XLSX or Parquet) with the columns judge, winner and loser.

    Other columns are left alone. Methods that rank take what is read in the place of a gradebook:
    ``pg.aggregate(pg.read_comparisons("judgements.csv"), "bradley-terry")``.
    """
    path = Path(path)
    sheet = read_sheet(path, path.name)
    missing = [name for name in COLUMNS if name not in sheet.header]
    if missing:
        remedy = "a table of comparisons needs judge, winner and loser"
        raise InputError([Problem(f"there is no column {name!r}", remedy, path.name) for name in missing])
    judges, winners, losers = (_texts(sheet.column(name)) for name in COLUMNS)
    problems = [
        Problem(message, "correct the row or take it out", path.name, int(sheet.rows[index]))
        for index, (judge, winner, loser) in enumerate(zip(judges, winners, losers, strict=True))
        if (message := _problem(judge, winner, loser))
    ]
    if problems:
        raise InputError(problems)
    if not judges:
        raise InputError(Problem("there is no comparison", "add rows", path.name))
    submissions = {name: index for index, name in enumerate(dict.fromkeys(winners + losers))}
    graders = {name: index for index, name in enumerate(dict.fromkeys(judges))}
    return Comparisons(
        tuple(submissions),
        tuple(graders),
        np.array([graders[name] for name in judges], np.int64),
        np.array([submissions[name] for name in winners], np.int64),
        np.array([submissions[name] for name in losers], np.int64),
    )


def _texts(column: Column) -> list[str]:
    return [column[index].strip() for index in range(len(column))]


def _problem(judge: str, winner: str, loser: str) -> str:
    if not (judge and winner and loser):
        return "a judge, winner or loser is missing"
    return f"{winner!r} is compared with itself" if winner == loser else ""
