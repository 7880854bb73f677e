"""What a fit believed of each grader beforehand, which marks for peer grading replace by a sceptic's view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaln, log_ndtr

from peerage.decisions.posterior_needs import drawn_hyperparameters, is_tied_to_own_grades
from peerage.gradebook.book import TA
from peerage.inference.features.correlated_authors import Correlation
from peerage.inference.numerics.hyperparameters import RELIABILITY, RELIABILITY_TA, SHAPE, TA_SHAPE
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
    """The priors of a fit.

    If they were learned, those of reliability are each draw's own: at the means of the hyperparameters, the tails are
    lighter than those that reliabilities were drawn from. Efforts, and what is tied to own grades, are at the means.
    """
    model, priors = posterior.model, posterior.hyperparameters
    tied = Correlation.of(priors, *map(np.array, priors.for_components(len(posterior.book.rubric))))
    is_ta = posterior.book.roles == TA
    levels = (np.arange(_NODES) + 0.5) / _NODES
    shape = np.where(is_ta, priors.alpha_tau_ta, priors.alpha_tau)
    rate = np.where(is_ta, priors.beta_tau_ta, priors.beta_tau)
    if model.learned:
        theta = drawn_hyperparameters(posterior)[:, :, None]
        shape = np.where(is_ta, TA_SHAPE, np.exp(theta[:, SHAPE]))
        rate = shape / np.exp(np.where(is_ta, theta[:, RELIABILITY_TA], theta[:, RELIABILITY]))
    return GraderPrior(
        shape=shape,
        rate=rate,
        correlated=is_tied_to_own_grades(posterior),
        mean=tied.origin,
        sd=tied.sd,
        efforts=betaincinv(priors.alpha_e, priors.beta_e, levels) if model.effort else np.ones(_NODES),
    )
