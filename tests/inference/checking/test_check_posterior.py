"""Posterior predictive checks: statistics by hand, replicates by probability, false alarms, planted faults found."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import peerage as pg
from peerage.inference.checking.grading_statistics import Reviews, habits, spreads
from peerage.inference.checking.predictive_checks import FALSE_ALARM, REPLICATES, CheckedStatistic
from peerage.inference.checking.replicates import replicated_levels
from peerage.inference.layout import lay_out
from peerage.model import Model
from peerage.simulation import generative
from support.classes.tiny import MODELS, model_id, tiny_class

Floats = NDArray[np.float64]


def class_with(
    seed: int, *, halo: float = 0.0, copied: float = 0.0, drift: float = 0.0, students: int = 30, weeks: int = 3
) -> pg.Gradebook:
    """A class of the default model; ``halo`` is the deviation of an error that all components of a review share,
    ``copied`` the share of reviews that give the first component's grade to all, ``drift`` how far biases move."""
    book, truth = pg.simulate(students=students, weeks=weeks, tas=0, components=3, seed=seed)
    rng = np.random.default_rng([seed, 1])
    centre = truth.true_grade[book.review_submission] + truth.bias[book.review_grader, None]
    reliability = truth.reliability[book.review_grader]
    reports = generative.draw_reports(truth.model, centre, reliability, truth.effortful, rng)
    reports += halo * rng.standard_normal((book.n_reviews, 1))
    week = np.unique(np.array(book.assignments), return_inverse=True)[1][book.review_submission]
    reports += drift * rng.standard_normal((book.n_graders, week.max() + 1))[book.review_grader, week, None]
    levels = generative.to_levels(book.rubric, reports)
    copies = rng.random(book.n_reviews) < copied
    levels[copies] = levels[copies, :1]
    return replace(book, levels=levels)


def quick_fit(book: pg.Gradebook, model: Model | None = None) -> pg.Posterior:
    return pg.fit(book, model or Model(priors="paper"), chains=1, draws=300, burn_in=100, seed=0)


# The statistics


def by_hand(book: pg.Gradebook) -> dict[str, float]:
    """The statistics, written as they are defined, over pairs."""
    values = np.full(book.levels.shape, np.nan)
    for index, component in enumerate(book.rubric.components):
        graded = book.levels[:, index] >= 0
        values[graded, index] = component.scaled[book.levels[graded, index]]
    deviation, agreements = np.full(values.shape, np.nan), []
    for submission, column in itertools.product(range(book.n_submissions), range(len(book.rubric))):
        rows = np.flatnonzero((book.review_submission == submission) & ~np.isnan(values[:, column]))
        if len(rows) > 1:
            deviation[rows, column] = values[rows, column] - values[rows, column].mean()
            pairs = itertools.combinations(book.levels[rows, column], 2)
            agreements.append(np.mean([first == second for first, second in pairs]))
    severity, squares = np.zeros(book.n_graders), []
    for grader in range(book.n_graders):
        mine = deviation[book.review_grader == grader]
        mine = mine[~np.isnan(mine)]
        if len(mine):
            severity[grader] = mine.mean()
            squares += [severity[grader] ** 2] * len(mine)
    moved = []
    assignment = np.array(book.assignments)[book.review_submission]
    for grader in range(book.n_graders):
        mine = book.review_grader == grader
        for name in set(assignment[mine]):
            there = deviation[mine & (assignment == name)]
            there = there[~np.isnan(there)]
            if 0 < len(there) < np.count_nonzero(~np.isnan(deviation[mine])):
                moved += [(there.mean() - severity[grader]) ** 2] * len(there)
    rest = deviation - severity[book.review_grader, None]
    for grader in range(book.n_graders):
        mine = book.review_grader == grader
        spread = np.sqrt(np.nanmean(rest[mine] ** 2))
        rest[mine] /= spread if spread > 0 else 1.0
    products, alike = [], []
    for row in rest:
        for first, second in itertools.combinations(row[~np.isnan(row)], 2):
            products.append(first * second)
            alike.append((first**2 + second**2) / 2)
    several = values[np.sum(~np.isnan(values), axis=1) > 1]
    return {
        "agreement": float(np.mean(agreements)),
        "same grade throughout": float(np.mean(np.nanmax(several, axis=1) == np.nanmin(several, axis=1))),
        "halo": sum(products) / sum(alike),
        "severity": float(np.sqrt(np.mean(squares))),
        "drift": float(np.sqrt(np.mean(moved))) if moved else np.nan,
    }


@pytest.mark.parametrize("seed", range(5))
def test_statistics_are_what_they_are_defined_to_be(seed: int) -> None:
    book = tiny_class(seed)
    layout = lay_out(book, Model(priors="paper"))
    measured = habits(Reviews.of(layout), layout.report_level)
    assert measured == pytest.approx(by_hand(book), rel=1e-9, abs=1e-12, nan_ok=True)


def test_spreads_are_standard_deviations_pooled_over_components() -> None:
    book = tiny_class(1)
    layout = lay_out(book, Model(priors="paper"))
    measured = spreads(Reviews.of(layout), layout.report_level)
    for grader in range(book.n_graders):
        squares, freedom = 0.0, 0
        for index, component in enumerate(book.rubric.components):
            levels = book.levels[book.review_grader == grader, index]
            values = component.scaled[levels[levels >= 0]]
            if len(values) > 1:
                squares, freedom = squares + values.var() * len(values), freedom + len(values) - 1
        wanted = np.sqrt(squares / freedom) if freedom else np.nan
        assert measured[grader] == pytest.approx(wanted, nan_ok=True)
    assert np.isnan(measured[book.graders.index("e")]), "a grader with one review"


def test_statistics_without_material_are_left_out() -> None:
    book = tiny_class(1)
    alone = book.select(np.isin(np.arange(book.n_reviews), [0, 3, 6]))  # one review each of three submissions
    assert list(quick_fit(alone).check().table["statistic"]) == ["same grade throughout", "steadiest grader", "grades"]
    single, _ = pg.simulate(students=8, weeks=1, tas=0, components=1, seed=1)
    assert list(quick_fit(single).check().table["statistic"]) == ["agreement", "severity", "steadiest grader", "grades"]


# The replicates


@pytest.mark.parametrize(
    "model",
    [Model(priors="paper"), Model(effort=False, priors="paper"), Model(bias=False, censoring=False, priors="paper")],
    ids=model_id,
)
def test_replicates_follow_the_model(model: Model) -> None:
    """How often a review's two components both get their lowest or both their highest grade, against the probability
    of that given the draws: a z-test with a false-alarm rate of 1e-4 for each end, and mixed scales, TAs and gaps."""
    book = tiny_class(2)
    posterior = pg.fit(book, model, chains=1, draws=400, burn_in=50, seed=3)
    layout, draws = posterior.layout, posterior.draws
    rng = np.random.default_rng(4)
    reports = [*replicated_levels(layout, posterior.samples, 400, posterior.seed, rng)]
    both = np.flatnonzero((book.levels >= 0).all(axis=1))
    for top in (False, True):
        probability = end_probability(posterior, both, top)
        hits = np.zeros((400, len(both)))
        for draw, levels in enumerate(reports):
            table = np.full(book.levels.shape, -1)
            table[layout.review_order[layout.report_review], layout.report_component] = levels
            ends = np.array([5, 3]) if top else np.zeros(2)
            hits[draw] = (table[both] == ends).all(axis=1)
        spread = np.sqrt(np.sum(probability * (1 - probability)))
        assert draws["effort"].shape[:2] == (1, 400)
        assert abs(hits.sum() - probability.sum()) < stats.norm.isf(0.5e-4) * spread


def end_probability(posterior: pg.Posterior, reviews: NDArray[np.intp], top: bool) -> Floats:
    """(draws, reviews): the probability that all components get the grade at one end of their scale."""
    book, draws, priors = posterior.book, posterior.draws, posterior.model.hyperparameters
    grader, submission = book.review_grader[reviews], book.review_submission[reviews]
    effort, bias = draws["effort"][0][:, grader], draws["bias"][0][:, grader]
    careful, careless = effort.astype(float), 1.0 - effort
    for index, component in enumerate(book.rubric.components):
        cut = component.cuts[-1 if top else 0]
        centre = component.to_model(draws["true_grade"][0][:, submission, index]) + bias
        side = stats.norm.sf if top else stats.norm.cdf
        careful = careful * side(cut, centre, draws["reliability"][0][:, grader] ** -0.5)
        uniform = (5 - cut if top else cut) / 5
        normal = side(cut, 4.0, priors.tau_l**-0.5)
        careless = careless * ((1 - priors.epsilon) * normal + priors.epsilon * uniform)
    return np.asarray(careful + careless)


# What is said


def test_tail_probability_counts_the_observed_among_the_replicates() -> None:
    replicates = np.arange(99.0)
    assert CheckedStatistic("halo", 200.0, replicates).tail_probability == pytest.approx(0.02)
    assert CheckedStatistic("halo", -1.0, replicates).tail_probability == pytest.approx(0.02)
    assert CheckedStatistic("halo", 97.5, replicates).tail_probability == pytest.approx(0.04)
    assert CheckedStatistic("halo", 49.0, replicates).tail_probability == 1.0
    assert CheckedStatistic("grades", 200.0, replicates, only_higher=True).tail_probability == pytest.approx(0.01)
    assert CheckedStatistic("grades", -1.0, replicates, only_higher=True).tail_probability == 1.0


def test_numbers_are_rounded_as_far_as_the_comparison_allows() -> None:
    expected = np.linspace(0.145, 0.171, 1001)
    assert CheckedStatistic("agreement", 0.31, expected).in_words(as_share=True) == ("31 %", "16 % (15–17 %)")
    assert CheckedStatistic("agreement", 0.1721, expected).in_words(as_share=True) == ("17.2 %", "15.8 % (14.6–17.0 %)")
    assert CheckedStatistic("halo", 0.31, expected).in_words(as_share=False) == ("0.31", "0.16 (0.15–0.17)")


def test_the_least_tail_probability_is_below_the_threshold() -> None:
    """Else nothing could ever be said."""
    assert 2 / (REPLICATES + 1) <= FALSE_ALARM / 6


@pytest.mark.parametrize("model", MODELS, ids=model_id)
def test_every_model_is_checked_reproducibly(model: Model) -> None:
    posterior = pg.fit(tiny_class(5), model, chains=2, draws=20, burn_in=10, seed=0)
    first, second = posterior.check(), posterior.check()
    assert first.table.equals(second.table)
    table = first.table
    assert list(table.columns) == ["statistic", "observed", "expected", "lower", "upper", "tail_probability"]
    assert table["tail_probability"].between(0, 1, inclusive="right").all()
    assert (table["lower"] <= table["expected"]).all()
    assert (table["expected"] <= table["upper"]).all()


def test_copied_grades_are_told_in_plain_words() -> None:
    """All reviews copy one grade: the first sentence has the observed share, 100 %, and the consequence."""
    sentence = quick_fit(class_with(1, copied=1.0)).check().sentences[0]
    assert sentence.startswith("Reviews give all components the same grade in 100 % of cases; the model expects ")
    assert sentence.endswith(" %). Reviewers copy one grade across components: intervals are too narrow.")


def test_names_with_braces_and_tags_are_told_as_they_are() -> None:
    """Everyone always gives the lowest grade, against the paper's priors, and the component has an awkward name."""
    book, _ = pg.simulate(students=20, weeks=1, tas=0, seed=1, components=pg.Rubric.uniform(["{0} <b>"], range(6)))
    checks = quick_fit(replace(book, levels=np.zeros_like(book.levels))).check()
    assert any(sentence.startswith("{0} <b>: the grade 0 is given in 100 % of cases") for sentence in checks.sentences)
    assert "{0} &lt;b&gt;: the grade 0" in checks._repr_html_()
    assert "the grade 0 is given in 100 % of cases" in repr(checks)


def test_severity_is_told_when_the_model_has_no_bias() -> None:
    """Biases have a standard deviation of 1: a model without them expects a third of that spread."""
    sentences = quick_fit(class_with(2), Model(bias=False, priors="paper")).check().sentences
    assert any("Graders differ in severity more than the model allows" in sentence for sentence in sentences)


# False alarms and power


PAPER = Model(priors="paper")


@pytest.mark.slow
@pytest.mark.parametrize("model", [PAPER, Model()], ids=["fixed priors", "learned priors"])
def test_classes_of_the_model_are_rarely_told_anything(model: Model) -> None:
    """Tail probabilities of fitted models are at most twice too small, mostly too large (Meng 1994), so the chance of
    an alarm is at most 2·FALSE_ALARM and, if they err on the safe side, at most FALSE_ALARM. Fails with probability
    below 1e-3 at FALSE_ALARM; no statistic may alarm in more classes than its share allows either."""
    tables = [quick_fit(class_with(seed), model).check().table for seed in range(40)]
    alarms = np.array([table["tail_probability"] <= FALSE_ALARM / len(table) for table in tables])
    assert np.count_nonzero(alarms.any(axis=1)) <= stats.binom.isf(1e-3, 40, FALSE_ALARM)
    assert np.count_nonzero(alarms, axis=0).max() <= stats.binom.isf(1e-3 / 7, 40, FALSE_ALARM / 7)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "fault", "words"),
    [
        (PAPER, {"halo": 0.7}, "A review's components err together"),
        (PAPER, {"copied": 0.2}, "Reviewers copy one grade across components"),
        (PAPER, {"drift": 0.6}, "Graders become more severe or more generous over time"),
        (Model(), {"copied": 0.2}, "Reviewers copy one grade across components"),
        (Model(), {"drift": 0.6}, "Graders become more severe or more generous over time"),
    ],
    ids=["halo", "copied", "drift", "copied, learned priors", "drift, learned priors"],
)
def test_planted_faults_are_found(model: Model, fault: dict[str, float], words: str) -> None:
    """A shared error of 0.7, less than the 1.0 that a grader of average reliability makes on a single component, a
    fifth of the reviews copied, or biases that move by 0.6, in classes of 720 reviews. Learned fits have a shared error
    in the model. With a power of 0.9 this fails with probability 0.016; had the check no power, only its false-alarm
    rate of 0.01, it would pass with probability 1e-7."""
    found = 0
    for seed in range(6):
        book = class_with(seed, **{"students": 60} | fault)  # type: ignore[arg-type]
        found += any(words in sentence for sentence in quick_fit(book, model).check().sentences)
    assert found >= 4


def test_a_real_class(real_data: Path) -> None:
    """One component, graded 1 to 25, under the paper's priors, which expect far more top grades than there are."""
    book = pg.read_grades(real_data / "mooc-assignment3" / "peer_grades.csv")
    checks = quick_fit(book).check()
    table = checks.table.set_index("statistic")
    assert list(table.index) == ["agreement", "severity", "steadiest grader", "grades"]
    agreement = []
    for _, grades in book.table().groupby("submission")["grade"]:
        counts, size = grades.value_counts(), len(grades)
        agreement += [(counts * (counts - 1)).sum() / (size * (size - 1))] if size > 1 else []
    assert table.loc["agreement", "observed"] == pytest.approx(np.mean(agreement))
    top = f"{100 * np.mean(book.values == 25):.0f} %"
    assert any(sentence.startswith(f"total: the grade 25 is given in {top}") for sentence in checks.sentences)
