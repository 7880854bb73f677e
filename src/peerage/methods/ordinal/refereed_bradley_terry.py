"""RBTL (Shah et al. 2013): whoever does better work compares the work of others more surely."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from peerage.errors import UnmetNeedError
from peerage.gradebook.comparisons import Comparisons
from peerage.methods.item_reports import ratio, sums
from peerage.methods.method_contract import Aggregate, Floats, Solution
from peerage.methods.method_needs import AUTHORS, RANKINGS, Need
from peerage.methods.ordinal.pairs import Ordinal, Pairs
from peerage.methods.ordinal.strengths import gradients


@dataclass(frozen=True)
class RefereedBradleyTerry(Ordinal):
    """P(v puts i above j) = 1 / (1 + exp(−(a x_v + 1)(x_i − x_j))), x ~ N(1, ½), a with the penalty λ a² / 2.

    x_v is the strength of the grader's own work, the mean of several; who wrote nothing has 1, the mean of all. The
    strengths and a are those with the largest penalised likelihood, found together from x = 1 and a = 0. With a = 0 it
    is the Bradley–Terry model.

    The prior and λ = 0.01 are the defaults of the authors' program, which chooses a from a list of its user's.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> RefereedBradleyTerry(name="rbtl").aggregate(book).converged
    True
    """

    mean: float = 1.0
    variance: float = 0.5
    penalty: float = 0.01

    citation: ClassVar[str] = "Shah et al. (2013), A case for ordinal peer-evaluation in MOOCs, model RBTL"
    needs: ClassVar[tuple[Need, ...]] = (AUTHORS, RANKINGS)

    def rank(self, pairs: Pairs) -> Solution:
        """The method itself."""
        start = np.append(np.full(pairs.n_items, self.mean), 0.0)
        cost = partial(self.cost, pairs)
        found = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 1000})
        strength, slope = found.x[:-1], float(found.x[-1])
        ability = slope * self._own(pairs, strength) + 1
        return Solution(strength, weight=ability, converged=bool(found.success), iterations=int(found.nit))

    def cost(self, pairs: Pairs, point: Floats) -> tuple[float, Floats]:
        """The negative penalised log likelihood of all strengths and a, which comes last, and its gradient."""
        strength, slope = point[:-1], point[-1]
        own, gap = self._own(pairs, strength), strength[pairs.winner] - strength[pairs.loser]
        ability = slope * own + 1
        margin = ability[pairs.judge] * gap
        in_strength, in_ability = gradients(pairs, pairs.weight * expit(-margin), gap, ability)
        n_written = np.maximum(sums(pairs.written_by, pairs.n_judges), 1)
        through_own = (slope * in_ability / n_written)[pairs.written_by]
        in_strength = in_strength + sums(pairs.written, pairs.n_items, through_own)
        away = (strength - self.mean) / self.variance
        value = pairs.weight @ np.logaddexp(0, -margin) + (strength - self.mean) @ away / 2
        value += self.penalty * slope**2 / 2
        return float(value), np.append(away - in_strength, self.penalty * slope - in_ability @ own)

    def _own(self, pairs: Pairs, strength: Floats) -> Floats:
        """(judges,) the mean strength of what each wrote."""
        written = sums(pairs.written_by, pairs.n_judges, strength[pairs.written])
        own = ratio(written, sums(pairs.written_by, pairs.n_judges))
        return np.where(np.isnan(own), self.mean, own)

    def compare(self, compared: Comparisons) -> Aggregate:  # noqa: ARG002
        """Refuse: comparisons do not say who wrote what."""
        raise UnmetNeedError(self.name, AUTHORS.name, AUTHORS.reason)
