"""Conditional distributions in closed form, derived by hand from the model and written one entry at a time.

They hold for uncensored models, except those of efforts, which hold for every model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from peerage.gradebook.book import MISSING, Gradebook
from peerage.model import Model
from support.references import twin

Floats = NDArray[np.float64]


def effortful_reports(book: Gradebook, state: twin.State) -> list[tuple[int, int]]:
    """The (review, component) of every effortful component grade."""
    graded = np.argwhere(book.levels != MISSING)
    return [(review, component) for review, component in graded.tolist() if state.effortful[review]]


def true_grade(book: Gradebook, model: Model, state: twin.State, entry: tuple[int, int], reports: Floats) -> Any:
    """Normal: the prior's and each effortful report's precision add up."""
    mean, precision = (values[entry] for values in twin.true_grade_prior(book, model, state))
    weighted = precision * mean
    for review, component in effortful_reports(book, state):
        if (book.review_submission[review], component) == entry:
            grader = book.review_grader[review]
            precision += state.reliability[grader]
            weighted += state.reliability[grader] * (reports[review, component] - state.bias[grader])
    return stats.norm(weighted / precision, precision**-0.5)


def bias(book: Gradebook, model: Model, state: twin.State, grader: int, reports: Floats) -> Any:
    """Normal around the shrunken mean error of the effortful component grades."""
    precision = model.hyperparameters.sigma_b**-2
    weighted = 0.0
    for error in errors(book, state, grader, reports):
        precision += state.reliability[grader]
        weighted += state.reliability[grader] * (error + state.bias[grader])
    return stats.norm(weighted / precision, precision**-0.5)


def reliability(book: Gradebook, model: Model, state: twin.State, grader: int, reports: Floats) -> Any:
    """Gamma, for graders who have the Gamma prior: half a count and half a square for each component grade."""
    shape, rate = (values[grader] for values in twin.gamma_prior(book, model))
    for error in errors(book, state, grader, reports):
        shape += 1 / 2
        rate += error**2 / 2
    return stats.gamma(shape, scale=1 / rate)


def log_reliability_of_author(
    book: Gradebook, model: Model, state: twin.State, grader: int, value: float, reports: Floats
) -> float:
    """Log density up to a constant of the precision p of an author under correlation, as the design states it."""
    priors = model.hyperparameters
    means, deviations = (np.array(values) for values in priors.for_components(len(book.rubric)))
    precisions, beta_0 = 1 / deviations**2, 1 / priors.sigma_tau**2
    slope = beta_0 / (precisions + beta_0)
    centre, variance = means.mean(), (deviations**2).mean()
    tau = value * priors.lambda_tau
    squares = np.array([error**2 for error in errors(book, state, grader, reports)])
    result = -((tau - centre) ** 2) / (2 * (variance + 1 / beta_0))
    result += squares.size / 2 * np.log(tau) - tau / (2 * priors.lambda_tau) * squares.sum()
    for submission, authors in enumerate(twin.correlated_authors(book, model)):
        if grader in authors:
            others = [priors.lambda_tau * state.reliability[author] for author in authors if author != grader]
            shared = (tau + sum(others)) / len(authors)
            away = state.true_grade[submission] - means - slope * (shared - centre)
            result -= ((precisions + beta_0) * away**2)[book.applicable[submission]].sum() / 2
    return float(result)


def errors(book: Gradebook, state: twin.State, grader: int, reports: Floats) -> list[float]:
    """Report less true grade less bias, for a grader's effortful component grades."""
    return [
        float(reports[review, component] - state.true_grade[book.review_submission[review], component])
        - float(state.bias[grader])
        for review, component in effortful_reports(book, state)
        if book.review_grader[review] == grader
    ]


def effort(book: Gradebook, model: Model, state: twin.State, grader: int) -> Any:
    """Beta: one count for each review."""
    own = state.effortful[book.review_grader == grader]
    priors = model.hyperparameters
    return stats.beta(priors.alpha_e + own.sum(), priors.beta_e + len(own) - own.sum())


def effortful(book: Gradebook, model: Model, state: twin.State, review: int, reports: Floats) -> float:
    """Probability that a review is effortful, by Bayes' rule from plain products over its components."""
    grader, submission = int(book.review_grader[review]), int(book.review_submission[review])
    priors = model.hyperparameters
    high, low = float(state.effort[grader]), 1 - float(state.effort[grader])
    deviation = state.reliability[grader] ** -0.5
    centres, _ = priors.for_components(len(book.rubric))
    for component in np.flatnonzero(book.levels[review] != MISSING):
        careful = stats.norm(state.true_grade[submission, component] + state.bias[grader], deviation)
        careless = stats.norm(centres[component], priors.tau_l**-0.5)
        report = reports[review, component]
        if model.censoring:
            ends = twin.edges(book, int(component))[int(report) : int(report) + 2]
            share = np.diff(np.clip(ends, 0, 5))[0] / 5
            high *= np.diff(careful.cdf(ends))[0]
            low *= (1 - priors.epsilon) * np.diff(careless.cdf(ends))[0] + priors.epsilon * share
        else:
            high *= careful.pdf(report)
            low *= (1 - priors.epsilon) * careless.pdf(report) + priors.epsilon * (0.2 if 0 <= report <= 5 else 0)
    return high / (high + low)


def log_reports_without_true_grade(
    book: Gradebook, model: Model, state: twin.State, submission: int, reports: Floats
) -> float:
    """Log density of a submission's effortful reports with its true grades integrated out.

    The reports of a component are jointly normal: the true grade is what they have in common.
    """
    mean, precision = twin.true_grade_prior(book, model, state)
    total = 0.0
    for component in range(len(book.rubric)):
        reviews = [
            review
            for review, graded in effortful_reports(book, state)
            if graded == component and book.review_submission[review] == submission
        ]
        if reviews:
            graders = book.review_grader[reviews]
            covariance = np.diag(1 / state.reliability[graders]) + 1 / precision[submission, component]
            centre = mean[submission, component] + state.bias[graders]
            together = stats.multivariate_normal(centre, covariance)
            total += float(together.logpdf(reports[reviews, component]))
    return total
