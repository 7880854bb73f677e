"""Whether chains agree, and which simpler model is tried where they do not.

A fit is handed out when its chains agree and everything that is shown is known well enough: with 25 effective draws a
chain, the Monte-Carlo error of an estimate from four chains is a tenth of its posterior standard deviation; of what was
learned about the class as a whole, 10 suffice. Otherwise chains go on for half as many sweeps as they have made. Where
they do not agree, the first ones of these count as burn-in, up to two fifths of them. If that does not help, the model
asks more than the class can tell: the part of it on which chains agree least is left out. Effort stays as long as there
is another part, if all chains find that much was done without effort: they then disagree on how, not on whether, and
without effort the grades of a ring, say, would be believed. The last model is one reliability for all students, without
bias and effort. It is a full posterior as well.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from peerage.inference.checking.convergence_warnings import MOST_DRAWS, PRIORS, WANTED_ESS, WANTED_OF_PRIORS
from peerage.inference.posterior import Posterior
from peerage.model import Model

AGREED = 1.05
"""Chains go on while the R-hat of anything that is shown is above this."""

DISAGREED = 1.1
"""If it is still above this when the sweeps are used up, a simpler model is fitted."""

FIRST_DRAWS = 250
"""Draws of each chain after which a fit looks for the first time whether they are enough."""

MOST_DRAWS_TO_AGREE = MOST_DRAWS
"""Draws of each chain, not counting burn-in, after which no more are made."""

MUCH_LOW_EFFORT = 0.3
"""The share of reviews without effort that all chains have to find if effort is to stay in a simpler model."""


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


def is_hopeless(posterior: Posterior) -> bool:
    """Whether chains would still disagree after all the draws that they may make: R-hat − 1 falls as 1 / draws."""
    return (largest_r_hat(posterior) - 1) * posterior.samples.n_draws > (DISAGREED - 1) * MOST_DRAWS_TO_AGREE


def next_simpler(posterior: Posterior) -> Model | None:
    """The model without the part on which chains agree least; what is fixed by hand stays. None: nothing is left.

    Bias and the differences between students' reliabilities go last, for grades are worth most with these.
    """
    model, several = posterior.model, len(posterior.book.rubric) > 1
    if model.correlation:
        return replace(model, correlation=False)
    habits = None if model.habits else model.habits  # which need effort
    parts = [
        (model.drift, ("drift", "bias_by_assignment"), replace(model, drift=False)),
        (model.has_scale, ("scale",), replace(model, scale=False)),
        ((model.has_merit or model.has_halo) and several, _SHARED, replace(model, merit=False, halo=False)),
    ]
    effort = (model.effort and not model.fixed.effort, _OF_EFFORT, replace(model, effort=False, habits=habits))
    if not (_is_low_effort_plain(posterior) and any(is_on for is_on, _, _ in parts)):
        parts.append(effort)
    left = [(_r_hat(posterior, names), simpler) for is_on, names, simpler in parts if is_on]
    if left:
        return max(left, key=lambda part: part[0])[1]
    if model.bias and not model.fixed.bias:
        return replace(model, bias=False)
    if model.reliability and not model.fixed.reliability:
        return replace(model, reliability=False)
    return None


_SHARED = ("merit", "halo", "component_halo", "component_error")
_OF_EFFORT = ("effort", "effort_concentration", "tau_l", "mu_l", "habit")


def _is_low_effort_plain(posterior: Posterior) -> bool:
    """Whether each chain finds that a notable share of the reviews was made without effort."""
    inferred = np.isnan(posterior.layout.known.effort)
    if not (posterior.model.effort and inferred.any()):
        return False
    return bool((posterior.draws["effort"][:, :, inferred].mean(axis=(1, 2)) < 1 - MUCH_LOW_EFFORT).all())


def _r_hat(posterior: Posterior, names: tuple[str, ...]) -> float:
    """The largest R-hat of some variables and learned priors; 1 where there is none."""
    found = [1.0]
    for variable, (result, labels) in posterior.diagnosed.items():
        for value, label in zip(result.r_hat, labels, strict=True):
            if variable in names or (variable == PRIORS and label.partition(" of ")[0] in names):
                found.append(float(value))
    return float(np.nanmax(found))
