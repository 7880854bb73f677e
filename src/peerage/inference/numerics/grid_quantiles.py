"""Quantiles of draws that are known to a cell of a grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.inference.numerics.jit import jit


def code_quantiles(
    codes: NDArray[np.unsignedinteger], edges: NDArray[np.float64], probabilities: tuple[float, ...]
) -> NDArray[np.float64]:
    """Quantiles (probability, entry) of draws (..., entry) spread evenly over the cells that their codes name."""
    flat = codes.reshape(-1, codes.shape[-1])
    return _quantiles_of_codes(flat, edges, np.array(probabilities))


def count_quantiles(
    counts: NDArray[np.unsignedinteger], edges: NDArray[np.float64], probabilities: tuple[float, ...]
) -> NDArray[np.float64]:
    """The same of draws of which it is known how many (entry, cell) fell into each cell."""
    out = np.empty((len(probabilities), len(counts)))
    _quantiles(counts, edges, np.array(probabilities), out)
    return out


@jit(makes_arrays=True)
def _quantiles_of_codes(
    codes: NDArray[np.unsignedinteger], edges: NDArray[np.float64], probabilities: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Quantiles (probability, entry) from codes (draw, entry), by counting instead of sorting.

    Entries are taken 64 at a time: their codes lie side by side in memory, and their counts stay in the cache.
    """
    n_draws, n_entries = codes.shape
    block = 64
    counts = np.zeros((block, len(edges) - 1), np.int32)
    out = np.empty((len(probabilities), n_entries))
    for first in range(0, n_entries, block):
        size = min(block, n_entries - first)
        counts[:] = 0
        for draw in range(n_draws):
            for entry in range(size):
                counts[entry, codes[draw, first + entry]] += 1
        _quantiles(counts[:size], edges, probabilities, out[:, first : first + size])
    return out


@jit
def _quantiles(
    counts: NDArray[np.integer],
    edges: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Fill ``out`` with quantiles from counts of cells, within which draws are spread evenly."""
    for entry in range(len(counts)):
        n_draws = counts[entry].sum()
        for row in range(len(probabilities)):
            left = probabilities[row] * n_draws
            cell = 0
            while cell < len(edges) - 2 and left > counts[entry, cell]:
                left -= counts[entry, cell]
                cell += 1
            share = min(left / max(counts[entry, cell], 1), 1.0)
            out[row, entry] = edges[cell] + share * (edges[cell + 1] - edges[cell])
