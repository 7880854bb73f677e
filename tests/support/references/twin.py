"""The plain twin of the model: the joint density transcribed term by term, and everything derived from it slowly.

It shares no code with the sampler. Symbols of the paper: ``true_grade`` is s, ``reliability`` the precision p = τ/λ
(p = τ without correlation), ``bias`` b, ``effort`` e, ``effortful`` z. All are on the model's scale of 0 to 5.

*Reports* are an array (reviews, components): levels of a censored model, numbers from 0 to 5 of an uncensored
one; what a review did not grade is read off the gradebook.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, gammaln, log_ndtr, logsumexp, ndtr, ndtri, xlog1py, xlogy

from peerage.gradebook.book import INSTRUCTOR, MISSING, STUDENT, TA, Gradebook
from peerage.model import INSTRUCTOR_RELIABILITY, Model

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """One value of everything that is unknown."""

    true_grade: Floats
    """(submissions, components)"""
    reliability: Floats
    """(graders,)"""
    bias: Floats
    """(graders,)"""
    effort: Floats
    """(graders,)"""
    effortful: NDArray[np.int64]
    """(reviews,) 1 or 0"""

    def with_value(self, variable: str, index: int | tuple[int, ...], value: float) -> State:
        """The same state with one entry replaced."""
        array = getattr(self, variable).copy()
        array[index] = value
        return replace(self, **{variable: array})


def known(book: Gradebook, model: Model, variable: str) -> Floats:
    """The values of a grader's variable that are clamped, fixed or switched off; NaN for those to infer."""
    values = np.full(book.n_graders, np.nan)
    if variable == "effort":
        values[(book.roles != STUDENT) | (not model.effort)] = 1.0
    if variable == "reliability":
        values[book.roles == INSTRUCTOR] = INSTRUCTOR_RELIABILITY
    if variable == "bias" and (not model.bias or model.hyperparameters.sigma_b == 0):
        values[:] = 0.0
    for grader, value in getattr(model.fixed, variable).items():
        values[book.graders.index(grader)] = value
    return values


def edges(book: Gradebook, component: int) -> Floats:
    """The ends of a component's bins; the first and the last are open."""
    return np.concatenate([[-np.inf], book.rubric.components[component].cuts, [np.inf]])


def bins(book: Gradebook, component: int, reports: Floats) -> tuple[Floats, Floats]:
    """(reviews,): the ends of the reported bins of a component; any bin where nothing was reported."""
    ends, level = edges(book, component), np.maximum(reports[:, component].astype(int), 0)
    return ends[level], ends[level + 1]


def default_reports(book: Gradebook, model: Model) -> Floats:
    """What the model takes the gradebook's reports to be: levels, or the reported grades as exact numbers."""
    if model.censoring:
        return book.levels.astype(np.float64)
    exact = np.zeros(book.levels.shape)
    for component, entry in enumerate(book.rubric.components):
        exact[:, component] = entry.scaled[np.maximum(book.levels[:, component], 0)]
    return exact


# Densities are written out, since scipy.stats takes longer to check its arguments than all else that the twin does.


def log_normal(value: Floats | float, mean: Floats | float, deviation: Floats | float) -> Floats:
    """Log density of a normal distribution."""
    return np.asarray(-0.5 * ((value - mean) / deviation) ** 2 - np.log(deviation) - 0.5 * np.log(2 * np.pi))


def log_gamma(value: Floats, shape: Floats, rate: Floats) -> Floats:
    """Log density of a Gamma distribution."""
    density = xlogy(shape - 1, value) - rate * value + shape * np.log(rate) - gammaln(shape)
    return np.where(value > 0, density, -np.inf)


def log_beta(value: Floats, alpha: float, beta: float) -> Floats:
    """Log density of a Beta distribution."""
    density = xlogy(alpha - 1, value) + xlog1py(beta - 1, -value) - betaln(alpha, beta)
    return np.where((value >= 0) & (value <= 1), density, -np.inf)


def log_normal_mass(lower: ArrayLike, upper: ArrayLike, mean: ArrayLike, precision: ArrayLike) -> Floats:
    """log(Φ(upper) − Φ(lower)) of a normal distribution, accurate in both tails."""
    root = np.sqrt(precision)
    low, high = (np.asarray(lower) - mean) * root, (np.asarray(upper) - mean) * root
    # Beyond the mean, the mirror image: differences of numbers near 1 would cancel.
    low, high = np.where(low > 0, -high, low), np.where(low > 0, -low, high)
    below_high = log_ndtr(high)
    return np.asarray(below_high + np.log(-np.expm1(log_ndtr(low) - below_high)))


def log_effortful(book: Gradebook, model: Model, state: State, reports: Floats) -> Floats:
    """(reviews, components): log density or mass of each report, if effortful; 0 where nothing was reported."""
    result = np.zeros(book.levels.shape)
    precision, bias = state.reliability[book.review_grader], state.bias[book.review_grader]
    for component in range(len(book.rubric)):
        mean = state.true_grade[book.review_submission, component] + bias
        if model.censoring:
            lower, upper = bins(book, component, reports)
            result[:, component] = log_normal_mass(lower, upper, mean, precision)
        else:
            result[:, component] = log_normal(reports[:, component], mean, 1 / np.sqrt(precision))
    return np.where(book.levels == MISSING, 0.0, result)


def log_low_effort(book: Gradebook, model: Model, reports: Floats) -> Floats:
    """The same under D_ℓ, a mixture of a normal at the mean grade and a uniform on [0, 5]."""
    priors = model.hyperparameters
    centres, _ = priors.for_components(len(book.rubric))
    result = np.zeros(book.levels.shape)
    for component, centre in enumerate(centres):
        if model.censoring:
            lower, upper = bins(book, component, reports)
            normal = np.exp(log_normal_mass(lower, upper, centre, priors.tau_l))
            uniform = (np.minimum(upper, 5) - np.maximum(lower, 0)) / 5
        else:
            value = reports[:, component]
            normal = np.exp(log_normal(value, centre, 1 / np.sqrt(priors.tau_l)))
            uniform = np.where((value >= 0) & (value <= 5), 1 / 5, 0.0)
        result[:, component] = np.log((1 - priors.epsilon) * normal + priors.epsilon * uniform)
    return np.where(book.levels == MISSING, 0.0, result)


def correlated_authors(book: Gradebook, model: Model) -> list[list[int]]:
    """For each submission, its authors whose reliability bears on its true grade: students who also grade."""
    if not model.correlation:
        return [[] for _ in book.submissions]
    students = {name: index for index, name in enumerate(book.graders) if book.roles[index] == STUDENT}
    return [[students[author] for author in authors if author in students] for authors in book.authors]


def true_grade_prior(book: Gradebook, model: Model, state: State) -> tuple[Floats, Floats]:
    """(submissions, components): mean and precision of each true grade, given the reliabilities."""
    priors = model.hyperparameters
    means, deviations = (np.array(values) for values in priors.for_components(len(book.rubric)))
    plain, beta_0 = deviations**-2.0, priors.sigma_tau**-2
    mean, precision = np.tile(means, (book.n_submissions, 1)), np.tile(plain, (book.n_submissions, 1))
    for submission, authors in enumerate(correlated_authors(book, model)):
        if authors:
            tau = np.mean(priors.lambda_tau * state.reliability[authors])
            mean[submission] += beta_0 / (plain + beta_0) * (tau - means.mean())
            precision[submission] += beta_0
    return mean, precision


def log_prior_true_grade(book: Gradebook, model: Model, state: State) -> float:
    """Log density of the true grades of graded components; a fixed one must lie in its bin."""
    mean, precision = true_grade_prior(book, model, state)
    density = log_normal(state.true_grade, mean, 1 / np.sqrt(precision))
    within = fixed_grades_hold(book, model, state.true_grade)
    return float(density[book.applicable].sum()) if within else -np.inf


def fixed_grades_hold(book: Gradebook, model: Model, true_grade: Floats) -> bool:
    """Whether every fixed true grade lies in its bin."""
    for (submission, name), value in model.fixed.true_grade.items():
        component = book.rubric.names.index(name)
        level = int(book.rubric[name].level_of(value))
        lower, upper = edges(book, component)[level : level + 2]
        if not lower <= true_grade[book.submissions.index(submission), component] < upper:
            return False
    return True


def correlated_graders(book: Gradebook, model: Model) -> NDArray[np.bool_]:
    """(graders,): whose τ has the normal prior that correlates with their own true grades."""
    writing = {grader for authors in correlated_authors(book, model) for grader in authors}
    return np.isin(np.arange(book.n_graders), sorted(writing))


def tau_prior(book: Gradebook, model: Model) -> tuple[float, float]:
    """Mean and standard deviation of the normal distribution whose positive part is the prior of an author's τ."""
    priors = model.hyperparameters
    means, deviations = priors.for_components(len(book.rubric))
    return float(np.mean(means)), float(np.sqrt(np.mean(np.square(deviations)) + priors.sigma_tau**2))


def gamma_prior(book: Gradebook, model: Model) -> tuple[Floats, Floats]:
    """(graders,): shape and rate of the Gamma prior of the precision, for those who have it."""
    priors, is_ta = model.hyperparameters, book.roles == TA
    shape = np.where(is_ta, priors.alpha_tau_ta, priors.alpha_tau)
    return shape, np.where(is_ta, priors.beta_tau_ta, priors.beta_tau)


def log_prior_reliability(book: Gradebook, model: Model, reliability: Floats) -> Floats:
    """(graders,): log density of each precision p, the known ones included."""
    scale = model.hyperparameters.lambda_tau
    mean, deviation = tau_prior(book, model)
    shape, rate = gamma_prior(book, model)
    tau = np.where(reliability > 0, scale * reliability, np.nan)
    positive_part = log_normal(tau, mean, deviation) - log_ndtr(mean / deviation)
    normal = np.where(reliability > 0, positive_part + np.log(scale), -np.inf)
    gamma = log_gamma(reliability, shape, rate)
    return np.where(correlated_graders(book, model), normal, gamma)


def log_prior_graders(book: Gradebook, model: Model, state: State) -> float:
    """Log density of what is unknown of the graders; minus infinity where a known value is contradicted."""
    priors = model.hyperparameters
    densities = {
        "reliability": log_prior_reliability(book, model, state.reliability),
        "effort": log_beta(state.effort, priors.alpha_e, priors.beta_e),
        "bias": log_normal(state.bias, 0, priors.sigma_b or np.nan),
    }
    total = 0.0
    for variable, density in densities.items():
        given, values = known(book, model, variable), getattr(state, variable)
        contradiction = np.where(values == given, 0.0, -np.inf)
        total += float(np.where(np.isnan(given), density, contradiction).sum())
    return total


def log_joint(book: Gradebook, model: Model, state: State, reports: Floats | None = None) -> float:
    """Log density of reports, efforts, true grades, reliabilities, biases and effort probabilities together."""
    reports = default_reports(book, model) if reports is None else reports
    effort = state.effort[book.review_grader]
    log_effort = xlogy(state.effortful, effort) + xlog1py(1 - state.effortful, -effort)
    per_report = np.where(
        state.effortful[:, None] == 1,
        log_effortful(book, model, state, reports),
        log_low_effort(book, model, reports),
    )
    prior = log_prior_true_grade(book, model, state) + log_prior_graders(book, model, state)
    return float(prior + log_effort.sum() + per_report.sum())


def log_conditional(
    book: Gradebook,
    model: Model,
    state: State,
    variable: str,
    index: int | tuple[int, ...],
    values: Sequence[float] | Floats,
    reports: Floats | None = None,
) -> Floats:
    """Log density of one entry at each of some values, given all else, less the largest of them."""
    if variable == "true_grade" and isinstance(index, tuple):
        joint = log_in_true_grade(book, model, state, (index[0], index[1]), np.asarray(values), reports)
    else:
        states = (state.with_value(variable, index, value) for value in values)
        joint = np.array([log_joint(book, model, changed, reports) for changed in states])
    return np.asarray(joint - joint.max())


def log_in_true_grade(
    book: Gradebook,
    model: Model,
    state: State,
    entry: tuple[int, int],
    values: Floats,
    reports: Floats | None = None,
) -> Floats:
    """The terms of the log joint density that a true grade is part of, at each of some values of it."""
    reports = default_reports(book, model) if reports is None else reports
    submission, component = entry
    mean, precision = (array[entry] for array in true_grade_prior(book, model, state))
    total = log_normal(values, mean, 1 / np.sqrt(precision))
    graded = (book.review_submission == submission) & (book.levels[:, component] != MISSING)
    for review in np.flatnonzero(graded & (state.effortful == 1)):
        grader = book.review_grader[review]
        centre, sharp, report = values + state.bias[grader], state.reliability[grader], reports[review, component]
        if model.censoring:
            lower, upper = edges(book, component)[int(report) : int(report) + 2]
            total = total + log_normal_mass(lower, upper, centre, sharp)
        else:
            total = total + log_normal(report, centre, 1 / np.sqrt(sharp))
    fixed = model.fixed.true_grade.get((book.submissions[submission], book.rubric.names[component]))
    if fixed is None:
        return np.asarray(total)
    level = int(book.rubric.components[component].level_of(fixed))
    lower, upper = edges(book, component)[level : level + 2]
    return np.where((values >= lower) & (values < upper), total, -np.inf)


def masses(log_density: Floats, widths: ArrayLike = 1.0) -> Floats:
    """Probabilities of grid cells from log densities at their points and the cells' widths."""
    weights = np.exp(log_density - log_density.max()) * widths
    return np.asarray(weights / weights.sum())


def log_joint_without_efforts(book: Gradebook, model: Model, state: State, reports: Floats | None = None) -> float:
    """The log joint density with every review's z summed out."""
    everyone = replace(state, effortful=np.ones(book.n_reviews, np.int64))
    base = log_joint(book, model, everyone, reports)
    total = base
    for review in range(book.n_reviews):
        other = log_joint(book, model, everyone.with_value("effortful", review, 0), reports)
        total += float(np.logaddexp(0.0, other - base))
    return total


def log_joint_without_true_grade(
    book: Gradebook,
    model: Model,
    state: State,
    submission: int,
    grid: Floats,
    reports: Floats | None = None,
) -> float:
    """The log joint density with one submission's true grades summed out over an even grid.

    Given everything else the components are independent, so the sum factors.
    """
    total = log_joint(book, model, state, reports)
    for component in np.flatnonzero(book.applicable[submission]):
        entry = (submission, int(component))
        here = log_in_true_grade(book, model, state, entry, state.true_grade[entry][None], reports)
        relative = log_in_true_grade(book, model, state, entry, grid, reports) - here
        total += float(logsumexp(relative) + np.log(grid[1] - grid[0]))
    return total


def effortful_without_true_grade(
    book: Gradebook, model: Model, state: State, review: int, grid: Floats, reports: Floats | None = None
) -> float:
    """The probability of z = 1 given all but the submission's true grades."""
    submission = int(book.review_submission[review])
    low, high = (
        log_joint_without_true_grade(
            book, model, state.with_value("effortful", review, value), submission, grid, reports
        )
        for value in (0, 1)
    )
    return float(np.exp(high - np.logaddexp(low, high)))


def draw_prior(book: Gradebook, model: Model, rng: np.random.Generator) -> State:
    """A state from the prior, for a class of the gradebook's shape; fixed true grades by rejection."""
    priors = model.hyperparameters
    bias = filled(known(book, model, "bias"), rng.normal(0, priors.sigma_b, book.n_graders))
    effort = filled(known(book, model, "effort"), rng.beta(priors.alpha_e, priors.beta_e, book.n_graders))
    effortful = (rng.random(book.n_reviews) < effort[book.review_grader]).astype(np.int64)
    nothing = np.zeros((book.n_submissions, len(book.rubric)))
    while True:
        reliability = filled(known(book, model, "reliability"), draw_reliability(book, model, rng))
        state = State(nothing, reliability, bias, effort, effortful)
        mean, precision = true_grade_prior(book, model, state)
        true_grade = rng.normal(mean, 1 / np.sqrt(precision))
        if fixed_grades_hold(book, model, true_grade):
            return replace(state, true_grade=true_grade)


def filled(given: Floats, drawn: Floats) -> Floats:
    """What is known, and what was drawn where nothing is."""
    return np.where(np.isnan(given), drawn, given)


def draw_reliability(book: Gradebook, model: Model, rng: np.random.Generator) -> Floats:
    """(graders,): precisions from their priors."""
    mean, deviation = tau_prior(book, model)
    shape, rate = gamma_prior(book, model)
    below = ndtr(-mean / deviation)
    tau = mean + deviation * ndtri(below + (1 - below) * rng.random(book.n_graders))
    normal = tau / model.hyperparameters.lambda_tau
    return np.where(correlated_graders(book, model), normal, rng.gamma(shape, 1 / rate))


def draw_reports(book: Gradebook, model: Model, state: State, rng: np.random.Generator) -> Floats:
    """Reports given a state: levels of a censored model, exact numbers of an uncensored one."""
    priors = model.hyperparameters
    centres, _ = priors.for_components(len(book.rubric))
    grader, shape = book.review_grader, book.levels.shape
    mean = state.true_grade[book.review_submission] + state.bias[grader, None]
    high = rng.normal(mean, 1 / np.sqrt(state.reliability[grader, None]), shape)
    near = rng.normal(centres, 1 / np.sqrt(priors.tau_l), shape)
    low = np.where(rng.random(shape) < priors.epsilon, rng.uniform(0, 5, shape), near)
    exact = np.where(state.effortful[:, None] == 1, high, low)
    if not model.censoring:
        return exact
    cuts = [component.cuts for component in book.rubric.components]
    levels = [np.searchsorted(cut, exact[:, index], side="right") for index, cut in enumerate(cuts)]
    return np.stack(levels, axis=1).astype(np.float64)


def with_levels(book: Gradebook, reports: Floats) -> Gradebook:
    """The gradebook with other levels where it has grades."""
    return replace(book, levels=np.where(book.levels == MISSING, MISSING, reports).astype(np.int16))
