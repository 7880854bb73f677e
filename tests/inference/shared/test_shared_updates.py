"""Each update of merit and halo against a plain transcription of its equation in docs/model.md, by NumPy.

Draws are compared with the exact distribution by chi-squared tests, each of which fails falsely once in 10,000 runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import logsumexp

from peerage.inference.numerics.hyperparameters import (
    HALO,
    MERIT,
    N_CLASSWIDE,
    RELIABILITY,
    RELIABILITY_TA,
    log_hyperprior,
)
from peerage.inference.shared import collapsed_reviews, halos, merits_and_grades
from peerage.inference.shared.shared_priors import node_spacing, odds_index, refresh
from peerage.model import Model
from support.arena import Arena
from support.shared_arena import COMPONENTS, draw_class, draw_reports, shared_arena

Floats = NDArray[np.float64]

FALSE_ALARM = 1e-4
STEP = 0.05


class Scene:
    """A class and a state of its chain, drawn from the model."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.arena: Arena = shared_arena(Model())
        truth = draw_class(self.arena, self.rng)
        self.arena.put(draw_reports(self.arena, truth, self.rng))
        self.state: Any = self.arena.start(self.rng)
        self.arena.run(self.rng, self.state, 30, keep=False)
        self.given, self.work = self.arena.given, self.arena.work
        self.theta = self.state.hyper

    def bring_up_to_date(self) -> None:
        """Make anew what the kernels derive from the state, as a sweep does before it uses it."""
        refresh(self.given, self.theta, self.state.habit, self.work.scratch)
        collapsed_reviews.load_offsets(self.given, self.state, self.work.offset)

    @property
    def grades(self) -> Floats:
        """The points of the grid of true grades."""
        return self.arena.layout.grids.true_grade.points

    @property
    def halo_values(self) -> Floats:
        """The values that a halo can have."""
        return np.asarray(STEP * (np.arange(161) - 80.0), dtype=np.float64)

    def residual(self, grader: int) -> float:
        """A grader's residual precision."""
        return float(self.arena.layout.grids.reliability.points[self.state.reliability[grader]])

    def bias(self, grader: int) -> float:
        """A grader's bias."""
        return float(self.arena.layout.grids.bias.points[self.state.bias[grader]])

    def reports_of(self, review: int) -> range:
        """The reports of a review."""
        starts = self.arena.layout.reports.review_reports
        return range(starts[review], starts[review + 1])

    def mass(self, report: int, x: Floats, precision: float) -> Floats:
        """Equation S2: the probability of a report's bin."""
        low, high = self.arena.low[report], self.arena.high[report]
        root = np.sqrt(precision)
        return np.asarray(stats.norm.cdf((high - x) * root) - stats.norm.cdf((low - x) * root))

    def halo_prior(self, precision: float, log_odds: float | None = None) -> Floats:
        """Equation S4: the prior mass of each value of a halo, the ends open."""
        sd = np.sqrt(np.exp(self.theta[HALO] if log_odds is None else log_odds) / precision)
        edges = np.concatenate([[-np.inf], (self.halo_values[1:] + self.halo_values[:-1]) / 2, [np.inf]])
        return np.diff(stats.norm.cdf(edges / sd))

    def grade_prior(self, component: int, merit: float) -> Floats:
        """Equation S1: the prior mass of each true grade."""
        mean, log_sd = (self.theta[N_CLASSWIDE + part * COMPONENTS + component] for part in (0, 1))
        shared = 1 / (1 + np.exp(-self.theta[MERIT]))
        centre, sd = mean + np.exp(log_sd) * np.sqrt(shared) * merit, np.exp(log_sd) * np.sqrt(1 - shared)
        edges = np.concatenate([[-np.inf], (self.grades[1:] + self.grades[:-1]) / 2, [np.inf]])
        return np.diff(stats.norm.cdf((edges - centre) / sd))

    def likelihood(self, cell: int, skipped: int = -1) -> Floats:
        """The likelihood of a cell's effortful reports for each true grade, without those of a review."""
        reports, total = self.arena.layout.reports, np.ones(len(self.grades))
        for review in range(len(reports.review_grader)):
            if self.state.effortful[review] and review != skipped:
                grader = reports.review_grader[review]
                shift = self.bias(grader) + self.halo_values[self.state.halo[review]]
                for report in self.reports_of(review):
                    if reports.report_cell[report] == cell:
                        total = total * self.mass(report, self.grades + shift, self.residual(grader))
        return total


@pytest.fixture(scope="module")
def one_scene() -> Scene:
    return Scene(seed=3)


@pytest.fixture
def scene(one_scene: Scene) -> Scene:
    """The scene as the test before left it, which is as good a state as any."""
    one_scene.bring_up_to_date()
    return one_scene


def agrees(draw: Callable[[], int], probability: Floats, count: int = 2000) -> bool:
    """Whether draws have a distribution, by a chi-squared test; rare values are taken together."""
    drawn = np.bincount([draw() for _ in range(count)], minlength=len(probability))
    order = np.argsort(-probability)
    common = order[probability[order] * count >= 10]
    observed = np.append(drawn[common], count - drawn[common].sum())
    expected = np.append(probability[common], 1 - probability[common].sum()) * count
    keep = expected > 0.5
    return bool(
        stats.chisquare(observed[keep], expected[keep] * observed[keep].sum() / expected[keep].sum()).pvalue
        > FALSE_ALARM
    )


def effortful_student(scene: Scene) -> int:
    """A review that counts as effortful and has a halo."""
    owner = scene.arena.layout.reports.review_grader
    return int(np.flatnonzero(scene.state.effortful & scene.given.sharing.has_halo[owner])[0])


@pytest.mark.slow
def test_a_halo_is_drawn_from_its_conditional(scene: Scene) -> None:
    """Equation S10."""
    review = effortful_student(scene)
    reports = scene.arena.layout.reports
    grader = reports.review_grader[review]
    weights = scene.halo_prior(scene.residual(grader))
    for report in scene.reports_of(review):
        true_grade = scene.grades[scene.state.true_grade[reports.report_cell[report]]]
        weights = weights * scene.mass(
            report, true_grade + scene.bias(grader) + scene.halo_values, scene.residual(grader)
        )

    def draw() -> int:
        halos.draw_halos(scene.rng, scene.given, scene.state, scene.work)
        return int(scene.state.halo[review])

    assert agrees(draw, weights / weights.sum())
    assert not agrees(draw, (weights / weights.sum())[::-1]), "the test tells a mirror image apart"


@pytest.mark.slow
def test_the_odds_of_halo_are_drawn_from_their_conditional(scene: Scene) -> None:
    """Equation S11; what moves with the odds is put back each time."""
    sharing, theta, owner = scene.given.sharing, scene.theta, scene.arena.layout.reports.review_grader
    before = theta.copy()
    logs = np.zeros(len(sharing.log_odds))
    for place, log_odds in enumerate(sharing.log_odds):
        share = stats.beta.logcdf  # the prior is that of a cell between neighbouring odds
        edges = [sharing.log_odds[max(place - 1, 0)], sharing.log_odds[min(place + 1, len(logs) - 1)]]
        ends = 1 / (1 + np.exp(-(np.array(edges) + log_odds) / 2))
        low, high = 0.0 if place == 0 else ends[0], 1.0 if place == len(logs) - 1 else ends[1]
        logs[place] = np.log(np.exp(share(high, 1.2, 2.0)) - (np.exp(share(low, 1.2, 2.0)) if low else 0.0))
        moved = theta.copy()
        shift = np.log1p(np.exp(before[HALO])) - np.log1p(np.exp(log_odds))
        moved[[RELIABILITY, RELIABILITY_TA]] += shift
        logs[place] += log_hyperprior(moved)
        for review in np.flatnonzero(scene.state.effortful & sharing.has_halo[owner]):
            prior = scene.halo_prior(scene.residual(owner[review]), log_odds)
            logs[place] += np.log(max(prior[scene.state.halo[review]], 1e-300))
    probability = np.exp(logs - logsumexp(logs))

    def draw() -> int:
        theta[:] = before
        halos.draw_odds(scene.rng, scene.given, scene.state, scene.work)
        return odds_index(theta, sharing)

    assert agrees(draw, probability)
    theta[:] = before


@pytest.mark.slow
def test_merit_and_true_grades_are_drawn_from_their_conditionals(scene: Scene) -> None:
    """Equations S5 and S6: the merit of a submission, and one of its true grades with the merit summed out."""
    reports, sharing = scene.arena.layout.reports, scene.given.sharing
    cells = range(reports.submission_cells[0], reports.submission_cells[1])
    joint = np.exp(sharing.log_merit)[:, None] * np.ones(len(scene.grades))
    for cell in cells:
        prior = np.array([scene.grade_prior(reports.cell_component[cell], merit) for merit in sharing.merit])
        weights = prior * scene.likelihood(cell)
        joint = joint * (weights if cell == cells[0] else weights.sum(axis=1, keepdims=True))
    joint /= joint.sum()

    def draw(what: str) -> int:
        merits_and_grades.load_likelihoods(scene.given, scene.state, scene.work)
        merits_and_grades.draw_grades(scene.rng, False, scene.given, scene.state, scene.arena.sums, scene.work)
        return int(scene.state.merit[0] if what == "merit" else scene.state.true_grade[cells[0]])

    assert agrees(lambda: draw("merit"), joint.sum(axis=1))
    assert agrees(lambda: draw("true_grade"), joint.sum(axis=0))


@pytest.mark.slow
def test_a_review_is_weighed_with_true_grades_and_halo_summed_out(scene: Scene) -> None:
    """Equations S7 and S8: the log probabilities of a student's first review, as it stands and after a move."""
    reports, sharing = scene.arena.layout.reports, scene.given.sharing
    review = effortful_student(scene)
    grader = int(reports.review_grader[review])
    place = review - reports.grader_reviews[grader]
    odds, spacing = odds_index(scene.theta, sharing), node_spacing(scene.theta, COMPONENTS, STEP, sharing)
    moved = (int(scene.state.reliability[grader]) - 5, int(scene.state.bias[grader]) + 4)
    collapsed_reviews.weigh_reviews(grader, *moved, True, spacing, odds, scene.given, scene.state, scene.work)
    nodes = np.arange(scene.state.halo[review] % spacing, 161, spacing)
    submission = int(reports.review_submission[review])
    merit = sharing.merit[scene.state.merit[submission]]
    grids = scene.arena.layout.grids
    for column, (reliability, bias) in enumerate([(scene.state.reliability[grader], scene.state.bias[grader]), moved]):
        precision = grids.reliability.points[reliability]
        product = scene.halo_prior(precision)[nodes]
        careless = np.log(product.sum())
        for report in scene.reports_of(review):
            cell = int(reports.report_cell[report])
            weights = scene.grade_prior(reports.cell_component[cell], merit) * scene.likelihood(cell, skipped=review)
            x = scene.grades + grids.bias.points[bias] + scene.halo_values[nodes][:, None]
            product = product * (scene.mass(report, x, precision) @ weights) / weights.sum()
            careless += scene.given.beliefs.log_low_effort[report]
        assert scene.work.review_logs[place, column] == pytest.approx(np.log(product.sum()), abs=1e-3)
        assert scene.work.review_logs[place, 2 + column] == pytest.approx(careless, abs=1e-4)
