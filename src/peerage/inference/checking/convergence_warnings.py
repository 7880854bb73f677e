"""What R-hat and effective sample sizes mean, in plain words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from peerage.errors import Problem
from peerage.inference.numerics.rhat_and_ess import MINIMUM_DRAWS, Diagnostics, Floats

LARGE_R_HAT = 1.1
NOTABLE_R_HAT = 1.01
WANTED_ESS, WANTED_OF_PRIORS = 25, 10
"""Effective draws per chain: of grades and graders, and of what is learned about the class as a whole."""

MOST_DRAWS = 8000
"""Draws of each chain, not counting burn-in, after which a fit whose number of draws was left open makes no more."""

PRIORS = "priors"
"""The name under which all that is learned about the class as a whole is diagnosed."""

MORE = "for more precise values, ask for more draws, or leave the number out, so that the fit makes as many as it needs"
"""What to do about an estimate that is merely imprecise."""

STILL_MORE = "the fit has made as many draws as it makes by itself; for more precise values, ask for more"
"""What to do if the fit has made as many draws as it makes."""

_WAIT = "hand nothing out yet; fit again without a number of draws, so that the fit continues until its chains agree"
MEANINGS = {
    "true_grade": ("the grade of {}", _WAIT),
    "reliability": ("how reliable {} is", f"grades that rest on these reviews may shift; {_WAIT}"),
    "bias": ("how severe {} is", f"grades that rest on these reviews may shift; {_WAIT}"),
    "bias_by_assignment": ("how severe {} is", f"grades that rest on these reviews may shift; {_WAIT}"),
    "effort": ("how often {} makes an effort", f"grades that rest on these reviews may shift; {_WAIT}"),
    "priors": ("what was learned about the class as a whole", f"all grades may shift together; {_WAIT}"),
}
"""What each variable is to the class, and what to do where it is not settled."""

Labels = Callable[[tuple[int, ...]], str]
"""From the index of an entry to the name that the class knows it by."""


def by_index(diagnosed: Mapping[str, tuple[Diagnostics, Sequence[str]]]) -> dict[str, tuple[Diagnostics, Labels]]:
    """Variables whose entries stand in a row and have names, as the functions below take them."""
    return {name: (result, partial(_first, labels)) for name, (result, labels) in diagnosed.items()}


def _first(labels: Sequence[str], index: tuple[int, ...]) -> str:
    return labels[index[0]]


def convergence_problems(variables: Mapping[str, tuple[Diagnostics, Labels]]) -> list[Problem]:
    """What is wrong with the sampling of some variables, at most one problem of a kind for each.

    An entry *is not settled* when its R-hat exceeds 1.1, or 1.01 with fewer than 25 effective draws a chain (10 of a
    prior). It *is known roughly* when only the latter holds, or when chains did not agree better in all the draws that
    a fit makes.

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
        problems += _findings(name, diagnostics, label)
    return problems


def are_settled(variables: Mapping[str, tuple[Diagnostics, Labels]]) -> bool:
    """Whether no entry of any variable is reported as not settled."""
    return not any(_flagged(name, diagnostics)[0].any() for name, (diagnostics, _) in variables.items())


def _flagged(name: str, diagnostics: Diagnostics) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which entries of a variable are not settled, and which are merely known roughly."""
    few = diagnostics.ess < (WANTED_OF_PRIORS if name == PRIORS else WANTED_ESS) * diagnostics.chains
    notable = LARGE_R_HAT if _is_long(diagnostics) else NOTABLE_R_HAT
    unsettled = (diagnostics.r_hat > LARGE_R_HAT) | ((diagnostics.r_hat > notable) & few)
    return unsettled, few & ~unsettled


def _is_long(diagnostics: Diagnostics) -> bool:
    """Whether chains have made all the draws that a fit makes until they agree."""
    return diagnostics.draws >= MOST_DRAWS


def _findings(name: str, diagnostics: Diagnostics, label: Labels) -> list[Problem]:
    """What is wrong with a variable: what it means for the class, and in brackets the figure behind it."""
    r_hat, ess = diagnostics.r_hat, diagnostics.ess
    unsettled, imprecise = _flagged(name, diagnostics)
    words, remedy = MEANINGS.get(name, MEANINGS["priors"])
    found = []
    if unsettled.any():
        worst = _first_of_largest(np.where(unsettled, r_hat, -np.inf))
        size = f"{r_hat[worst]:.2f}" if r_hat[worst] < 100 else "above 100"
        what = _named(words, label(worst), unsettled)
        found.append(Problem(f"{what}: not settled, the chains disagree (R-hat {size})", remedy))
    if imprecise.any():
        worst = _first_of_largest(np.where(imprecise, -ess, -np.inf))
        what = _named(words, label(worst), imprecise)
        rough = f"known roughly, and may change a little in another fit ({ess[worst]:.0f} effective draws)"
        found.append(Problem(f"{what}: {rough}", STILL_MORE if _is_long(diagnostics) else MORE))
    return found


def _first_of_largest(values: Floats) -> tuple[int, ...]:
    return tuple(int(index) for index in np.unravel_index(np.argmax(values), values.shape))


def _named(words: str, worst: str, flagged: NDArray[np.bool_]) -> str:
    """What is concerned: the worst entry, and how many more; a class as a whole has no entries."""
    others = int(np.count_nonzero(flagged)) - 1
    return words.format(worst) + (f", and {others:,} more" if others and "{}" in words else "")
