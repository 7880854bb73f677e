"""R2R: the median rating, with ties broken by rankings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from peerage.methods.averages.median import Median
from peerage.methods.item_reports import ItemReports, sums
from peerage.methods.method_contract import Floats, Solution, Solver
from peerage.methods.method_needs import RANKINGS, Need
from peerage.methods.ordinal.copeland import copeland_scores
from peerage.methods.ordinal.pairs import Pairs

ALPHA = 0.33
"""What the authors give for a tie in Copeland's method."""


@dataclass(frozen=True)
class R2R(Solver):
    """Score = the median of the ratings, plus Copeland's score / n or Borda's / 5n among works of the same median.

    n is the number of graders who rank in the assignment, and 5 the top of the authors' scale, 1 to 5. Medians that
    are between two ratings count as the lower one in finding ties. Rankings are those that the ratings imply.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> R2R(name="r2r-borda", borda=True).aggregate(book).converged
    True
    """

    borda: bool = False

    citation: ClassVar[str] = "Lihi, Dery and others, R2R: ratings to rankings for peer assessment of presentations"
    needs: ClassVar[tuple[Need, ...]] = (RANKINGS,)
    is_ranking: ClassVar[bool] = True
    scale: ClassVar[tuple[float, float]] = (1.0, 5.0)

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:
        """The method itself."""
        median = Median(name="median").solve(reports, rng).value
        group = reports.assignment * (int(reports.component.max()) + 1) + reports.component
        judges = np.unique(np.stack([group[reports.item], reports.grader]), axis=1)[0]
        rankers = np.maximum(np.bincount(judges, minlength=int(group.max()) + 1)[group], 1)
        return Solution(break_ties(median, Pairs.of(reports), rankers.astype(float), borda=self.borda))


def break_ties(median: Floats, pairs: Pairs, rankers: Floats, *, borda: bool) -> Floats:
    """The medians, plus what breaks ties between items of the same whole median."""
    whole = np.floor(np.nan_to_num(median, nan=-1.0) + 1e-9)
    tied = whole[pairs.winner] == whole[pairs.loser]
    among = replace(
        pairs,
        judge=pairs.judge[tied],
        winner=pairs.winner[tied],
        loser=pairs.loser[tied],
        weight=pairs.weight[tied],
    )
    if borda:
        return np.asarray(median + sums(among.winner, among.n_items, among.weight) / (5 * rankers))
    return np.asarray(median + copeland_scores(among, ALPHA) / rankers)
