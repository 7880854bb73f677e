"""What the user fixes is used exactly: where all of the graders is known, posteriors are found by quadrature."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import peerage as pg
from peerage.gradebook.book import STUDENT
from peerage.inference.layout import lay_out
from peerage.model import Fixed, Model
from support.classes.tiny import PRIORS, tiny_class
from support.references import twin

Floats = NDArray[np.float64]

POINTS = np.arange(-6.0, 14.0, 0.002) + 0.001
"""Where true grades are summed out; cut-points lie between points."""

GRADERS = tiny_class(0).graders
ON_GRID = (0.5, 0.0, -0.25, 1.0, 0.1, -0.05, 0.3)
OFF_GRID = (0.5123, 0.0212, -0.2291, 0.9777, 0.1289, -0.0711, 0.3222)
RELIABILITIES = (0.7771, 1.3, 0.25, 16.0, 2.2, 25.0, 0.613)
EFFORTS = (0.3, 0.9, 0.0, 1.0, 0.55, 1.0, 1.0)

both_likelihoods = pytest.mark.parametrize("censoring", [True, False], ids=["censored", "uncensored"])


def fixed_graders(bias: tuple[float, ...], effort: tuple[float, ...] = ()) -> Fixed:
    """Reliability and bias of everyone, and effort if given."""
    return Fixed(
        reliability=dict(zip(GRADERS, RELIABILITIES, strict=True)),
        bias=dict(zip(GRADERS, bias, strict=True)),
        effort=dict(zip(GRADERS, effort, strict=False)),
    )


@dataclass(frozen=True)
class Answer:
    """What is to be found."""

    level_mass: dict[tuple[str, str], Floats]
    effort_probability: Floats


def exact_answer(book: pg.Gradebook, model: Model) -> Answer:
    """Sum over all efforts and true grades of each submission, given all of its graders' parameters."""
    reliability, bias, effort = (twin.known(book, model, name) for name in ("reliability", "bias", "effort"))
    means, deviations = model.hyperparameters.for_components(len(book.rubric))
    reports = twin.default_reports(book, model)
    careless = twin.log_low_effort(book, model, reports)
    masses: dict[tuple[str, str], Floats] = {}
    probability = np.zeros(book.n_reviews)
    for submission, name in enumerate(book.submissions):
        reviews = np.flatnonzero(book.review_submission == submission)
        careful = log_careful(book, model, reviews, reports, reliability, bias)
        prior = np.asarray(stats.norm.logpdf(POINTS, np.array(means)[:, None], np.array(deviations)[:, None]))
        total, given = 0.0, np.zeros(prior.shape)
        for efforts in itertools.product([0, 1], repeat=len(reviews)):
            chosen = np.array(efforts, dtype=bool)
            weight = np.prod(
                np.where(chosen, effort[book.review_grader[reviews]], 1 - effort[book.review_grader[reviews]])
            )
            density = np.exp(prior + careful[chosen].sum(axis=0))
            evidence = density.sum(axis=1)
            weight *= np.exp(careless[reviews[~chosen]].sum()) * np.prod(evidence)
            total += weight
            given += weight * density / evidence[:, None]
            probability[reviews[chosen]] += weight
        probability[reviews] /= total
        for index, component in enumerate(book.rubric.components):
            if book.applicable[submission, index]:
                level = np.searchsorted(component.cuts, POINTS, side="right")
                sums = [given[index, level == entry].sum() for entry in range(component.n_levels)]
                masses[name, component.name] = np.array(sums) / total
    return Answer(masses, probability)


def log_careful(
    book: pg.Gradebook, model: Model, reviews: NDArray[np.intp], reports: Floats, reliability: Floats, bias: Floats
) -> Floats:
    """(reviews, components, points): log likelihood of each report at each true grade; 0 where there is none."""
    out = np.zeros((len(reviews), len(book.rubric), len(POINTS)))
    for row, review in enumerate(reviews):
        grader = book.review_grader[review]
        for index in np.flatnonzero(book.levels[review] >= 0):
            centre = POINTS + bias[grader]
            if model.censoring:
                low, high = twin.edges(book, int(index))[book.levels[review, index] :][:2]
                out[row, index] = twin.log_normal_mass(low, high, centre, reliability[grader])
            else:
                out[row, index] = stats.norm.logpdf(reports[review, index], centre, reliability[grader] ** -0.5)
    return out


def level_masses(posterior: pg.Posterior) -> dict[tuple[str, str], Floats]:
    groups = posterior.level_mass().groupby(["submission", "component"])["probability"]
    return {(str(key[0]), str(key[1])): group.to_numpy() for key, group in groups}


def furthest(book: pg.Gradebook, first: dict[tuple[str, str], Floats], second: dict[tuple[str, str], Floats]) -> float:
    """The largest difference, in multiples of what a grid may add.

    A likelihood taken at the middle of a cell of width h, instead of its mean over it, errs by h²/24 times its second
    derivative, whose integral is at most the total precision of prior and reports.
    """
    assert first.keys() == second.keys()
    multiples = []
    for submission, name in first:
        mine = book.review_submission == book.submissions.index(submission)
        precision = sum(RELIABILITIES[grader] for grader in book.review_grader[mine]) + 2.0
        difference = np.abs(first[submission, name] - second[submission, name]).max()
        multiples.append(float(difference / (0.05**2 / 24 * precision)))
    return max(multiples)


@pytest.mark.parametrize("bias", [ON_GRID, OFF_GRID], ids=["on the grid", "off the grid"])
@pytest.mark.parametrize("model", [Model(censoring=False, priors="paper"), Model(priors="paper", correlation=True)])
def test_true_grades_given_known_graders_are_exact(bias: tuple[float, ...], model: Model) -> None:
    """Without effort nothing but the true grades is unknown, and the averaged conditional probabilities are the
    posterior itself, up to what the grid adds. Were biases moved to the grid, they would differ by over five times
    as much."""
    book = replace(tiny_class(3), authors=((), (), (), (), (), ("somebody",)))
    model = replace(model, effort=False, priors=PRIORS, fixed=fixed_graders(bias))
    masses = level_masses(pg.fit(book, model, chains=1, draws=2, burn_in=0, seed=0))
    model = replace(model, correlation=False)
    assert furthest(book, masses, exact_answer(book, model).level_mass) < 1
    if bias is OFF_GRID:
        moved = replace(model, fixed=fixed_graders(tuple(round(value / 0.05) * 0.05 for value in bias)))
        assert furthest(book, masses, exact_answer(book, moved).level_mass) > 5


def test_rounded_reports_of_known_graders_give_the_posterior_within_monte_carlo_error() -> None:
    """t-tests of all expected grades over 40 fits, false-alarm rate 1e-3 together; biases off by 0.1 are noticed."""
    book, fits = tiny_class(3), 40
    model = Model(effort=False, priors=PRIORS, fixed=fixed_graders(OFF_GRID))
    found = []
    for seed in range(fits):
        masses = level_masses(pg.fit(book, model, chains=1, draws=500, burn_in=20, seed=seed))
        found.append([mass @ np.arange(len(mass)) for mass in masses.values()])
    error = np.std(found, axis=0, ddof=1) / np.sqrt(fits)
    limit = stats.t.isf(0.5e-3 / len(error), fits - 1)

    def furthest_off(bias: tuple[float, ...]) -> float:
        answer = exact_answer(book, replace(model, fixed=fixed_graders(bias))).level_mass
        wanted = np.array([answer[key] @ np.arange(len(answer[key])) for key in masses])
        return float((np.abs(np.mean(found, axis=0) - wanted) / error).max())

    assert furthest_off(OFF_GRID) < limit
    assert furthest_off(tuple(value + 0.1 for value in OFF_GRID)) > 2 * limit


@both_likelihoods
def test_efforts_given_known_graders_are_exact(censoring: bool) -> None:
    """With fixed efforts the efforts made are unknown too. t-tests over 40 fits for every review and true grade,
    false-alarm rate 1e-3 for all together (Bonferroni)."""
    book, fits = tiny_class(4), 40
    model = Model(censoring=censoring, priors=PRIORS, fixed=fixed_graders(OFF_GRID, EFFORTS))
    wanted = exact_answer(book, model)
    expected = {key: mass @ np.arange(len(mass)) for key, mass in wanted.level_mass.items()}
    found, efforts = [], []
    for seed in range(fits):
        posterior = pg.fit(book, model, chains=1, draws=200, burn_in=10, seed=seed)
        found.append([mass @ np.arange(len(mass)) for mass in level_masses(posterior).values()])
        efforts.append(posterior.reviews()["effort_probability"])
    ordered = [expected[key] for key in level_masses(posterior)]
    for values, truth in ((np.array(found), np.array(ordered)), (np.array(efforts), wanted.effort_probability)):
        error = values.std(axis=0, ddof=1) / np.sqrt(fits)
        limit = stats.t.isf(0.5e-3 / (values.shape[1] + len(ordered)), fits - 1)
        # Grids and 32-bit tables may add up to 1e-3 where there is little Monte-Carlo error.
        assert (np.abs(values.mean(axis=0) - truth) < limit * error + 1e-3).all()
    certain = np.isin(book.review_grader, np.flatnonzero(np.isin(EFFORTS, (0.0, 1.0))))
    np.testing.assert_allclose(np.array(efforts)[:, certain], np.tile(wanted.effort_probability[certain], (fits, 1)))


@both_likelihoods
def test_a_fixed_true_grade_is_its_bin_for_everyone(censoring: bool) -> None:
    """Its draws stay in the bin, its mass is 1, and a grader's bias is what follows from it: t-test over 40 fits
    against quadrature over bias and the bin, false-alarm rate 1e-3."""
    book, _ = pg.simulate(students=4, weeks=1, tas=0, components=1, reviews_per_student=1, seed=2)
    name = book.graders[int(book.review_grader[0])]
    submission = book.submissions[int(book.review_submission[0])]
    fixed = Fixed(true_grade={(submission, "Component 1"): 3.2}, reliability={name: 1.7})
    model, fits = Model(effort=False, censoring=censoring, fixed=fixed, priors="paper"), 40
    means = []
    for seed in range(fits):
        posterior = pg.fit(book, model, chains=1, draws=200, burn_in=10, seed=seed)
        drawn = posterior.draws["true_grade"][:, :, book.submissions.index(submission), 0]
        assert ((drawn >= 2.5) & (drawn < 3.5)).all()
        assert level_masses(posterior)[submission, "Component 1"][3] == pytest.approx(1.0, abs=1e-6)
        means.append(posterior.draws["bias"][:, :, book.graders.index(name)].mean())
    s, b = np.arange(2.5005, 3.5, 0.001)[:, None], np.arange(-6.0, 6.0, 0.02)
    level = int(book.levels[0, 0])
    low, high = twin.edges(book, 0)[level : level + 2]
    log_mass = twin.log_normal_mass(low, high, s + b, 1.7) if censoring else stats.norm.logpdf(level, s + b, 1.7**-0.5)
    density = np.exp(stats.norm.logpdf(s, 4.0, 0.8) + stats.norm.logpdf(b) + log_mass).sum(axis=0)
    error = np.std(means, ddof=1) / np.sqrt(fits)
    assert abs(np.mean(means) - density @ b / density.sum()) < stats.t.isf(0.5e-3, fits - 1) * error


@both_likelihoods
def test_fixed_values_and_clamps_are_reported_exactly(censoring: bool) -> None:
    fixed = Fixed(reliability={"a": 0.0123, "ta": 40.0}, bias={"b": -0.777}, effort={"c": 0.123})
    posterior = pg.fit(
        tiny_class(1), Model(censoring=censoring, fixed=fixed, priors="paper"), chains=2, draws=5, burn_in=2, seed=0
    )
    graders = {row["grader"]: row for row in posterior.graders().to_dict("records")}
    for suffix in ("", "_lower", "_upper"):
        assert graders["a"][f"reliability{suffix}"] == pytest.approx(0.0123)
        assert graders["ta"][f"reliability{suffix}"] == pytest.approx(40.0)
        assert graders["b"][f"bias{suffix}"] == pytest.approx(-0.777)
        assert graders["c"][f"effort{suffix}"] == pytest.approx(0.123)
        assert graders["ta"][f"effort{suffix}"] == graders["teacher"][f"effort{suffix}"] == 1.0
        assert graders["teacher"][f"reliability{suffix}"] == 16.0
    free = posterior.draws["bias"][:, :, [0, 5, 6]]
    assert (np.ptp(free, axis=(0, 1)) > 0).all(), "staff's biases are inferred"
    assert (np.ptp(posterior.draws["reliability"][:, :, 1:5], axis=(0, 1)) > 0).all()


def test_the_user_may_overrule_clamps_and_features_that_are_off() -> None:
    fixed = Fixed(reliability={"teacher": 3.0}, effort={"ta": 0.4}, bias={"a": 0.5})
    graders = pg.fit(
        tiny_class(1), Model(bias=False, fixed=fixed, priors="paper"), chains=1, draws=5, burn_in=2, seed=0
    ).graders()
    values = graders.set_index("grader")
    assert values.loc["teacher", "reliability"] == 3.0
    assert values.loc["ta", "effort"] == pytest.approx(0.4)
    assert list(values["bias"]) == [0.5] + [0.0] * 6


def test_known_values_agree_with_the_twin() -> None:
    book = tiny_class(1)
    assert (book.roles[:5] == STUDENT).all()
    for fixed in (Fixed(), Fixed(effort={"ta": 0.4, "b": 0.1}, bias={"a": 1.5}, reliability={"teacher": 2.0})):
        model = Model(fixed=fixed, priors="paper")
        known = lay_out(book, model).known
        for variable in ("effort", "reliability", "bias"):
            np.testing.assert_array_equal(getattr(known, variable), twin.known(book, model, variable))


@pytest.mark.parametrize(
    ("fixed", "words"),
    [
        (Fixed(effort={"nobody": 0.5}), "the effort of 'nobody' is fixed, but nobody of that id graded anything"),
        (Fixed(reliability={"nobody": 1}), "the reliability of 'nobody' is fixed, but nobody of that id"),
        (Fixed(bias={"somebody": 1}), "the bias of 'somebody' is fixed, but nobody of that id graded anything"),
        (Fixed(true_grade={("s9", "Code"): 1}), "the true grade of 's9' in 'Code' is fixed, but the grades have no"),
        (Fixed(true_grade={("s1", "Style"): 1}), "the true grade of 's1' in 'Style' is fixed, but the grades have no"),
        (Fixed(true_grade={("s5", "Code"): 1}), "'s5' is fixed in 'Code', which nobody graded there"),
    ],
)
def test_unknown_ids_are_refused(fixed: Fixed, words: str) -> None:
    with pytest.raises(pg.ModelError, match=words):
        pg.fit(tiny_class(1), Model(fixed=fixed, priors="paper"), chains=1, draws=1)


def test_an_effort_cannot_be_fixed_in_a_model_without_effort() -> None:
    with pytest.raises(pg.ModelError, match="the model has no effort"):
        pg.fit(tiny_class(1), Model(effort=False, fixed=Fixed(effort={"a": 0.5})), chains=1, draws=1)
