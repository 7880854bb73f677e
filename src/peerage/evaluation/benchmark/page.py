"""The page of a benchmark: where Peerage is not the best first, then who is best in each kind, and by how much."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from peerage.evaluation.benchmark.benchmark_tasks import DEVIATORS, FOLDS, REPLICATES
from peerage.evaluation.benchmark.measures import MEASURES
from peerage.evaluation.benchmark.standings import OURS, Benchmark
from peerage.support.words.wording import counted

_SHOWN = ("rmse", "mae", "bias", "mapped_rmse", "tau", "pairs", "coverage", "held_out", "harm", "gain", "unfinished")
_GOOD_ENOUGH = "mean"
_AVERAGED = {
    "rmse": "error of grades",
    "mapped_rmse": "error of order",
    "coverage": "90 % intervals contain",
    "held_out": "held-out review",
    "harm": "harm by one deviator",
    "gain": "own gain",
}
"""What is averaged over kinds, and what it is called."""

_FIRST = 10
"""How many methods are compared on average."""

_NAMED = 4
"""How many methods that cannot be told from the best are named."""

ORDER = "order_"
_ASPECTS = {"": "grades", ORDER: "order"}
_ERRORS = {"": "rmse", ORDER: "mapped_rmse"}


def page(found: Benchmark) -> str:
    """The page as Markdown."""
    table = found.table()
    parts = (
        _head(found),
        _overall(found, table),
        _ours(found, table, ""),
        _ours(found, table, ORDER),
        _kinds(found, table, ""),
        _kinds(found, table, ORDER),
        _mean(table),
        _time(found, table),
        _details(found, table),
    )
    return "\n".join(line for part in parts for line in part)


def _head(found: Benchmark) -> Iterator[str]:
    simulated = sum(not kind.is_real for kind in found.job.kinds)
    yield "# Which method is best where?\n"
    yield (
        f"{len(found.job.methods)} methods on {simulated} kinds of simulated class and "
        f"{len(found.job.kinds) - simulated} real ones. *Grades* are judged by their root mean squared error on the "
        "scale of 0 to 5. *Order* is judged by the error after the best linear map to the truth, so that rankings, and "
        "staff who use another scale, can be compared too. Intervals are from a paired bootstrap over submissions, at "
        "95 %: where one includes 0, it cannot be told which method is better. They hold for these classes; of another "
        "class of the same kind they say less. One comparison in twenty is called a difference by chance.\n"
    )
    yield "![how far Peerage, the mean and all others are from the best](benchmark.png)\n"


def _overall(found: Benchmark, table: pd.DataFrame) -> Iterator[str]:
    """Averages over the simulated kinds, of the best methods and of the mean."""
    simulated = {kind.name for kind in found.job.kinds if not kind.is_real}
    rows = table[table["kind"].isin(simulated)]
    means = rows.groupby("method")[list(_AVERAGED)].mean().dropna(subset="rmse").sort_values("rmse")
    if len(simulated) < 2 or means.empty:
        return
    good = rows[rows["verdict"].isin(["best", "cannot be told"])].groupby("method").size()
    lacking = rows[rows["trouble"] != ""].groupby("method")["kind"].agg(", ".join)
    shown = list(
        dict.fromkeys([*means.index[:_FIRST], *(name for name in (OURS, _GOOD_ENOUGH) if name in means.index)])
    )
    yield "## On average over the simulated kinds\n"
    means = means.dropna(axis=1, how="all")
    heads = " | ".join(_AVERAGED[name] for name in means.columns)
    yield f"| method | {heads} | kinds (of {len(simulated)}) where it is as good as the best |"
    yield "|---" * (len(means.columns) + 2) + "|"
    for name in shown:
        cells = ["" if np.isnan(value) else f"{value:.3f}" for value in means.loc[name]]
        without = f" (without {lacking[name]})" if name in lacking.index else ""
        yield f"| {name}{without} | {' | '.join(cells)} | {good.get(name, 0)} |"
    yield ""


def _ours(found: Benchmark, table: pd.DataFrame, head: str) -> Iterator[str]:
    """Where Peerage is not the best."""
    mine = table[table["method"] == OURS].set_index("kind")
    if mine.empty:
        return
    yield f"## Where Peerage is not the best: {_ASPECTS[head]}\n"
    worse = mine[mine[f"{head}verdict"] == "worse"].sort_values(f"{head}excess", ascending=False)
    if worse.empty:
        yield "In no kind of class is another method better by more than chance.\n"
    else:
        yield "| kind of class | the best | Peerage's error | larger by | interval |\n|---|---|---|---|---|"
        for kind, row in worse.iterrows():
            best = _best(table, str(kind), head)
            yield f"| {_title(found, str(kind))} | {best} | {row[_ERRORS[head]]:.3f} | {_excess(row, head)} |"
        yield ""
    close = [str(kind) for kind in mine[f"{head}verdict"].dropna().index if kind not in worse.index]
    alone = [kind for kind in close if not _near(table, kind, head)]
    tied = [kind for kind in close if kind not in alone]
    if tied:
        yield f"It and the best, or the next best, differ by no more than chance in {len(tied)}: {', '.join(tied)}.\n"
    if alone:
        yield f"It is better than all others, by more than chance, in {len(alone)}: {', '.join(alone)}.\n"


def _kinds(found: Benchmark, table: pd.DataFrame, head: str) -> Iterator[str]:
    yield f"## Who is best: {_ASPECTS[head]}\n"
    yield "| kind of class | smallest error | error | as good, within chance | the mean's is larger by | interval |"
    yield "|---|---|---|---|---|---|"
    for kind in found.job.kinds:
        rows = table[table["kind"] == kind.name].set_index("method")
        plain = next((_excess(row, head) for name, row in rows.iterrows() if name == _GOOD_ENOUGH), " | ")
        near = _near(table, kind.name, head)
        best = rows[rows[f"{head}verdict"] == "best"]
        if best.empty:
            continue
        shown = ", ".join(near[:_NAMED]) + (f" and {len(near) - _NAMED} more" if len(near) > _NAMED else "")
        error = best.iloc[0][_ERRORS[head]]
        yield f"| {kind.title} | {best.index[0]} | {error:.3f} | {shown or 'none'} | {plain} |"
    yield ""


def _mean(table: pd.DataFrame) -> Iterator[str]:
    rows = table[(table["method"] == _GOOD_ENOUGH) & table["verdict"].isin(["best", "cannot be told"])]
    yield "## Where the mean is good enough\n"
    if rows.empty:
        yield "In no kind of class: another method is better than the mean by more than chance in each.\n"
    else:
        kinds = f"{counted(len(rows), 'kind')}: {', '.join(rows['kind'])}"
        yield f"It is as good as the best method, within chance, in {kinds}.\n"


def _time(found: Benchmark, table: pd.DataFrame) -> Iterator[str]:
    """How long this took, and how long all of it takes: each class once, and one of a kind for prediction and harm."""
    taken = sum(finding.seconds for finding in found.found.values())
    times = {kind.name: FOLDS + DEVIATORS + (1 if kind.is_real else REPLICATES) for kind in found.job.kinds}
    whole = (table["seconds"].fillna(0.0) * table["kind"].map(times)).sum()
    yield "## What it takes\n"
    yield (
        f"Applying these methods took {taken / 60:.0f} minutes of one processor, without prediction and deviators. The "
        f"whole benchmark, with both and {REPLICATES} classes of each simulated kind, takes about {whole / 3600:.1f} "
        "hours of one.\n"
    )


def _details(found: Benchmark, table: pd.DataFrame) -> Iterator[str]:
    yield "## All measures\n"
    yield "\n".join(f"- *{name}*: {meaning}" for name, meaning in MEASURES.items()) + "\n"
    for kind in found.job.kinds:
        rows = table[table["kind"] == kind.name].sort_values(["excess", "order_excess"], na_position="last")
        yield f"### {kind.title[0].upper()}{kind.title[1:]}\n"
        yield "| method | " + " | ".join(_SHOWN) + " | grades | order |"
        yield "|---" * (len(_SHOWN) + 3) + "|"
        for row in rows.to_dict("records"):
            cells = ["" if np.isnan(row[name]) else f"{row[name]:.3f}" for name in _SHOWN]
            verdicts = [row["trouble"]] * 2 if row["trouble"] else [row["verdict"], row["order_verdict"]]
            words = [word if isinstance(word, str) else "" for word in verdicts]
            yield f"| {row['method']} | {' | '.join(cells)} | {' | '.join(words)} |"
        yield ""


def _title(found: Benchmark, name: str) -> str:
    return next(kind.title for kind in found.job.kinds if kind.name == name)


def _best(table: pd.DataFrame, kind: str, head: str) -> str:
    return str(table[(table["kind"] == kind) & (table[f"{head}verdict"] == "best")]["method"].iloc[0])


def _near(table: pd.DataFrame, kind: str, head: str) -> list[str]:
    """The methods that cannot be told from the best of a kind, the nearest first."""
    rows = table[(table["kind"] == kind) & (table[f"{head}verdict"] == "cannot be told")]
    return list(rows.sort_values(f"{head}excess")["method"])


def _excess(row: pd.Series[float], head: str) -> str:
    if np.isnan(row[f"{head}excess"]):
        return " | "
    return f"{row[f'{head}excess']:.3f} | {row[f'{head}excess_lower']:.3f} to {row[f'{head}excess_upper']:.3f}"
