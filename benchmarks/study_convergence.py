"""Whether default fits of real classes settle: which model was used, the largest R-hat, and whether two seeds agree.

``python benchmarks/study_convergence.py GRADES…`` fits each table of grades twice and prints a row for each. Where a
``staff_grades.csv`` (submission, grade) lies beside it, which the fits never see, the row also has the rank correlation
(Spearman) of the peers' mean and of the expected grades with the staff's.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from scipy.stats import spearmanr

import peerage as pg
from peerage.inference.agreement import largest_r_hat
from study_staff import agreement


def against_staff(posterior: pg.Posterior, path: Path) -> str:
    """Rank correlations with what staff gave, of the peers' mean and of the expected totals."""
    if not path.exists():
        return ""
    staff = pd.read_csv(path, dtype={"submission": str}).set_index("submission").iloc[:, 0].dropna()
    totals = posterior.submissions().groupby("submission")[["peer_mean", "expected"]].sum()
    both = totals.index.intersection(staff.index)
    found = [spearmanr(totals.loc[both, name], staff[both]).statistic for name in ("peer_mean", "expected")]
    return f"{found[0]:.3f}, {found[1]:.3f} ({len(both)})"


def main(*paths: str) -> None:
    """Print a row for each table of grades."""
    print("| grades | model | draws | R-hat | seeds agree | with staff: mean, expected |\n|---|---|---|---|---|---|")
    for path in map(Path, paths):
        book = pg.read_grades(path)
        first, second = (pg.fit(book, seed=seed) for seed in (0, 1))
        shown = f"{first.model.name} | {first.samples.n_draws:,} | {largest_r_hat(first):.3f}"
        staff = against_staff(first, path.with_name("staff_grades.csv"))
        print(f"| {path.parent.name}/{path.name} | {shown} | {agreement(first, second):.1%} | {staff} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
