"""The plain twin of a sweep: every entry drawn from the twin's densities at the points of a grid, with NumPy alone.

The model is that of biases, efforts and censoring, without correlation and without true grades that are fixed. A sweep
draws from the same conditional distributions as :mod:`twin` has by brute force, all entries of a variable at a time.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats

from peerage.gradebook.book import Gradebook
from peerage.inference.numerics.likelihood import Grid, Grids
from peerage.model import Model
from support.references import twin
from support.references.nuts import Reports

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def log_conditional(book: Gradebook, model: Model, state: twin.State, variable: str, points: Floats) -> Floats:
    """(entries, points): log density of each entry of a variable at some values, given all else, up to constants."""
    reports = Reports.of(book)
    made = state.effortful[reports.review] == 1
    review, component = reports.review[made], reports.component[made]
    grader, submission = book.review_grader[review], book.review_submission[review]
    owner = grader if variable != "true_grade" else submission * len(book.rubric) + component
    values = {
        "true_grade": state.true_grade[submission, component][:, None],
        "bias": state.bias[grader][:, None],
        "reliability": state.reliability[grader][:, None],
    } | {variable: points}
    mean = values["true_grade"] + values["bias"]
    lower, upper = reports.lower[made, None], reports.upper[made, None]
    prior = log_prior(book, model, state, variable, points)
    return prior + sums(owner, twin.log_normal_mass(lower, upper, mean, values["reliability"]), len(prior))


def log_prior(book: Gradebook, model: Model, state: twin.State, variable: str, points: Floats) -> Floats:
    """(entries, points): log prior density of each entry of a variable."""
    if variable == "true_grade":
        mean, precision = (values.reshape(-1, 1) for values in twin.true_grade_prior(book, model, state))
        return np.asarray(stats.norm.logpdf(points, mean, precision**-0.5))
    if variable == "reliability":
        shape, rate = (values[:, None] for values in twin.gamma_prior(book, model))
        return np.asarray(stats.gamma.logpdf(points, shape, scale=1 / rate))
    density = stats.norm.logpdf(points, 0, model.hyperparameters.sigma_b)
    return np.tile(density, (book.n_graders, 1))


def sums(owner: Ints, rows: Floats, count: int) -> Floats:
    """(count, points): the rows of each owner, added up."""
    ones = np.ones(len(owner))
    return np.asarray(sparse.csr_array((ones, (owner, np.arange(len(owner)))), (count, len(owner))) @ rows)


def effortful_probability(book: Gradebook, model: Model, state: twin.State) -> Floats:
    """(reviews,): the probability of z = 1 given all else."""
    reports, effort = twin.default_reports(book, model), state.effort[book.review_grader]
    careful = effort * np.exp(twin.log_effortful(book, model, state, reports).sum(axis=1))
    careless = (1 - effort) * np.exp(twin.log_low_effort(book, model, reports).sum(axis=1))
    return np.asarray(careful / (careful + careless))


def sweep(book: Gradebook, model: Model, grids: Grids, state: twin.State, rng: np.random.Generator) -> twin.State:
    """Draw every variable once, given all others."""
    grades = log_conditional(book, model, state, "true_grade", grids.true_grade.points)
    chosen = grids.true_grade.points[drawn(grades, rng)].reshape(state.true_grade.shape)
    state = replace(state, true_grade=chosen)
    state = replace(state, reliability=drawn_grader(book, model, grids.reliability, state, "reliability", rng))
    state = replace(state, bias=drawn_grader(book, model, grids.bias, state, "bias", rng))
    effortful = (rng.random(book.n_reviews) < effortful_probability(book, model, state)).astype(np.int64)
    made = np.bincount(book.review_grader, effortful, book.n_graders)
    missed = np.bincount(book.review_grader, 1 - effortful, book.n_graders)
    priors = model.hyperparameters
    effort = twin.filled(twin.known(book, model, "effort"), rng.beta(priors.alpha_e + made, priors.beta_e + missed))
    return replace(state, effortful=effortful, effort=effort)


def drawn_grader(
    book: Gradebook, model: Model, grid: Grid, state: twin.State, variable: str, rng: np.random.Generator
) -> Floats:
    """(graders,): a variable of the graders, as it is known or else drawn given all else."""
    logs = log_conditional(book, model, state, variable, grid.points) + np.log(np.diff(grid.edges))
    return twin.filled(twin.known(book, model, variable), grid.points[drawn(logs, rng)])


def drawn(log_densities: Floats, rng: np.random.Generator) -> Ints:
    """(entries,): the place of one point for each row."""
    masses = np.cumsum(np.exp(log_densities - log_densities.max(axis=1, keepdims=True)), axis=1)
    return np.asarray((masses < rng.random((len(masses), 1)) * masses[:, -1:]).sum(axis=1))
