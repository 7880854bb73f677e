"""Have the chains converged? R-hat and effective sample sizes.

The definitions are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner, "Rank-normalization, folding, and
localization: an improved R-hat", Bayesian Analysis 16 (2021). Every chain is cut into halves. Draws are replaced
by the normal scores of their ranks; R-hat is the larger of those of the scores and of the folded scores (of the
distance from the median). The bulk ESS is that of the scores; the tail ESS is the smaller of those of the
indicators of the lowest 5 % and 95 %.

Three things make them fast. Draws become *codes*, indexes into the ascending list of an entry's values, so that
ranks, folding and quantiles are computed per value and not per draw; small integers are codes already and need no
sorting. Autocovariances are computed lag by lag, and Geyer's rule mostly stops after a few. Entries are laid
out one after the other, block by block, and blocks run in threads.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from peerage.inference.numerics.jit import jit

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

MINIMUM_DRAWS = 4
BLOCK = 64
"""Entries laid out at a time: their codes and scores stay in the processor's cache."""


@dataclass(frozen=True)
class Diagnostics:
    """How well each entry of one variable was sampled.

    Attributes
    ----------
    r_hat: near 1 when the chains agree; NaN with a single chain or where all draws are equal, infinite where
        every chain stands still at a value of its own
    ess_bulk, ess_tail: the number of independent draws that would serve the centre and the tails as well; where
        all draws are equal, their number
    chains, draws: how many there were

    All are NaN for an entry with a draw that is not finite, and with fewer than four draws a chain. Running summaries
    know no tails: their ``ess_tail`` is NaN.
    """

    r_hat: Floats
    ess_bulk: Floats
    ess_tail: Floats
    chains: int
    draws: int

    @property
    def ess(self) -> Floats:
        """The smaller of the two effective sample sizes, or the one that is known."""
        return np.asarray(np.fmin(self.ess_bulk, self.ess_tail))


def rhat_and_ess(draws: NDArray[Any], workers: int = 1) -> Diagnostics:
    """Diagnose every entry of ``draws``, whose axes are chain, draw and those of the entries.

    Integers of one or two bytes, such as indexes into a grid, are ranked by counting; all else is sorted, as doubles.
    """
    chains, length = draws.shape[:2]
    flat = draws.reshape(chains, length, -1)
    entries = flat.shape[2]
    results = np.full((3, entries), np.nan)
    if length >= MINIMUM_DRAWS:
        scores = _normal_scores(2 * chains * (length // 2))
        starts = range(0, entries, BLOCK)
        with ThreadPoolExecutor(workers) as pool:
            blocks = pool.map(partial(_diagnose_block, flat, scores), starts)
            for start, block in zip(starts, blocks, strict=True):
                results[:, start : start + BLOCK] = block
    r_hat, ess_bulk, ess_tail = results.reshape(3, *draws.shape[2:])
    return Diagnostics(r_hat, ess_bulk, ess_tail, chains, length)


def _normal_scores(count: int) -> Floats:
    """Blom's normal scores of ``count`` draws, by twice the rank, which ties can make a half."""
    twice_rank = np.arange(2 * count + 2)
    probability = (twice_rank / 2 - 3 / 8) / (count + 1 / 4)
    return np.asarray(ndtri(np.clip(probability, 0, 1)))


def _diagnose_block(draws: NDArray[Any], scores: Floats, start: int) -> Floats:
    """R-hat, bulk ESS and tail ESS (rows) of the entries (columns) of the block that begins at ``start``."""
    # First into the processor's cache, then turned round.
    block = np.ascontiguousarray(np.moveaxis(draws[:, :, start : start + BLOCK].copy(), 2, 0))
    if block.dtype.kind in "iu" and block.dtype.itemsize <= 2:
        codes, values, n_values = _codes_of_integers(block)
    else:
        codes, values, n_values = _codes_of_floats(block.astype(np.float64, copy=False))
    results = np.full((3, len(codes)), np.nan)
    _diagnose(codes, values, n_values, scores, results)
    return results


def _codes_of_integers(block: NDArray[Any]) -> tuple[Ints, Floats, Ints]:
    lowest, highest = int(block.min()), int(block.max())
    values = np.arange(lowest, highest + 1, dtype=np.float64)
    codes = block.astype(np.int32) - np.int32(lowest)
    return codes, np.tile(values, (len(block), 1)), np.full(len(block), values.size, np.int32)


def _codes_of_floats(block: Floats) -> tuple[Ints, Floats, Ints]:
    flat = block.reshape(len(block), -1)
    codes = np.empty(flat.shape, np.int32)
    values = np.empty(flat.shape)
    n_values = _dense_ranks(flat, np.argsort(flat, axis=1), codes, values)
    return codes.reshape(block.shape), values, n_values


@jit(makes_arrays=True)
def _dense_ranks(draws: Floats, order: NDArray[np.intp], codes: Ints, values: Floats) -> Ints:
    """Fill in codes and distinct values, and count the latter: none for an entry that is not finite."""
    n_values = np.zeros(len(draws), np.int32)
    for entry in range(len(draws)):
        row, sequence = draws[entry], order[entry]
        if not (math.isfinite(row[sequence[0]]) and math.isfinite(row[sequence[len(sequence) - 1]])):
            continue
        code = -1
        for place in sequence:
            if code < 0 or row[place] != values[entry, code]:
                code += 1
                values[entry, code] = row[place]
            codes[entry, place] = code
        n_values[entry] = code + 1
    return n_values


@jit(makes_arrays=True)
def _diagnose(codes: NDArray[np.int32], values: Floats, n_values: Ints, scores: Floats, results: Floats) -> None:
    """Fill in R-hat, bulk and tail effective sample sizes (rows) of draws that are given as codes of their values.

    Ranks, folds and quantiles come from counts of codes, so that nothing is sorted again; one scratch array serves all.
    """
    entries, chains, length = codes.shape
    series = np.empty((2 * chains, length // 2))
    for entry in range(entries):
        if n_values[entry] == 0:
            continue
        own_codes, own_values = codes[entry], values[entry, : n_values[entry]]
        counts = _count(own_codes, own_values.size)
        low = _tail_indicator(counts, chains * length, own_values, 0.05)
        high = _tail_indicator(counts, chains * length, own_values, 0.95)
        if length % 2 == 1:
            for chain in range(chains):
                counts[own_codes[chain, length // 2]] -= 1

        means = _split_and_centre(own_codes, _rank_scores(counts, scores), series)
        r_hat = _r_hat(means, series)
        results[1, entry] = _ess(means, series)
        means = _split_and_centre(own_codes, _folded_scores(counts, series.size, own_values, scores), series)
        folded_r_hat = _r_hat(means, series)
        if chains > 1:
            results[0, entry] = folded_r_hat if folded_r_hat > r_hat else r_hat
        low_ess = _ess(_split_and_centre(own_codes, low, series), series)
        high_ess = _ess(_split_and_centre(own_codes, high, series), series)
        results[2, entry] = min(low_ess, high_ess)


@jit(makes_arrays=True)
def _count(codes: Ints, n_values: int) -> NDArray[np.int64]:
    """How many draws have each code."""
    counts = np.zeros(n_values, np.int64)
    for chain in range(codes.shape[0]):
        for draw in range(codes.shape[1]):
            counts[codes[chain, draw]] += 1
    return counts


@jit
def _code_at(counts: NDArray[np.int64], position: int) -> int:
    """The code at a position, from 0, among the sorted draws."""
    code = 0
    seen = counts[0]
    while seen <= position:
        code += 1
        seen += counts[code]
    return code


@jit(makes_arrays=True)
def _tail_indicator(counts: NDArray[np.int64], total: int, values: Floats, probability: float) -> Floats:
    """For each code, 1 if its value does not exceed the quantile, else 0; quantiles are interpolated linearly."""
    position = (total - 1) * probability
    whole = math.floor(position)
    quantile = values[_code_at(counts, whole)]
    if position > whole:
        above = values[_code_at(counts, whole + 1)]
        quantile += (above - quantile) * (position - whole)
    result = np.zeros(values.size)
    for code in range(values.size):
        if values[code] <= quantile:
            result[code] = 1.0
    return result


@jit(makes_arrays=True)
def _rank_scores(counts: NDArray[np.int64], scores: Floats) -> Floats:
    """For each code, the normal score of the average rank of its draws."""
    result = np.empty(counts.size)
    below = 0
    for code in range(counts.size):
        result[code] = scores[2 * below + counts[code] + 1]
        below += counts[code]
    return result


@jit(makes_arrays=True)
def _folded_scores(counts: NDArray[np.int64], total: int, values: Floats, scores: Floats) -> Floats:
    """The same of the distances from the median, which grow from the median's code to either side."""
    median = (values[_code_at(counts, total // 2 - 1)] + values[_code_at(counts, total // 2)]) / 2
    distances = np.empty(values.size)
    right = 0
    for code in range(values.size):
        distances[code] = abs(values[code] - median)
        if values[code] < median:
            right = code + 1
    left = right - 1
    result = np.empty(counts.size)
    below = 0
    while left >= 0 or right < counts.size:
        from_left, from_right, tied = left, right, 0
        if right == counts.size or (left >= 0 and distances[left] < distances[right]):
            distance = distances[left]
        else:
            distance = distances[right]
        while left >= 0 and distances[left] == distance:
            tied += counts[left]
            left -= 1
        while right < counts.size and distances[right] == distance:
            tied += counts[right]
            right += 1
        score = scores[2 * below + tied + 1]
        for code in range(left + 1, from_left + 1):
            result[code] = score
        for code in range(from_right, right):
            result[code] = score
        below += tied
    return result


@jit(fastmath={"reassoc", "contract"}, makes_arrays=True)
def _split_and_centre(codes: Ints, table: Floats, series: Floats) -> Floats:
    """Write the tabulated values of each half chain, less their mean, into ``series``; return the means."""
    half = series.shape[1]
    means = np.empty(len(series))
    for row in range(len(series)):
        first = 0 if row % 2 == 0 else codes.shape[1] - half
        total = 0.0
        for draw in range(half):
            value = table[codes[row // 2, first + draw]]
            series[row, draw] = value
            total += value
        means[row] = total / half
        for draw in range(half):
            series[row, draw] -= means[row]
    return means


@jit(fastmath={"reassoc", "contract"})
def _autocovariance(series: Floats, lag: int) -> float:
    """The mean over half chains of the autocovariance at a lag."""
    rows, length = series.shape
    total = 0.0
    for row in range(rows):
        # Contiguous slices with one index let the compiler drop the check for negative ones, and so vectorise.
        earlier, later = series[row, : length - lag], series[row, lag:]
        for draw in range(earlier.size):
            total += earlier[draw] * later[draw]
    return total / series.size


@jit
def _sample_variance(values: Floats) -> float:
    """The variance of a sample, in two passes, which loses no digits."""
    mean = 0.0
    for value in values:
        mean += value / values.size
    total = 0.0
    for value in values:
        total += (value - mean) ** 2
    return total / (values.size - 1)


@jit
def _r_hat(means: Floats, series: Floats) -> float:
    """Split R-hat from the half chains' means and their values around these."""
    length = series.shape[1]
    within = _autocovariance(series, 0) * length / (length - 1)
    return math.sqrt((length * _sample_variance(means) / within + length - 1) / length)


@jit
def _ess(means: Floats, series: Floats) -> float:
    """The effective sample size by Geyer's initial monotone sequence of sums of two neighbouring lags."""
    length = series.shape[1]
    variance = _autocovariance(series, 0)
    within = variance * length / (length - 1)
    marginal = variance + _sample_variance(means)
    if marginal == 0:
        return float(series.size)
    even, odd = 1.0, 1 - (within - _autocovariance(series, 1)) / marginal
    time, smallest, lag = -1.0, math.inf, 1
    while lag < length - 3 and even + odd > 0:
        smallest = min(smallest, even + odd)
        time += 2 * smallest
        even = 1 - (within - _autocovariance(series, lag + 1)) / marginal
        odd = 1 - (within - _autocovariance(series, lag + 2)) / marginal
        lag += 2
    if even > 0 or even + odd >= 0:
        time += even
    return series.size / max(time, 1 / math.log10(series.size))
