"""A sweep over the standard class (class (b): 120 students, ten weeks, 5,100 reviews) on one core.

With the paper's priors it is put beside its plain NumPy twin, which draws from the same posterior by the model's
equations, and beside a floor: what no sampler of reports before rounding can do without. They take turns, so that
whatever else the machine does slows all of them. Then the parts of a sweep are measured
one by one. The default model (learned priors, merit, halo, habits) is put beside the paper's, and the same class graded
0 to 100 beside that graded 0 to 5, likewise in turns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import peerage
from bench_nuts import VARIABLES, inferred
from figures import report, use_cores
from peerage.inference.latent import latent_engine
from peerage.inference.latent.given_reports.grade_updates import add_level_masses
from peerage.inference.latent.grader_by_grader.efforts_and_reports_before_rounding import update_reviews
from peerage.inference.latent.grader_by_grader.review_predictions import load_cells
from peerage.inference.latent.latent_arrays import State
from peerage.inference.latent.latent_sweep import _update_efforts, _update_graders, _update_grades
from peerage.inference.layout import Layout, lay_out
from peerage.inference.numerics.arrays import F64, Sums
from peerage.inference.numerics.by_reference import placed
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.normal_tails import below, draw_in_bin, known_masses
from peerage.inference.numerics.rhat_and_ess import rhat_and_ess
from peerage.inference.sampling.chains import ChainState, sample
from peerage.inference.sampling.draws import Draws

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

ROUNDS, SWEEPS = 5, 200
"""How often those that are compared take turns, and how many sweeps are one turn."""

BURN_IN, DRAWS = 150, 1000
"""Of chains whose effective draws are counted."""


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds that some work takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def milliseconds(turns: Mapping[str, Callable[[], object]], sweeps: Mapping[str, int]) -> dict[str, float]:
    """Milliseconds a sweep of each, in turns: medians over the rounds."""
    taken: dict[str, list[float]] = {name: [] for name in turns}
    for _ in range(ROUNDS):
        for name, work in turns.items():
            taken[name].append(1e3 * seconds(work) / sweeps[name])
    return {name: float(np.median(mine)) for name, mine in taken.items()}


def settled(layout: Layout) -> tuple[ChainState, ...]:
    """Where a chain stands after burn-in, everything compiled."""
    return sample(layout, chains=1, draws=1, burn_in=BURN_IN, seed=0, workers=1).states


def onward(layout: Layout) -> Callable[[], object]:
    """A turn of a settled chain."""
    return partial(sample, layout, chains=1, draws=SWEEPS, burn_in=0, seed=0, workers=1, states=settled(layout))


@jit
def weigh_and_draw(
    rng: np.random.Generator, low: F64, high: F64, means: F64, roots: F64, masses: F64, latent: F64
) -> None:
    """The floor of a sweep: each report's bin weighed once, and a report before rounding drawn within it."""
    known_masses(low, high, means, roots, masses)
    for row in range(len(low)):
        first, last = (low[row] - means[row]) * roots[row], (high[row] - means[row]) * roots[row]
        value = draw_in_bin(rng, first, last, below(min(first, -last)), masses[row])
        latent[row] = means[row] + value / roots[row]


def floor_of(layout: Layout, start: ChainState, rng: np.random.Generator) -> Callable[[], None]:
    """A turn of the floor, around the true grades and biases at which a chain stands, compiled."""
    given, state = latent_engine.prepare(layout), start.variables
    grader = given.places.review_grader[layout.report_review]
    means = state["true_grade"][given.places.report_cell] + state["bias"][grader]
    roots = np.sqrt(state["reliability"][grader])
    arrays = given.levels.low, given.levels.high, means, roots, np.empty_like(means), np.empty_like(means)

    def turn(sweeps: int = SWEEPS) -> None:
        for _ in range(sweeps):
            weigh_and_draw(rng, *arrays)

    turn(1)
    return turn


def parts_of(layout: Layout, start: ChainState, rng: np.random.Generator) -> dict[str, Callable[[], None]]:
    """The parts of a sweep, each as a call that moves a chain; what it is given lies where kernels take it."""
    given, work = latent_engine.prepare(layout), latent_engine.new_work(layout)
    state = State(**{name: values.copy() for name, values in start.variables.items()})
    reviews, places = layout.book.n_reviews, given.places
    sums = Sums(np.zeros((layout.n_cells, layout.max_levels)), np.zeros(reviews), np.zeros(reviews))
    parts = {
        "what is said of each true grade": partial(load_cells, places, given.beliefs, state, work.cells),
        "reviews, grader by grader": partial(update_reviews, rng, True, True, True, given, state, sums, work),
        "probabilities of grades": partial(
            add_level_masses, places.cell_component, given.levels, work.cells, sums.level_mass
        ),
        "true grades": partial(_update_grades, rng, False, given, state, work),
        "biases and reliabilities": partial(_update_graders, rng, False, True, given, state, work),
        "effort probabilities": partial(_update_efforts, rng, False, given, state, work),
    }
    return {name: partial(part.func, *map(placed, part.args)) for name, part in parts.items()}


def profile(parts: dict[str, Callable[[], None]]) -> dict[str, float]:
    """Milliseconds of each part of a sweep: medians over sweeps, of which the first compiles."""
    taken: dict[str, list[float]] = {name: [] for name in parts}
    for _ in range(SWEEPS + 1):
        for name, part in parts.items():
            taken[name].append(seconds(part))
    return {name: 1e3 * float(np.median(mine[1:])) for name, mine in taken.items()}


def effective_draws(layout: Layout) -> dict[str, tuple[float, float]]:
    """Effective draws a core-second by variable, burn-in included: median and first percentile of the entries."""
    begun = time.process_time()
    samples = sample(layout, chains=1, draws=DRAWS, burn_in=BURN_IN, seed=1, workers=1)
    taken, draws, found = time.process_time() - begun, Draws(layout, samples, 1), {}
    for name in VARIABLES:
        rate = rhat_and_ess(inferred(np.asarray(draws.on_model_scale(name), np.float64))).ess_bulk / taken
        found[name] = float(np.median(rate)), float(np.quantile(rate, 0.01))
    return found


def beside_default(paper: Layout, default: Layout) -> dict[str, Any]:
    """Milliseconds a sweep and effective draws a core-second of the default model and of the paper's."""
    turns = {"paper": onward(paper), "default": onward(default)}
    taken = milliseconds(turns, dict.fromkeys(turns, SWEEPS))
    rates = {"paper": effective_draws(paper), "default": effective_draws(default)}
    print(f"\na sweep of the default model takes {taken['default']:.2f} ms, of the paper's {taken['paper']:.2f} ms")
    rows = []
    for name in VARIABLES:
        row: dict[str, Any] = {"variable": name}
        for kind, place in (("median", 0), ("worst", 1)):
            row |= {f"{model}_{kind}": rate[name][place] for model, rate in rates.items()}
            row[f"share_{kind}"] = row[f"default_{kind}"] / row[f"paper_{kind}"]
        rows.append(row)
        shares = f"{row['share_median']:.2f} in the median, {row['share_worst']:.2f} in the first percentile"
        print(f"  {name.replace('_', ' ')}: effective draws a core-second in relation to the paper's model {shares}")
    return {"ms": taken, "rows": rows}


def fine_scale(coarse: Layout) -> dict[str, float]:
    """Milliseconds a sweep of the default model, graded 0 to 5 and 0 to 100."""
    rubric = peerage.Rubric.uniform([component.name for component in coarse.book.rubric.components], range(101))
    book, _ = peerage.simulate(setting="b", seed=0, components=rubric)
    turns = {"coarse": onward(coarse), "fine": onward(lay_out(book, peerage.Model()))}
    taken = milliseconds(turns, dict.fromkeys(turns, SWEEPS))
    times = taken["fine"] / taken["coarse"]
    print(f"\ngraded 0 to 100, a sweep takes {taken['fine']:.2f} ms, {times:.2f} times as long as graded 0 to 5")
    return {"coarse_ms": taken["coarse"], "fine_ms": taken["fine"], "times": times}


def measure() -> dict[str, Any]:
    """Milliseconds of a sweep beside the twin's, of its parts, of the default model, and of a fine scale."""
    from support.references import twin, twin_sweep

    use_cores(1)
    book, _ = peerage.simulate(setting="b", seed=0)
    model, rng = peerage.Model(priors="paper"), np.random.default_rng(0)
    paper, default = lay_out(book, model), lay_out(book, peerage.Model())
    state = twin.draw_prior(book, model, rng)
    turns = {
        "sweep": onward(paper),
        "twin": lambda: twin_sweep.sweep(book, model, paper.grids, state, rng),
        "floor": floor_of(paper, settled(paper)[0], rng),
    }
    sweeps = {"sweep": SWEEPS, "twin": 1, "floor": SWEEPS}
    found: dict[str, Any] = {f"{name}_ms": ms for name, ms in milliseconds(turns, sweeps).items()}
    found |= {f"{name}_times": found[f"{name}_ms"] / found["sweep_ms"] for name in ("twin", "floor")}
    print(f"a sweep takes {found['sweep_ms']:.2f} ms")
    print(f"its plain NumPy twin {found['twin_ms']:,.0f} ms, {found['twin_times']:.0f} times as long")
    print(f"the floor {found['floor_ms']:.2f} ms, {found['floor_times']:.2f} times as long")
    found["parts_ms"] = profile(parts_of(paper, settled(paper)[0], rng))
    for part, ms in found["parts_ms"].items():
        print(f"  {ms:.2f} ms for {part}")
    return found | {"default": beside_default(paper, default), "fine": fine_scale(default)}


if __name__ == "__main__":
    report(measure)
