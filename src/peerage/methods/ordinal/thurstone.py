"""Thurstone (1927): each look at a work is normal around its strength, and the better look wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import log_ndtr

from peerage.methods.method_contract import Floats, Solution
from peerage.methods.ordinal.bradley_terry import gradients
from peerage.methods.ordinal.pairs import Ordinal, Pairs
from peerage.methods.ordinal.strengths import PRIOR_SD, strongest


@dataclass(frozen=True)
class Thurstone(Ordinal):
    """P(i above j) = Φ(η_v (x_i − x_j)), x ~ N(0, 9); η is 1, or graders' reliability ~ Gamma(10, 0.1).

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> Thurstone(name="thurstone").aggregate(book).converged
    True
    """

    reliability: bool = False
    prior_sd: float = PRIOR_SD

    citation: ClassVar[str] = "Thurstone (1927); Raman and Joachims (2014), Methods for ordinal peer grading"

    def rank(self, pairs: Pairs) -> Solution:
        """The method itself."""

        def likelihood(strength: Floats, weight: Floats) -> tuple[float, Floats, Floats]:
            gap = strength[pairs.winner] - strength[pairs.loser]
            margin = weight[pairs.judge] * gap
            log_mass = log_ndtr(margin)
            slope = np.exp(-0.5 * margin**2 - log_mass) / np.sqrt(2 * np.pi)
            return float(pairs.weight @ log_mass), *gradients(pairs, pairs.weight * slope, gap, weight)

        return strongest(
            likelihood, pairs.n_items, pairs.n_judges, reliability=self.reliability, prior_sd=self.prior_sd
        )
