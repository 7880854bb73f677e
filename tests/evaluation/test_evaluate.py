"""Evaluations: the models that are compared, the tables and tests, and the words."""

from __future__ import annotations

import pickle
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import peerage as pg
from peerage.evaluation.ablations import ablations, difference
from peerage.evaluation.baselines import BASELINES
from peerage.evaluation.evaluating import EvaluationJob, run_task
from peerage.evaluation.evaluation import Evaluation
from peerage.evaluation.evaluation_in_words import p_words
from peerage.evaluation.evaluation_tables import COLUMNS
from peerage.evaluation.folds import NO_FOLD, deal
from peerage.evaluation.scoring import Sampling, Score
from peerage.inference.checking.held_out import HeldOut
from peerage.model import Model

FAST = pg.Sampling(chains=1, draws=40, burn_in=20, seed=2)
MODELS = [Model(), Model(bias=False), Model(censoring=False)]


def small_class() -> pg.Gradebook:
    return pg.simulate(students=8, weeks=1, tas=1, components=2, seed=1)[0]


@pytest.fixture(scope="module")
def folded() -> Evaluation:
    return pg.evaluate(small_class(), models=MODELS, folds=3, sampling=FAST)


@pytest.fixture(scope="module")
def left_out() -> Evaluation:
    return pg.evaluate(small_class(), models=MODELS, loo=True, sampling=FAST)


# Which models are compared


def test_features_are_switched_one_at_a_time() -> None:
    book = small_class()
    names = [model.name for model in ablations(book, Model())]
    assert names == [
        "bias + effort + censoring",
        "effort + censoring",
        "bias + censoring",
        "bias + effort",
        "bias + effort + censoring + correlation",
    ]
    plain = ablations(book, Model(False, False, False))
    assert [model.name for model in plain[1:]] == ["bias", "effort", "censoring", "correlation"]
    assert ablations(book, Model(correlation=True))[-1] == Model()


def test_correlation_needs_authors_and_fixed_efforts_need_effort() -> None:
    book = small_class()
    anonymous = pg.read_grades(book.table().drop(columns="author"), book.rubric)
    assert not any(model.correlation for model in ablations(anonymous, Model()))
    fixed = Model(fixed=pg.Fixed(effort={book.graders[0]: 0.5}))
    assert all(model.effort for model in ablations(book, fixed))


def test_a_difference_is_in_one_feature_or_none() -> None:
    assert difference(Model(), Model(correlation=True)) == ("correlation", True)
    assert difference(Model(), Model(False, False)) is None
    assert difference(Model(), Model(priors="paper")) is None


# Tables


def test_the_table_has_a_row_for_each_model_and_baseline(folded: Evaluation) -> None:
    table = folded.table()
    assert tuple(table.columns) == COLUMNS
    assert list(table["model"]) == [*(model.name for model in MODELS), *BASELINES]
    for name in ("bias", "effort", "censoring", "correlation"):
        assert list(table[name][:3]) == [getattr(model, name) for model in MODELS]
        assert table[name][3:].isna().all()
    assert list(table["priors"][:3]) == ["learned"] * 3
    base = table.iloc[0]
    assert (base["delta"], base["delta_se"], base["grade_change"]) == (0, 0, 0)
    assert np.isnan(base["p_value"])
    np.testing.assert_allclose(table["delta"], table["elpd"] - base["elpd"], atol=1e-9)
    assert (table["seconds"] > 0).all()


def test_every_review_has_a_density_under_every_model(folded: Evaluation, left_out: Evaluation) -> None:
    book = folded.book
    for found in (folded, left_out):
        reviews, table = found.reviews(), found.table()
        assert list(reviews["submission"]) == [book.submissions[index] for index in book.review_submission]
        assert list(reviews["grader"]) == [book.graders[index] for index in book.review_grader]
        for name, elpd in zip(table["model"], table["elpd"], strict=True):
            assert (reviews[name] < 0).all()
            assert reviews[name].sum() == pytest.approx(elpd)
    assert sorted(set(folded.reviews()["fold"])) == [1, 2, 3]
    assert "fold" not in left_out.reviews()


def test_paired_tests_are_those_of_scipy(folded: Evaluation) -> None:
    reviews, table = folded.reviews(), folded.table().set_index("model")
    sums = reviews.groupby("submission").sum(numeric_only=True)
    tests = folded.tests().set_index(["model", "over"])
    base = MODELS[0].name
    for name in reviews.columns[4:]:
        over_submissions = stats.ttest_rel(sums[name], sums[base])
        over_reviews = stats.ttest_rel(reviews[name], reviews[base])
        for over, wanted in (("submissions", over_submissions), ("reviews", over_reviews)):
            assert tests["p_value"][name, over] == pytest.approx(wanted.pvalue)
            assert tests["t"][name, over] == pytest.approx(wanted.statistic)
        assert table["p_value"][name] == pytest.approx(over_submissions.pvalue)
        assert table["delta"][name] / table["delta_se"][name] == pytest.approx(over_submissions.statistic)


def test_the_change_of_grades_is_that_of_two_fits(folded: Evaluation) -> None:
    cell = ["submission", "component"]
    fits = [pg.fit(folded.book, model, **asdict(FAST)).submissions().set_index(cell) for model in MODELS[:2]]
    base, other = (table["expected"] for table in fits)
    changes = folded.table()["grade_change"]
    assert changes[1] == pytest.approx((other - base).abs().mean())
    means = folded.book.table().groupby(cell)["grade"].mean()
    assert changes[3] == pytest.approx((means - base).abs().mean())


# Seeds and executors


def without_seconds(found: Evaluation) -> pd.DataFrame:
    return found.table().drop(columns="seconds")


def test_the_same_seed_gives_the_same_table_whatever_the_workers(folded: Evaluation) -> None:
    again = pg.evaluate(small_class(), models=MODELS, folds=3, sampling=FAST, running=pg.Running(workers=1))
    pd.testing.assert_frame_equal(without_seconds(again), without_seconds(folded))
    pd.testing.assert_frame_equal(again.reviews(), folded.reviews())


def test_tasks_give_the_same_in_another_process(folded: Evaluation) -> None:
    """What tasks share and what they find survives being sent elsewhere."""
    job = EvaluationJob(folded.book, tuple(MODELS), deal(folded.book, 3, 2), False, folded.sampling)
    for fold in (NO_FOLD, 1):
        sent, task = pickle.loads(pickle.dumps((job, (1, fold))))
        received = pickle.loads(pickle.dumps(run_task(sent, task)))
        np.testing.assert_array_equal(received.log_mass, folded.scores[MODELS[1].name].log_mass[job.folds == fold])
        if fold == NO_FOLD:
            np.testing.assert_array_equal(received.expected, folded.scores[MODELS[1].name].expected)


def test_a_models_figures_do_not_depend_on_the_others(folded: Evaluation) -> None:
    alone = pg.evaluate(small_class(), MODELS[1], folds=3, sampling=FAST)
    name = MODELS[1].name
    np.testing.assert_array_equal(alone.reviews()[name], folded.reviews()[name])
    assert alone.base == name


def test_models_that_differ_in_priors_alone_are_compared_by_name() -> None:
    book = small_class()
    fixed = pg.Priors.paper(mu_s=3.0)
    models = {"learned": Model(), "paper's": Model(priors="paper"), "mine": Model(priors=fixed)}
    found = pg.evaluate(book, models=models, loo=True, sampling=FAST)
    table = found.table()
    assert list(table["model"][:3]) == list(models)
    assert list(table["priors"][:3]) == ["learned", "paper", "fixed"]
    assert any(sentence.startswith("Paper's: ") for sentence in found.sentences)


# What is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"models": []}, "there is no model to evaluate"),
        ({"models": [Model(), Model(priors="paper")]}, "the same features"),
        ({"models": {"mean": Model()}}, "cannot be called 'mean'"),
        ({"model": Model(), "models": [Model()]}, "not both"),
        ({"folds": 1}, "folds must be at least 2"),
        ({"model": Model(fixed=pg.Fixed(bias={"nobody": 0.0}))}, "nobody"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(pg.PeerageError, match=message):
        pg.evaluate(small_class(), **options)


def test_a_fit_needs_draws() -> None:
    with pytest.raises(pg.PeerageError, match="draws must be at least 1"):
        pg.Sampling(draws=0)


def test_one_review_cannot_be_evaluated() -> None:
    book = small_class()
    with pytest.raises(pg.InputError, match="only one review"):
        pg.evaluate(book.select(np.arange(book.n_reviews) == 0))


def test_two_reviews_can(left_out: Evaluation) -> None:
    book = left_out.book.select(np.arange(left_out.book.n_reviews) < 2)
    for loo in (True, False):
        found = pg.evaluate(book, models=[Model()], loo=loo, sampling=FAST)
        assert np.isfinite(found.reviews().select_dtypes("number").to_numpy()).all()
        assert found.sentences


# Words


def made_up(**gains: float) -> Evaluation:
    """An evaluation in which each model's gain on ten submissions of one review is as given, give or take a tenth."""
    book, _ = pg.simulate(students=10, weeks=1, reviews_per_student=1, tas=0, components=1, seed=1)
    noise = np.linspace(-0.1, 0.1, 10)
    models = {
        "base": Model(),
        "simple": Model(effort=False),
        "rich": Model(correlation=True),
        "other": Model(False, False),
    }
    scores = {name: Score(-2 + gains.get(name, 0.0) + noise * (name != "base"), np.zeros(10), 1.0) for name in models}
    scores |= {name: Score(-3 + noise, np.ones(10), 0.1) for name in BASELINES}
    return Evaluation(book, models, scores, np.arange(10) % 5, Sampling())


def test_verdicts_say_what_helps_and_what_may_be_chance() -> None:
    lines = made_up(simple=-0.5, rich=-0.5, other=0.01).sentences
    assert lines[0] == "10 reviews of 10 submissions in 5 folds, each predicted by a fit of the others."
    assert lines[2].startswith("Without effort: -5.0 ± 0.2 (p < 0.0001 over submissions, p < 0.0001 over reviews)")
    assert "; effort helps." in lines[2]
    assert lines[3].startswith("With correlation: ")
    assert "; correlation hurts." in lines[3]
    assert lines[4].startswith("Other: +0.1 ± 0.2")
    assert "the difference may be due to chance" in lines[4]
    assert lines[5].startswith("The mean of the other graders: -10.0")
    assert lines[5].endswith("the base model predicts better.")
    assert len(lines) == 8


def test_what_a_fit_says_of_the_mean_is_said_too_and_why_it_may_differ() -> None:
    found = made_up()
    for model_error, better, differs in ((0.5, "the model is better than both", 0), (1.5, "does NOT beat the mean", 1)):
        held_out = HeldOut(model_error, 1.0, 1.1, 1 - model_error**2, 0.01, 10)
        scores = found.scores | {"base": replace(found.scores["base"], held_out=held_out)}
        lines = replace(found, scores=scores).sentences
        assert better in lines[8]
        assert len(lines) == 9 + differs
        assert all("ask different questions" in line for line in lines[9:])


def test_verdicts_of_better_models() -> None:
    lines = made_up(simple=0.5, rich=0.5, other=0.5, base=-4).sentences
    assert "; effort hurts." in lines[2]
    assert "; correlation helps." in lines[3]
    assert "; better than the base model." in lines[4]
    assert all("the base model predicts worse" in line for line in lines[5:])


def test_refitted_predictions_are_counted() -> None:
    found = made_up()
    refitted = {name: replace(score, refitted=3 * (name == "rich")) for name, score in found.scores.items()}
    lines = replace(found, folds=None, scores=refitted).sentences
    assert "leave-one-out" in lines[0]
    assert "3 predictions" in lines[1]


@pytest.mark.parametrize(("value", "words"), [(0.2, "p = 0.2"), (0.00012, "p = 0.00012"), (9e-5, "p < 0.0001")])
def test_p_values_in_words(value: float, words: str) -> None:
    assert p_words(value) == words
