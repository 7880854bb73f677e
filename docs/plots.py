"""Draw the pictures of docs/plots.md from a simulated class.

.venv/bin/python docs/plots.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

import peerage as pg

FOLDER = Path(__file__).with_name("plots")


def main() -> int:
    """Fit the class and save each plot."""
    mpl.use("Agg")
    FOLDER.mkdir(exist_ok=True)
    book, _ = pg.simulate(students=20, weeks=1, components=3, tas=2, seed=4)
    posterior = pg.fit(book, seed=0)
    plots = {
        "grades": posterior.plot_grades("Component 1"),
        "graders": posterior.plot_graders(),
        "submission": posterior.plot_submission("week1-03")[0],
        "priors": posterior.plot_priors(),
    }
    for name, axes in plots.items():
        axes.figure.savefig(FOLDER / f"{name}.png", dpi=90)
    return 0


if __name__ == "__main__":
    sys.exit(main())
