"""Quantiles of draws that are known to a cell of a grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.inference.numerics.jit import jit

_BLOCK = 64
"""How many entries are counted at a time."""


def code_quantiles(
    codes: NDArray[np.unsignedinteger], edges: NDArray[np.float64], probabilities: tuple[float, ...]
) -> NDArray[np.float64]:
    """Quantiles (probability, entry) of draws (..., entry) spread evenly over the cells that their codes name."""
    flat = codes.reshape(-1, codes.shape[-1])
    out = np.empty((len(probabilities), flat.shape[1]))
    _quantiles_of_codes(flat, np.zeros((_BLOCK, len(edges) - 1), np.int32), edges, np.array(probabilities), out)
    return out


def count_quantiles(
    counts: NDArray[np.unsignedinteger], edges: NDArray[np.float64], probabilities: tuple[float, ...]
) -> NDArray[np.float64]:
    """The same of draws of which it is known how many (entry, cell) fell into each cell."""
    out = np.empty((len(probabilities), len(counts)))
    _quantiles(counts, edges, np.array(probabilities), out)
    return out


@jit
def _quantiles_of_codes(
    codes: NDArray[np.unsignedinteger],
    counts: NDArray[np.int32],
    edges: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Quantiles (probability, entry) from codes (draw, entry), by counting instead of sorting.

    Entries are taken some at a time: their codes lie side by side in memory, and their counts stay in the cache.
    """
    n_draws, n_entries = codes.shape
    for first in range(0, n_entries, len(counts)):
        size = min(len(counts), n_entries - first)
        for entry in range(size):
            for cell in range(counts.shape[1]):
                counts[entry, cell] = 0
        for draw in range(n_draws):
            for entry in range(size):
                counts[entry, codes[draw, first + entry]] += 1
        _quantiles(counts[:size], edges, probabilities, out[:, first : first + size])


@jit
def _quantiles(
    counts: NDArray[np.integer],
    edges: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Fill ``out`` with quantiles from counts of cells, within which draws are spread evenly."""
    for entry in range(len(counts)):
        n_draws = 0
        for cell in range(counts.shape[1]):
            n_draws += counts[entry, cell]
        for row in range(len(probabilities)):
            left = probabilities[row] * n_draws
            cell = 0
            while cell < len(edges) - 2 and left > counts[entry, cell]:
                left -= counts[entry, cell]
                cell += 1
            share = min(left / max(counts[entry, cell], 1), 1.0)
            out[row, entry] = edges[cell] + share * (edges[cell + 1] - edges[cell])
