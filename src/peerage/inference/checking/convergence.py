"""What R-hat and effective sample sizes mean, in plain words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from peerage.errors import Problem
from peerage.inference.numerics.diagnostics import MINIMUM_DRAWS, Diagnostics, Floats

LARGE_R_HAT = 1.1
NOTABLE_R_HAT = 1.01
WANTED_ESS = 25
"""Effective draws per chain."""

Labels = Callable[[tuple[int, ...]], str]
"""From the index of an entry to the name that the class knows it by."""


def convergence_problems(variables: Mapping[str, tuple[Diagnostics, Labels]]) -> list[Problem]:
    """What is wrong with the sampling of some variables, at most one problem of a kind for each.

    An entry *has not converged* when its R-hat exceeds 1.1, or 1.01 with fewer than 25 effective draws a chain.
    It *is imprecise* when only the latter holds.

    R-hat beyond 1.01 is no evidence alone. Of m half chains with n draws each, of which one in a is effective,
    R-hat² is about 1 + (a·χ²/(m−1) − 1)/n with m − 1 degrees of freedom: with 4 × 1,000 draws and a = 17, that
    of the slowest true grades of a class, the median is 1.014, while 1.1 is exceeded once in four million. Chains
    that disagree, on the other hand, leave few effective draws.
    """
    if not variables:
        return []
    first, _ = next(iter(variables.values()))
    if first.draws < MINIMUM_DRAWS:
        message = f"convergence cannot be judged from {first.draws} draws per chain"
        return [Problem(message, "use 1,000 draws", setting="draws")]
    problems = []
    if first.chains == 1:
        problems.append(Problem("convergence cannot be judged from a single chain", "use 4 chains", setting="chains"))
    for name, (diagnostics, label) in variables.items():
        problems += [Problem(message) for message in _findings(name.replace("_", " "), diagnostics, label)]
    return problems


def _findings(name: str, diagnostics: Diagnostics, label: Labels) -> list[str]:
    """What is wrong with a variable, in words."""
    r_hat, ess = diagnostics.r_hat, diagnostics.ess
    few = ess < WANTED_ESS * diagnostics.chains
    unsettled = (r_hat > LARGE_R_HAT) | ((r_hat > NOTABLE_R_HAT) & few)
    imprecise = few & ~unsettled
    found = []
    if unsettled.any():
        worst = _first_of_largest(np.where(unsettled, r_hat, -np.inf))
        size = f"{r_hat[worst]:.2f}" if r_hat[worst] < 100 else "above 100"
        message = f"{name} of {label(worst)} has not converged (R-hat {size})"
        found.append(message + _and_others(unsettled))
    if imprecise.any():
        worst = _first_of_largest(np.where(imprecise, -ess, -np.inf))
        message = f"{name} of {label(worst)} is imprecise ({ess[worst]:.0f} effective draws)"
        found.append(message + _and_others(imprecise))
    return found


def _first_of_largest(values: Floats) -> tuple[int, ...]:
    return tuple(int(index) for index in np.unravel_index(np.argmax(values), values.shape))


def _and_others(flagged: NDArray[np.bool_]) -> str:
    others = int(np.count_nonzero(flagged)) - 1
    return f", and {others:,} more" if others else ""
