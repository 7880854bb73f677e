"""Why a submission is worth a spot check, in words for staff."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from peerage.decisions.posterior_needs import GradedCells
from peerage.decisions.spotchecks.benefit import Benefit
from peerage.gradebook.book import STUDENT, Gradebook
from peerage.gradebook.report_means import scaled_values
from peerage.inference.posterior import UPPER, Posterior
from peerage.rubric import MODEL_MAXIMUM

APART = 2.0
"""Graders disagree who differ by this much on the scale of 0 to 5."""

TAIL = 0.05
"""The share of the class with the highest averages, or with the least dependable graders, that is called so."""

Floats = NDArray[np.float64]


class Reasons:
    """Knows the circumstances of every submission, and puts them into words."""

    def __init__(self, posterior: Posterior, benefit: Benefit, true_grades: NDArray[np.float32]) -> None:
        book, cells = posterior.book, GradedCells.of(posterior)
        self.book, self.benefit = book, benefit
        self.by_student = book.roles[book.review_grader] == STUDENT
        self.n_reviews = np.bincount(book.review_submission[self.by_student], minlength=book.n_submissions)
        reports = np.where(self.by_student[:, None], scaled_values(book), np.nan)
        self.widest, self.where = _differences(book, reports)
        self.average = _averages(book, reports)
        self.high = np.nanquantile(self.average, 1 - TAIL) if self.by_student.any() else np.inf
        self.starts, self.true_grades = cells.starts, true_grades.reshape(-1, len(cells))
        influence = posterior.reviews()["influence"].to_numpy() * self.by_student
        self.weight = np.bincount(book.review_submission, influence, minlength=book.n_submissions)
        self.light = np.quantile(self.weight, TAIL)

    def of(self, submission: int, is_random: bool) -> str:
        """The reason for one submission, whether it was chosen at random or for its benefit."""
        text = "; ".join([self._benefit(submission, is_random), *self._circumstances(submission)])
        return text[0].upper() + text[1:]

    def _benefit(self, submission: int, is_random: bool) -> str:
        if is_random:
            return "chosen at random"
        off, taken = self.benefit.loss[submission], self.benefit.reduced[submission]
        return f"its grades may be off by {off:.2g} points; a TA's grade should reduce this by {taken:.2g}"

    def _circumstances(self, submission: int) -> Iterator[str]:
        number, widest = self.n_reviews[submission], self.widest[submission]
        if number < 2:
            yield "no student reviewed it" if number == 0 else "only one student reviewed it"
        elif widest >= APART:
            component = self.book.rubric.components[self.where[submission]]
            apart = widest / MODEL_MAXIMUM * (component.grades[-1] - component.grades[0])
            yield f"its graders differ by {apart:g} in {' '.join(component.name.split())}"
        if number and self.weight[submission] <= self.light:
            yield "its graders are among the least dependable"
        yield from self._suspicion(submission)

    def _suspicion(self, submission: int) -> Iterator[str]:
        average = self.average[submission]
        true_grades = self.true_grades[:, self.starts[submission] : self.starts[submission + 1]]
        means = np.clip(true_grades, 0, MODEL_MAXIMUM).mean(axis=1)
        if average > np.quantile(means, UPPER):
            yield (
                f"the peers' mean, {average / MODEL_MAXIMUM:.0%} of the scale, is suspiciously high: "
                f"the estimate is {means.mean() / MODEL_MAXIMUM:.0%}"
            )
        elif average > self.high:
            yield f"the peers' mean, {average / MODEL_MAXIMUM:.0%} of the scale, is one of the highest"


def _differences(book: Gradebook, reports: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """(submissions,) each: how far two reports on one component are apart at most, and on which; NaN is none."""
    shape = book.n_submissions, len(book.rubric)
    highest, lowest = np.full(shape, -np.inf), np.full(shape, np.inf)
    np.fmax.at(highest, book.review_submission, reports)
    np.fmin.at(lowest, book.review_submission, reports)
    apart = np.where(highest >= lowest, highest, 0.0) - np.where(highest >= lowest, lowest, 0.0)
    return apart.max(axis=1), apart.argmax(axis=1)


def _averages(book: Gradebook, reports: Floats) -> Floats:
    """(submissions,): the average of the reports on all components together, NaN where there are none."""
    owner, n_submissions = book.review_submission, book.n_submissions
    sums = np.bincount(owner, np.nansum(reports, axis=1), minlength=n_submissions)
    counts = np.bincount(owner, np.isfinite(reports).sum(axis=1), minlength=n_submissions)
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan))
