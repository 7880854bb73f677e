"""The twin agrees with itself: brute force with closed forms, masses with 1, the simulator with the density."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import expit, logit, ndtr

from peerage.gradebook.book import MISSING, TA, Gradebook
from peerage.model import Fixed, Model
from support.classes.tiny import FIXED, MODELS, PRIORS, model_id, tiny_class
from support.references import closed_forms, twin

all_models = pytest.mark.parametrize("model", [replace(model, priors=PRIORS) for model in MODELS], ids=model_id)
GRID = np.linspace(-4.0, 11.0, 151)

Case = tuple[twin.State, NDArray[np.float64]]


def simulated(book: Gradebook, model: Model, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    state = twin.draw_prior(book, model, rng)
    return state, twin.draw_reports(book, model, state, rng)


def assert_differ_by_a_constant(first: NDArray[np.float64], second: NDArray[np.float64]) -> None:
    assert np.isfinite(first).all()
    assert np.ptp(first - second) < 1e-8 * (1 + np.abs(first).max())


@all_models
@pytest.mark.parametrize("fixed", [Fixed(), FIXED], ids=["", "fixed"])
def test_the_terms_of_a_true_grade_are_those_that_change_the_joint_density(model: Model, fixed: Fixed) -> None:
    book, model = tiny_class(1), replace(model, fixed=fixed if model.effort else Fixed())
    state, reports = simulated(book, model, 3)
    for submission, component in np.argwhere(book.applicable).tolist():
        entry, values = (submission, component), state.true_grade[submission, component] + np.array([0.0, 0.01, -0.02])
        changed = (state.with_value("true_grade", entry, value) for value in values)
        joint = np.array([twin.log_joint(book, model, each, reports) for each in changed])
        terms = twin.log_in_true_grade(book, model, state, entry, values, reports)
        np.testing.assert_allclose(terms - terms[0], joint - joint[0], atol=1e-9)


@all_models
def test_masses_of_all_reports_sum_to_one(model: Model) -> None:
    model, book = replace(model, censoring=True), tiny_class(1)
    state, _ = simulated(book, model, 2)
    careful, careless = np.zeros(book.levels.shape), np.zeros(book.levels.shape)
    for component, entry in enumerate(book.rubric.components):
        for level in range(entry.n_levels):
            reports = np.full(book.levels.shape, 0.0)
            reports[:, component] = level
            careful[:, component] += np.exp(twin.log_effortful(book, model, state, reports))[:, component]
            careless[:, component] += np.exp(twin.log_low_effort(book, model, reports))[:, component]
    graded = book.levels != MISSING
    np.testing.assert_allclose(careful[graded], 1.0, rtol=1e-12)
    np.testing.assert_allclose(careless[graded], 1.0, rtol=1e-12)


def test_densities_are_those_of_their_names() -> None:
    value, outside = np.array([0.03, 0.4, 1.0, 2.7]), np.array([-0.5, 0.0])
    shape, rate = np.array([0.6, 1.0, 2.0, 7.5]), np.array([3.0, 0.2, 2.0, 1.0])
    np.testing.assert_allclose(twin.log_normal(value, 1.2, 0.7), stats.norm.logpdf(value, 1.2, 0.7), rtol=1e-12)
    gamma = stats.gamma.logpdf(value, shape, scale=1 / rate)
    np.testing.assert_allclose(twin.log_gamma(value, shape, rate), gamma, rtol=1e-12)
    assert np.isneginf(twin.log_gamma(outside, shape[2:], rate[2:])).all()
    np.testing.assert_allclose(twin.log_beta(value, 2.5, 0.7), stats.beta.logpdf(value, 2.5, 0.7), rtol=1e-12)
    assert np.isneginf(twin.log_beta(outside, 2.5, 0.7)).all()


def test_uniform_gives_end_bins_half_of_the_others() -> None:
    book = tiny_class(1)
    model = Model(priors=replace(PRIORS, epsilon=1.0))
    shares = [np.exp(twin.log_low_effort(book, model, np.full(book.levels.shape, level)))[0] for level in range(4)]
    np.testing.assert_allclose(np.array(shares)[:, 0], [0.1, 0.2, 0.2, 0.2])
    cuts = np.array([0.25, 1.25, 2.5]) / 3
    np.testing.assert_allclose(np.array(shares)[:, 1], np.diff([0, *cuts, 1]))


def test_low_effort_density_integrates_to_one() -> None:
    book = tiny_class(1)
    model = Model(censoring=False, priors=PRIORS)
    points = np.arange(-6, 12, 0.01) + 0.005
    density = [np.exp(twin.log_low_effort(book, model, np.full(book.levels.shape, point)))[0] for point in points]
    np.testing.assert_allclose(np.sum(density, axis=0) * 0.01, 1.0, rtol=1e-6)


def log_tail(x: float) -> float:
    """Log of the normal tail beyond a large x, by its asymptotic series."""
    return float(-(x**2) / 2 - np.log(x * np.sqrt(2 * np.pi)) + np.log1p(-(x**-2) + 3 * x**-4))


def test_normal_mass_is_accurate_in_both_tails() -> None:
    lower, upper = np.array([0.3, -20.0, 19.0, -np.inf, 30.0]), np.array([0.9, -19.0, 20.0, -30.0, np.inf])
    result = twin.log_normal_mass(lower, upper, 0.0, 1.0)
    assert result[0] == pytest.approx(np.log(ndtr(0.9) - ndtr(0.3)))
    assert result[1] == result[2] == pytest.approx(log_tail(19.0), abs=1e-6)
    assert result[3] == result[4] == pytest.approx(log_tail(30.0), abs=1e-6)


@all_models
@pytest.mark.parametrize("fixed", [Fixed(), FIXED], ids=["free", "fixed"])
def test_efforts_by_brute_force_and_in_closed_form(model: Model, fixed: Fixed) -> None:
    model, book = replace(model, fixed=fixed), tiny_class(3)
    state, reports = simulated(book, model, 4)
    values = np.linspace(0.1, 0.9, 5)
    for grader in np.flatnonzero(np.isnan(twin.known(book, model, "effort"))).tolist():
        brute = twin.log_conditional(book, model, state, "effort", grader, values, reports)
        assert_differ_by_a_constant(brute, closed_forms.effort(book, model, state, grader).logpdf(values))
    for review in range(book.n_reviews):
        brute = twin.masses(twin.log_conditional(book, model, state, "effortful", review, [0, 1], reports))
        expected = closed_forms.effortful(book, model, state, review, reports)
        assert brute[1] == pytest.approx(expected, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("fixed", [Fixed(), FIXED], ids=["free", "fixed"])
@pytest.mark.parametrize(
    "model", [replace(model, priors=PRIORS) for model in MODELS if not model.censoring], ids=model_id
)
def test_uncensored_updates_by_brute_force_and_in_closed_form(model: Model, fixed: Fixed) -> None:
    model, book = replace(model, fixed=fixed), tiny_class(5)
    state, reports = simulated(book, model, 6)
    values = np.linspace(0.3, 4.9, 6)
    for entry in [(0, 0), (0, 1), (2, 1), (3, 0), (4, 0), (5, 0)]:
        brute = twin.log_conditional(book, model, state, "true_grade", entry, values, reports)
        update = closed_forms.true_grade(book, model, state, entry, reports)
        assert_differ_by_a_constant(brute, update.logpdf(values))
    for grader in np.flatnonzero(np.isnan(twin.known(book, model, "bias"))).tolist():
        brute = twin.log_conditional(book, model, state, "bias", grader, values - 2, reports)
        update = closed_forms.bias(book, model, state, grader, reports)
        assert_differ_by_a_constant(brute, update.logpdf(values - 2))
    for grader in np.flatnonzero(np.isnan(twin.known(book, model, "reliability"))).tolist():
        brute = twin.log_conditional(book, model, state, "reliability", grader, values, reports)
        if twin.correlated_graders(book, model)[grader]:
            density = np.array(
                [closed_forms.log_reliability_of_author(book, model, state, grader, value, reports) for value in values]
            )
        else:
            density = closed_forms.reliability(book, model, state, grader, reports).logpdf(values)
        assert_differ_by_a_constant(brute, density)


@pytest.mark.parametrize(
    "model", [replace(model, priors=PRIORS) for model in MODELS if not model.censoring and model.effort], ids=model_id
)
def test_effort_with_the_true_grade_integrated_out(model: Model) -> None:
    book = tiny_class(7)
    state, reports = simulated(book, model, 8)
    low_effort = twin.log_low_effort(book, model, reports).sum(axis=1)
    for review in [0, 4, 10, 17]:
        submission = int(book.review_submission[review])
        effort = state.effort[book.review_grader[review]]
        high = closed_forms.log_reports_without_true_grade(
            book, model, state.with_value("effortful", review, 1), submission, reports
        )
        low = closed_forms.log_reports_without_true_grade(
            book, model, state.with_value("effortful", review, 0), submission, reports
        )
        odds = np.exp(high - low - low_effort[review]) * effort / (1 - effort)
        brute = twin.effortful_without_true_grade(book, model, state, review, GRID, reports)
        assert brute == pytest.approx(odds / (1 + odds), rel=1e-7)


def test_true_grades_are_summed_out_of_a_censored_model() -> None:
    """The sum over both components at once is the product of the sums over each."""
    model, book = Model(priors=PRIORS), tiny_class(7)
    state, reports = simulated(book, model, 8)
    grid = np.linspace(0.0, 6.0, 13)
    joint = [
        twin.log_joint(
            book, model, state.with_value("true_grade", (0, 0), x).with_value("true_grade", (0, 1), y), reports
        )
        for x, y in itertools.product(grid, grid)
    ]
    together = np.logaddexp.reduce(joint) + 2 * np.log(0.5)
    assert twin.log_joint_without_true_grade(book, model, state, 0, grid, reports) == pytest.approx(together)


def test_efforts_are_summed_out_over_all_combinations() -> None:
    book = tiny_class(9)
    few = replace(
        book,
        review_submission=book.review_submission[:6],
        review_grader=book.review_grader[:6],
        levels=book.levels[:6],
    )
    model = Model(priors=PRIORS)
    state, reports = simulated(few, model, 10)
    joint = [
        twin.log_joint(few, model, replace(state, effortful=np.array(efforts)), reports)
        for efforts in itertools.product([0, 1], repeat=6)
    ]
    expected = np.logaddexp.reduce(joint)
    assert twin.log_joint_without_efforts(few, model, state, reports) == pytest.approx(expected)


@all_models
def test_only_what_the_model_knows_of_matters(model: Model) -> None:
    book = tiny_class(11)
    state, reports = simulated(book, model, 12)
    base = twin.log_joint(book, model, state, reports)
    assert np.isfinite(base)
    missing = reports.copy()
    missing[book.levels == MISSING] = 2.0
    assert twin.log_joint(book, model, state, missing) == base
    assert twin.log_joint(book, model, state.with_value("true_grade", (4, 1), 1.0), reports) == base
    assert twin.log_joint(book, model, state.with_value("effort", 5, 0.9), reports) == -np.inf
    assert twin.log_joint(book, model, state.with_value("reliability", 6, 15.0), reports) == -np.inf
    lazy_ta = int(np.flatnonzero(book.roles[book.review_grader] == TA)[0])
    assert twin.log_joint(book, model, state.with_value("effortful", lazy_ta, 0), reports) == -np.inf
    biased = twin.log_joint(book, model, state.with_value("bias", 0, 0.1), reports)
    assert np.isfinite(biased) == model.bias


def test_a_fixed_true_grade_means_its_bin() -> None:
    model, book = Model(fixed=FIXED, priors="paper"), tiny_class(13)
    state, reports = simulated(book, model, 14)
    values = [2.4, 2.5, 3.4, 3.5]
    finite = np.isfinite(twin.log_conditional(book, model, state, "true_grade", (1, 0), values, reports))
    assert finite.tolist() == [False, True, True, False]


def rescaled(state: twin.State, variable: str, amount: float) -> twin.State:
    """The state moved along a smooth flow of one variable: scaled, or efforts shifted in log odds."""
    values = getattr(state, variable)
    if variable == "effort":
        moved = np.where(values < 1, expit(logit(np.minimum(values, 0.999)) + amount), values)
    elif variable == "true_grade":
        moved = 3.5 + (values - 3.5) * np.exp(amount)
    else:
        moved = values * np.exp(amount)
    return replace(state, **{variable: moved})


def stein_residual(book: Gradebook, model: Model, case: Case, variable: str) -> float:
    """Divergence of the flow plus its derivative of the log density: 0 on average over the joint distribution."""
    state, reports = case
    is_grade = variable == "true_grade"
    free = book.applicable if is_grade else np.isnan(twin.known(book, model, variable))

    def log_density(amount: float) -> float:
        moved = getattr(rescaled(state, variable, amount), variable)
        values = np.where(free, moved, getattr(state, variable))
        return twin.log_joint(book, model, replace(state, **{variable: values}), reports)

    step = 1e-4
    values = getattr(state, variable)[free]
    divergence = (1 - 2 * values).sum() if variable == "effort" else values.size
    return float(divergence + (log_density(step) - log_density(-step)) / (2 * step))


def effortful_residual(book: Gradebook, model: Model, case: Case) -> float:
    """Each drawn z less its probability given all else, weighted by how far off the report is: 0 on average."""
    state, reports = case
    high = twin.log_effortful(book, model, state, reports).sum(axis=1)
    low = twin.log_low_effort(book, model, reports).sum(axis=1)
    free = np.isnan(twin.known(book, model, "effort"))[book.review_grader]
    effort = np.where(free, state.effort[book.review_grader], 0.5)
    surprise = state.effortful - expit(logit(effort) + high - low)
    return float((surprise * (reports[:, 0] - 3.5) ** 2)[free].sum())


def simulator_scores(model: Model, simulated_model: Model, draws: int) -> dict[str, float]:
    """For each variable, how many standard errors its residual is from 0."""
    book = tiny_class(15)
    cases = [simulated(book, simulated_model, seed) for seed in range(draws)]
    residuals = {
        variable: [stein_residual(book, model, case, variable) for case in cases]
        for variable in ("true_grade", "reliability", "bias", "effort")
    }
    residuals["effortful"] = [effortful_residual(book, model, case) for case in cases]
    return {
        variable: float(abs(np.mean(values)) / (np.std(values, ddof=1) / np.sqrt(draws)))
        for variable, values in residuals.items()
        if np.any(values)
    }


@pytest.mark.slow
@all_models
def test_the_simulator_has_the_density_of_the_twin(model: Model) -> None:
    # Stein's identity. At most 80 scores in all models; 5 standard errors with 120 draws: false alarms below 2e-4.
    scores = simulator_scores(model, model, 120)
    assert max(scores.values()) < 5, scores
    assert ("bias" in scores) == model.bias
    assert ("effortful" in scores) == model.effort


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variable", "changes"),
    [
        ("true_grade", {"sigma_s": (1.2, 1.7)}),
        ("reliability", {"alpha_tau": 4.0}),
        ("bias", {"sigma_b": 1.1}),
        ("effort", {"alpha_e": 2.0}),
        ("effortful", {"tau_l": 0.3}),
    ],
)
def test_a_wrong_simulator_is_found_out(variable: str, changes: dict[str, float | tuple[float, ...]]) -> None:
    model = Model(priors=PRIORS)
    assert simulator_scores(model, model.with_priors(**changes), 120)[variable] > 5


@pytest.mark.parametrize("effortful", [0, 1])
def test_simulated_levels_have_the_masses_of_the_likelihood(effortful: int) -> None:
    # Pearson's chi-squared over 6 levels; false alarm 1e-6 each.
    book, model = tiny_class(17), Model(priors=PRIORS)
    state, _ = simulated(book, model, 18)
    state = replace(state, effortful=np.full(book.n_reviews, effortful))
    rng = np.random.default_rng(19)
    draws = np.array([twin.draw_reports(book, model, state, rng)[3, 0] for _ in range(4000)])
    reports = [np.full(book.levels.shape, float(min(level, 3))) for level in range(6)]
    for level in (4, 5):
        reports[level][:, 0] = level
    if effortful:
        expected = [np.exp(twin.log_effortful(book, model, state, report)[3, 0]) for report in reports]
    else:
        expected = [np.exp(twin.log_low_effort(book, model, report)[3, 0]) for report in reports]
    counts = np.bincount(draws.astype(int), minlength=6)
    statistic = ((counts - 4000 * np.array(expected)) ** 2 / (4000 * np.array(expected))).sum()
    assert statistic < 36.8
