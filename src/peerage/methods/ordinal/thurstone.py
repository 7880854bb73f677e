"""Thurstone (1927): each look at a work is normal around its strength, and the better look wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import log_ndtr

from peerage.methods.method_contract import Floats
from peerage.methods.ordinal.strengths import PairStrengths


@dataclass(frozen=True)
class Thurstone(PairStrengths):
    """P(i above j) = Φ(η_v (x_i − x_j)), x ~ N(0, 9); η is 1, or graders' reliability ~ Gamma(10, 0.1).

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> Thurstone(name="thurstone").aggregate(book).converged
    True
    """

    citation: ClassVar[str] = "Thurstone (1927); Raman and Joachims (2014), Methods for ordinal peer grading"

    @staticmethod
    def link(margin: Floats) -> tuple[Floats, Floats]:
        """The normal distribution."""
        log_mass = log_ndtr(margin)
        return log_mass, np.exp(-0.5 * margin**2 - log_mass) / np.sqrt(2 * np.pi)
