"""The check that counts: what staff graded, estimated from the peers alone, beside the staff's own grades.

For each submission that staff and students graded, the staff's grades are left out and its true grades are summed out,
from the draws of the one fit. In a draw, with E the effortful reports on a component of students, and of machines,

    π(s | peers) ∝ π(s) ∏_{v ∈ E} L_v(s),

and what the staff's grades of this submission taught about graders and priors is undone by weights one over their
probability, ∏_c Σ_s π(s | peers) ∏_{staff} L(s), Pareto-smoothed. The staff's grades of all other submissions stay:
they tell the level. Errors are of totals in points, each against the mean of the staff who graded the submission.

Where components share merit and halo, components are estimated one by one all the same, each report with its total
reliability: the estimates from peers alone are then a little less good than the model's own would be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.gradebook.book import STUDENT
from peerage.inference.checking.predictive_density import all_bins, report_bins
from peerage.inference.fitted import Fitted
from peerage.inference.latent.normal_tails import masses_of_bin
from peerage.inference.numerics.hyperparameters import N_CLASSWIDE
from peerage.inference.numerics.psis import smooth
from peerage.inference.sampling.draws import Draws
from peerage.support.wording import counted

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

DRAWS, MOST, RESAMPLES = 300, 200, 2000
"""Draws that estimate a grade, submissions that are looked at, and bootstrap samples of these."""

FEWEST = 5
"""With fewer submissions, errors say next to nothing."""

_STEP, _PARTS = 0.2, 20
_GRID = np.arange(-3.0, 9.1, _STEP)
"""True grades at which likelihoods are tabulated. The cell around each has so many parts, which a cut may divide."""

_LOT = 50
"""How many draws are looked at together, lest tables of likelihoods take much memory."""

_ESTIMATES = ("model", "mean", "median")


class Error(NamedTuple):
    """A root mean squared error in points, with a 90 % interval."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class StaffCheck:
    """How far estimates from the peers alone are from what staff gave.

    Attributes
    ----------
    table: submission, component, staff_mean, and what the peers say of it: model (the expected grade), mean, median
    errors: of the totals of ``model``, ``mean`` and ``median``, in points
    gain: by how much the model's mean squared error lies below that of the better of the other two, and its interval
    n_submissions: how many submissions are compared
    """

    table: pd.DataFrame
    errors: dict[str, Error]
    gain: Error
    n_submissions: int

    @property
    def verdict(self) -> str:
        """``better``, ``worse``, or ``alike`` if the difference may be due to chance."""
        if self.gain.lower <= 0 <= self.gain.upper:
            return "alike"
        return "better" if self.gain.value > 0 else "worse"

    @property
    def sentence(self) -> str:
        """The comparison in words, and what to use if the model does not win."""
        model, mean, median = (_in_points(self.errors[name]) for name in _ESTIMATES)
        graded = counted(self.n_submissions, "submission")
        lead = f"On {graded} that staff graded, the estimates from peers alone are off by {model} points"
        ends = {
            "better": "",
            "alike": " The difference may be due to chance.",
            "worse": " On this class, use the peers' plain mean or median instead.",
        }
        return f"{lead}, the plain mean by {mean}, the median by {median}.{ends[self.verdict]}"

    def to_dict(self) -> dict[str, Any]:
        """The errors as plain values, ready for JSON."""
        errors = {name: error._asdict() for name, error in self.errors.items()}
        return {"submissions": self.n_submissions, "verdict": self.verdict, **errors, "gain": self.gain._asdict()}


def _in_points(error: Error) -> str:
    return f"{error.value:.2f} ({error.lower:.2f} to {error.upper:.2f})"


def staff_check(posterior: Fitted) -> StaffCheck | None:
    """Estimate what staff graded from the peers alone; None if there are fewer than five such submissions."""
    book = posterior.book
    by_student = book.roles[book.review_grader] == STUDENT
    by_staff = book.is_staff[book.review_grader]
    both = np.intersect1d(book.review_submission[by_student], book.review_submission[by_staff])
    if len(both) < FEWEST:
        return None
    chosen = both[np.unique(np.linspace(0, len(both) - 1, MOST).round().astype(int))]
    rows = list(_Estimator(posterior, chosen).rows())
    table = pd.DataFrame(rows, columns=["submission", "component", "staff_mean", *_ESTIMATES])
    return _compared(posterior, table)


def _compared(posterior: Fitted, table: pd.DataFrame) -> StaffCheck | None:
    """The errors of totals over those components that staff and students graded."""
    worth = {part.name: part for part in posterior.book.rubric.components}
    points = table.copy()
    for name, rows in table.groupby("component").groups.items():
        part = worth[str(name)]
        for column in ("staff_mean", *_ESTIMATES):
            points.loc[rows, column] = np.interp(table.loc[rows, column], part.values, part.worth)
    totals = points.groupby("submission", sort=False)[["staff_mean", *_ESTIMATES]].sum()
    if len(totals) < FEWEST:
        return None
    squares = {name: (totals[name] - totals["staff_mean"]).to_numpy() ** 2 for name in _ESTIMATES}
    place = np.random.default_rng(0).integers(len(totals), size=(RESAMPLES, len(totals)))
    drawn = {name: values[place].mean(axis=1) for name, values in squares.items()}
    errors = {name: _error(np.sqrt(values.mean()), np.sqrt(drawn[name])) for name, values in squares.items()}
    best = min(("mean", "median"), key=lambda name: float(squares[name].mean()))
    gain = _error(float((squares[best] - squares["model"]).mean()), drawn[best] - drawn["model"])
    return StaffCheck(table, errors, gain, len(totals))


def _error(value: float, drawn: Floats) -> Error:
    lower, upper = np.quantile(drawn, [0.05, 0.95])
    return Error(float(value), float(lower), float(upper))


class _Cell(NamedTuple):
    """A component of a submission that both staff and students graded.

    ``peers`` are the reports of all but staff, each with whether it was made with effort in each draw.
    """

    submission: int
    cell: int
    students: list[int]
    staff: list[int]
    peers: list[tuple[int, Flags]]


class _Estimator:
    """Some draws of a posterior, and the estimates that they make of submissions from their students alone."""

    def __init__(self, posterior: Fitted, submissions: NDArray[np.integer]) -> None:
        self.book, self.layout = posterior.book, posterior.layout
        self.components = self.book.rubric.components
        self.censoring = posterior.model.censoring
        samples, draws = posterior.samples, posterior.draws
        count = samples.n_chains * samples.n_kept
        some = np.unique(np.linspace(0, count - 1, DRAWS).round().astype(int))
        self.rng, self.n_draws = np.random.default_rng([posterior.seed, 7]), len(some)

        def chosen(values: NDArray[Any]) -> Floats:
            return np.asarray(values.reshape(count, *values.shape[2:])[some], dtype=float)

        self.true_grade = chosen(draws.on_model_scale("true_grade"))
        self.reliability, self.bias, self.effort = (chosen(draws[name]) for name in ("reliability", "bias", "effort"))
        self.slope = chosen(draws.slopes())
        self.low, self.high = report_bins(self.layout)
        self.low_effort = self._low_effort(Draws(self.layout, samples.picked(some), posterior.seed), submissions)
        self.bins = all_bins(self.layout)
        self.rounding = chosen(draws.rounding()).reshape(len(some), -1)
        n_components = len(self.components)
        if posterior.model.learned:
            hyper = chosen(samples.kept_hyper)[:, N_CLASSWIDE : N_CLASSWIDE + 2 * n_components]
            self.mean, self.sd = hyper[:, :n_components], np.exp(hyper[:, n_components:])
        else:
            self.mean, self.sd = (np.tile(part, (len(some), 1)) for part in self.layout.true_grade_prior)
        parts = _GRID[:, None] + _STEP * ((np.arange(_PARTS) + 0.5) / _PARTS - 0.5)
        self.grades = [part.values[part.level_of(part.from_model(parts))].mean(axis=1) for part in self.components]
        self.cells = [cell for submission in submissions for cell in self._cells(int(submission))]

    def _low_effort(self, draws: Draws, submissions: NDArray[np.integer]) -> dict[int, Floats]:
        """For each report on some submissions, (draws,) its probability without effort."""
        layout, review = self.layout, self.layout.report_review
        owner = layout.reports.review_grader[review]
        wanted = np.flatnonzero(np.isin(layout.cell_submission[layout.reports.report_cell], submissions))
        masses = draws.low_effort_of(owner[wanted], layout.report_component[wanted], layout.report_level[wanted])[0]
        return dict(zip(wanted.tolist(), masses.T, strict=True))

    def _cells(self, submission: int) -> Iterator[_Cell]:
        """The components that both staff and students graded."""
        reports = self.layout.reports
        span = slice(reports.submission_start[submission], reports.submission_start[submission + 1])
        peers: dict[int, list[tuple[int, Flags]]] = {}
        students: dict[int, list[int]] = {}
        staff: dict[int, list[int]] = {}
        for review in reports.submission_reviews[span]:
            own = range(reports.review_reports[review], reports.review_reports[review + 1])
            grader = reports.review_grader[review]
            if self.book.is_staff[grader] or self.book.roles[grader] == STUDENT:
                reported = staff if self.book.is_staff[grader] else students
                for report in own:
                    reported.setdefault(int(reports.report_cell[report]), []).append(report)
            if not self.book.is_staff[grader]:
                effortful = self._efforts(int(review), own)
                for report in own:
                    peers.setdefault(int(reports.report_cell[report]), []).append((report, effortful))
        for cell in sorted(set(students) & set(staff)):
            yield _Cell(submission, cell, students[cell], staff[cell], peers[cell])

    def _efforts(self, review: int, own: range) -> Flags:
        """(draws,) whether a review was made with effort, drawn given the true grades."""
        layout = self.layout
        effort = self.effort[:, layout.reports.review_grader[review]]
        careful, careless = effort.copy(), 1 - effort
        for report in own:
            cell = layout.reports.report_cell[report]
            careful *= self._likelihood(report, self.true_grade[:, cell, None])[:, 0]
            mass = self.low_effort[report]
            if not self.censoring:  # from the probability of the bin to a density on it
                ends = np.clip([self.low[report], self.high[report]], 0.0, 5.0)
                mass = mass / (ends[1] - ends[0])
            careless = careless * mass
        return np.asarray(self.rng.random(len(effort)) * (careful + careless) < careful)

    def _likelihood(self, report: int, true_grade: Floats, lot: slice = slice(None)) -> Floats:
        """The likelihood of a report in a lot of draws, of some true grades (draws, grades)."""
        grader = self.layout.reports.review_grader[self.layout.report_review[report]]
        usual = self.layout.mean_reports[self.layout.report_component[report]]
        of_grader = (self.slope[lot, grader], self.bias[lot, grader], np.sqrt(self.reliability[lot, grader]))
        slope, bias, root = (part[:, None] for part in of_grader)
        centre = usual + slope * (true_grade - usual) + bias
        if not self.censoring:
            gap = (self.layout.report_value[report] - centre) * root
            return np.asarray(root * np.exp(-0.5 * gap**2) / np.sqrt(2 * np.pi))
        start, low, high, share = self.bins
        total, mass = np.zeros(centre.shape), np.empty(centre.shape)
        for place in range(start[report], start[report + 1]):
            masses_of_bin(low[place], high[place], centre, of_grader[2], mass)
            total += self.rounding[lot, share[place], None] * mass
        return total

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The row of each component that both staff and students graded."""
        expected, log_mass = np.empty((2, len(self.cells), self.n_draws))
        for begin in range(0, self.n_draws, _LOT):
            lot = slice(begin, begin + _LOT)
            expected[:, lot], log_mass[:, lot] = self._estimates(lot)
        places = range(len(self.cells))
        for submission, group in groupby(places, key=lambda place: self.cells[place].submission):
            own = list(group)
            log_weights = -log_mass[own].sum(axis=0)
            smooth(log_weights)
            weights, name = np.exp(log_weights), self.book.submissions[submission]
            for place in own:
                yield (name, *self._row(self.cells[place], float(weights @ expected[place])))

    def _row(self, cell: _Cell, estimate: float) -> tuple[Any, ...]:
        component = self.components[self.layout.reports.cell_component[cell.cell]]
        given = component.from_model(self.layout.report_value[cell.students])
        by_staff = component.from_model(self.layout.report_value[cell.staff]).mean()
        return component.name, by_staff, estimate, given.mean(), np.median(given)

    def _estimates(self, lot: slice) -> tuple[Floats, Floats]:
        """(cells, draws) each, of a lot of draws: the expected grade given the peers, and the log mass of the staff's.

        A grader's likelihood of a component's grade is the same function of the true grade wherever it was given: it is
        tabulated on the grid once.
        """
        points = np.broadcast_to(_GRID, (len(self.mean[lot]), len(_GRID)))
        tables: dict[tuple[int, int, int], Floats] = {}

        def tabulated(report: int) -> Floats:
            grader = int(self.layout.reports.review_grader[self.layout.report_review[report]])
            key = grader, int(self.layout.report_component[report]), int(self.layout.report_level[report])
            if key not in tables:
                tables[key] = self._likelihood(report, points, lot)
            return tables[key]

        expected, log_mass = np.empty((2, len(self.cells), len(points)))
        for place, cell in enumerate(self.cells):
            index = self.layout.reports.cell_component[cell.cell]
            mass = np.exp(-0.5 * ((points - self.mean[lot, index, None]) / self.sd[lot, index, None]) ** 2)
            for report, effortful in cell.peers:
                mass *= np.where(effortful[lot, None], tabulated(report), 1.0)
            mass /= np.maximum(mass.sum(axis=1, keepdims=True), 1e-300)
            expected[place] = mass @ self.grades[index]
            for report in cell.staff:
                mass *= tabulated(report)
            log_mass[place] = np.log(np.maximum(mass.sum(axis=1), 1e-300))
        return expected, log_mass
