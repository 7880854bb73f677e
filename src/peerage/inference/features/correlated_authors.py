"""How true grades and their authors' reliabilities are tied, with correlation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerage.model import Priors


@dataclass(frozen=True)
class Correlation:
    """With p the mean reported reliability of its authors, a true grade is N(mean + slope·(p − origin), 1/precision).

    An author's own reported reliability p = τ/λ is N⁺(origin, sd²).
    """

    mean: NDArray[np.float64]
    slope: NDArray[np.float64]
    precision: NDArray[np.float64]
    origin: float
    sd: float

    @classmethod
    def of(cls, priors: Priors, mu_s: NDArray[np.float64], sigma_s: NDArray[np.float64]) -> Correlation:
        """From the hyperparameters: k_c = β₀/(τ_sc + β₀), and averages over components (docs/model.md)."""
        beta_0 = priors.sigma_tau**-2.0
        precision = sigma_s**-2.0 + beta_0
        slope = beta_0 / precision * priors.lambda_tau
        sd = np.sqrt(np.mean(sigma_s**2) + priors.sigma_tau**2) / priors.lambda_tau
        return cls(mu_s, slope, precision, float(np.mean(mu_s)) / priors.lambda_tau, float(sd))
