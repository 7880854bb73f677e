"""Methods of the field beside models: scored by held-out likelihood through the calibration of baselines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import peerage as pg
from peerage.errors import UnmetNeedError
from peerage.evaluation.baselines import MEAN, score_baselines
from peerage.evaluation.folds import deal
from peerage.evaluation.method_scores import MethodsJob, say, score_methods
from peerage.methods.averages.mean import Mean
from peerage.methods.method_registry import find


@pytest.fixture(scope="module")
def book() -> pg.Gradebook:
    return pg.simulate(students=40, weeks=2, components=1, seed=1)[0]


def test_the_mean_as_a_method_predicts_about_as_well_as_the_baseline(book: pg.Gradebook) -> None:
    """The two differ in which reports the scatter is estimated from, and in that alone."""
    folds = deal(book, 10, 0)
    one = score_methods(book, [Mean(name="the mean")], folds, 0, pg.Running(workers=1))["the mean"]
    other = score_baselines(book, folds, loo=False)[MEAN]
    np.testing.assert_allclose(one.expected, other.expected)
    assert abs(one.log_mass.sum() - other.log_mass.sum()) < 0.005 * abs(other.log_mass.sum())


def test_biases_help_where_graders_have_them_and_rankings_are_scored_too(book: pg.Gradebook) -> None:
    names = ["mean", "additive", "bradley-terry", "class-average"]
    found = score_methods(book, [find(name) for name in names], deal(book, 5, 0), 0, pg.Running(workers=1))
    total = {name: score.log_mass.sum() for name, score in found.items()}
    assert total["additive"] > total["mean"] > total["class-average"]
    assert total["bradley-terry"] > total["class-average"]
    assert np.isnan(found["bradley-terry"].expected).all()


def test_a_held_out_report_does_not_change_what_is_said_of_it(book: pg.Gradebook) -> None:
    """Two classes that differ in one report: the method says the same of it."""
    folds = deal(book, 5, 0)
    levels = book.levels.copy()
    first = int(np.flatnonzero(folds == 0)[0])
    levels[first] = (levels[first] + 2) % 6
    one, other = (
        say(MethodsJob(entry, (find("additive"),), folds, 0), (0, 0)).values
        for entry in (book, replace(book, levels=levels))
    )
    np.testing.assert_array_equal(one, other)


def test_evaluate_takes_methods_and_refuses_what_a_class_lacks(book: pg.Gradebook) -> None:
    settings: dict[str, Any] = {"folds": 2, "sampling": pg.Sampling(chains=1, draws=20, burn_in=20)}
    found = pg.evaluate(book, models=[pg.Model()], methods=["vancouver", "mean"], **settings)
    assert list(found.scores) == [pg.Model().name, "mean", "median", "class average", "vancouver"]
    assert any(sentence.startswith("Vancouver: ") for sentence in found.sentences)
    with pytest.raises(pg.InputError, match="there is no method 'nonsense'"):
        pg.evaluate(book, models=[pg.Model()], methods=["nonsense"], **settings)
    without = pg.simulate(students=8, weeks=1, tas=0, seed=1)[0]
    with pytest.raises(UnmetNeedError, match="rank-with-ta needs staff grades"):
        pg.evaluate(without, models=[pg.Model()], methods=["rank-with-ta"], **settings)
