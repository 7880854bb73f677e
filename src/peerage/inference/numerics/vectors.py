"""Vectors on grids: products, sums, and draws from them.

Indexes are unsigned: numba looks out for negative ones, and loops that do so are not vectorised.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.inference.numerics.arrays import F32, F64, I64, Flags
from peerage.inference.numerics.jit import jit

TINY = 1e-15
"""Sums of products below this are computed from logarithms.

Masses are at least 1e-20 (``censored``). Where a product underflows (1e-38), the product without one report's mass is
below 1e-18, and what is lost of its sum is small beside this.
"""

REORDER = {"reassoc", "contract", "nsz"}
"""The liberties with which sums are vectorised."""


@jit(makes_arrays=True)
def unclamped(clamped: Flags) -> I64:
    """The places that are to be drawn. No generator: numba cannot call one whose machine code is from the cache."""
    return np.flatnonzero(~clamped)


@jit
def copy_into(target: NDArray[np.floating], source: NDArray[np.floating]) -> None:
    """Copy a vector. To assign one to a slice takes seconds to compile: the words for lengths that differ."""
    for i in range(np.uint64(len(target))):
        target[i] = source[i]


@jit
def sum_of(values: NDArray[np.floating] | Flags) -> float:
    """The sum of a vector. That of numba goes through arrays of any shape, which takes long to compile."""
    total = 0.0
    for i in range(np.uint64(len(values))):
        total += values[i]
    return total


@jit
def drawn_by_mass(rng: np.random.Generator, masses: F64) -> int:
    """A place of a short vector, drawn by its mass."""
    target, place = rng.random() * sum_of(masses), 0
    while place < len(masses) - 1 and target >= masses[place]:
        target -= masses[place]
        place += 1
    return place


@jit
def multiply(target: F32, table: F32, start: int, low: int, high: int) -> None:
    """Multiply a part of a vector by the table's entries, of which the vector's first belongs to that at ``start``."""
    first = np.uint64(start)
    for i in range(np.uint64(low), np.uint64(high)):
        target[i] *= table[first + i]


@jit
def multiply_by_four(
    target: F32, weights: F32, table: F32, start: tuple[int, int, int, int], low: int, high: int
) -> None:
    """Fill a part of a vector with products of weights and of four rows of the table; one pass takes less than four."""
    a, b, c, d = np.uint64(start[0]), np.uint64(start[1]), np.uint64(start[2]), np.uint64(start[3])
    for i in range(np.uint64(low), np.uint64(high)):
        target[i] = weights[i] * table[a + i] * (table[b + i] * table[c + i]) * table[d + i]


@jit(fastmath=REORDER)
def sums_of_products(
    weights: F32, table: F32, first: int, second: int, third: int, one: int, other: int, low: int, high: int
) -> tuple[float, float, float]:
    """Sums of a part of a vector times three rows of the table: by themselves, and times each of two other rows."""
    a, b, c, d, e = np.uint64(first), np.uint64(second), np.uint64(third), np.uint64(one), np.uint64(other)
    total, with_one, with_other = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    for i in range(np.uint64(low), np.uint64(high)):
        product = weights[i] * table[a + i] * (table[b + i] * table[c + i])
        total += product
        with_one += product * table[d + i]
        with_other += product * table[e + i]
    return float(total), float(with_one), float(with_other)


@jit
def add(target: F32, table: F32, start: int, size: int) -> None:
    """Add the table's entries from ``start`` on to a vector."""
    first = np.uint64(start)
    for i in range(np.uint64(size)):
        target[i] += table[first + i]


@jit(fastmath=REORDER)
def sum_of_products(weights: F32, table: F32, start: int, ends: I64) -> float:
    """Sum of a part of a vector times the table's entries."""
    first = np.uint64(start)
    total = np.float32(0.0)
    for i in range(np.uint64(ends[0]), np.uint64(ends[1])):
        total += weights[i] * table[first + i]
    return float(total)


@jit(fastmath=REORDER)
def sum_of_quotients(weights: F32, table: F32, start: int, ends: I64) -> float:
    """Sum of a part of a vector divided by the table's entries."""
    first = np.uint64(start)
    total = np.float32(0.0)
    for i in range(np.uint64(ends[0]), np.uint64(ends[1])):
        total += weights[i] / table[first + i]
    return float(total)


@jit(fastmath=REORDER)
def total_of(weights: F32, begin: int, end: int) -> float:
    """Sum of a part of a vector."""
    total = np.float32(0.0)
    for i in range(np.uint64(begin), np.uint64(end)):
        total += weights[i]
    return float(total)


@jit
def total_of_few(weights: F32, begin: int, end: int) -> float:
    """Sum of a short part of a vector: four sums side by side, for an addition waits for the one before."""
    one = other = third = fourth = np.float32(0.0)
    i, last = np.uint64(begin), np.uint64(end)
    while i + np.uint64(4) <= last:
        one += weights[i]
        other += weights[i + np.uint64(1)]
        third += weights[i + np.uint64(2)]
        fourth += weights[i + np.uint64(3)]
        i += np.uint64(4)
    while i < last:
        one += weights[i]
        i += np.uint64(1)
    return float((one + other) + (third + fourth))


@jit
def clear_outside(weights: F32, low: int, high: int) -> None:
    """Set what lies outside a part of a vector to zero."""
    for i in range(np.uint64(low)):
        weights[i] = 0.0
    for i in range(np.uint64(high), np.uint64(len(weights))):
        weights[i] = 0.0


@jit(makes_arrays=True)
def log_sum(logs: F64, size: int) -> float:
    """Log of the sum of exp(logs)."""
    top = logs[:size].max()
    total = 0.0
    for i in range(size):
        total += np.exp(logs[i] - top)
    return float(np.log(total) + top)


@jit
def exponentiate(logs: F64, out: F32, size: int) -> None:
    """Fill ``out`` with exp(logs), divided by the largest."""
    top = logs[0]
    for i in range(1, size):
        top = max(top, logs[i])
    for i in range(size):
        gap = np.float32(logs[i] - top)
        out[i] = np.exp(gap) if gap > np.float32(-40.0) else np.float32(0.0)


@jit
def flush(part: F32, logs: F64, size: int) -> None:
    """Add sums that were taken in 32 bits to those in 64, and clear them."""
    for i in range(size):
        logs[i] += part[i]
        part[i] = 0.0


@jit(fastmath=REORDER)
def _weigh(prior: F32, likelihood: F32, out: F32) -> float:
    """Fill ``out`` with products; returns their sum."""
    total = np.float32(0.0)
    for i in range(np.uint64(len(prior))):
        out[i] = prior[i] * likelihood[i]
        total += out[i]
    return float(total)


@jit
def draw_from_product(rng: np.random.Generator, prior: F32, likelihood: F32, weights: F32) -> int:
    """An index drawn with probability proportional to prior × likelihood; -1 if all products are too small."""
    total = _weigh(prior, likelihood, weights)
    if total < TINY:
        return -1
    return _passed_at(rng.random() * total, weights, len(prior))


@jit
def _passed_at(target: float, weights: F32 | F64, size: int) -> int:
    """The index at which the running sum of the weights passes ``target``; never one without weight."""
    chosen = 0
    for i in range(size):
        if weights[i] > 0.0:
            chosen = i
            target -= weights[i]
            if target < 0.0:
                break
    return chosen


@jit(fastmath=REORDER)
def draw_from_logs(rng: np.random.Generator, logs: F64, size: int) -> int:
    """An index drawn with probability proportional to exp(logs); destroys ``logs``."""
    top = logs[0]
    for i in range(1, size):
        top = max(top, logs[i])
    total = 0.0
    for i in range(size):
        gap = logs[i] - top
        logs[i] = np.exp(gap) if gap > -40.0 else 0.0
        total += logs[i]
    return _passed_at(rng.random() * total, logs, size)
