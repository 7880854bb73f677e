"""How probable each effort of a grader is, with the efforts of the grader's reviews summed out."""

from __future__ import annotations

import numpy as np

from peerage.inference.numerics.arrays import F64
from peerage.inference.numerics.jit import jit

_SMALL = 1e-250
"""Products of probabilities are turned into logarithms when they are smaller than this."""


@jit
def log_effort_density(effort: float, shares: F64, prior: tuple[float, float]) -> float:
    """Log density, up to a constant, of an effort probability with the efforts summed out: (7) as a function of e."""
    if effort <= 0.0 or effort >= 1.0:
        return -np.inf
    total = (prior[0] - 1.0) * np.log(effort) + (prior[1] - 1.0) * np.log(1.0 - effort)
    product = 1.0
    for share in shares:
        product *= 1.0 - effort + (2.0 * effort - 1.0) * share
        if product < _SMALL:
            total += np.log(product)
            product = 1.0
    return float(total + np.log(product))
