"""Tables of the likelihood of a report, equation (3) of docs/model.md, and the grids on which they are tabulated.

A report's probability depends on the true grade s and the grader's bias b only through x = s + b. With s and b on grids
whose steps are multiples of one lattice, x lies on that lattice too, and a table of L[grade, reliability, x] holds
every value that a sweep can ask for.

Everything here is on the model's scale of 0 to 5. A *cell* of a grid is the interval around a grid point; reliability's
cells are intervals of its logarithm on the wide grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainc, gammaincc, gammaincinv, log_ndtr

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LOG_FLOOR = -700.0
"""The smallest log probability that is told apart from impossible."""

STEP = 0.05
"""How far true grades, and biases, are apart on the scale of 0 to 5."""

RATIO = 1.05
"""How far apart, at most, neighbouring reliabilities are."""

BLOCK = 32
"""Grids have a multiple of this many cells."""

_TAIL = 5e-5

_AT_A_TIME = 50_000
"""How many draws are spread over their cells at once: as many as a processor's cache has room for."""


@dataclass(frozen=True)
class Grid:
    """Equidistant cells, on a line or, if ``logarithmic``, on a logarithmic one."""

    points: Floats
    edges: Floats
    logarithmic: bool = False

    def __len__(self) -> int:
        return len(self.points)

    @classmethod
    def linear(cls, low: float, step: float, count: int) -> Grid:
        """``count`` cells of width ``step``, the first centred at ``low``."""
        return cls(low + step * np.arange(float(count)), low + step * (np.arange(count + 1.0) - 0.5))

    @classmethod
    def geometric(cls, low: float, high: float, ratio: float) -> Grid:
        """Cells from ``low`` to ``high``, each at most ``ratio`` times the one before."""
        count = _whole_blocks(int(np.ceil(np.log(high / low) / np.log(ratio))) + 1)
        step = np.log(high / low) / (count - 1)
        logs: Floats = np.log(low) + step * np.arange(count)
        return cls(np.exp(logs), np.exp(np.append(logs - step / 2, logs[-1] + step / 2)), logarithmic=True)

    def jittered(self, codes: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.float32]:
        """Values spread uniformly (in the logarithm, if logarithmic) over the cells that ``codes`` name."""
        ends = self.edges[[0, -1]]
        low, high = np.log(ends) if self.logarithmic else ends
        values = rng.random(codes.shape, dtype=np.float32)
        line, cells = values.reshape(-1), codes.reshape(-1)
        for begin in range(0, len(line), _AT_A_TIME):
            some = line[begin : begin + _AT_A_TIME]
            some += cells[begin : begin + _AT_A_TIME]
            some *= np.float32((high - low) / len(self))
            some += np.float32(low)
            if self.logarithmic:
                np.exp(some, out=some)
        return values


@dataclass(frozen=True, eq=False)
class Grids:
    """The grids of one fit. True grade ``i`` and bias ``j`` add up to lattice point ``i·s_stride + j·b_stride``.

    ``from_bias[j]`` is where, in a row of a table laid out for true grades, the entries for bias j start: entry i
    after it belongs to true grade i. ``from_true_grade[i]`` is the same in a table laid out for biases. The extra last
    entry of ``from_bias`` serves graders whose bias is fixed: their tables are over the true grade alone.
    """

    true_grade: Grid
    reliability: Grid
    bias: Grid
    s_stride: int
    b_stride: int
    lattice: Floats
    from_bias: Integers
    from_true_grade: Integers

    @property
    def without_bias(self) -> Floats:
        """The lattice of graders without bias."""
        return self.true_grade.points

    @property
    def true_grade_order(self) -> Integers:
        """The lattice points in the order in which a table laid out for true grades holds them."""
        return _order(len(self.lattice), self.s_stride)

    @property
    def bias_order(self) -> Integers:
        """The lattice points in the order in which a table laid out for biases holds them."""
        return _order(len(self.lattice), self.b_stride)


@lru_cache(maxsize=64)
def wide_grids(
    mu_s: tuple[float, ...],
    sigma_s: tuple[float, ...],
    sigma_b: float,
    gammas: tuple[tuple[float, float], ...],
    normals: tuple[tuple[float, float], ...],
    with_bias: bool,
    step: float = STEP,
    ratio: float = RATIO,
) -> Grids:
    """Grids that do not bend the posterior: their ends come from the priors.

    ``gammas`` are the (shape, rate) of the reliability priors in use; ``normals`` the (mean, sd), in units of the
    reported reliability, of those truncated normals that correlation adds. True grades and biases are a ``step`` apart,
    and each reliability is at most ``ratio`` times the one before.
    """
    low = min([-1.4, *(mean - 5.5 * sd for mean, sd in zip(mu_s, sigma_s, strict=True))])
    high = max([6.4, *(mean + 5.5 * sd for mean, sd in zip(mu_s, sigma_s, strict=True))])
    lows = [0.02] + [float(gammaincinv(shape, _TAIL)) / rate for shape, rate in gammas]
    highs = [20.0] + [float(gammaincinv(shape, 1 - _TAIL)) / rate for shape, rate in gammas]
    for mean, sd in normals:
        # Near zero the truncated normal's density is φ(mean/sd)/(sd·Φ(mean/sd)), which may be too small for a float.
        log_density = -0.5 * (mean / sd) ** 2 - np.log(sd * np.sqrt(2 * np.pi)) - log_ndtr(mean / sd)
        lows.append(float(np.exp(min(np.log(_TAIL) - log_density, 0.0))))
        highs.append(mean + 4 * sd)
    reliability = Grid.geometric(max(min(lows), 1e-4), max(highs), ratio)
    reach = max(4 * sigma_b, 1.5) if with_bias else 0.0
    return _assemble(_true_grades(low, high, step), reliability, _biases(reach, step), 1, 1)


@lru_cache(maxsize=4)
def learned_grids(with_bias: bool) -> Grids:
    """Grids wide enough for any priors that a class is likely to teach: true grades from -3 to 9, biases ±5."""
    reliability = Grid.geometric(0.004, 40.0, RATIO)
    biases = _biases(5.0 if with_bias else 0.0, STEP)
    return _assemble(_true_grades(-3.0, 9.0, STEP), reliability, biases, 1, 1)


def _true_grades(low: float, high: float, step: float) -> Grid:
    """Cells whose edges fall on multiples of the step, where the cut-points of most rubrics lie."""
    first, last = int(np.floor(low / step + 1e-9)), int(np.ceil(high / step - 1e-9))
    return Grid.linear((first + 0.5) * step, step, _whole_blocks(last - first))


def _biases(reach: float, step: float) -> Grid:
    """Cells around zero; the one at zero alone if there is no reach."""
    if not reach:
        return Grid.linear(0.0, step, 1)
    count = _whole_blocks(int(np.ceil(2 * reach / step - 1e-9)))
    return Grid.linear(-(count // 2) * step, step, count)


def _whole_blocks(count: int) -> int:
    """The next number of cells that fills whole vectors of the processor: loops then leave no remainder."""
    return -(-count // BLOCK) * BLOCK


@lru_cache(maxsize=2)
def paper_grids(with_bias: bool) -> Grids:
    """The grids of the paper's appendix: true grades 0–6 by 0.06, reliabilities 0.1–10 by 0.1, biases ±3 by 0.1."""
    bias = Grid.linear(-3.0, 0.1, 61) if with_bias else Grid.linear(0.0, 0.1, 1)
    return _assemble(Grid.linear(0.0, 0.06, 101), Grid.linear(0.1, 0.1, 100), bias, 3, 5)


def _assemble(true_grade: Grid, reliability: Grid, bias: Grid, s_stride: int, b_stride: int) -> Grids:
    step = (true_grade.points[1] - true_grade.points[0]) / s_stride
    span = (len(true_grade) - 1) * s_stride + (len(bias) - 1) * b_stride + 1
    repeat = s_stride * b_stride  # whole multiples of both strides, so that both layouts have rows of one length
    size = -(-span // repeat) * repeat
    lattice = true_grade.points[0] + bias.points[0] + step * np.arange(float(size))
    in_s_layout, in_b_layout = np.argsort(_order(size, s_stride)), np.argsort(_order(size, b_stride))
    from_bias = np.append(in_s_layout[b_stride * np.arange(len(bias))], 0)
    from_true_grade = in_b_layout[s_stride * np.arange(len(true_grade))]
    return Grids(true_grade, reliability, bias, s_stride, b_stride, lattice, from_bias, from_true_grade)


def _order(size: int, stride: int) -> Integers:
    """Lattice points grouped by residue, so that every ``stride``-th of them is contiguous."""
    return np.concatenate([np.arange(residue, size, stride) for residue in range(stride)])


def log_bin_masses(cuts: Floats, levels: NDArray[np.integer], x: Floats, precision: Floats) -> Floats:
    """Log probability of each level's bin under N(x, 1/precision): an array (levels, precision, x).

    The lowest and highest bins are open-ended.
    """
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    root = np.sqrt(precision)[:, None]
    out = np.empty((len(levels), len(precision), len(x)))
    for row, level in enumerate(levels):
        out[row] = _log_normal_interval((edges[level] - x) * root, (edges[level + 1] - x) * root)
    return out


def _log_normal_interval(low: Floats, high: Floats) -> Floats:
    """Log of Φ(high) − Φ(low), taken in whichever tail keeps the difference accurate."""
    mirrored = low > 0
    low, high = np.where(mirrored, -high, low), np.where(mirrored, -low, high)
    top = log_ndtr(high)
    return np.asarray(top + np.log1p(-np.exp(np.minimum(log_ndtr(low) - top, -1e-16))))


def log_normal_cell_masses(edges: Floats, mean: ArrayLike, sd: ArrayLike) -> Floats:
    """Log probability of each cell under N(mean, sd²), along a new last axis."""
    mean, sd = np.asarray(mean, dtype=float)[..., None], np.asarray(sd, dtype=float)[..., None]
    bounds = (edges - mean) / sd
    return _log_normal_interval(bounds[..., :-1], bounds[..., 1:])


def log_gamma_cell_masses(edges: Floats, shape: float, rate: float) -> Floats:
    """Log probability of each cell under Gamma(shape, rate)."""
    below, above = gammainc(shape, rate * edges), gammaincc(shape, rate * edges)
    masses = np.where(below[:-1] < 0.5, np.diff(below), -np.diff(above))
    return np.asarray(np.log(np.maximum(masses, np.exp(LOG_FLOOR))))


def low_effort_masses(cuts: Floats, centre: float, precision: float, uniform_share: float, maximum: float) -> Floats:
    """Probability of each level's bin when no effort is made: a normal mixed with a uniform on [0, maximum]."""
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    normal = np.exp(log_normal_cell_masses(edges, centre, precision**-0.5))
    uniform = np.diff(np.concatenate([[0.0], cuts, [maximum]])) / maximum
    return np.asarray((1 - uniform_share) * normal + uniform_share * uniform)


def low_effort_density(value: Floats, centre: Floats, precision: float, uniform_share: float, maximum: float) -> Floats:
    """Density of a report when no effort is made."""
    normal = np.sqrt(precision / (2 * np.pi)) * np.exp(-0.5 * precision * (value - centre) ** 2)
    uniform = np.where((value >= 0) & (value <= maximum), 1 / maximum, 0.0)
    return np.asarray((1 - uniform_share) * normal + uniform_share * uniform)
