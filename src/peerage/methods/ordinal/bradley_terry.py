"""Bradley and Terry (1952): the stronger of two works wins with a probability that grows with the difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from peerage.methods.item_reports import sums
from peerage.methods.method_contract import Floats, Solution
from peerage.methods.ordinal.pairs import Ordinal, Pairs
from peerage.methods.ordinal.strengths import PRIOR_SD, strongest


@dataclass(frozen=True)
class BradleyTerry(Ordinal):
    """P(i above j) = 1 / (1 + exp(−η_v (x_i − x_j))), x ~ N(0, 9); η is 1, or graders' reliability ~ Gamma(10, 0.1).

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> BradleyTerry(name="bradley-terry").aggregate(book).converged
    True
    """

    reliability: bool = False
    prior_sd: float = PRIOR_SD

    citation: ClassVar[str] = "Bradley and Terry (1952); Raman and Joachims (2014), Methods for ordinal peer grading"

    def rank(self, pairs: Pairs) -> Solution:
        """The method itself."""

        def likelihood(strength: Floats, weight: Floats) -> tuple[float, Floats, Floats]:
            gap = strength[pairs.winner] - strength[pairs.loser]
            margin = weight[pairs.judge] * gap
            value = -float(pairs.weight @ np.logaddexp(0, -margin))
            return value, *gradients(pairs, pairs.weight * expit(-margin), gap, weight)

        return strongest(
            likelihood, pairs.n_items, pairs.n_judges, reliability=self.reliability, prior_sd=self.prior_sd
        )


def gradients(pairs: Pairs, slope: Floats, gap: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Gradients in strengths and in reliabilities, from the slope of the log likelihood in each margin."""
    pull = slope * weight[pairs.judge]
    in_strength = sums(pairs.winner, pairs.n_items, pull) - sums(pairs.loser, pairs.n_items, pull)
    return in_strength, sums(pairs.judge, pairs.n_judges, slope * gap)
