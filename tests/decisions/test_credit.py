"""Marks for peer grading: what the sceptic believes, what skipping costs, and when there is too little to tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import gamma, lomax, truncnorm, ttest_ind

import peerage as pg
from peerage.decisions import credit_marks as module
from peerage.decisions.choices import DecisionChoices
from peerage.decisions.credit_marks import (
    BEGINNING,
    IMPRECISE,
    OPTIMISTIC,
    TOO_LITTLE,
    CreditScale,
    credit_columns,
    estimates_under,
    idle_authors,
    log_sceptical,
    sceptical_scale,
    weighted_quantile,
)
from peerage.decisions.credit_prior import GraderPrior, fit_prior
from peerage.gradebook.book import INSTRUCTOR, STUDENT
from support.classes.tiny import tiny_class

SCEPTICAL: dict[str, Any] = {"completion": 0.0, "sceptical": True}
"""Marks for quality alone, and only where it has been shown."""


OTHER = pg.Priors.paper(alpha_tau=1.5, beta_tau=3.0)
"""Another prior than the default, and near enough for few draws to be precise."""


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    book, _ = pg.simulate(12, 2, seed=4, tas=1, components=2)
    return pg.fit(book, chains=2, draws=400, burn_in=50, seed=1)


# The scale


def test_marks_lie_on_straight_lines_between_the_points() -> None:
    scale = CreditScale.parse("0.2:0, 1:80, 2:100")
    np.testing.assert_allclose(scale.marks(np.array([0.0, 0.2, 0.6, 1.5, 9.0])), [0, 0, 40, 90, 100])
    assert scale.zero == 0.2
    assert CreditScale.parse(str(scale)) == scale


def test_a_scale_is_written_with_all_its_digits() -> None:
    scale = CreditScale(((0.1234567, 0.0), (1.0, 99.99999), (2.0, 100.0)))
    assert str(scale) == "0.1234567:0, 1:99.99999, 2:100"
    assert CreditScale.parse(str(scale)) == scale


@pytest.mark.parametrize("text", ["", "0.2:0", "1:80, 2:100", "0:0, 1:1", "0.2:0, 1:80, 0.5:90", "0.2:0, 1:8, 2:7",
                                  "0.2:0, 1", "a:0, 1:2", "0.2:0, nan:5", "0.2:0, 1:2:3", "0.2:0, 1:0"])  # fmt: skip
def test_scales_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(pg.ModelError, match="scale of marks"):
        CreditScale.parse(text)


# The sceptic


def instructed_class() -> pg.Gradebook:
    """Eight students of whom each graded half of 16 submissions, all of which an instructor graded too."""
    rng = np.random.default_rng(3)
    true = rng.normal(3.5, 0.8, (16, 4))
    pairs = [(u, v) for v in range(8) for u in sorted(rng.permutation(16)[:8])] + [(u, 8) for u in range(16)]
    submission, grader = np.array(pairs).T
    sd = np.append(np.linspace(0.4, 1.8, 8), 0.25)
    reports = true[submission] + rng.normal(0, sd[grader][:, None], (len(pairs), 4))
    return pg.Gradebook(
        rubric=pg.Rubric.uniform("ABCD", range(6)),
        submissions=tuple(f"s{index}" for index in range(16)),
        graders=tuple(f"g{index}" for index in range(9)),
        roles=np.array([STUDENT] * 8 + [INSTRUCTOR], dtype=np.int8),
        authors=((),) * 16,
        assignments=("",) * 16,
        review_submission=submission.astype(np.int32),
        review_grader=grader.astype(np.int32),
        levels=np.clip(np.rint(reports), 0, 5).astype(np.int16),
    )


def chains_of(posterior: pg.Posterior) -> list[pg.Posterior]:
    """A posterior for each chain alone."""
    samples = posterior.samples
    return [
        replace(
            posterior,
            samples=replace(
                samples,
                draws={name: values[index : index + 1] for name, values in samples.draws.items()},
                effortful_count=samples.effortful_count[index : index + 1],
            ),
        )
        for index in range(samples.n_chains)
    ]


@pytest.fixture(scope="module")
def believed() -> tuple[pg.Posterior, NDArray[np.float64]]:
    """A fit with the paper's prior, and (chains, students) the optimistic quantiles of one with another."""
    book = instructed_class()
    settings = {"chains": 16, "draws": 400, "burn_in": 50}
    plain = pg.fit(book, pg.Model(priors="paper"), seed=1, **settings)  # type: ignore[arg-type]
    other = pg.fit(book, pg.Model(priors=OTHER), seed=2, **settings)  # type: ignore[arg-type]
    draws = other.draws["reliability"] * other.draws["effort"]
    return plain, np.quantile(draws, OPTIMISTIC, axis=1)[:, :8]


def disagreements(plain: pg.Posterior, prior: GraderPrior, expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """(students,): p-values that the weighed estimates of single chains agree with those of the other fit."""

    def log_density(reliability: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(gamma.logpdf(reliability, OTHER.alpha_tau, scale=1 / OTHER.beta_tau))

    weighed = [estimates_under(chain, log_density, prior, OPTIMISTIC)[0][:8] for chain in chains_of(plain)]
    return np.asarray(ttest_ind(np.array(weighed), expected, equal_var=False).pvalue)


@pytest.mark.slow
def test_weighed_draws_are_those_of_a_fit_with_the_other_prior(
    believed: tuple[pg.Posterior, NDArray[np.float64]],
) -> None:
    """Eight tests together raise a false alarm once in a thousand runs (Bonferroni)."""
    plain, expected = believed
    assert disagreements(plain, fit_prior(plain), expected).min() > 1e-3 / 8


@pytest.mark.slow
def test_weights_that_forget_the_fits_prior_are_caught(believed: tuple[pg.Posterior, NDArray[np.float64]]) -> None:
    plain, expected = believed
    flat = replace(fit_prior(plain), shape=np.ones(9), rate=np.full(9, 1e-9))
    assert disagreements(plain, flat, expected).min() < 1e-3 / 8


def test_the_sceptical_prior_has_the_density_and_the_quantile_that_are_claimed() -> None:
    """A quantile from 10,000 draws of this prior is off by 2 % (one standard error); 10 % is five of them."""
    x = np.linspace(0.01, 9, 7)
    np.testing.assert_allclose(log_sceptical(x, 0.3), lomax.logpdf(x, 4, scale=0.3))
    rng = np.random.default_rng(0)
    efforts = rng.beta(8, 2, 10_000)
    drawn = lomax.rvs(4, scale=sceptical_scale(0.05, efforts, 0.75), size=10_000, random_state=rng) * efforts
    assert np.quantile(drawn, 0.75) == pytest.approx(0.05, rel=0.1)


@pytest.mark.parametrize(
    "model", [pg.Model(priors="paper"), pg.Model(correlation=True, priors="paper")], ids=lambda model: model.name
)
def test_the_fits_prior_is_the_one_that_the_model_has(model: pg.Model) -> None:
    posterior = pg.fit(tiny_class(1), model, chains=1, draws=5, seed=0)
    x = np.linspace(0.01, 5, 7)[:, None] * np.ones(7)
    found = fit_prior(posterior).log_density(x)
    correlation = posterior.layout.correlation
    low = -correlation.origin / correlation.sd
    expected = {
        "gamma": gamma.logpdf(x[:, 0], 2, scale=1 / 2),
        "ta": gamma.logpdf(x[:, 0], 4, scale=1 / 2),
        "author": truncnorm.logpdf(x[:, 0], low, np.inf, correlation.origin, correlation.sd),
    }
    np.testing.assert_allclose(found[:, 0], expected["author" if model.correlation else "gamma"])
    np.testing.assert_allclose(found[:, 4], expected["gamma"])
    np.testing.assert_allclose(found[:, 5], expected["ta"])


def test_a_grader_of_whom_nothing_is_known_begins_below_the_zero_mark() -> None:
    """Draws of the fit's prior are weighed to those of the sceptic's; from 500 effective ones, 30 % is five errors."""
    book = instructed_class()
    posterior = pg.fit(book.select(book.review_grader != 0), chains=2, draws=3000, seed=0)
    table = pg.credit(posterior, "1:0, 2:100", minimum_reviews=0, **SCEPTICAL)
    assert table["n_graded"][0] == 0
    assert table["estimate"][0] == pytest.approx(BEGINNING * 1.0, rel=0.3)
    assert table["credit"][0] == 0


def test_weighted_quantiles_are_those_of_repeated_values() -> None:
    rng = np.random.default_rng(0)
    values, counts = rng.normal(size=(40, 3)), rng.integers(0, 5, (40, 3))
    found = weighted_quantile(values, counts.astype(float), 0.75)
    for column in range(3):
        repeated = np.repeat(values[:, column], counts[:, column])
        assert found[column] == np.quantile(repeated, 0.75, method="inverted_cdf")


def test_what_is_fixed_is_marked_as_it_is() -> None:
    fixed = pg.Fixed(reliability={"a": 1.5}, effort={"a": 0.8})
    posterior = pg.fit(tiny_class(1), pg.Model(fixed=fixed, priors="paper"), chains=1, draws=30, seed=0)
    first = pg.credit(posterior, minimum_reviews=0, completion=0).iloc[0]
    assert first["estimate"] == pytest.approx(1.2)
    assert first["credit"] == pytest.approx(85 + 15 * 0.2)
    assert first["note"] == ""


@pytest.mark.parametrize(
    "model",
    [
        pg.Model(),
        pg.Model(effort=False, priors="paper"),
        pg.Model(bias=False, censoring=False, priors="paper"),
        pg.Model(correlation=True, priors="paper"),
    ],
    ids=lambda model: model.name,
)
def test_every_model_gives_marks(model: pg.Model, posterior: pg.Posterior) -> None:
    table = pg.credit(pg.fit(posterior.book, model, chains=2, draws=200, seed=0))
    assert table["credit"].between(0, 100).all()
    assert table["estimate"].gt(0).all()


def test_a_mark_has_a_part_for_doing_reviews_and_one_for_quality(posterior: pg.Posterior) -> None:
    quality = pg.credit(posterior, completion=0)["credit"]
    for completion in (0.3, 1.0):
        marks = pg.credit(posterior, completion=completion)["credit"]
        np.testing.assert_allclose(marks, 100 * completion + (1 - completion) * quality)
    half_done = pg.credit(posterior, completion=1.0, required_reviews=16)["credit"]
    np.testing.assert_allclose(half_done, 50)
    with pytest.raises(pg.ModelError, match="the part for doing reviews is a share between 0 and 1, not 2"):
        pg.credit(posterior, completion=2)


def test_with_few_reviews_nobody_who_does_them_gets_nothing_and_everybody_is_near_a_typical_mark() -> None:
    book, _ = pg.simulate(students=24, weeks=1, reviews_per_student=3, tas=1, seed=1)
    posterior = pg.fit(book, chains=2, draws=200, seed=0)
    marks, sceptical = pg.credit(posterior)["credit"], pg.credit(posterior, **SCEPTICAL)["credit"]
    assert marks.min() >= 50
    assert (sceptical < 1).any()
    assert sceptical.mean() < marks.mean() / 2


def test_a_stricter_scale_gives_lower_marks(posterior: pg.Posterior) -> None:
    usual, strict = (pg.credit(posterior, scale)["credit"] for scale in ("0.2:0, 1:85, 2:100", "0.2:0, 4:100"))
    assert (strict <= usual).all()
    assert strict.sum() < usual.sum()


def test_marks_from_few_effective_draws_say_so() -> None:
    posterior = pg.fit(tiny_class(1), chains=1, draws=10, seed=0)
    table = pg.credit(posterior, minimum_reviews=0, **SCEPTICAL)
    assert set(table["note"]) == {IMPRECISE}
    assert table["credit"].notna().all()


# Reviews that are required, and too few


def marks_of(estimates: list[float], number: list[int], required: int, minimum: int = 0) -> pd.DataFrame:
    table = pd.DataFrame({"grader": [str(index) for index in range(len(number))], "n_graded": number})
    table["estimate"] = estimates
    done = np.minimum(number, required)
    return module._with_marks(table, np.zeros(len(number), dtype=bool), CreditScale(), required, done, minimum)


@given(st.floats(0, 10), st.integers(1, 30), st.integers(0, 30))
def test_a_review_fewer_never_raises_a_mark(estimate: float, required: int, done: int) -> None:
    fewer, more, full = marks_of([estimate] * 3, [done, done + 1, required], required)["credit"]
    assert fewer <= more <= full
    assert full == CreditScale().marks(np.array(estimate))
    if done < required and full > 0:
        assert fewer < full
    assert fewer <= full * done / required + 1e-9 or done >= required


def test_too_little_to_tell_is_said_instead_of_a_mark(posterior: pg.Posterior) -> None:
    table = pg.credit(posterior, minimum_reviews=9)
    assert table["credit"].isna().all()
    assert set(table["note"]) == {TOO_LITTLE}
    assert pg.credit(posterior, minimum_reviews=8)["credit"].notna().all()


def test_where_reviews_are_required_too_few_are_no_excuse(posterior: pg.Posterior) -> None:
    table = pg.credit(posterior, required_reviews=16, minimum_reviews=9)
    free = pg.credit(posterior)
    assert (table["credit"] <= free["credit"] / 2 + 1e-9).all()
    assert set(table["note"]) == {"8 of 16 required reviews"}


def test_authors_who_graded_nothing_get_nothing_where_reviews_are_required() -> None:
    posterior = pg.fit(tiny_class(1), chains=1, draws=60, seed=0)
    assert "somebody" not in set(pg.credit(posterior)["grader"])
    table = pg.credit(posterior, required_reviews=2)
    row = table[table["grader"] == "somebody"].iloc[0]
    assert (row["n_graded"], row["credit"], row["note"]) == (0, 0, "0 of 2 required reviews")
    (problem,) = idle_authors(table)
    assert "1 author graded nothing: 'somebody'" in str(problem)
    assert list(idle_authors(pg.credit(posterior))) == []


def test_every_grader_has_a_mark_or_a_reason_in_the_order_of_the_class() -> None:
    posterior = pg.fit(tiny_class(1), chains=2, draws=200, seed=0)
    columns = credit_columns(posterior, pg.credit(posterior))
    assert len(columns) == 7
    assert (columns["credit"].notna() | (columns["credit_note"] != "")).all()
    assert list(columns["credit_note"][4:]) == [TOO_LITTLE, "ta", "instructor"]
    assert columns["credit"][5:].isna().all()


@pytest.mark.parametrize("optimistic", [0.0, 1.0, float("nan")])
def test_a_quantile_must_make_sense(posterior: pg.Posterior, optimistic: float) -> None:
    with pytest.raises(pg.ModelError, match="optimistic is a probability"):
        pg.credit(posterior, optimistic=optimistic)


def test_reviews_can_be_owed_for_each_assignment() -> None:
    book, _ = pg.simulate(students=6, weeks=2, reviews_per_student=2, seed=1)
    only_first = book.select((book.review_grader > 0) | (book.review_submission < 6))
    posterior = pg.fit(only_first, chains=1, draws=20, seed=0)
    first = posterior.book.graders[0]
    notes = {text: pg.credit(posterior, required_reviews=text).set_index("grader")["note"] for text in REQUIREMENTS}
    for text, note in REQUIREMENTS.items():
        assert notes[text][first] == note
        assert not notes[text].drop(first).str.contains("required").any()


REQUIREMENTS = {
    "each=2": "2 of 4 required reviews",
    "week1=1, week2=2": "1 of 3 required reviews",
    "week1=2, week3=9": IMPRECISE,
    "4": "2 of 4 required reviews",
}
"""What somebody is told who graded twice in the first week and not at all in the second."""


@pytest.mark.parametrize("text", ["each", "each=x", "=3", "-1", "week1=2,week1=3", "week1=2,3", "9" * 7])
def test_a_requirement_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(pg.ModelError, match="is not a number of reviews; write it as 12, each=3 or week1=2,week2=4"):
        DecisionChoices(required_reviews=text)
