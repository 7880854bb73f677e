"""Does pay follow effort, and what does a student gain by grading otherwise than honestly?

The benchmark of Burrell and Schoenebeck (2023), for all mechanisms of payment and for Peerage's credit. In their
simulated classes of 100 students and 10 assignments,

- *integrity* is Kendall's τ between how hard students look and what they earn;
- *robustness* is by how many places in the ranking by pay a student rises who adopts a strategy that ten others have
  adopted already; the largest mean gain over six strategies counts.

``python benchmarks/study_incentives.py [-o FOLDER] [--classes N] [--credit N]`` writes ``incentives.csv`` and the
picture ``incentives.png``, and prints a table. Classes that an earlier ``incentives.csv`` has are not measured again:
a run that was interrupted goes on where it stopped. ``--credit`` says how many classes are fitted for Peerage's point;
there, ten students deviate at a time, so that a fit tells of all of them. Last, it prints what pay by what reports
truly tell would give: its τ, and what students who correct their bias would gain.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import kendalltau, sem

import peerage as pg
from peerage.mechanisms.credit_payment import Credit
from peerage.mechanisms.mechanism_contract import Mechanism
from peerage.mechanisms.mechanism_registry import MECHANISMS
from peerage.simulation import strategies
from peerage.simulation.burrell import LooksTruth, burrell_schoenebeck
from true_looks import told, told_corrected

Floats = NDArray[np.float64]

PLAYING = range(90, 100)
"""Who follows the strategy already, out of a hundred."""

CREDIT = Credit(chains=2, draws=250)
"""Fewer draws than a class would use."""

DEVIATORS = 10

LINE, WIDTH = 2.2, 0.07
"""The height and width of a label in the picture, so that labels do not overlap."""


class Row(NamedTuple):
    """What one class says: τ, or the gain of a deviator by a strategy."""

    mechanism: str
    seed: int
    quantity: str
    value: float


class Mean(NamedTuple):
    """A mean and its standard error."""

    value: float
    error: float


STRATEGIES = ("noise", "correct bias", "merge", "mean", "top", "hedge")
"""What Burrell and Schoenebeck call noise, fix-bias, merge, prior, all 10 and hedge."""


def strategy(name: str, truth: LooksTruth) -> strategies.Strategy:
    """One of the six strategies."""
    known = {
        "noise": strategies.honest_and_noise,
        "merge": strategies.merge,
        "mean": strategies.always_mean,
        "top": strategies.always_top,
        "hedge": strategies.hedge,
    }
    return known[name] if name in known else strategies.correct_bias(truth.bias)


def earned(book: pg.Gradebook, mechanism: Mechanism, seed: int) -> Floats:
    """(graders,) what each earns in all assignments."""
    table = mechanism.pay(book, seed=seed)
    return np.asarray(table.groupby("grader")["payment"].sum().reindex(list(book.graders)), dtype=float)


def places(paid: Floats, graders: range) -> Floats:
    """How many earn as much as each of some graders or more."""
    return np.array([(paid >= paid[grader]).sum() for grader in graders], dtype=float)


def measure(mechanism: Mechanism, seed: int, deviators: range) -> Iterator[Row]:
    """One class: τ, and the gains of each strategy's deviators."""
    book, truth = burrell_schoenebeck(seed=seed, clusters=mechanism.name == "dmi")
    tau = kendalltau(truth.effort, earned(book, mechanism, seed)).statistic
    yield Row(mechanism.name, seed, "tau", float(tau))
    for name in STRATEGIES:
        played = strategies.play(book, strategy(name, truth), PLAYING, seed)
        before = earned(played, mechanism, seed)
        after = earned(strategies.play(played, strategy(name, truth), deviators, seed), mechanism, seed)
        for gain in places(before, deviators) - places(after, deviators):
            yield Row(mechanism.name, seed, name, float(gain))


def summarise(rows: list[Row]) -> dict[str, dict[str, Mean]]:
    """By mechanism and quantity, the mean and its standard error."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        values[row.mechanism][row.quantity].append(row.value)
    return {
        name: {key: Mean(float(np.mean(found)), float(sem(found))) for key, found in by_quantity.items()}
        for name, by_quantity in values.items()
    }


def show(table: dict[str, dict[str, Mean]]) -> None:
    """Print the table in Markdown."""
    print("| mechanism | τ | " + " | ".join(STRATEGIES) + " |\n" + "|---" * (2 + len(STRATEGIES)) + "|")
    for name, row in table.items():
        gains = [f"{row[column].value:+.0f} ± {row[column].error:.0f}" for column in STRATEGIES]
        print(f"| `{name}` | {row['tau'].value:.3f} ± {row['tau'].error:.3f} | " + " | ".join(gains) + " |")


def measure_truth(seed: int) -> Iterator[Row]:
    """One class, paid by what reports truly tell: τ, and the gains of those who correct their bias."""
    _, truth = burrell_schoenebeck(seed=seed)
    honest, corrected = told(truth), told_corrected(truth, seed)
    yield Row("truth", seed, "tau", float(kendalltau(truth.effort, honest).statistic))
    before = np.where(np.isin(np.arange(len(honest)), PLAYING), corrected, honest)
    after = np.append(corrected[:DEVIATORS], before[DEVIATORS:])
    for gain in places(before, range(DEVIATORS)) - places(after, range(DEVIATORS)):
        yield Row("truth", seed, "correct bias", float(gain))


def draw(table: dict[str, dict[str, Mean]], path: Path) -> None:
    """Integrity against robustness: the best corner is at the lower right."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5.5), layout="constrained")
    worst = {name: max(row[column] for column in STRATEGIES) for name, row in table.items()}
    labels: list[tuple[float, float]] = []
    for name in sorted(table, key=lambda name: worst[name].value):
        x, y, color = table[name]["tau"], worst[name], "#c0392b" if name == "credit" else "#34495e"
        axes.errorbar(x.value, y.value, y.error, x.error, fmt="o", color=color, markersize=5, linewidth=0.6)
        height = y.value + 0.4
        while any(abs(height - other) < LINE and abs(x.value - place) < WIDTH for place, other in labels):
            height += 0.2
        labels.append((x.value, height))
        axes.annotate(name, (x.value, y.value), (x.value + 0.006, height), fontsize=8, color=color)
    axes.axhline(0, color="#7f8c8d", linewidth=0.8, linestyle="--")
    axes.set_xlim(0, 0.48)
    axes.set_xlabel("Integrity: Kendall's τ of effort and pay")
    axes.set_ylabel("What the best of six strategies gains, in places of 100")
    axes.set_title("Who measures well, and who can be gamed (bars: one standard error)", fontsize=10)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, dpi=150)


def main() -> None:
    """Measure, add to what the folder has, and print and draw all of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=Path(), metavar="FOLDER")
    parser.add_argument("--classes", type=int, default=20, help="for each mechanism of the literature")
    parser.add_argument("--credit", type=int, default=20, help="for Peerage's credit")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    file = asked.out / "incentives.csv"
    rows = [] if not file.exists() else [Row(*row) for row in pd.read_csv(file).itertuples(index=False, name=None)]
    for mechanism in MECHANISMS.values():
        ours = mechanism.name == "credit"
        done = {row.seed for row in rows if row.mechanism == mechanism.name}
        for seed in sorted({*range(asked.credit if ours else asked.classes)} - done):
            rows += measure(CREDIT if ours else mechanism, seed, range(DEVIATORS if ours else 1))
            pd.DataFrame(rows, columns=list(Row._fields)).to_csv(file, index=False)
    table = summarise(rows)
    show(table)
    draw(table, asked.out / "incentives.png")
    true = summarise([row for seed in range(asked.classes) for row in measure_truth(seed)])["truth"]
    tau, gained = true["tau"], true["correct bias"]
    print(f"By what reports truly tell: τ {tau.value:.3f} ± {tau.error:.3f}", end=", ")
    print(f"correct bias {gained.value:+.1f} ± {gained.error:.1f}")


if __name__ == "__main__":
    main()
