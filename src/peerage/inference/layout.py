"""A gradebook and a model, laid out as the arrays that the kernels read.

Reviews are sorted by grader inside; ``Layout.review_order`` tells where each came from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from peerage.errors import ModelError
from peerage.gradebook.book import INSTRUCTOR, MACHINE, MISSING, STUDENT, TA, Gradebook
from peerage.gradebook.report_means import mean_reports, scaled_values
from peerage.inference.features.clamps_and_fixed_values import KnownValues, fixed_levels, known_of_graders
from peerage.inference.features.correlated_authors import Correlation
from peerage.inference.features.drifting import Walks
from peerage.inference.features.heaping import Rounding
from peerage.inference.numerics.arrays import BinClamps, Reports, starts_of
from peerage.inference.numerics.hyperparameters import (
    EPSILON,
    LEARNED_SPREAD,
    LIKE_STUDENTS,
    N_CLASSWIDE,
    PER_COMPONENT,
    largest_tau_l,
)
from peerage.inference.numerics.likelihood import Grids, learned_grids, paper_grids, wide_grids
from peerage.model import LEARNED, MACHINE_SPREAD, STUDENTS, Model, Priors

AUTHOR = 4
"""The prior group of students whose reliability is correlated with their own grades; the others are the roles."""


MOST_HABITS = 21
"""On how many grades of a fine scale a habit may be, evenly spread over the scale."""

SUSPECT = 0.6
"""The share of a grader's reports that are of one grade from which on jumps between a habit and a bias are tried."""

CONSTANT = 0.95
"""The share of a grader's reports that are of one grade if chains are to start with a habit."""


@dataclass(frozen=True)
class Layout:
    """The part of a fit's input that all models share."""

    book: Gradebook
    model: Model
    reports: Reports
    known: KnownValues
    group: NDArray[np.int32]
    review_order: NDArray[np.int64]
    report_level: NDArray[np.int64]
    report_review: NDArray[np.int64]
    cell_submission: NDArray[np.int64]
    fixed_level: NDArray[np.int64]

    @property
    def n_cells(self) -> int:
        """How many submission components have a true grade."""
        return len(self.cell_submission)

    @property
    def n_graders(self) -> int:
        """How many graders there are."""
        return len(self.group)

    @cached_property
    def report_component(self) -> NDArray[np.int32]:
        """(reports,) the component of each report."""
        return self.reports.cell_component[self.reports.report_cell]

    @property
    def max_levels(self) -> int:
        """The largest number of grades that a component has."""
        return max(component.n_levels for component in self.book.rubric.components)

    @cached_property
    def component_patterns(self) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which components reviews grade: each set of them that occurs, and where that of each review stands."""
        graded = np.zeros((self.book.n_reviews, len(self.book.rubric)), bool)
        graded[self.report_review, self.report_component] = True
        patterns, place = np.unique(graded, axis=0, return_inverse=True)
        return patterns, place.ravel().astype(np.int64)

    @cached_property
    def report_value(self) -> NDArray[np.float64]:
        """(reports,) the reported grades on the model's scale."""
        values = np.empty(len(self.report_level))
        for index, component in enumerate(self.book.rubric.components):
            mine = self.report_component == index
            values[mine] = component.scaled[self.report_level[mine]]
        return values

    @cached_property
    def report_means(self) -> NDArray[np.float64]:
        """(cells,) the mean of each cell's reports on the model's scale, or the prior mean where there are none."""
        means, _ = mean_reports(self.book, scaled_values(self.book))
        prior = self.true_grade_prior[0][self.reports.cell_component]
        cells = means[self.book.applicable]
        return np.asarray(np.where(np.isnan(cells), prior, cells))

    @cached_property
    def mean_reports(self) -> NDArray[np.float64]:
        """(components,) the mean report of each component on the model's scale."""
        n_components = len(self.book.rubric)
        counts = np.bincount(self.report_component, minlength=n_components)
        sums = np.bincount(self.report_component, self.report_value, minlength=n_components)
        return np.asarray(sums / np.maximum(counts, 1))

    @property
    def priors(self) -> Priors:
        """The fixed priors; where priors are learned, some that stand in until a chain has its own."""
        return Priors.paper() if self.model.learned else self.model.hyperparameters

    @property
    def epsilon(self) -> float:
        """The share of low-effort reports that is uniform."""
        return EPSILON if self.model.learned else self.priors.epsilon

    @property
    def n_hyper(self) -> int:
        """How many hyperparameters are learned."""
        return N_CLASSWIDE + len(PER_COMPONENT) * len(self.book.rubric) if self.model.learned else 0

    @cached_property
    def true_grade_prior(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and standard deviation of true grades, for each component."""
        mu_s, sigma_s = self.priors.for_components(len(self.book.rubric))
        return np.array(mu_s), np.array(sigma_s)

    @cached_property
    def correlation(self) -> Correlation:
        """How true grades and their authors' reliabilities are tied, if they are."""
        return Correlation.of(self.priors, *self.true_grade_prior)

    @cached_property
    def has_bias(self) -> bool:
        """Whether there are biases to infer."""
        return self.model.bias and (self.model.learned or self.priors.sigma_b > 0)

    @cached_property
    def _has_several(self) -> bool:
        """Whether some review has several components: otherwise nothing can be told of what they share."""
        return bool((np.diff(self.reports.review_reports) > 1).any())

    @property
    def has_merit(self) -> bool:
        """Whether the true grades of a submission's components go together."""
        return self.model.has_merit and self._has_several

    @property
    def has_halo(self) -> bool:
        """Whether the errors of a review's components go together."""
        return self.model.has_halo and self._has_several

    @cached_property
    def may_stretch(self) -> NDArray[np.bool_]:
        """(graders,) who may use more or less of the scale than others: all but staff, who define it."""
        return np.asarray((self.is_like_students | (self.group == MACHINE)) & self.model.has_scale)

    @property
    def may_drift(self) -> NDArray[np.bool_]:
        """(graders,) whose bias may move from one assignment to the next: the students', unless they are fixed."""
        return np.asarray(self.is_like_students & np.isnan(self.known.bias) & self.model.drift)

    @cached_property
    def walks(self) -> Walks:
        """Whose biases drift, over which assignments."""
        return Walks.of(self.book.assignments, self.may_drift)

    @cached_property
    def roundings(self) -> tuple[Rounding, ...]:
        """How the grades of each component may be rounded."""
        return tuple(Rounding.of(part, heaping=self.model.has_heaping) for part in self.book.rubric.components)

    @cached_property
    def may_have_habit(self) -> NDArray[np.bool_]:
        """(graders,) whose reports without effort may keep to one grade: students' whose effort is inferred."""
        is_student = (self.group == STUDENT) | (self.group == AUTHOR)
        return np.asarray(is_student & np.isnan(self.known.effort) & self.model.has_habits)

    @property
    def largest_tau_l(self) -> float:
        """The bound of log τ_ℓ, by the component whose grades are furthest apart."""
        steps = np.concatenate([np.diff(part.scaled) for part in self.book.rubric.components])
        return largest_tau_l(steps, self.model.censoring)

    @property
    def n_habits(self) -> int:
        """Among how many grades a habit is one; of a fine scale, only so many."""
        most = max(len(rounding.favourites) for rounding in self.roundings)
        return min(most, MOST_HABITS) if self.may_have_habit.any() else 0

    @cached_property
    def favourite(self) -> NDArray[np.int64]:
        """(habits + 1, components) the level that each habit keeps to; the first row is for none.

        Where components have different numbers of levels, it is the level at the same part of the scale.
        """
        part = np.arange(self.n_habits) / max(self.n_habits - 1, 1)
        columns = [rounding.favourites_at(part) for rounding in self.roundings]
        return np.concatenate([np.full((1, len(columns)), -1), np.stack(columns, axis=1)])

    @cached_property
    def habit_codes(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Where each grader's entries begin, and these: the habits that some of the reports keep to, and the top."""
        used = self._habit_shares > 0
        used[self.may_have_habit, -1] = True
        grader, code = np.nonzero(used)
        return starts_of(grader, self.n_graders), code.astype(np.int32)

    @cached_property
    def _habit_shares(self) -> NDArray[np.float64]:
        """(graders, habits + 1) the share of each grader's reports that keep to each habit; 0 for none."""
        owner = self.reports.review_grader[self.report_review]
        counts = np.zeros((self.n_graders, self.n_habits + 1))
        for code in range(1, self.n_habits + 1):
            kept = self.favourite[code, self.report_component] == self.report_level
            counts[:, code] = np.bincount(owner, kept, minlength=self.n_graders)
        counts[~self.may_have_habit] = 0.0
        return counts / np.maximum(np.bincount(owner, minlength=self.n_graders), 1)[:, None]

    @property
    def may_jump(self) -> NDArray[np.bool_]:
        """(graders,) who gives one grade so often that it may be a habit or a bias."""
        return np.asarray(self._habit_shares.max(axis=1) >= SUSPECT)

    @cached_property
    def agreement(self) -> float:
        """The share of pairs of reports on the same component of the same submission that are equal."""
        cell = self.reports.report_cell.astype(np.int64)
        _, equal = np.unique(cell * self.max_levels + self.report_level, return_counts=True)
        together = np.bincount(cell)
        pairs = (together * (together - 1)).sum()
        return float((equal * (equal - 1)).sum() / pairs) if pairs else 0.0

    @property
    def apparent_habits(self) -> NDArray[np.int32]:
        """(graders,) the habit of whoever gives nearly always the same grade: where chains start."""
        shares = self._habit_shares
        return np.where(shares.max(axis=1) >= CONSTANT, shares.argmax(axis=1), 0).astype(np.int32)

    @property
    def draws_latent_reports(self) -> bool:
        """Whether reports before rounding are drawn along with all else, after which everything is normal."""
        return self.model.censoring and not self.model.correlation and self.model.grids != "paper"

    @cached_property
    def grids(self) -> Grids:
        """The grids of this fit."""
        if self.model.learned:
            return learned_grids(self.has_bias)
        priors = self.priors
        if self.model.grids == "paper":
            return paper_grids(self.has_bias)
        gammas = [(priors.alpha_tau, priors.beta_tau)]
        if (self.group == TA).any():
            gammas.append((priors.alpha_tau_ta, priors.beta_tau_ta))
        normals = [(self.correlation.origin, self.correlation.sd)] if self.model.correlation else []
        mu_s, sigma_s = priors.for_components(len(self.book.rubric))
        return wide_grids(mu_s, sigma_s, priors.sigma_b, tuple(gammas), tuple(normals), self.has_bias)

    @cached_property
    def bias_spread(self) -> NDArray[np.float64]:
        """(groups,) the standard deviation of each group's biases where it is set, or what stands for it otherwise."""
        words = {LEARNED: LEARNED_SPREAD, STUDENTS: LIKE_STUDENTS}
        spread = np.full(AUTHOR + 1, LIKE_STUDENTS)
        for group, setting in ((TA, self.model.ta_spread), (INSTRUCTOR, self.model.instructor_spread)):
            spread[group] = words[setting] if isinstance(setting, str) else setting
        spread[MACHINE] = MACHINE_SPREAD
        return spread

    @cached_property
    def is_like_students(self) -> NDArray[np.bool_]:
        """(graders,) whose biases are drawn like the students'."""
        return np.asarray(self.bias_spread[self.group] == LIKE_STUDENTS)

    @property
    def has_staff(self) -> bool:
        """Whether staff whose own biases are small graded beside others, whose mean bias can then be learned."""
        defines = np.isin(self.group, (TA, INSTRUCTOR)) & ~self.is_like_students
        return bool(defines.any() and self.is_like_students.any())

    @property
    def can_shift(self) -> bool:
        """Whether all true grades and biases can move: nobody's bias and no true grade is fixed."""
        return bool(np.isnan(self.known.bias).all() and (self.fixed_level == MISSING).all())

    def bin_of(self, cell: int | np.integer) -> tuple[float, float]:
        """The ends, on the model's scale, of the bin at which a cell's true grade is fixed."""
        bounds = self.book.rubric.components[self.reports.cell_component[cell]].edges
        return float(bounds[self.fixed_level[cell]]), float(bounds[self.fixed_level[cell] + 1])

    def clamps(self, bins: NDArray[np.float32]) -> BinClamps:
        """What is not inferred; ``bins`` has a row for each cell with a fixed true grade."""
        cell_bin = np.full(self.n_cells, -1, np.int32)
        fixed = np.flatnonzero(self.fixed_level != MISSING)
        cell_bin[fixed] = np.arange(len(fixed))
        known = self.known
        return BinClamps(
            effort=~np.isnan(known.effort),
            reliability=~np.isnan(known.reliability),
            bias=~np.isnan(known.bias),
            cell_bin=cell_bin,
            bins=bins,
            reliability_value=np.nan_to_num(known.reliability),
        )


def lay_out(book: Gradebook, model: Model) -> Layout:
    """Sort, index and check a gradebook for a model."""
    if model.correlation and not any(book.authors):
        raise ModelError("correlation needs to know who wrote what; add an author column to the grades")
    graders = {name: index for index, name in enumerate(book.graders)}
    authors = _correlated_authors(book, graders) if model.correlation else [[] for _ in book.submissions]
    n_graders = len(graders)

    order = np.argsort(book.review_grader, kind="stable")
    review_grader, review_submission = book.review_grader[order], book.review_submission[order].astype(np.int64)
    levels = book.levels[order]
    submission, component = np.nonzero(book.applicable)
    cell_of = np.full(book.applicable.shape, -1, np.int64)
    cell_of[submission, component] = np.arange(len(submission))
    report_review, report_component = np.nonzero(levels != MISSING)

    group = book.roles.astype(np.int32)
    group[[index for entry in authors for index in entry]] = AUTHOR
    author_start, author_list = _ragged(authors)
    submission_of_author = np.repeat(np.arange(book.n_submissions), np.diff(author_start))
    by_author = np.argsort(author_list, kind="stable")
    by_submission = np.argsort(review_submission, kind="stable")
    reports = Reports(
        grader_reviews=starts_of(review_grader, n_graders),
        review_reports=starts_of(report_review, len(order)),
        review_grader=review_grader.astype(np.int32),
        review_submission=review_submission.astype(np.int32),
        report_cell=cell_of[review_submission[report_review], report_component].astype(np.int32),
        submission_cells=starts_of(submission, book.n_submissions),
        cell_component=component.astype(np.int32),
        submission_start=starts_of(review_submission[by_submission], book.n_submissions),
        submission_reviews=by_submission.astype(np.int32),
        author_start=author_start,
        authors=author_list,
        authored_start=starts_of(author_list[by_author], n_graders),
        authored=submission_of_author[by_author].astype(np.int32),
    )
    return Layout(
        book=book,
        model=model,
        reports=reports,
        known=known_of_graders(model, graders, group),
        group=group,
        review_order=order,
        report_level=levels[report_review, report_component].astype(np.int64),
        report_review=report_review,
        cell_submission=submission,
        fixed_level=fixed_levels(book, model, cell_of),
    )


def _ragged(lists: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    starts = np.cumsum([0] + [len(entry) for entry in lists]).astype(np.int64)
    return starts, np.array([index for entry in lists for index in entry], dtype=np.int32)


def _correlated_authors(book: Gradebook, graders: dict[str, int]) -> list[list[int]]:
    """For each submission, those of its authors who are students and graders, each once, as indexes."""
    students = {name: index for name, index in graders.items() if book.roles[index] == STUDENT}
    return [[students[name] for name in dict.fromkeys(names) if name in students] for names in book.authors]
