"""What a fit believed of each grader beforehand, which marks for peer grading replace by a sceptic's view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaln, log_ndtr

from peerage.decisions.posterior_needs import is_tied_to_own_grades, reliability_priors, tied_reliability_prior
from peerage.inference.posterior import Posterior

Floats = NDArray[np.float64]

_NODES = 64


@dataclass(frozen=True, eq=False)
class GraderPrior:
    """The priors of reliability and effort.

    Attributes
    ----------
    shape, rate: of each grader's Gamma prior of reliability; (graders,), or (draws, graders) if they were drawn too
    correlated: (graders,) whose prior is a normal instead, cut at zero
    mean, sd: of that normal
    efforts: (nodes,) evenly spaced quantiles of a student's effort
    """

    shape: Floats
    rate: Floats
    correlated: NDArray[np.bool_]
    mean: float
    sd: float
    efforts: Floats

    def log_density(self, reliability: Floats) -> Floats:
        """The log of the prior's density at each reliability (draws, graders)."""
        log_gamma = self.shape * np.log(self.rate) - gammaln(self.shape)
        log_gamma = log_gamma + (self.shape - 1) * np.log(reliability) - self.rate * reliability
        if not self.correlated.any():
            return np.asarray(log_gamma)
        standard = (reliability - self.mean) / self.sd
        log_normal = -(standard**2) / 2 - np.log(self.sd * np.sqrt(2 * np.pi)) - log_ndtr(self.mean / self.sd)
        return np.asarray(np.where(self.correlated, log_normal, log_gamma))


def fit_prior(posterior: Posterior) -> GraderPrior:
    """The priors of a fit; if they were learned, those of efforts, and what is tied to own grades, are at the means."""
    priors = posterior.hyperparameters
    shape, rate = reliability_priors(posterior)
    mean, sd = tied_reliability_prior(posterior)
    levels = (np.arange(_NODES) + 0.5) / _NODES
    return GraderPrior(
        shape=shape,
        rate=rate,
        correlated=is_tied_to_own_grades(posterior),
        mean=mean,
        sd=sd,
        efforts=betaincinv(priors.alpha_e, priors.beta_e, levels) if posterior.model.effort else np.ones(_NODES),
    )
