"""From the residual precision, which is sampled where a review's components share an error, to the reliability.

The reliability of a grader is the precision of all of the error of one component's report, τ = p(1 − h).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.inference.layout import Layout
from peerage.inference.numerics.hyperparameters import HALO


def residual_share(layout: Layout, hyper: NDArray[np.float64]) -> NDArray[np.float64]:
    """(…, graders): the part 1 − h of an error's variance that is not shared, for hyperparameters (…, θ)."""
    share = 1 / (1 + np.exp(hyper[..., HALO, None]))
    return np.asarray(np.where(np.isnan(layout.known.reliability), share, 1.0))


def total_reliability(layout: Layout, residual: NDArray[Any], hyper: NDArray[np.float64]) -> NDArray[Any]:
    """(…, graders): reliabilities from residual precisions, which are the same where nothing is shared."""
    if not layout.has_halo:
        return residual
    return np.asarray(residual * residual_share(layout, hyper), dtype=residual.dtype)
