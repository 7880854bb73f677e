"""Chains that have settled in a mirror image of the class, and what is done about them.

Where many reports are of low effort and alike, a chain can come to take those who do not try for reliable and the others
for shirkers. Such a mode predicts reviews worse. Early in a fit every chain's leave-one-out predictions are compared;
chains with next to no weight start again from where the best one stands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.inference.sampler import ChainState

LEAST_SHARE = 0.25
"""A chain whose weight is below this share of an equal one starts again from the best."""

_RESAMPLES = 1000


def chain_weights(by_chain: NDArray[np.float64], owner: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.float64]:
    """Weights of chains by their predictive power: pseudo-BMA, averaged over a Bayesian bootstrap of submissions.

    ``by_chain`` (chains, reviews) has the log predictive probability of each review, ``owner`` its submission. The
    bootstrap keeps a difference from deciding that may be due to a few submissions (Yao et al. 2018).
    """
    sums = np.array([np.bincount(owner, row) for row in by_chain])
    shares = rng.dirichlet(np.ones(sums.shape[1]), _RESAMPLES) * sums.shape[1]
    totals = shares @ sums.T
    weights = np.exp(totals - totals.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(weights.mean(axis=0))


def restarts(weights: NDArray[np.float64]) -> tuple[int, ...]:
    """The chains that are to start again."""
    return tuple(int(chain) for chain in np.flatnonzero(weights < LEAST_SHARE / len(weights)))


def restarted(states: tuple[ChainState, ...], weights: NDArray[np.float64]) -> tuple[ChainState, ...]:
    """The chains' states, those of too little weight replaced by the best one's; each keeps its own generator."""
    best = states[int(np.argmax(weights))]
    poor = set(restarts(weights))
    return tuple(
        ChainState({name: values.copy() for name, values in best.variables.items()}, state.generator)
        if chain in poor
        else state
        for chain, state in enumerate(states)
    )
