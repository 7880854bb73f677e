"""Chains that have settled in a mirror image of the class, and what is done about them.

Where many reports are of low effort and alike, a chain can come to take those who do not try for reliable and the
others for shirkers. Such a mode predicts reviews worse. Chains start apart, at the end of burn-in their leave-one-out
predictions are compared, and those that predict clearly worse than the best start again from where that one stands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.inference.sampling.chains import ChainState

MARGIN = 3.0
"""How many standard errors worse than the best a chain must be to start again; its sampling noise is among them."""


def worse_chains(by_chain: NDArray[np.float64], owner: NDArray[np.integer]) -> tuple[int, tuple[int, ...]]:
    """The chain that predicts best, and those that are clearly worse.

    ``by_chain`` (chains, reviews) has the log predictive probability of each review, ``owner`` its submission.
    """
    sums = np.array([np.bincount(owner, row) for row in by_chain])
    best = int(np.argmax(sums.sum(axis=1)))
    gaps = sums[best] - sums
    errors = np.sqrt(gaps.shape[1] * gaps.var(axis=1))
    worse = gaps.sum(axis=1) > MARGIN * np.maximum(errors, 1e-9)
    return best, tuple(int(chain) for chain in np.flatnonzero(worse))


def restarted(states: tuple[ChainState, ...], best: int, worse: tuple[int, ...]) -> tuple[ChainState, ...]:
    """The chains' states, the worse ones replaced by the best one's; each keeps its own generator."""
    copied = states[best].variables
    return tuple(
        ChainState({name: values.copy() for name, values in copied.items()}, state.generator)
        if chain in worse
        else state
        for chain, state in enumerate(states)
    )
