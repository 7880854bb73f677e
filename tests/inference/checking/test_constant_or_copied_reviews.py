"""Students who do not look at the work are named, honest ones hardly ever; and pairs who favour each other."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import peerage as pg
from peerage.inference.checking.constant_or_copied_reviews import (
    CONSTANT,
    COPIED,
    MEAN,
    _tail,
    constant_students,
    copying_students,
    suspicions,
)
from peerage.inference.checking.others_view import OthersView
from peerage.inference.checking.reciprocity import _Tails, mutual_favours
from peerage.simulation import strategies

KINDS = {
    "usual": pg.Priors.paper(),
    "near the top": pg.Priors.paper(mu_s=4.6),
    "spread out": pg.Priors.paper(mu_s=3.0, sigma_s=1.2),
    "reliable": pg.Priors.paper(sigma_b=0.4, alpha_tau=4.0),
}

PLANTED = {f"always {level}": (strategies.always(level), CONSTANT) for level in range(6)} | {
    "copy a fellow": (strategies.copy_fellow, COPIED),
    "copy the others' mean": (strategies.copy_mean, MEAN),
}


def honest_class(priors: pg.Priors, seed: int, components: int = 4) -> pg.Gradebook:
    """48 students with 24 reviews each."""
    model = pg.Model(priors=priors)
    return pg.simulate(students=48, weeks=6, tas=2, seed=seed, components=components, model=model)[0]


def suspects(book: pg.Gradebook, priors: pg.Priors) -> pd.DataFrame:
    """Who is named in a class with known priors."""
    view = OthersView.of(book, priors)
    return suspicions([*constant_students(book, priors, view), *copying_students(book, priors, view)])


@pytest.mark.parametrize("kind", KINDS)
def test_who_does_not_look_is_named_for_it(kind: str) -> None:
    """Each planted student is named in its class for what it does; eight of 48 are planted at once."""
    book = honest_class(KINDS[kind], seed=0)
    for grader, (strategy, _) in enumerate(PLANTED.values()):
        book = strategies.play(book, strategy, [grader], seed=0)
    named = suspects(book, KINDS[kind])
    found = set(zip(named["grader"], named["kind"], strict=True))
    expected = {(book.graders[grader], kind) for grader, (_, kind) in enumerate(PLANTED.values())}
    assert expected <= found
    sentence = named.set_index("grader").loc[book.graders[5], "sentence"]
    assert sentence == "gives 5 to everything: these grades say nothing about the work"
    assert (named["probability"] <= 0.05).all()
    constant = constant_students(book, KINDS[kind], OthersView.of(book, KINDS[kind]))
    assert {row.grader for row in constant} == set(named.loc[named["kind"] == CONSTANT, "grader"])


@pytest.mark.slow
def test_honest_classes_have_no_names_in_them_as_often_as_is_said() -> None:
    """10 classes of each kind, half with one component. If 5 % had a copier's name, more than 8 of 40 would be a false
    alarm of 1e-4. Of students in classes near the top, at most 2 % may be called constant, and that few are."""
    classes = {
        (kind, seed): suspects(honest_class(KINDS[kind], seed, components=1 + 3 * (seed % 2)), KINDS[kind])
        for kind, seed in product(KINDS, range(10))
    }
    with_copiers = [key for key, named in classes.items() if (named["kind"] != CONSTANT).any()]
    assert len(with_copiers) <= binom.ppf(1 - 1e-4, len(classes), 0.05), with_copiers
    top = [int((classes["near the top", seed]["kind"] == CONSTANT).sum()) for seed in range(10)]
    assert sum(top) <= 0.02 * 48 * 10


def test_the_tail_is_that_of_independent_events() -> None:
    chance = np.array([[0.1, 0.5, 0.9, 0.3]])
    brute = [
        sum(
            np.prod(np.where(happened, chance[0], 1 - chance[0]))
            for happened in product([False, True], repeat=4)
            if sum(happened) >= least
        )
        for least in range(1, 5)
    ]
    assert [float(_tail(chance, least)[0]) for least in range(1, 5)] == pytest.approx(brute)


def test_the_others_view_leaves_the_review_itself_and_biases_out() -> None:
    book = honest_class(KINDS["usual"], seed=3)
    levels = book.levels.copy()
    levels[book.review_grader == 7] = 0
    changed = replace(book, levels=levels)
    before, after = OthersView.of(book, KINDS["usual"]), OthersView.of(changed, KINDS["usual"])
    mine = book.review_grader == 7
    np.testing.assert_allclose(before.mean[mine], after.mean[mine], atol=0.3)
    assert after.bias[7] < -2
    others = np.isin(book.review_submission, book.review_submission[mine]) & ~mine
    assert np.abs(before.mean[others] - after.mean[others]).mean() < 0.5, "a severe reviewer is not believed"


def favouring(seed: int, weeks: int) -> pg.Gradebook:
    """Twelve students, so that all review each other often; the first two give each other the top."""
    book, _ = pg.simulate(students=12, weeks=weeks, tas=0, seed=seed, model=pg.Model(priors=KINDS["spread out"]))
    return strategies.play(book, strategies.ring, [0, 1], seed)


def test_two_who_favour_each_other_are_named() -> None:
    book = favouring(seed=1, weeks=12)
    pairs = mutual_favours(book, OthersView.of(book, KINDS["spread out"]))
    assert (pairs["first"][0], pairs["second"][0]) == book.graders[:2]
    assert "give each other" in pairs["sentence"][0]


@pytest.mark.slow
def test_honest_pairs_are_named_as_rarely_as_is_said() -> None:
    """If one class in twenty had a pair, more than 9 of 40 would be a false alarm of 1e-4 (here, small classes)."""
    model = pg.Model(priors=KINDS["usual"])
    books = [pg.simulate(students=24, weeks=6, tas=0, seed=seed, model=model)[0] for seed in range(40)]
    with_pairs = sum(len(mutual_favours(book, OthersView.of(book, KINDS["usual"]))) > 0 for book in books)
    assert with_pairs <= binom.ppf(1 - 1e-4, 40, 0.05)


def test_sums_of_favours_have_the_tail_of_sums() -> None:
    """Against 100,000 sums of three, within five standard errors and what a step of the grid holds."""
    rng = np.random.default_rng(0)
    favour = rng.exponential(size=500)
    drawn = rng.choice(favour, (100_000, 3)).sum(axis=1)
    tails = _Tails(favour)
    for total in (2.0, 5.0, 7.0):
        share = (drawn >= total).mean()
        assert tails.of(3, total) == pytest.approx(share, abs=5 * np.sqrt(share / 100_000) + 0.02)
    assert tails.of(3, 1e3) == 0


def test_a_class_of_staff_or_of_single_reviews_names_nobody() -> None:
    book = honest_class(KINDS["usual"], seed=4)
    staff = replace(book, roles=np.ones(book.n_graders, np.int8))
    assert suspects(staff, KINDS["usual"]).empty
    assert mutual_favours(staff, OthersView.of(staff, KINDS["usual"])).empty
    first = np.zeros(book.n_reviews, dtype=bool)
    first[np.unique(book.review_submission, return_index=True)[1]] = True
    alone = book.select(first)
    assert mutual_favours(alone, OthersView.of(alone, KINDS["usual"])).empty
    assert set(suspects(alone, KINDS["usual"])["kind"]) <= {CONSTANT}


def test_a_fit_warns_of_constant_students_and_the_check_names_them() -> None:
    book, _ = pg.simulate(students=16, weeks=4, tas=1, seed=0, components=2)
    book = strategies.play(book, strategies.always(1), [3], seed=0)
    posterior = pg.fit(book, chains=2, draws=50, burn_in=50, seed=0)
    sentence = f"{book.graders[3]!r} gives 1 to everything: these grades say nothing about the work"
    assert any(sentence in problem.message for problem in posterior.warnings)
    checks = posterior.check()
    assert f"{sentence}." in checks.sentences
    assert book.graders[3] in set(checks.students["grader"])
    assert list(checks.pairs.columns[:2]) == ["first", "second"]
