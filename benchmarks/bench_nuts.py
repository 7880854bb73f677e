"""Effective draws a core-second beside NumPyro's NUTS: the same posterior, the standard class, warm-up included.

NUTS is as fast as we could make it (``fast_nuts.py``). Compilation is not counted, on either side. Both run one chain
on one core. That both sample the same posterior is checked by the means and variances of all entries, in units of their
Monte-Carlo errors.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import fast_nuts
import peerage
from figures import report, use_cores
from peerage.inference.layout import lay_out
from peerage.inference.numerics.rhat_and_ess import rhat_and_ess
from peerage.inference.sampling.chains import sample
from peerage.inference.sampling.draws import Draws

VARIABLES = ("true_grade", "reliability", "bias", "effort")
WARM_UP, DRAWS = 500, 1000
"""What NUTS is given; the step size and the mass matrix need some hundred draws to settle."""

BURN_IN, OUR_DRAWS = 100, 1000


def ours(book: peerage.Gradebook, priors: peerage.Priors) -> tuple[dict[str, NDArray[np.float64]], float]:
    """Draws by variable, and core-seconds."""
    layout = lay_out(book, peerage.Model(priors=priors))
    sample(layout, chains=1, draws=1, burn_in=0, seed=0, workers=1)
    begun = time.process_time()
    samples = sample(layout, chains=1, draws=OUR_DRAWS, burn_in=BURN_IN, seed=1, workers=1)
    seconds = time.process_time() - begun
    draws = Draws(layout, samples, 1)
    return {name: np.asarray(draws.on_model_scale(name), np.float64) for name in VARIABLES}, seconds


def inferred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """(1, draws, entries) those entries that move."""
    flat = values.reshape(1, values.shape[1], -1)
    return np.asarray(flat[:, :, flat.std(axis=(0, 1)) > 0])


def largest_gap(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Differences of means and of variances, in units of their Monte-Carlo standard errors."""
    centre, gaps = right.mean(axis=(0, 1)), []
    for pair in ((left, right), ((left - centre) ** 2, (right - centre) ** 2)):
        means, errors = [], []
        for draws in pair:
            means.append(draws.mean(axis=(0, 1)))
            errors.append(draws.std(axis=(0, 1)) / np.sqrt(rhat_and_ess(draws).ess_bulk))
        gaps.append(np.abs(means[0] - means[1]) / np.hypot(*errors))
    return np.concatenate(gaps)


def compared(variable: str, pair: dict[str, tuple[NDArray[np.float64], float]]) -> dict[str, Any]:
    """A row of the table: effective draws a core-second of both, and how many times as many ours are."""
    row: dict[str, Any] = {"variable": variable}
    for name, (draws, seconds) in pair.items():
        found = rhat_and_ess(draws)
        for end, effective in (("", found.ess_bulk), ("_of_tails", found.ess_tail)):
            rate = effective / seconds
            row |= {f"{name}_median{end}": float(np.median(rate)), f"{name}_worst{end}": float(np.quantile(rate, 0.01))}
    for end in ("", "_of_tails"):
        row |= {
            f"times_{kind}{end}": row[f"ours_{kind}{end}"] / row[f"nuts_{kind}{end}"] for kind in ("median", "worst")
        }
        sides = ("ours", "nuts", "times")
        pairs = (f"{row[f'{name}_median{end}']:.1f} {row[f'{name}_worst{end}']:>6.1f}" for name in sides)
        words = f"{variable}{end}".replace("_", " ")
        print(f"{words:<22}" + "".join(f"{pair:>16}" for pair in pairs), flush=True)
    return row


def measure() -> dict[str, Any]:
    """Effective draws a core-second of both, and their ratios, by variable; and whether the posteriors agree."""
    use_cores(1)
    book, _ = peerage.simulate(setting="b", seed=0)
    priors = peerage.Priors.paper()
    our_draws, our_seconds = ours(book, priors)
    their_draws, their_seconds = fast_nuts.sample(book, priors, WARM_UP, DRAWS, seed=1)
    print("Effective draws a core-second, median and first percentile of the entries\n")
    print(f"{'':<22}{'peerage':>16}{'NumPyro':>16}{'times':>16}")
    rows, gaps = [], []
    for variable in VARIABLES:
        left, right = inferred(our_draws[variable]), inferred(their_draws[variable])
        rows.append(compared(variable, {"ours": (left, our_seconds), "nuts": (right, their_seconds)}))
        gaps.append(largest_gap(left, right))
    worst = np.concatenate(gaps)
    limit = float(stats.norm.isf(1e-3 / worst.size / 2))
    print(f"\nlargest of {worst.size:,} differences: {worst.max():.2f} standard errors, by chance up to {limit:.2f}")
    print(f"core-seconds: {our_seconds:.1f} for {BURN_IN} + {OUR_DRAWS:,} sweeps, ", end="")
    print(f"{their_seconds:.1f} for {WARM_UP} + {DRAWS:,} iterations of NUTS")
    return {
        "rows": rows,
        "core_seconds": {"ours": our_seconds, "nuts": their_seconds},
        "differences": worst.size,
        "largest_difference": float(worst.max()),
        "limit": limit,
    }


if __name__ == "__main__":
    report(measure)
