"""What Bradley–Terry, Thurstone and Plackett–Luce share: strengths, and reliabilities, that are likeliest a posteriori.

With grader reliability (Raman and Joachims 2014) a grader v sees strengths multiplied by η_v ~ Gamma(10, 0.1), whose
mean is 1; strengths have the prior N(0, 9). Both log densities are concave in one given the other, and are maximised
in turn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from peerage.methods.method_contract import Floats, Solution

PRIOR_SD = 3.0
SHAPE, RATE = 10.0, 10.0
"""Of reliabilities; a rate of 10 is the authors' scale of 0.1."""

_ROUNDS = 100
_TOLERANCE = 1e-4
_BOUNDS = (0.05, 5.0)

Likelihood = Callable[[Floats, Floats], tuple[float, Floats, Floats]]
"""From strengths and reliabilities to the log likelihood and its gradients in both."""


def strongest(
    likelihood: Likelihood, n_items: int, n_judges: int, *, reliability: bool, prior_sd: float = PRIOR_SD
) -> Solution:
    """The likeliest strengths, with reliabilities that are 1 or the likeliest too."""
    strength, weight = np.zeros(n_items), np.ones(n_judges)
    steps, moved, arrived = 0, np.inf, True
    precision = prior_sd**-2

    def cost_of_strength(point: Floats) -> tuple[float, Floats]:
        value, slope, _ = likelihood(point, weight)
        return -value + precision / 2 * float(point @ point), precision * point - slope

    def cost_of_weight(point: Floats) -> tuple[float, Floats]:
        value, _, slope = likelihood(strength, point)
        prior = (SHAPE - 1) * np.log(point).sum() - RATE * point.sum()
        return -value - float(prior), -slope - (SHAPE - 1) / point + RATE

    while moved > _TOLERANCE and steps < _ROUNDS and (reliability or steps == 0):
        found = minimize(cost_of_strength, strength, jac=True, method="L-BFGS-B", options={"maxiter": 1000})
        moved, strength, arrived = float(np.abs(found.x - strength).max()), found.x, bool(found.success)
        steps += 1
        if reliability:
            found = minimize(cost_of_weight, weight, jac=True, method="L-BFGS-B", bounds=[_BOUNDS] * n_judges)
            weight = found.x
    done = arrived and (not reliability or moved <= _TOLERANCE)
    return Solution(strength, weight=weight if reliability else None, converged=done, iterations=steps)
