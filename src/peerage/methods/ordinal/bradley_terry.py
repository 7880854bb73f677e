"""Bradley and Terry (1952): the stronger of two works wins with a probability that grows with the difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from peerage.methods.method_contract import Floats
from peerage.methods.ordinal.strengths import PairStrengths


@dataclass(frozen=True)
class BradleyTerry(PairStrengths):
    """P(i above j) = 1 / (1 + exp(−η_v (x_i − x_j))), x ~ N(0, 9); η is 1, or graders' reliability ~ Gamma(10, 0.1).

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> BradleyTerry(name="bradley-terry").aggregate(book).converged
    True
    """

    citation: ClassVar[str] = "Bradley and Terry (1952); Raman and Joachims (2014), Methods for ordinal peer grading"

    @staticmethod
    def link(margin: Floats) -> tuple[Floats, Floats]:
        """The logistic distribution."""
        return -np.logaddexp(0, -margin), expit(-margin)
