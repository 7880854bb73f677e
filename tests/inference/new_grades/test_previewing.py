"""What new reviews do to their submissions, beside fits and updates that know all of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import peerage as pg
from peerage.gradebook.merging import merged
from peerage.inference.layout import lay_out
from peerage.model import Fixed


@cache
def small_class() -> pg.Gradebook:
    return pg.simulate(students=14, weeks=2, tas=1, components=3, seed=3, merit=0.5, halo=0.4)[0]


@cache
def fitted() -> pg.Posterior:
    return pg.fit(small_class(), chains=4, draws=500, burn_in=300, seed=0)


def review(submission: str, grader: str, role: str, grade: int) -> pg.Gradebook:
    names = small_class().rubric.names
    rows = [
        {"submission": submission, "grader": grader, "component": name, "grade": grade, "role": role} for name in names
    ]
    return pg.read_grades(pd.DataFrame(rows), rubric=small_class().rubric)


def known(book: pg.Gradebook) -> Fixed:
    """Everything about every grader."""
    rng = np.random.default_rng(1)
    return Fixed(
        effort=dict.fromkeys(book.graders, 0.9),
        reliability={name: float(value) for name, value in zip(book.graders, rng.gamma(4, 0.4, 99), strict=False)},
        bias={name: float(value) for name, value in zip(book.graders, rng.normal(0, 0.5, 99), strict=False)},
    )


def test_with_known_graders_a_preview_is_the_posterior() -> None:
    """t-tests over 20 previews of one submission against a long fit of all, false-alarm rate 1e-3 together."""
    book = small_class()
    new = review(book.submissions[0], book.graders[-1], "ta", 3)
    both = merged(book, new)
    model = pg.Model(priors="paper", fixed=known(both))
    whole = pg.fit(both, model, chains=4, draws=2000, burn_in=100, seed=1).submissions()
    wanted = whole[whole["submission"] == book.submissions[0]]["expected"].to_numpy()
    before = pg.fit(book, replace(model, fixed=known(both)), chains=2, draws=200, burn_in=50, seed=0)
    found = np.array([replace(before, seed=seed).preview(new)["expected"] for seed in range(20)])
    error = np.hypot(found.std(axis=0, ddof=1) / np.sqrt(20), 0.006)
    limit = stats.t.isf(0.5e-3 / found.shape[1], 19)
    assert (np.abs(found.mean(axis=0) - wanted) < limit * error).all()
    without = before.submissions()
    earlier = without[without["submission"] == book.submissions[0]]["expected"].to_numpy()
    assert (np.abs(found.mean(axis=0) - earlier) > limit * error).any(), "the new review matters"


def test_a_preview_comes_near_an_update() -> None:
    """In the default model, for a TA's grades below the peers': a plain contradiction would tell of the TA, too."""
    posterior, book = fitted(), small_class()
    best = posterior.submissions().groupby("submission")["expected"].sum().idxmax()
    new = review(str(best), book.graders[-1], "ta", 3)
    preview = posterior.preview(new)
    after = posterior.update(new).submissions()
    after = after[after["submission"] == best].reset_index(drop=True)
    before = posterior.submissions()
    before = before[before["submission"] == best].reset_index(drop=True)
    moved, seen = (before["expected"] - table["expected"] for table in (after, preview))
    assert (moved > 0.2).all()
    np.testing.assert_allclose(seen, moved, atol=0.35)
    assert list(preview["n_grades"]) == list(after["n_grades"])


def test_a_newcomers_review_counts_less_than_a_tas() -> None:
    posterior, book = fitted(), small_class()
    best = str(posterior.submissions().groupby("submission")["expected"].sum().idxmax())
    ta, student = (
        posterior.preview(review(best, name, role, 0))["expected"].sum()
        for name, role in ((book.graders[-1], "ta"), ("newcomer", "student"))
    )
    now = posterior.submissions()
    assert ta < student < now[now["submission"] == best]["expected"].sum()


def test_a_new_submission_has_a_preview_too() -> None:
    preview = fitted().preview(review("late", "student01", "student", 4))
    assert list(preview["submission"].unique()) == ["late"]
    assert (preview["expected"] > 2).all()


@pytest.mark.parametrize("model", [pg.Model(censoring=False), pg.Model(correlation=True)])
def test_other_samplers_refuse_in_a_sentence(model: pg.Model) -> None:
    posterior = pg.fit(small_class(), model, chains=1, draws=3, burn_in=1, seed=0)
    assert not lay_out(small_class(), model).draws_latent_reports
    with pytest.raises(pg.ModelError, match="a preview needs a model with censoring, without correlation"):
        posterior.preview(review(small_class().submissions[0], "student01", "student", 2))
