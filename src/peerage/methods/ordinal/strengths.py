"""What Bradley–Terry, Thurstone and Plackett–Luce share: strengths, and reliabilities, that are likeliest a posteriori.

With grader reliability (Raman and Joachims 2014) a grader v sees strengths multiplied by η_v ~ Gamma(10, 0.1), whose
mean is 1; strengths have the prior N(0, 9). Both log densities are concave in one given the other, and are maximised
in turn.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from peerage.methods.item_reports import sums
from peerage.methods.method_contract import Floats, Solution
from peerage.methods.ordinal.pairs import Ordinal, Pairs

SHAPE, RATE = 10.0, 10.0
"""Of reliabilities; a rate of 10 is the authors' scale of 0.1."""

BOUNDS = (0.05, 5.0)
"""Between which reliabilities are looked for."""

ROUNDS, TOLERANCE = 100, 1e-4
"""How often reliabilities and the rest are found in turn, and how little moves when they are found."""

Likelihood = Callable[[Floats, Floats], tuple[float, Floats, Floats]]
"""From strengths and reliabilities to the log likelihood and its gradients in both."""


@dataclass(frozen=True)
class Strengths(Ordinal):
    """A method that ranks by likeliest strengths, whose graders may have a reliability."""

    reliability: bool = False
    prior_sd: float = 3.0

    def strongest(self, likelihood: Likelihood, n_items: int, n_judges: int) -> Solution:
        """The likeliest strengths, with reliabilities that are 1 or the likeliest too."""
        strength, weight = np.zeros(n_items), np.ones(n_judges)
        steps, moved, arrived = 0, np.inf, True
        precision = self.prior_sd**-2

        def cost_of_strength(point: Floats) -> tuple[float, Floats]:
            value, slope, _ = likelihood(point, weight)
            return -value + precision / 2 * float(point @ point), precision * point - slope

        def cost_of_weight(point: Floats) -> tuple[float, Floats]:
            value, _, slope = likelihood(strength, point)
            prior = (SHAPE - 1) * np.log(point).sum() - RATE * point.sum()
            return -value - float(prior), -slope - (SHAPE - 1) / point + RATE

        while moved > TOLERANCE and steps < ROUNDS and (self.reliability or steps == 0):
            found = minimize(cost_of_strength, strength, jac=True, method="L-BFGS-B", options={"maxiter": 1000})
            moved, strength, arrived = float(np.abs(found.x - strength).max()), found.x, bool(found.success)
            steps += 1
            if self.reliability:
                found = minimize(cost_of_weight, weight, jac=True, method="L-BFGS-B", bounds=[BOUNDS] * n_judges)
                weight = found.x
        done = arrived and (not self.reliability or moved <= TOLERANCE)
        return Solution(strength, weight=weight if self.reliability else None, converged=done, iterations=steps)


@dataclass(frozen=True)
class PairStrengths(Strengths):
    """… and for which a win is the likelier the larger its margin, η_v (x_i − x_j)."""

    @staticmethod
    @abstractmethod
    def link(margin: Floats) -> tuple[Floats, Floats]:
        """(wins,) the log probability of each win, and its slope in the margin."""

    def rank(self, pairs: Pairs) -> Solution:
        """The likeliest strengths."""

        def likelihood(strength: Floats, weight: Floats) -> tuple[float, Floats, Floats]:
            gap = strength[pairs.winner] - strength[pairs.loser]
            log_mass, slope = self.link(weight[pairs.judge] * gap)
            return float(pairs.weight @ log_mass), *gradients(pairs, pairs.weight * slope, gap, weight)

        return self.strongest(likelihood, pairs.n_items, pairs.n_judges)


def gradients(pairs: Pairs, slope: Floats, gap: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Gradients in strengths and in reliabilities, from the slope of the log likelihood in each margin."""
    pull = slope * weight[pairs.judge]
    in_strength = sums(pairs.winner, pairs.n_items, pull) - sums(pairs.loser, pairs.n_items, pull)
    return in_strength, sums(pairs.judge, pairs.n_judges, slope * gap)
