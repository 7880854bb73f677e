"""What each feature of the model is worth on real classes: held-out reviews, and errors against staff's grades.

``python benchmarks/study_real_data.py FOLDER [OUT] [--model NAME …]`` fits every set of grades below FOLDER
(``real_sets``) with untouched defaults, and without one feature at a time. Staff's grades in ``staff_grades.csv`` are
never seen by a fit. It prints the tables of docs/learned.md: leave-one-out log scores beside the default's, errors of
totals and rank correlations (Kendall's τ, in the mean over assignments) with intervals from a bootstrap over the
submissions that staff graded, and what was learned. Fits are kept in OUT (real_data unless told otherwise), so that a
run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import peerage as pg
from peerage.inference.chain_agreement import largest_r_hat
from peerage.inference.layout import lay_out
from peerage.inference.report_bins import says_or_less
from real_sets import RealSet, real_sets
from tables import table

DEFAULT, AUTO = "default", "auto"
NO_FLOORS, NO_HEAPING = "without floors", "without heaping"
SHARED = {
    "without merit": pg.Model(merit=False),
    "without halo": pg.Model(halo=False),
    "without merit and halo": pg.Model(merit=False, halo=False),
}
"""Features of several components."""

MODELS: dict[str, pg.Model | str] = {
    DEFAULT: pg.Model(),
    **SHARED,
    "without habits": pg.Model(habits=False),
    "without scale": pg.Model(scale=False),
    NO_FLOORS: pg.Model(floors=False),
    NO_HEAPING: pg.Model(heaping=False),
    "without effort": pg.Model(effort=False),
    "without bias": pg.Model(bias=False),
    "correlation": pg.Model(correlation=True),
    AUTO: AUTO,
}
RESAMPLES = 2000

Floats = NDArray[np.float64]
Measure = Callable[[pd.DataFrame, Floats], Floats]


def models_for(book: pg.Gradebook, asked: list[str]) -> Iterator[str]:
    """The models that make a difference to this class.

    One component shares nothing, correlation needs authors, and not every class has students with a lowest grade of
    their own, or a scale on which grades may be heaped.
    """
    layout = lay_out(book, pg.Model())
    same = {name for name in SHARED if len(book.rubric) == 1}
    same |= {"correlation"} if not any(book.authors) else set()
    same |= {NO_FLOORS} if not says_or_less(layout).any() else set()
    same |= {NO_HEAPING} if not any(rounding.units for rounding in layout.roundings) else set()
    return (name for name in asked if name not in same)


def fitted(book: pg.Gradebook, name: str, path: Path) -> pg.Posterior:
    """The fit that was kept, or a new one."""
    if path.exists():
        return pg.load(path)
    begun = time.process_time()
    posterior = pg.fit(book, MODELS[name], seed=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    posterior.save(path)
    taken = f"{time.process_time() - begun:.0f} core-seconds"
    for line in (taken, *(posterior.choice.sentences if posterior.choice else ()), *map(str, posterior.warnings)):
        print(f"{path.stem}: {line}", file=sys.stderr, flush=True)
    return posterior


# Held-out reviews, and what was learned


def held_out(fits: dict[str, pg.Posterior]) -> str:
    """A row for each model: its leave-one-out log score above the default's, convergence, and learned figures."""
    default = fits[DEFAULT].leave_one_out.log_mass
    rows = []
    for name, posterior in fits.items():
        found = posterior.leave_one_out
        gap = found.log_mass - default
        noise = np.sqrt(len(gap)) * gap.std(ddof=1)
        learned = posterior.priors().query("component == ''")
        shown = [f"{row['parameter']} {row['value']:.2f}" for row in learned.to_dict("records")]
        rows.append(
            (
                name,
                f"{found.log_mass.sum():,.1f}" if name == DEFAULT else f"{gap.sum():+.1f} ± {noise:.1f}",
                f"{found.untrusted.mean():.1%}",
                f"{largest_r_hat(posterior):.3f}",
                posterior.model.name if posterior.asked is not None or name == AUTO else "as asked",
                ", ".join(shown),
            )
        )
    return table(("model", "log score of held-out reviews", "untrusted", "R-hat", "model used", "learned"), rows)


# Against staff's grades


def estimates(book: pg.Gradebook, fits: dict[str, pg.Posterior]) -> Iterator[tuple[str, pd.Series[float]]]:
    """Totals by submission: of the peers' mean and median, of the grades that a class gets, and of expected grades."""
    reports = book.table().groupby(["submission", "component"])["grade"]
    yield "peers' mean", reports.mean().groupby("submission").sum()
    yield "peers' median", reports.median().groupby("submission").sum()
    final = pg.explain(fits[DEFAULT], form="average", staff_final=True).grades
    yield "default, final", final.groupby("submission")["grade"].sum()
    for name, posterior in fits.items():
        yield f"{name}, expected", posterior.submissions().groupby("submission")["expected"].sum()


def root_mean_square(pairs: pd.DataFrame, counts: Floats) -> Floats:
    """(samples,) the root mean squared distance of estimates from the staff's grades, each counted so many times."""
    squares = ((pairs["estimate"] - pairs["staff"]) ** 2).to_numpy(float)
    return np.asarray(np.sqrt(counts @ squares / counts.sum(axis=1)))


def rank_correlation(pairs: pd.DataFrame, counts: Floats) -> Floats:
    """(samples,) Kendall's τ in the mean over assignments of which several submissions were graded differently."""
    assignment = np.unique(pairs["assignment"].to_numpy(str), return_inverse=True)[1]
    one, other = np.triu_indices(len(pairs), 1)
    alike = assignment[one] == assignment[other]
    one, other = one[alike], other[alike]
    estimate, staff = (
        np.sign(values[one] - values[other]) for values in pairs[["estimate", "staff"]].to_numpy(float).T
    )
    inside = np.eye(assignment.max() + 1)[assignment[one]]
    together = counts[:, one] * counts[:, other]
    concordant, by_estimate, by_staff = (
        (together * sign) @ inside for sign in (estimate * staff, estimate**2, staff**2)
    )
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nanmean(concordant / np.sqrt(by_estimate * by_staff), axis=1))


def against_staff(book: pg.Gradebook, staff: pd.Series[float], fits: dict[str, pg.Posterior]) -> str:
    """A row for each estimate; errors only if staff graded on the scale of the peers."""
    highest = sum(part.grades[-1] for part in book.rubric.components)
    measures: dict[str, Measure] = {"error": root_mean_square} if staff.max() <= highest else {}
    measures["Kendall's τ"] = rank_correlation
    place = pd.Series(book.assignments, index=pd.Index(book.submissions, name="submission"))
    rows, first = [], None
    for name, totals in estimates(book, fits):
        pairs = pd.DataFrame({"estimate": totals, "staff": staff, "assignment": place}).dropna()
        first = pairs if first is None else first
        rows.append((name, *(cell for measure in measures.values() for cell in _cells(measure, pairs, first))))
    heads = [head for name in measures for head in (name, "above the mean's")]
    return table((f"estimate, {len(staff)} staff grades", *heads), rows)


def _cells(measure: Measure, pairs: pd.DataFrame, first: pd.DataFrame) -> tuple[str, str]:
    """A figure and how much it is above the first estimate's on the same submissions, with 95 % intervals."""
    counts = _resampled(pairs["assignment"], np.random.default_rng(0))
    own = measure(pairs, counts)
    low, high = np.quantile(own[1:], [0.025, 0.975])
    shown = f"{own[0]:.2f} ({low:.2f} to {high:.2f})"
    if pairs is first:
        return shown, ""
    above = own - measure(first, counts)
    low, high = np.quantile(above[1:], [0.025, 0.975])
    return shown, f"{above[0]:+.2f} ({low:+.2f} to {high:+.2f})"


def _resampled(assignment: pd.Series[str], rng: np.random.Generator) -> Floats:
    """(samples, submissions) how often each is drawn with replacement within its assignment; once in the first row."""
    counts = np.ones((1 + RESAMPLES, len(assignment)))
    for rows in assignment.groupby(assignment).indices.values():
        counts[1:, rows] = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), RESAMPLES)
    return counts


def show(found: RealSet, out: Path, asked: list[str]) -> None:
    """Fit a set and print its tables."""
    book, staff = found.read(), found.staff()
    print(f"\n### {found.name}\n\n{book!r}\n", flush=True)
    fits = {
        name: fitted(book, name, out / f"{found.name.replace('/', '-')}, {name}.npz")
        for name in models_for(book, asked)
    }
    print(held_out(fits), flush=True)
    if staff is not None:
        print(f"\n{against_staff(book, staff, fits)}", flush=True)


def main() -> None:
    """Print the tables of every set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path, nargs="?", default=Path("real_data"))
    parser.add_argument("--model", choices=MODELS, action="append", help="besides the default; repeat it for several")
    asked = parser.parse_args()
    for found in real_sets(asked.folder):
        show(found, asked.out, list(MODELS) if asked.model is None else [DEFAULT, *asked.model])


if __name__ == "__main__":
    main()
