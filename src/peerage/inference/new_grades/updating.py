"""A posterior after grades were added or corrected, from where the chains stand.

Each chain goes on from its last state: what is known by id keeps its value, and what is new starts where a fit would
start it. A new grade moves little of a class, so that a few sweeps are enough to forget the old posterior; whether
they were is tested on what the new grades touch, and if not, the chains go on. Averages over the few draws that are
kept are steadied (:mod:`~peerage.inference.sampling.steadied_averages`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri

from peerage.errors import Problem
from peerage.gradebook.book import Gradebook
from peerage.gradebook.merging import merged
from peerage.inference.fitted import Fitted
from peerage.inference.layout import Layout, lay_out
from peerage.inference.new_grades.carrying_over import carried_over, former_places
from peerage.inference.priors_in_words import in_use
from peerage.inference.sampling.chains import VARIABLES, ChainState, Samples, must_compile, sample
from peerage.inference.sampling.steadied_averages import Matches, steadied
from peerage.support.tasks.listening import listening
from peerage.support.tasks.progress import Counter, Listener
from peerage.support.words.whole_numbers import at_least

F = TypeVar("F", bound=Fitted)

REPORTS_A_CHAIN = 1_600_000
"""How many reports the kept draws of a chain visit unless told otherwise: with four chains, a few seconds' work."""

FEWEST_DRAWS = 50
BURN_IN = 25
"""Sweeps that each chain discards first; what a grade moves far is forgotten within about 20 (docs/update.md)."""

PARTS = 6
"""In how many parts the draws are made, whose averages tell how noisy they are."""

ROUNDS = 10
"""How many times the chains start over at most, if they have not settled."""

FALSE_ALARM = 0.01
"""How often a variable's entries that have settled are taken to move; the chains then go on for longer than needed."""

WENT_ON = Problem("the new grades moved the chains far, so they took longer than usual to settle")
STILL_MOVING = Problem("the chains have not settled after the new grades", "fit all grades again")
WEIGHED = Problem("the draws of the fit were weighed by the new reviews, and no new ones were made")
"""What is said of an update whose chains did not go on; before they do, they have to forget where they stood."""

ROUGH = Problem(
    "an update makes few draws: grades are known as well as before, but what is said about graders only roughly",
    "before you give marks for peer grading, fit all grades again",
)
"""What replaces warnings about the few draws of an update whose chains had agreed before and have settled again."""

UPDATED = WENT_ON, STILL_MOVING, WEIGHED, ROUGH
"""All that is said of how an update was made; the next one takes it back."""


def update(
    posterior: F,
    new_grades: Gradebook,
    *,
    draws: int | None = None,
    burn_in: int | None = None,
    workers: int | None = None,
    progress: bool | Listener = False,
) -> F:
    """The posterior with new grades; see :meth:`Posterior.update`."""
    begun = time.perf_counter()
    book = merged(posterior.book, new_grades)
    layout = lay_out(book, posterior.model)
    draws = default_draws(posterior, layout) if draws is None else at_least(1, draws=draws)
    burn_in = BURN_IN if burn_in is None else at_least(0, burn_in=burn_in)
    workers = posterior.workers if workers is None else at_least(1, workers=workers)

    touched = touched_by(new_grades, layout)
    matches = _untouched(posterior.layout, layout, touched)

    def run(states: tuple[ChainState, ...], burn_in: int) -> Samples:
        parts: list[Samples] = []
        settings: dict[str, Any] = {"chains": len(states), "seed": posterior.seed, "workers": workers}
        with listening(progress) as listener:
            total = len(states) * (burn_in + draws)
            counter = Counter(listener, "sampling", total, compiling=must_compile(layout))
            for count in np.diff(np.linspace(0, draws, 1 + min(PARTS, draws)).astype(int)).tolist():
                parts.append(sample(layout, draws=count, burn_in=burn_in, states=states, counter=counter, **settings))
                states, burn_in = parts[-1].states, 0
        return steadied(posterior.samples, parts, matches)

    runs = [run(carried_over(posterior, layout), burn_in)]
    while moving(runs[-1], touched) and len(runs) <= ROUNDS:
        runs.append(run(runs[-1].states, 0))
    notices = [notice for notice in book.notices if notice not in UPDATED]
    if len(runs) > 1:
        notices.append(STILL_MOVING if moving(runs[-1], touched) else WENT_ON)
    book = replace(book, notices=tuple(notices))
    return replace(
        posterior,
        book=book,
        burn_in=burn_in + draws * (len(runs) - 1),
        restarts=(),
        heard=(),
        samples=runs[-1],
        timings={"sampling": sum(run.seconds for run in runs), "total": time.perf_counter() - begun},
        laid_out=replace(layout, book=book),
        workers=workers,
    )


def told(posterior: F, notices: Iterable[Problem]) -> F:
    """The same posterior with other notices."""
    book = replace(posterior.book, notices=tuple(notices))
    return replace(posterior, book=book, laid_out=replace(posterior.layout, book=book))


def default_draws(posterior: Fitted, layout: Layout) -> int:
    """As many draws a chain as the posterior has, but no more than a few seconds allow."""
    affordable = max(FEWEST_DRAWS, REPORTS_A_CHAIN // len(layout.report_level))
    return min(affordable, posterior.samples.n_draws)


def touched_by(new_grades: Gradebook, layout: Layout) -> dict[str, NDArray[np.intp]]:
    """The entries of each variable that new grades bear on: of their submissions, and of all who graded these.

    Hyperparameters that are learned bear on everybody.
    """
    book, named = layout.book, set(new_grades.submissions)
    submission = np.array([name in named for name in book.submissions])
    graders = np.unique(book.review_grader[submission[book.review_submission]]).astype(np.intp)
    touched = {
        "true_grade": np.flatnonzero(submission[layout.cell_submission]),
        **dict.fromkeys(VARIABLES[1:], graders),
    }
    return touched | ({"hyper": np.flatnonzero(in_use(layout))} if layout.model.learned else {})


def _untouched(before: Layout, layout: Layout, touched: dict[str, NDArray[np.intp]]) -> Matches:
    """Where cells and reviews stood before, but for submissions with new grades or with graders in new roles."""
    cell, review = former_places(before, layout)
    submission = layout.book.review_submission[layout.review_order]
    same_role = np.zeros(layout.n_graders, bool)
    same_role[: before.n_graders] = before.group == layout.group[: before.n_graders]
    changed = submission[~same_role[layout.reports.review_grader]]
    changed = np.union1d(changed, layout.cell_submission[touched["true_grade"]])
    cell[np.isin(layout.cell_submission, changed)] = -1
    review[np.isin(submission, changed)] = -1
    return Matches(cell, review)


def moving(samples: Samples, touched: dict[str, NDArray[np.intp]], false_alarm: float = FALSE_ALARM) -> bool:
    """Whether the touched entries of a variable move on, in all chains alike, from the first to the second half.

    Chains are independent. If they have settled, the mean over chains of an entry's shift has the variance that the
    chains' differences tell, and the ratio of the two, each summed over entries, has an F distribution. Entries that
    depend on each other count for fewer.
    """
    half, chains = samples.n_draws // 2, samples.n_chains
    if chains == 1 or half == 0:
        return False
    for name, entries in touched.items():
        drawn = (samples.hyper if name == "hyper" else samples.draws[name])[:, :, entries].astype(np.float64)
        drawn = drawn[:, :, drawn.std(axis=(0, 1)) > 0]
        if not drawn.size:
            continue
        drawn = (drawn - drawn.mean(axis=(0, 1))) / drawn.std(axis=(0, 1))
        shift = drawn[:, -half:].mean(axis=1) - drawn[:, :half].mean(axis=1)
        common, noise = (shift.mean(axis=0) ** 2).sum(), (shift.var(axis=0, ddof=1) / chains).sum()
        count = _effective_count(drawn.reshape(-1, drawn.shape[2]))
        if common > noise * fdtri(count, count * (chains - 1), 1 - false_alarm):
            return True
    return False


def _effective_count(standardised: NDArray[np.float64]) -> float:
    """How many independent columns there would be if their correlations had as many like eigenvalues: n²/Σλ²."""
    rows, columns = standardised.shape
    # Both products have the same eigenvalues, but for zeros; the smaller one is made.
    product = standardised.T @ standardised if columns < rows else standardised @ standardised.T
    return float(columns**2 / np.sum((product / rows) ** 2))
