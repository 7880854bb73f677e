"""Draw docs/demo.png, the picture in the README: the demo's class, before and after.

.venv/bin/python docs/picture.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import peerage
from peerage.gradebook import STUDENT

BEFORE, AFTER, GREY = "#b3541e", "#1f5fa8", "#777777"


def main() -> None:
    """Fit the class of the demo and compare with the truth."""
    book, truth = peerage.simulate(setting="b", seed=0)
    posterior = peerage.fit(book, draws=500, seed=0)
    grades, true_grade = posterior.submissions(), np.clip(truth.true_grade.ravel(), 0, 5)
    plt.rcParams |= {"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    bins = np.arange(0, 3.01, 0.25)
    for column, colour, label in (("peer_mean", BEFORE, "mean of the peers"), ("expected", AFTER, "peerage")):
        error = np.abs(grades[column].to_numpy() - true_grade)
        label = f"{label}: {error.mean():.2f} on average"
        left.hist(error, bins, histtype="step", linewidth=2.2, color=colour, label=label)
    left.set(xlabel="distance from the true grade (scale of 0 to 5)", ylabel="grades", title="Grades: smaller errors")
    left.legend(frameon=False)

    graders = posterior.graders()[book.roles == STUDENT]
    reliability = truth.reliability[book.roles == STUDENT]
    low, high = graders["reliability"] - graders["reliability_lower"], graders["reliability_upper"]
    errors = [low, high - graders["reliability"]]
    style = {"fmt": "o", "markersize": 4, "linewidth": 1, "color": AFTER, "ecolor": "#9dbbe0"}
    right.errorbar(reliability, graders["reliability"], errors, **style)
    ends = [0.03, 6]
    right.plot(ends, ends, color=GREY, linewidth=1, linestyle="--")
    right.set(xscale="log", yscale="log", xlabel="true reliability of a student", ylabel="estimate with 90 % interval")
    right.set_title("Graders: who is reliable, and how sure that is")
    for axis in (right.xaxis, right.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")
    figure.savefig(Path(__file__).with_name("demo.png"), dpi=110)


if __name__ == "__main__":
    main()
