"""The posterior: what is now believed, in tables that carry the class's own ids."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, MissingExtraError, Problem
from peerage.gradebook.book import ROLES, Gradebook
from peerage.gradebook.report_means import mean_reports, staff_means
from peerage.inference.checking.convergence_warnings import are_settled, by_index, convergence_problems
from peerage.inference.checking.held_out import HeldOut, held_out
from peerage.inference.checking.leave_one_out import LeaveOneOut, leave_one_out
from peerage.inference.checking.predictive_checks import Checks, predictive_checks
from peerage.inference.checking.predictive_density import log_likelihood, report_masses
from peerage.inference.fitted import Fitted, more_draws, timings_with
from peerage.inference.new_grades.previewing import previewed
from peerage.inference.new_grades.reweighing import weighed
from peerage.inference.new_grades.updating import BURN_IN, ROUGH, STILL_MOVING, WEIGHED, told, update
from peerage.inference.numerics.rhat_and_ess import Diagnostics, rhat_and_ess
from peerage.inference.priors_in_words import coordinate_names, in_use, priors_table
from peerage.inference.sampling.chains import VARIABLES
from peerage.inference.saved.posterior_file import write
from peerage.inference.staff.compare_with_staff import StaffCheck, staff_check
from peerage.inference.summaries.biases_by_assignment import biases_table, occasions
from peerage.inference.summaries.dependability import dependability_draws
from peerage.inference.summaries.plotting import draw_graders, draw_grades, draw_priors, draw_submission
from peerage.inference.summaries.totals import totals_table
from peerage.inference.warnings_besides_convergence import problems_of, simpler_model
from peerage.support.tasks.progress import Listener
from peerage.support.tasks.stop_requests import stoppable
from peerage.support.words.whole_numbers import at_least

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOWER, UPPER = 0.05, 0.95
"""The quantiles that are called lower and upper in all tables."""


@dataclass(frozen=True, eq=False)
class Posterior(Fitted):
    """Draws of all that is unknown about a class, and tables made from them.

    Made by :func:`peerage.fit`; saved with :meth:`save` and read back with :func:`peerage.load`.
    """

    # Tables

    def submissions(self) -> pd.DataFrame:
        """Each submission's components: most likely and expected grade, interval, confidence, and plain means."""
        return self._submissions.copy()

    @cached_property
    def _submissions(self) -> pd.DataFrame:
        """The table, made once: most that is done with a posterior begins with it."""
        book, layout = self.book, self.layout
        lower, upper = self.margins.quantiles("true_grade", (LOWER, UPPER))
        columns: dict[str, NDArray[Any]] = {
            name: np.full(layout.n_cells, np.nan)
            for name in ("most_likely", "expected", "sd", "lower", "upper", "confidence")
        }
        for index, component in enumerate(book.rubric.components):
            mine = np.flatnonzero(layout.reports.cell_component == index)
            grades, mass = component.values, self.samples.level_mass[mine, : component.n_levels]
            best = mass.argmax(axis=1)
            expected = mass @ grades
            columns["most_likely"][mine] = grades[best]
            columns["expected"][mine] = expected
            columns["sd"][mine] = np.sqrt(np.maximum(mass @ grades**2 - expected**2, 0))
            columns["lower"][mine] = np.clip(component.from_model(lower[mine]), grades[0], grades[-1])
            columns["upper"][mine] = np.clip(component.from_model(upper[mine]), grades[0], grades[-1])
            columns["confidence"][mine] = mass[np.arange(len(mine)), best]
        _, n_grades = mean_reports(book, book.values)
        graded = {"peer_mean": self.peer_means, "n_grades": n_grades[book.applicable]}
        return pd.DataFrame(self.cell_ids() | columns | graded | {"staff_mean": staff_means(book)})

    def graders(self) -> pd.DataFrame:
        """Each grader's reliability, bias, effort, dependability and slope, with intervals.

        Dependability is what reports tell about the work. A slope above 1 stretches the scale, one below 1 narrows it.
        The plain product of effort and reliability is there as ``precision``.
        """
        return self._graders.copy()

    @cached_property
    def _graders(self) -> pd.DataFrame:
        """The table, made once: its quantiles take all draws."""
        book, dependability = self.book, self.dependability.reshape(-1, self.book.n_graders)
        columns: dict[str, Any] = {
            "grader": np.array(book.graders, dtype=object),
            "role": np.array(ROLES, dtype=object)[book.roles],
            "n_graded": np.bincount(book.review_grader, minlength=book.n_graders),
        }
        for name in VARIABLES[1:]:
            lower, upper = self.margins.quantiles(name, (LOWER, UPPER))
            columns |= {name: self.margins.means(name), f"{name}_lower": lower, f"{name}_upper": upper}
        slope = self.draws.slopes().reshape(-1, book.n_graders)
        for name, drawn in (("dependability", dependability), ("slope", slope)):
            lower, upper = np.quantile(drawn, [LOWER, UPPER], axis=0)
            columns |= {name: drawn.mean(axis=0, dtype=float), f"{name}_lower": lower, f"{name}_upper": upper}
        return pd.DataFrame(columns | {"precision": self._precision})

    def biases(self) -> pd.DataFrame:
        """Each grader's bias in each assignment that the grader took part in, with an interval; alike without drift."""
        return biases_table(self.layout, self.draws, (LOWER, UPPER))

    @cached_property
    def dependability(self) -> NDArray[np.floating]:
        """(chain, draw, grader): the reliability of an unbiased grader with full effort whose reports tell as much."""
        return dependability_draws(self)

    @cached_property
    def _precision(self) -> NDArray[np.float64]:
        """(graders,) the posterior mean of effort × reliability."""
        return np.asarray((self.draws["reliability"] * self.draws["effort"]).mean(axis=(0, 1), dtype=float))

    def level_mass(self) -> pd.DataFrame:
        """The posterior probability of every grade of every submission's components."""
        layout, components = self.layout, self.book.rubric.components
        n_levels = np.array([component.n_levels for component in components])[layout.reports.cell_component]
        cell = np.repeat(np.arange(layout.n_cells), n_levels)
        level = np.arange(len(cell)) - np.repeat(np.cumsum(n_levels) - n_levels, n_levels)
        grades = np.zeros((len(components), layout.max_levels))
        for index, component in enumerate(components):
            grades[index, : component.n_levels] = component.values
        ids = {name: values[cell] for name, values in self.cell_ids().items()}
        probability = self.samples.level_mass[cell, level]
        return pd.DataFrame(
            ids | {"grade": grades[layout.reports.cell_component[cell], level], "probability": probability}
        )

    def reviews(self) -> pd.DataFrame:
        """Each review: the probability that an effort was made, and its influence, what it tells about the work."""
        book, place = self.book, np.argsort(self.layout.review_order)
        told = self.dependability.mean(axis=(0, 1), dtype=float) / np.maximum(self._precision, np.finfo(float).tiny)
        return pd.DataFrame(
            {
                "submission": np.array(book.submissions, dtype=object)[book.review_submission],
                "grader": np.array(book.graders, dtype=object)[book.review_grader],
                "effort_probability": self.samples.effortful[place],
                "influence": self.samples.influence[place] * told[book.review_grader],
            }
        )

    def totals(self) -> pd.DataFrame:
        """Each submission's points: of the most likely grades, expected, and an interval of the true ones."""
        return self._totals.copy()

    @cached_property
    def _totals(self) -> pd.DataFrame:
        return totals_table(self.layout, self.samples, (LOWER, UPPER), self.seed)

    def priors(self) -> pd.DataFrame:
        """The hyperparameters, on the scale of 0 to 5: value and, where they were learned, interval; and meaning."""
        return priors_table(self.layout, self.samples.hyper, (LOWER, UPPER))

    # Is it to be trusted?

    @cached_property
    def leave_one_out(self) -> LeaveOneOut:
        """How well each review is predicted from all the others."""
        return leave_one_out(self.layout, self.samples, self.draws, self.seed, workers=self.threads)

    def loo(self) -> pd.DataFrame:
        """Each review's leave-one-out log probability, and whether its estimate can be trusted."""
        book, result = self.book, self.leave_one_out
        return pd.DataFrame(
            {
                "submission": np.array(book.submissions, dtype=object)[book.review_submission],
                "grader": np.array(book.graders, dtype=object)[book.review_grader],
                "log_probability": result.log_mass,
                "pareto_k": result.pareto_k,
                "trusted": ~result.untrusted,
            }
        )

    @cached_property
    def held_out(self) -> HeldOut | None:
        """How well the model predicts a held-out peer grade beside the other graders' mean and median."""
        return held_out(self.book, self.leave_one_out.mean)

    def staff_check(self) -> StaffCheck | None:
        """What staff graded, estimated from the peers alone, beside the staff's own; None if there is too little."""
        return self._staff_check

    @cached_property
    def _staff_check(self) -> StaffCheck | None:
        return staff_check(self)

    def diagnostics(self) -> pd.DataFrame:
        """R-hat and effective sample sizes of each variable: the worst entry's, the median, and who is the worst."""
        rows = []
        for name, (result, labels) in self.diagnosed.items():
            r_hat = np.where(np.isnan(result.r_hat), -np.inf, result.r_hat)
            worst = int(np.argmax(r_hat)) if np.isfinite(r_hat).any() else int(np.argmin(result.ess))
            rows.append(
                {
                    "variable": name,
                    "r_hat": r_hat.max() if np.isfinite(r_hat).any() else np.nan,
                    "r_hat_median": np.median(result.r_hat),
                    "ess_bulk": result.ess_bulk.min(),
                    "ess_bulk_median": np.median(result.ess_bulk),
                    "ess_tail": result.ess_tail.min(),
                    "ess_tail_median": np.median(result.ess_tail),
                    "worst": labels[worst],
                }
            )
        return pd.DataFrame(rows)

    @cached_property
    def warnings(self) -> tuple[Problem, ...]:
        """What may be wrong with this fit, in plain words, and what to do about it."""
        judged = () if ROUGH in self.book.notices else convergence_problems(by_index(self.diagnosed))
        return (*simpler_model(self), *judged, *problems_of(self))

    def log_likelihood(self) -> NDArray[np.float32]:
        """(chain, draw, review): log probability of each review's reported grades, effort summed out."""
        return log_likelihood(self.layout, self.draws, workers=self.threads)

    def check(self) -> Checks:
        """Whether the model reproduces how graders agree, err together and use the scale; and who did not look."""
        found = self.coarser_grids, self.constant_rows
        return predictive_checks(self.layout, self.samples, self.hyperparameters, self.seed, *found)

    def predict(self, grader: str, submission: str) -> pd.DataFrame:
        """The probability of each grade that a grader would report on a submission."""
        place = (
            _index(grader, self.book.graders, "grader"),
            _index(submission, self.book.submissions, "submission"),
        )
        parts = []
        for index, masses in report_masses(self.layout, self.draws, *place).items():
            component = self.book.rubric.components[index]
            parts.append(pd.DataFrame({"grade": component.values, "probability": masses}))
            parts[-1].insert(0, "component", component.name)
        return pd.concat(parts, ignore_index=True)

    def preview(self, new_reviews: Gradebook) -> pd.DataFrame:
        """What new reviews make of the submissions that they concern: a table like :meth:`submissions`, in a moment.

        Graders are held at what the fit knows of them; what the new reviews tell about them takes an :meth:`update`.
        """
        book, layout, samples = previewed(self, new_reviews)
        return replace(self, book=book, model=layout.model, samples=samples, laid_out=layout).submissions()

    # More draws, other forms

    def extend(
        self,
        draws: int,
        *,
        workers: int | None = None,
        progress: bool | Listener = False,
        stop: threading.Event | None = None,
    ) -> Posterior:
        """Continue each chain for more draws; unless told otherwise, with as many workers as the fit."""
        draws = at_least(1, draws=draws)
        workers = self.workers if workers is None else at_least(1, workers=workers)
        with stoppable(stop):
            burn_in = BURN_IN if WEIGHED in self.book.notices else 0
            later = more_draws(self, draws, burn_in, every=self.samples.every, workers=workers, progress=progress)
        samples, timings = self.samples.followed_by(later), timings_with(self, later)
        longer = replace(self, samples=samples, timings=timings, workers=workers)
        rest = [notice for notice in self.book.notices if notice not in (ROUGH, WEIGHED)]
        return longer if len(rest) == len(self.book.notices) else told(longer, rest)

    def update(
        self,
        new_grades: Gradebook,
        *,
        draws: int | None = None,
        burn_in: int | None = None,
        workers: int | None = None,
        progress: bool | Listener = False,
        stop: threading.Event | None = None,
    ) -> Posterior:
        """The posterior after grades were added or corrected, from where the chains stand.

        A grade that replaces an earlier one of the same grader is a correction; new submissions and graders join the
        class. ``book.notices`` says what was done. Unless told otherwise, a chain keeps as many draws as before, but no
        more than a few seconds allow. It discards a few first, and more while what the new grades touch still
        moves; ``burn_in`` of the result tells how many. Where all that is new are a few reviews by staff who had graded
        before, the draws that there are may be weighed anew instead. ``progress`` and ``stop`` are as in
        :func:`peerage.fit`, and ``workers`` as in the fit unless given.
        """
        if not isinstance(new_grades, Gradebook):
            raise InputError("update takes a Gradebook; make one with read_grades")
        with stoppable(stop):
            at_once = weighed(self, new_grades, workers) if draws is None and burn_in is None else None
            if at_once is not None and not convergence_problems(by_index(at_once.diagnosed)):
                return at_once
            after = update(self, new_grades, draws=draws, burn_in=burn_in, workers=workers, progress=progress)
        had_agreed = ROUGH in self.book.notices or are_settled(by_index(self.diagnosed))
        if had_agreed and STILL_MOVING not in after.book.notices and convergence_problems(by_index(after.diagnosed)):
            return told(after, (*after.book.notices, ROUGH))
        return after

    def save(self, path: str | Path) -> None:
        """Write everything to one file (npz, no pickle)."""
        write(self, path)

    def plot_grades(self, component: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Plot expected grades with intervals, beside the peers' means; by default of the first component."""
        names = self.book.rubric.names
        name = names[0 if component is None else _index(component, names, "component")]
        table = self.submissions()
        return draw_grades(table[table["component"] == name], ax)

    def plot_graders(self, *, ax: Axes | None = None) -> Axes:
        """Plot each grader's bias against dependability, with intervals."""
        return draw_graders(self.graders(), ax)

    def plot_submission(self, submission: str, *, axes: Sequence[Axes] | None = None) -> NDArray[Any]:
        """Plot how probable each grade of a submission is, above its reports; axes for each component are returned."""
        book = self.book
        place = _index(submission, book.submissions, "submission")
        mass = self.level_mass()
        mine = book.values[book.review_submission == place]
        reports = [column[~np.isnan(column)] for column in mine[:, book.applicable[place]].T]
        return draw_submission(mass[mass["submission"] == submission], reports, submission, axes)

    def plot_priors(self, *, ax: Axes | None = None) -> Axes:
        """Plot what was learned about the class as a whole, with intervals, or the priors that were fixed."""
        return draw_priors(self.priors(), ax)

    def to_arviz(self) -> Any:
        """An ArviZ ``DataTree`` with named coordinates and the log likelihood of every review."""
        try:
            from arviz_base import from_dict
        except ImportError:
            raise MissingExtraError("ArviZ output", "arviz") from None
        book = self.book
        reviews = [
            f"{book.graders[grader]} on {book.submissions[submission]}"
            for grader, submission in zip(book.review_grader, book.review_submission, strict=True)
        ]
        return from_dict(
            {"posterior": dict(self.draws), "log_likelihood": {"review": self.log_likelihood()}},
            coords={
                "submission": list(book.submissions),
                "component": list(book.rubric.names),
                "grader": list(book.graders),
                "review_id": reviews,
            },
            dims={
                "true_grade": ["submission", "component"],
                "reliability": ["grader"],
                "bias": ["grader"],
                "effort": ["grader"],
                "review": ["review_id"],
            },
        )

    def __repr__(self) -> str:
        chains, draws = self.samples.n_chains, self.samples.n_draws
        return f"Posterior({self.model.name}; {chains} chains of {draws:,} draws; {self.book!r})"

    def _repr_html_(self) -> str:
        from html import escape

        warnings = "".join(f"<li>{escape(str(problem))}</li>" for problem in self.warnings)
        return (
            f"<p><b>{escape(repr(self))}</b></p>{'<ul>' + warnings + '</ul>' if warnings else ''}"
            f"{self.submissions().head(10).to_html(index=False, float_format='{:.2f}'.format)}"
        )

    # Parts

    @cached_property
    def diagnosed(self) -> dict[str, tuple[Diagnostics, list[str]]]:
        """Diagnostics of each variable that is inferred, and its entries' ids."""
        found = {
            name: (self.margins.diagnose(name, free), labels) for name, free, labels in self.inferred() if len(free)
        }
        if self.layout.walks.on and not self.samples.running:  # of which drifts have none
            grader, week, submission, _ = occasions(self.layout)
            drawn, names = self.draws.bias_on(grader, submission), self.layout.walks.assignments
            labels = [f"{self.book.graders[who]} in {names[when]}" for who, when in zip(grader, week, strict=True)]
            found["bias_by_assignment"] = rhat_and_ess(drawn, self.threads), labels
        if self.model.learned:
            used, all_names = np.flatnonzero(in_use(self.layout)), coordinate_names(self.layout)
            hyper = self.samples.hyper[:, :, used].astype(np.float32)
            found["priors"] = rhat_and_ess(hyper, self.threads), [all_names[place] for place in used]
        return found


def _index(name: str, names: Sequence[str], kind: str) -> int:
    if name not in names:
        raise InputError(f"there is no {kind} {name!r} in this class")
    return names.index(name)
