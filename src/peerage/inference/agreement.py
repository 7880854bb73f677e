"""Whether chains agree, and which simpler model is tried where they do not.

A fit is handed out when its chains agree and everything that is shown is known well enough: with 25 effective draws a
chain, the Monte-Carlo error of an estimate from four chains is a tenth of its posterior standard deviation; of what was
learned about the class as a whole, 10 suffice. Chains that have too few go on for as long again. Where they do not
agree, what they drew counts as burn-in, and they go on for twice as long. If that does not help, the model asks more
than the class can tell: the next simpler one is fitted, the last being one reliability for all students, without bias
and effort. It is a full posterior as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from peerage.inference.checking.convergence_warnings import PRIORS, WANTED_ESS, WANTED_OF_PRIORS
from peerage.inference.posterior import Posterior
from peerage.model import Model

AGREED = 1.05
"""Chains go on while the R-hat of anything that is shown is above this."""

DISAGREED = 1.1
"""If it is still above this when the sweeps are used up, a simpler model is fitted."""

FIRST_DRAWS = 250
"""Draws of each chain after which a fit looks for the first time whether they are enough."""

MOST_DRAWS = 8000
"""Draws of each chain after which no more are made."""


def is_precise(posterior: Posterior) -> bool:
    """Whether everything that is shown has enough effective draws, for its centre and for its tails."""
    table = posterior.diagnostics()
    effective = np.fmin(table["ess_bulk"].to_numpy(float), table["ess_tail"].to_numpy(float))
    wanted = np.where(table["variable"] == PRIORS, WANTED_OF_PRIORS, WANTED_ESS) * posterior.samples.n_chains
    return not (effective < wanted).any()


def largest_r_hat(posterior: Posterior) -> float:
    """That of the entry on which chains agree least; 1 where it cannot be told."""
    r_hat = posterior.diagnostics()["r_hat"].to_numpy(float)
    return float(np.nanmax(np.append(r_hat, 1.0)))


def simpler_models(model: Model, n_components: int) -> Iterator[Model]:
    """The models to fall back on, from the richest; what is fixed by hand stays, and one component shares nothing."""
    if model.correlation:
        model = replace(model, correlation=False)
        yield model
    if model.drift:
        model = replace(model, drift=False)
        yield model
    if model.has_scale:
        model = replace(model, scale=False)
        yield model
    if (model.has_merit or model.has_halo) and n_components > 1:
        model = replace(model, merit=False, halo=False)
        yield model
    if model.effort and not model.fixed.effort:
        model = replace(model, effort=False)
        yield model
    if model.bias and not model.fixed.bias:
        model = replace(model, bias=False)
        yield model
    if model.reliability and not model.fixed.reliability:
        yield replace(model, reliability=False)
