"""Tables of comparisons: judge, winner, loser."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from peerage.errors import InputError, Problem
from peerage.gradebook.comparisons import Comparisons
from peerage.rubric import FORBIDDEN
from peerage.support.words.spelling import Key, keys_of, respellings, same_person, same_text, spellings
from peerage.support.words.wording import listed
from peerage.tables.column import Column
from peerage.tables.reading_files import read_sheet

COLUMNS = ("judge", "winner", "loser")


def read_comparisons(path: str | Path, *, exact_ids: bool = False) -> Comparisons:
    """Read a table of comparisons (CSV, TSV, XLSX or Parquet) with the columns judge, winner and loser.

    Other columns are left alone. A judge or submission in several spellings is taken for one, which is among the
    ``notices``, unless ``exact_ids``. Methods that rank take what is read in the place of a gradebook:
    ``pg.aggregate(pg.read_comparisons("judgements.csv"), "bradley-terry")``.
    """
    path = Path(path)
    sheet = read_sheet(path, path.name)
    missing = [name for name in COLUMNS if name not in sheet.header]
    if missing:
        remedy = "a table of comparisons needs judge, winner and loser"
        raise InputError([Problem(f"there is no column {name!r}", remedy, path.name) for name in missing])
    judges, winners, losers = (_texts(sheet.column(name)) for name in COLUMNS)
    notices = []
    if not exact_ids:
        judges, told = _one_spelling(judges, same_person, "judge")
        in_order = [name for pair in zip(winners, losers, strict=True) for name in pair]
        both, told_too = _one_spelling(in_order, same_text, "submission")
        winners, losers, notices = both[::2], both[1::2], told + told_too
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
        tuple(notices),
    )


def _texts(column: Column) -> list[str]:
    return [column[index].strip() for index in range(len(column))]


def _one_spelling(texts: list[str], key: Key, noun: str) -> tuple[list[str], list[Problem]]:
    """The names with each in the spelling that comes first, and what was taken for the same."""
    names = list(dict.fromkeys(texts))
    chosen = respellings(names, keys_of(names, key))
    if not chosen:
        return texts, []
    message = f"taken for the same {noun} in several spellings: {listed(list(spellings(chosen)))}"
    notice = Problem(message, "if they are different, have ids read exactly", setting="exact_ids")
    return [chosen.get(name, name) for name in texts], [notice]


def _problem(judge: str, winner: str, loser: str) -> str:
    if not (judge and winner and loser):
        return "a judge, winner or loser is missing"
    odd = next((name for name in (judge, winner, loser) if FORBIDDEN.search(name)), None)
    if odd is not None:
        return f"the id {odd!r} holds a control character"
    return f"{winner!r} is compared with itself" if winner == loser else ""
