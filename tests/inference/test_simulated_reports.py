"""The simulator draws what the model says: reports and parameters against their exact distributions.

Every test looks at independent reviews: each by a grader and of a submission of its own. A p-value below
:data:`FALSE_ALARM` fails it, so a correct simulator fails one of the tests here with probability below 1e-3. The same
tests reject simulators that are wrong on purpose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtr

import peerage as pg
from peerage.gradebook.book import INSTRUCTOR, STUDENT, TA
from peerage.simulation import generative
from peerage.simulation.generative import draw_graders, draw_reports, draw_true_grades
from peerage.simulation.schedule import Schedule
from peerage.simulation.simulated_class import draw

FALSE_ALARM = 2e-5
REVIEWS = 40_000
RUBRIC = pg.Rubric.from_dict({"Structure": {"grades": [0, 1, 2, 3, 4, 5]}, "Code": {"grades": [0, 1, 4, 10]}})

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

MODELS = {
    "class a": pg.Model(priors=pg.Priors.paper(sigma_b=0.1)),
    "class b": pg.Model(priors="paper"),
    "class c": pg.Model(priors=pg.Priors.paper(tau_l=4)),
    "no bias": pg.Model(bias=False, priors="paper"),
    "no effort": pg.Model(effort=False, priors="paper"),
    "no censoring": pg.Model(censoring=False, priors="paper"),
    "reliability alone": pg.Model(bias=False, effort=False, censoring=False, priors="paper"),
    "everything different": pg.Model(
        priors=pg.Priors.paper(
            mu_s=(3.5, 2.0),
            sigma_s=(0.5, 1.2),
            sigma_b=0.6,
            alpha_tau=5,
            beta_tau=1.5,
            alpha_tau_ta=3,
            beta_tau_ta=0.5,
            alpha_e=1.5,
            beta_e=2.5,
            tau_l=9,
            epsilon=0.2,
        )
    ),
}


def independent_reviews(role: int) -> Schedule:
    """Each review by a grader and of a submission of its own; the authors are others again."""
    names = tuple(map(str, range(2 * REVIEWS)))
    return Schedule(
        graders=names,
        roles=np.repeat([role, STUDENT], REVIEWS).astype(np.int8),
        submissions=names[:REVIEWS],
        assignments=("",) * REVIEWS,
        authors=tuple((author,) for author in range(REVIEWS, 2 * REVIEWS)),
        review_submission=np.arange(REVIEWS),
        review_grader=np.arange(REVIEWS),
    )


def bin_masses(cuts: Floats, mean: Floats, sd: Floats) -> Floats:
    """The mass of a normal between cut-points; the last axis of the result runs over the bins."""
    below = ndtr((cuts - mean[..., None]) / sd[..., None])
    ends = np.zeros((*below.shape[:-1], 1))
    return np.diff(np.concatenate([ends, below, ends + 1], axis=-1), axis=-1)


def exact_masses(model: pg.Model, role: int) -> Floats:
    """The probability of each pair of levels in a review: true grades summed out by hand, the grader by quadrature."""
    priors = model.hyperparameters
    mu, sigma = priors.for_components(2)
    shape, rate = (priors.alpha_tau_ta, priors.beta_tau_ta) if role == TA else (priors.alpha_tau, priors.beta_tau)
    quantiles = (np.arange(2000) + 0.5) / 2000
    variance = 1 / stats.gamma.ppf(quantiles, shape, scale=1 / rate)
    bias, weight = np.polynomial.hermite_e.hermegauss(40)
    bias, weight = bias * priors.sigma_b * model.bias, weight / weight.sum()
    honest, shirked = [], []
    for component, mean, sd in zip(RUBRIC.components, mu, sigma, strict=True):
        spread = np.sqrt(sd**2 + variance)
        centre, spread = np.broadcast_arrays((mean + bias)[:, None], spread)
        honest.append(bin_masses(component.cuts, centre, spread))
        guessed = bin_masses(component.cuts, np.array(mean), np.array(priors.tau_l**-0.5))
        uniform = np.diff(np.concatenate([[0.0], component.cuts, [5.0]])) / 5
        shirked.append((1 - priors.epsilon) * guessed + priors.epsilon * uniform)
    together = np.einsum("b,bri,brj->ij", weight, honest[0], honest[1]) / len(quantiles)
    effort = priors.alpha_e / (priors.alpha_e + priors.beta_e) if model.effort and role == STUDENT else 1.0
    return np.asarray(effort * together + (1 - effort) * np.outer(*shirked))


def report_p_value(model: pg.Model, role: int, seed: int) -> float:
    """Chi-square test of the pairs of levels that simulated reviews report."""
    book, _ = draw(model, independent_reviews(role), RUBRIC, np.random.default_rng(seed))
    expected = exact_masses(model, role).ravel() * REVIEWS
    counts = np.bincount(book.levels[:, 0] * 4 + book.levels[:, 1], minlength=24)
    rare = expected < 5
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    statistic = ((counts - expected) ** 2 / np.maximum(expected, 1e-9)).sum()
    return float(stats.chi2.sf(statistic, len(counts) - 1))


@pytest.mark.parametrize("role", [STUDENT, TA], ids=["student", "ta"])
@pytest.mark.parametrize("name", MODELS)
def test_reports_have_the_models_distribution(name: str, role: int) -> None:
    assert report_p_value(MODELS[name], role, seed=1) > FALSE_ALARM


Report = Callable[..., Floats]


def effort_per_component(
    model: pg.Model, centre: Floats, reliability: Floats, effortful: Flags, rng: np.random.Generator, *, halo: float
) -> Floats:
    shuffled = [
        draw_reports(model, centre, reliability, order, rng, halo=halo)[:, index]
        for index, order in enumerate((effortful, rng.permutation(effortful)))
    ]
    return np.stack(shuffled, axis=1)


def precision_as_sd(
    model: pg.Model, centre: Floats, reliability: Floats, effortful: Flags, rng: np.random.Generator, *, halo: float
) -> Floats:
    return draw_reports(model, centre, reliability**-2, effortful, rng, halo=halo)


def low_effort_precision_as_sd(
    model: pg.Model, centre: Floats, reliability: Floats, effortful: Flags, rng: np.random.Generator, *, halo: float
) -> Floats:
    wrong = model.with_priors(tau_l=model.hyperparameters.tau_l**-2)
    return draw_reports(wrong, centre, reliability, effortful, rng, halo=halo)


def nothing_uniform(
    model: pg.Model, centre: Floats, reliability: Floats, effortful: Flags, rng: np.random.Generator, *, halo: float
) -> Floats:
    return draw_reports(model.with_priors(epsilon=0.0), centre, reliability, effortful, rng, halo=halo)


def same_guess_for_all_components(
    model: pg.Model, centre: Floats, reliability: Floats, effortful: Flags, rng: np.random.Generator, *, halo: float
) -> Floats:
    drawn = draw_reports(model, centre, reliability, effortful, rng, halo=halo)
    return np.where(effortful[:, None], drawn, drawn[:, :1])


def bias_counted_twice(
    model: pg.Model, centre: Floats, reliability: Floats, effortful: Flags, rng: np.random.Generator, *, halo: float
) -> Floats:
    shifted = centre + rng.normal(0, model.hyperparameters.sigma_b, (len(centre), 1))
    return draw_reports(model, shifted, reliability, effortful, rng, halo=halo)


@pytest.mark.parametrize(
    "broken",
    [
        effort_per_component,
        precision_as_sd,
        low_effort_precision_as_sd,
        nothing_uniform,
        same_guess_for_all_components,
        bias_counted_twice,
    ],
)
def test_a_broken_simulator_is_found_out(broken: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generative, "draw_reports", broken)
    assert report_p_value(MODELS["everything different"], STUDENT, seed=1) < FALSE_ALARM / 100


def grader_p_values(model: pg.Model, role: int, is_author: bool, seed: int) -> dict[str, float]:
    """Kolmogorov–Smirnov tests of graders' parameters against their priors."""
    priors = model.hyperparameters
    names, roles = tuple(map(str, range(REVIEWS))), np.full(REVIEWS, role, dtype=np.int8)
    drawn = draw_graders(model, names, roles, np.full(REVIEWS, is_author), np.random.default_rng(seed))
    gamma = (
        stats.gamma(priors.alpha_tau_ta, scale=1 / priors.beta_tau_ta)
        if role == TA
        else stats.gamma(priors.alpha_tau, scale=1 / priors.beta_tau)
    )
    expected = {
        "reliability": gamma,
        "bias": stats.norm(0, priors.sigma_b),
        "effort": stats.beta(priors.alpha_e, priors.beta_e),
    }
    return {name: float(stats.kstest(getattr(drawn, name), law.cdf).pvalue) for name, law in expected.items()}


@pytest.mark.parametrize("name", ["class b", "everything different"])
def test_graders_have_their_priors(name: str) -> None:
    model = MODELS[name]
    assert min(grader_p_values(model, STUDENT, False, seed=2).values()) > FALSE_ALARM
    tas = grader_p_values(model, TA, False, seed=3)
    assert min(tas["reliability"], tas["bias"]) > FALSE_ALARM
    assert grader_p_values(model, INSTRUCTOR, False, seed=4)["bias"] > FALSE_ALARM
    # Graders who wrote nothing keep the Gamma prior under correlation; the same test rejects authors, who do not.
    correlated = replace(model, correlation=True)
    assert min(grader_p_values(correlated, STUDENT, False, seed=5).values()) > FALSE_ALARM
    assert grader_p_values(correlated, STUDENT, True, seed=6)["reliability"] < FALSE_ALARM


def test_instructors_reliability_and_effort_are_known() -> None:
    roles = np.array([INSTRUCTOR], dtype=np.int8)
    drawn = draw_graders(pg.Model(priors="paper"), ("it",), roles, np.array([False]), np.random.default_rng(0))
    assert (drawn.reliability[0], drawn.effort[0]) == (16, 1)


def correlation_p_values(model: pg.Model, believed: pg.Model, seed: int) -> list[float]:
    """Compare authors and their grades with a twin that draws the model as the paper tells it.

    With one component and one submission each: the grade first, then the author's reliability around it, again until
    it is positive.
    """
    rng = np.random.default_rng(seed)
    schedule = independent_reviews(STUDENT)
    one = pg.Rubric(RUBRIC.components[:1])
    _, truth = draw(model, schedule, one, rng)
    grade, skill = truth.true_grade[:, 0], truth.reliability[REVIEWS:] * model.hyperparameters.lambda_tau
    priors = believed.hyperparameters
    twin_grade = rng.normal(priors.mu_s, priors.sigma_s, 3 * REVIEWS)
    twin_skill = rng.normal(twin_grade, priors.sigma_tau)
    twin_grade, twin_skill = twin_grade[twin_skill > 0][:REVIEWS], twin_skill[twin_skill > 0][:REVIEWS]
    pairs = [(grade, twin_grade), (skill, twin_skill), (skill - grade, twin_skill - twin_grade)]
    return [float(stats.ks_2samp(mine, theirs).pvalue) for mine, theirs in pairs]


@pytest.mark.parametrize(("mu_s", "sigma_s", "sigma_tau", "lambda_tau"), [(4, 0.8, 2, 2), (1.5, 0.7, 1, 0.5)])
def test_correlated_grades_agree_with_their_authors(
    mu_s: float, sigma_s: float, sigma_tau: float, lambda_tau: float
) -> None:
    priors = pg.Priors.paper(mu_s=mu_s, sigma_s=sigma_s, sigma_tau=sigma_tau, lambda_tau=lambda_tau)
    model = pg.Model(correlation=True, priors=priors)
    assert min(correlation_p_values(model, model, seed=7)) > FALSE_ALARM
    assert min(correlation_p_values(model, model.with_priors(sigma_tau=1.1 * sigma_tau), seed=7)) < FALSE_ALARM


def test_several_authors_count_with_their_mean() -> None:
    """With a link so tight that grades follow the authors closely; six standard errors, false alarms below 1e-5."""
    model = pg.Model(correlation=True, priors=pg.Priors.paper(sigma_tau=0.01, lambda_tau=2))
    reliability = np.array([1.0, 3.0, 2.5])
    grades = draw_true_grades(model, 1, ((0, 1), (2,), ()), reliability, np.random.default_rng(0))
    assert abs(grades[0, 0] - 4) < 0.06
    assert abs(grades[1, 0] - 5) < 0.06


@pytest.mark.parametrize("mean", [-30.0, 0.0, 4.0])
def test_positive_normals_are_right_far_in_the_tail(mean: float) -> None:
    drawn = draw_graders(
        pg.Model(correlation=True, priors=pg.Priors.paper(mu_s=mean, sigma_s=0.6, sigma_tau=0.8, lambda_tau=1)),
        tuple(map(str, range(REVIEWS))),
        np.full(REVIEWS, STUDENT, dtype=np.int8),
        np.full(REVIEWS, True),
        np.random.default_rng(8),
    )
    assert (drawn.reliability > 0).all()
    assert stats.kstest(drawn.reliability, stats.truncnorm(-mean, np.inf, loc=mean).cdf).pvalue > FALSE_ALARM
