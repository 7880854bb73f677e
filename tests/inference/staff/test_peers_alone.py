"""What peers alone say of work that staff graded, beside a twin in NumPy and fits without the staff's grades."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

import peerage as pg
from peerage.inference.latent.latent_peers import estimate_from_peers
from peerage.inference.latent.latent_priors import error_parts
from peerage.inference.new_grades.part_of_class import PartOfClass, part_of, ready_to_sweep
from peerage.inference.staff import peers_alone

SHARED: dict[str, Any] = {"merit": 0.6, "halo": 0.5}


def staffed(students: int, seed: int) -> pg.Gradebook:
    """A class whose components share merit and halo, a part of which TAs graded."""
    return pg.simulate(students=students, weeks=1, tas=2, components=3, seed=seed, **SHARED)[0]


def graded_by_both(book: pg.Gradebook) -> np.ndarray:
    staff = book.is_staff[book.review_grader]
    return np.intersect1d(book.review_submission[staff], book.review_submission[~staff])


def estimates(part: PartOfClass, repeats: int) -> tuple[np.ndarray, np.ndarray]:
    """(repeats, cells) expected grades and (repeats, submissions) log masses, all of the first draw."""
    book, layout = part.layout.book, part.layout
    drawn = part.drawn._replace(unseen=book.is_staff)
    values = np.stack([component.values for component in book.rubric.components])
    found = np.empty((repeats, 1, layout.n_cells)), np.empty((repeats, 1, book.n_submissions))
    flags, pairs = (layout.model.effort, layout.has_bias), (4, 12)
    for expected, log_mass in zip(*found, strict=True):
        given, state, sums, work = part.given, part.state, part.sums, part.work
        estimate_from_peers(part.rng, *flags, given, state, sums, work, drawn, *pairs, values, expected, log_mass)
    return found[0][:, 0], found[1][:, 0]


def twin(part: PartOfClass, submission: int, shared: bool, count: int = 200_000) -> tuple[np.ndarray, np.ndarray]:
    """Expected grades and the probability, from draws of the priors weighted by the peers' grades; and their errors."""
    book, beliefs, state, rng = part.layout.book, part.given.beliefs, part.state, np.random.default_rng(submission)
    share = beliefs.merit[0] if shared else 0.0
    away = np.sqrt(share) * rng.standard_normal((count, 1)) + np.sqrt(1 - share) * rng.standard_normal((count, 3))
    true_grade = beliefs.grade_mean + beliefs.grade_sd * away
    weight, by_staff = np.ones(count), np.ones(count)
    centre = part.given.places.cell_centre[:3]
    for review in np.flatnonzero(book.review_submission == submission):
        grader, levels = book.review_grader[review], book.levels[review]
        own, loading = np.array([error_parts(state.hyper, component) for component in range(3)]).T
        root = np.sqrt(state.reliability[grader] * own)
        halo = rng.standard_normal((count, 1)) / np.sqrt(state.reliability[grader])
        mean = centre + state.slope[grader] * (true_grade - centre) + state.bias[grader] + shared * loading * halo
        edges = np.array([component.edges for component in book.rubric.components])
        ends = edges[np.arange(3), levels], edges[np.arange(3), levels + 1]
        careful = (ndtr((ends[1] - mean) * root) - ndtr((ends[0] - mean) * root)).prod(axis=1)
        if book.is_staff[grader]:
            by_staff *= careful
        else:
            careless = np.exp(beliefs.low_effort[np.arange(3), levels].sum())
            weight *= state.effort[grader] * careful + (1 - state.effort[grader]) * careless
    parts = zip(book.rubric.components, true_grade.T, strict=True)
    grades = np.stack([part.values[np.searchsorted(part.cuts, grade, side="right")] for part, grade in parts], axis=1)
    weight /= weight.sum()
    found = np.column_stack([grades, by_staff])
    return weight @ found, np.sqrt(weight**2 @ (found - weight @ found) ** 2)


def agreement(repeats: int = 40, *, shared: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """For three submissions, how far expected grades and probabilities lie from the twin's, in standard errors."""
    book = staffed(12, 4)
    posterior = pg.fit(book, pg.Model(habits=False, floors=False), chains=1, draws=30, burn_in=60, seed=0)
    chosen = graded_by_both(book)[:3]
    small = part_of(book, {book.submissions[index] for index in chosen})
    part = ready_to_sweep(posterior, small, posterior.model, 0, 1)
    expected, log_mass = estimates(part, repeats)
    mass = np.exp(log_mass)
    found = np.concatenate([expected.reshape(repeats, -1, 3), mass[..., None]], axis=2)
    wanted, errors = np.stack([twin(part, index, shared) for index in range(len(chosen))], axis=1)
    gap = (found.mean(axis=0) - wanted) / np.hypot(found.std(axis=0, ddof=1) / np.sqrt(repeats), errors)
    return gap[:, :3], gap[:, 3]


def test_grades_and_probabilities_are_those_of_a_twin() -> None:
    """Nine grades and three probabilities; false-alarm rate 1e-4 together."""
    limit = stats.norm.isf(0.5e-4 / 12)
    grades, masses = agreement()
    assert np.abs(grades).max() < limit
    assert np.abs(masses).max() < limit


def test_a_probability_without_what_components_share_is_caught() -> None:
    _, masses = agreement(shared=False)
    assert np.abs(masses).max() > 8


@pytest.mark.slow
def test_leaving_staff_out_agrees_with_fits_without_their_grades(monkeypatch: pytest.MonkeyPatch) -> None:
    """Expected totals of eight submissions; without weights, estimates still know what staff gave.

    Medians: of a submission that staff saw quite otherwise than its peers, few draws have nearly all of the weight.
    With three seeds, the weighted ones were 0.13, 0.06 and 0.13, the others 0.36, 0.41 and 0.34.
    """
    monkeypatch.setattr(peers_alone, "DRAWS", 400)
    book = staffed(40, 1)
    settings: dict[str, Any] = {"chains": 2, "draws": 2400, "seed": 2}
    posterior = pg.fit(book, **settings)
    chosen = graded_by_both(book)[:8]
    found = peers_alone.expected_from_peers(posterior, chosen).sum(axis=1)
    unweighted = peers_alone.estimates(posterior, chosen, peers_alone.DRAWS)[0].mean(axis=0).sum(axis=1)
    without = []
    for submission in chosen:
        staff = (book.review_submission == submission) & book.is_staff[book.review_grader]
        table = pg.fit(book.select(~staff), **settings).submissions().groupby("submission", sort=False)
        without.append(table["expected"].sum().to_numpy()[submission])
    gap = np.median(np.abs(found - without))
    assert gap < 0.2
    assert gap < 0.6 * np.median(np.abs(unweighted - without))
