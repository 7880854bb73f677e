"""What peers alone say of work that staff graded, for models without reports before rounding, on a grid.

In a draw, with E the effortful reports on a component of students, and of machines,

    π(s | peers) ∝ π(s) ∏_{v ∈ E} L_v(s),

and the probability of the staff's grades of a submission is ∏_c Σ_s π(s | peers) ∏_{staff} L(s).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from peerage.inference.fitted import Fitted
from peerage.inference.numerics.hyperparameters import N_CLASSWIDE
from peerage.inference.report_bins import report_bins
from peerage.inference.sampling.draws import Draws

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_GRID = np.arange(-2.95, 9.0, 0.1)


def tabulated_estimates(posterior: Fitted, submissions: NDArray[np.integer], count: int) -> tuple[Floats, Floats]:
    """(draws, submissions, components) expected grades and (draws, submissions) the log mass of staff's grades."""
    tables = _Tables(posterior, submissions, count)
    found = [tables.estimates(int(submission)) for submission in submissions]
    expected, log_mass = zip(*found, strict=True)
    return np.stack(expected, axis=1), np.stack(log_mass, axis=1)


class _Tables:
    """Some draws of a posterior, and likelihoods of true grades under them."""

    def __init__(self, posterior: Fitted, submissions: NDArray[np.integer], count: int) -> None:
        self.book, self.layout = posterior.book, posterior.layout
        self.censoring = posterior.model.censoring
        samples, draws = posterior.samples, posterior.draws
        n_draws, n_components = samples.n_chains * samples.n_kept, len(self.book.rubric)
        some = np.unique(np.linspace(0, n_draws - 1, count).round().astype(int))
        self.rng = np.random.default_rng([posterior.seed, 7])

        def chosen(values: NDArray[Any]) -> Floats:
            return np.asarray(values.reshape(n_draws, *values.shape[2:])[some], dtype=float)

        self.true_grade = chosen(draws.on_model_scale("true_grade"))
        self.reliability, self.bias, self.effort = (chosen(draws[name]) for name in ("reliability", "bias", "effort"))
        self.low, self.high = report_bins(self.layout)
        self.low_effort = self._low_effort(Draws(self.layout, samples.picked(some), posterior.seed), submissions)
        if posterior.model.learned:
            hyper = chosen(samples.kept_hyper)[:, N_CLASSWIDE : N_CLASSWIDE + 2 * n_components]
            self.mean, self.sd = hyper[:, :n_components], np.exp(hyper[:, n_components:])
        else:
            self.mean, self.sd = (np.tile(part, (len(some), 1)) for part in self.layout.true_grade_prior)

    def _low_effort(self, draws: Draws, submissions: NDArray[np.integer]) -> dict[int, Floats]:
        """For each report on some submissions, (draws,) its probability without effort."""
        layout, review = self.layout, self.layout.report_review
        owner = layout.reports.review_grader[review]
        wanted = np.flatnonzero(np.isin(layout.cell_submission[layout.reports.report_cell], submissions))
        masses = draws.low_effort_of(owner[wanted], layout.report_component[wanted], layout.report_level[wanted])[0]
        return dict(zip(wanted.tolist(), masses.T, strict=True))

    def estimates(self, submission: int) -> tuple[Floats, Floats]:
        """(draws, components) what the peers alone say of a submission, and (draws,) the log mass of its staff's."""
        reports, components = self.layout.reports, self.book.rubric.components
        points = np.broadcast_to(_GRID, (len(self.effort), len(_GRID)))
        from_peers = np.exp(-0.5 * ((points[:, None] - self.mean[..., None]) / self.sd[..., None]) ** 2)
        by_staff = np.ones_like(from_peers)
        span = slice(reports.submission_start[submission], reports.submission_start[submission + 1])
        for review in reports.submission_reviews[span]:
            own = range(reports.review_reports[review], reports.review_reports[review + 1])
            is_staff = self.book.is_staff[reports.review_grader[review]]
            effortful = None if is_staff else self._efforts(int(review), own)[:, None]
            for report in own:
                index, likelihood = self.layout.report_component[report], self._likelihood(report, points)
                if effortful is None:
                    by_staff[:, index] *= likelihood
                else:
                    from_peers[:, index] *= np.where(effortful, likelihood, 1.0)
        from_peers /= np.maximum(from_peers.sum(axis=2, keepdims=True), 1e-300)
        worth = [part.values[part.level_of(part.from_model(_GRID))] for part in components]
        log_mass = np.log(np.maximum((from_peers * by_staff).sum(axis=2), 1e-300)).sum(axis=1)
        return np.einsum("dcg,cg->dc", from_peers, np.stack(worth)), log_mass

    def _efforts(self, review: int, own: range) -> Flags:
        """(draws,) whether a review was made with effort, drawn given the true grades."""
        layout = self.layout
        effort = self.effort[:, layout.reports.review_grader[review]]
        careful, careless = effort.copy(), 1 - effort
        for report in own:
            careful *= self._likelihood(report, self.true_grade[:, layout.reports.report_cell[report], None])[:, 0]
            mass = self.low_effort[report]
            if not self.censoring:  # from the probability of the bin to a density on it
                ends = np.clip([self.low[report], self.high[report]], 0.0, 5.0)
                mass = mass / (ends[1] - ends[0])
            careless = careless * mass
        return np.asarray(self.rng.random(len(effort)) * (careful + careless) < careful)

    def _likelihood(self, report: int, true_grade: Floats) -> Floats:
        """The likelihood of a report, of some true grades (draws, points)."""
        grader = self.layout.reports.review_grader[self.layout.report_review[report]]
        centre, root = true_grade + self.bias[:, grader, None], np.sqrt(self.reliability[:, grader, None])
        if self.censoring:
            return np.asarray(ndtr((self.high[report] - centre) * root) - ndtr((self.low[report] - centre) * root))
        gap = (self.layout.report_value[report] - centre) * root
        return np.asarray(root * np.exp(-0.5 * gap**2) / np.sqrt(2 * np.pi))
