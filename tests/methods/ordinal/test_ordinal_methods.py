"""Methods that rank: published scores of R2R and of comparative judgement, likelihoods, and tables of comparisons."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import approx_fprime

import peerage as pg
from peerage.methods.averages.mean import Mean
from peerage.methods.averages.median import Median
from peerage.methods.method_contract import Floats
from peerage.methods.ordinal.borda import Borda
from peerage.methods.ordinal.bradley_terry import BradleyTerry
from peerage.methods.ordinal.copeland import copeland_scores
from peerage.methods.ordinal.mallows import distances, expected_distance, reliabilities
from peerage.methods.ordinal.pairs import Pairs
from peerage.methods.ordinal.plackett_luce import Choices
from peerage.methods.ordinal.r2r import ALPHA, break_ties
from peerage.methods.ordinal.refereed_bradley_terry import RefereedBradleyTerry
from support.classes.published import reports_of

RATINGS = [
    ("a", "p", 5.0), ("a", "q", 3.0), ("a", "r", 3.0),
    ("b", "p", 2.0), ("b", "q", 4.0),
    ("c", "r", 1.0), ("c", "p", 1.0),
]  # fmt: skip


def test_pairs_are_those_of_each_bundle_with_half_wins_for_ties() -> None:
    reports, items = reports_of(RATINGS)
    pairs = Pairs.of(reports)
    wins = {
        (pairs.judge[row], items[pairs.winner[row]], items[pairs.loser[row]]): pairs.weight[row]
        for row in range(len(pairs.judge))
    }
    assert wins == {
        (0, "p", "q"): 1, (0, "p", "r"): 1, (0, "q", "r"): 0.5, (0, "r", "q"): 0.5, (1, "q", "p"): 1,
        (2, "p", "r"): 0.5, (2, "r", "p"): 0.5,
    }  # fmt: skip
    np.testing.assert_allclose(Borda(name="borda").rank(pairs).value, [2.5, 1.5, 1.0])
    # p and q win a majority each once, p beats r, and q and r tie.
    np.testing.assert_allclose(copeland_scores(pairs, 0.5), [1.5, 1.0, 0.5])


def test_the_likelihood_of_rankings_with_ties_by_hand_and_its_gradients() -> None:
    """Judge a chooses p of three, then q and r each of the two; b chooses q of two; c both of two."""
    reports, items = reports_of(RATINGS)
    choices = Choices.of_reports(reports)
    strength, weight = np.array([0.7, -0.4, 0.2]), np.array([1.3, 0.8, 1.1])
    p, q, r = (strength[items.index(name)] for name in "pqr")

    def log_choice(judge: int, chosen: float, *among: float) -> float:
        return float(weight[judge] * chosen - np.log(np.exp(weight[judge] * np.array(among)).sum()))

    wanted = log_choice(0, p, p, q, r) + log_choice(0, q, q, r) + log_choice(0, r, q, r)
    wanted += log_choice(1, q, p, q) + log_choice(1, p, p) + log_choice(2, r, p, r) + log_choice(2, p, p, r)
    value, in_strength, in_weight = choices.likelihood(strength, weight)
    assert value == pytest.approx(wanted)

    def at_strength(point: Floats) -> float:
        return choices.likelihood(point, weight)[0]

    def at_weight(point: Floats) -> float:
        return choices.likelihood(strength, point)[0]

    numeric = approx_fprime(strength, at_strength, 1e-7)
    np.testing.assert_allclose(in_strength, numeric, atol=1e-5)
    numeric = approx_fprime(weight, at_weight, 1e-7)
    np.testing.assert_allclose(in_weight, numeric, atol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_mallows_expects_the_distance_of_all_rankings(size: int) -> None:
    """The mean of Kendall's distance over all rankings of a bundle, each as likely as exp(−η d)."""
    distance = np.array(
        [
            sum(one > other for place, one in enumerate(ranking) for other in ranking[place:])
            for ranking in permutations(range(size))
        ]
    )
    for reliability in (0.05, 0.9, 4.0):
        wanted = np.average(distance, weights=np.exp(-reliability * distance))
        assert expected_distance(size, np.array([reliability]))[0] == pytest.approx(wanted, abs=1e-9)


def test_mallows_reliabilities_are_the_likeliest() -> None:
    """With the order p, r, q judge a has half a pair of three otherwise, b one of one and c half of one."""
    reports, items = reports_of(RATINGS)
    pairs = Pairs.of(reports)
    value = np.array([{"p": 3.0, "r": 2.0, "q": 1.0}[name] for name in items])
    distance = distances(pairs, value)
    np.testing.assert_allclose(distance, [0.5, 1.0, 0.5])
    grid = np.linspace(0.05, 5, 100_000)
    for judge, size in enumerate((3, 2, 2)):
        place = np.arange(1, size + 1)
        log_z = np.log((1 - np.exp(-np.outer(grid, place))) / (1 - np.exp(-grid))[:, None]).sum(axis=1)
        log_density = -grid * distance[judge] - log_z + 9 * np.log(grid) - 10 * grid
        found = reliabilities(pairs, distance)[judge]
        assert found == pytest.approx(grid[log_density.argmax()], abs=1e-4)


@pytest.mark.parametrize("name", ["borda", "copeland", "bradley-terry", "thurstone", "plackett-luce"])
def test_reliability_tells_careful_judges_from_random_ones(name: str) -> None:
    """Ten judges rank by strength and ten at random; the least careful outweighs the best of the others."""
    rng = np.random.default_rng(0)
    strength = rng.normal(0, 2, 30)
    judge, one, other = np.repeat(np.arange(20), 60), *rng.integers(0, 30, (2, 1200))
    apart = one != other
    judge, one, other = judge[apart], one[apart], other[apart]
    first = np.where(judge < 10, strength[one] > strength[other], rng.random(len(judge)) < 0.5)
    compared = pg.Comparisons(
        tuple(f"s{index}" for index in range(30)),
        tuple(f"j{index}" for index in range(20)),
        judge,
        np.where(first, one, other),
        np.where(first, other, one),
    )
    found = pg.aggregate(compared, f"{name}-reliability")
    assert found.converged
    assert found.weight[:10].min() > found.weight[10:].max()
    plain = np.corrcoef(pg.aggregate(compared, name).scores[:, 0], strength)[0, 1]
    assert np.corrcoef(found.scores[:, 0], strength)[0, 1] > plain


REFEREED, PLAIN = RefereedBradleyTerry(name="rbtl"), BradleyTerry(name="bradley-terry", prior_sd=0.5**0.5)


def refereed_pairs(slope: float) -> tuple[Pairs, Floats]:
    """60 judges compare 40 of each other's works, the more surely the stronger their own; pairs and strengths."""
    rng = np.random.default_rng(3)
    strength = rng.normal(1, 0.7, 60)
    judge, one, other = np.repeat(np.arange(60), 40), *rng.integers(0, 60, (2, 2400))
    apart = one != other
    judge, one, other = judge[apart], one[apart], other[apart]
    chance = 1 / (1 + np.exp(-(slope * strength[judge] + 1) * (strength[one] - strength[other])))
    first = rng.random(len(judge)) < chance
    winner, loser = np.where(first, one, other), np.where(first, other, one)
    everyone = np.arange(60)
    two = np.full(len(judge), 2)
    return Pairs(judge, winner, loser, np.ones(len(judge)), 60, 60, judge, two, everyone, everyone), strength


def test_rbtl_has_the_gradient_of_its_likelihood_and_is_bradley_terry_without_its_link() -> None:
    pairs, _ = refereed_pairs(1.0)
    point = np.append(np.random.default_rng(0).normal(1, 0.5, 60), 0.4)

    def cost(at: Floats) -> float:
        return REFEREED.cost(pairs, at)[0]

    slope = approx_fprime(point, cost, 1e-6)
    np.testing.assert_allclose(REFEREED.cost(pairs, point)[1], slope, atol=2e-3)
    without = np.append(PLAIN.rank(pairs).value + 1, 0.0)
    np.testing.assert_allclose(REFEREED.cost(pairs, without)[1][:-1], 0.0, atol=0.01)


@pytest.mark.parametrize(("slope", "gain"), [(3.0, 0.02), (1.0, 0.005)])
def test_rbtl_ranks_better_where_the_strong_judge_better(slope: float, gain: float) -> None:
    """Its correlation with the strengths beats Bradley and Terry's, whose prior is the same; elsewhere it loses none.

    The size of a is not compared: smaller strengths with a larger a fit as well, and the prior prefers these.
    """
    pairs, strength = refereed_pairs(slope)
    found, plain = (method.rank(pairs) for method in (REFEREED, PLAIN))
    assert found.converged
    assert np.corrcoef(np.asarray(found.weight), strength)[0, 1] > 0.9
    right, before = (np.corrcoef(entry.value, strength)[0, 1] for entry in (found, plain))
    assert right > before + gain
    unlinked, strength = refereed_pairs(0.0)
    right, before = (np.corrcoef(method.rank(unlinked).value, strength)[0, 1] for method in (REFEREED, PLAIN))
    assert right > before - 0.01


def test_rbtl_needs_to_know_who_wrote_what(tmp_path: Path) -> None:
    path = tmp_path / "judgements.csv"
    path.write_text("judge,winner,loser\nann,p,q\n", encoding="utf-8")
    with pytest.raises(pg.InputError, match="rbtl needs authors: it uses graders' own grades"):
        pg.aggregate(pg.read_comparisons(path), "rbtl")


def test_the_published_scores_of_r2r(real_data: Path) -> None:
    """Mean, median, Borda, Copeland and both forms of R2R in 20 sessions, exactly."""
    ratings = pd.read_csv(real_data / "r2r" / "peer_grades.csv")
    published = pd.read_csv(real_data / "r2r" / "published_method_scores.csv")
    scores = published.pivot_table(index="group_global", columns="method", values="score")
    rng = np.random.default_rng(0)
    for _, session in ratings.groupby("assignment"):
        rows = list(zip(session["grader"], session["submission"], session["grade"].astype(float), strict=True))
        reports, items = reports_of(rows)
        ranks, _ = reports_of(
            [(who, what, -float(rank)) for (who, what, _), rank in zip(rows, session["rank_by_grader"], strict=True)]
        )
        pairs = Pairs.of(ranks)
        wanted = scores.loc[items]
        rankers = np.full(len(items), float(ranks.n_graders))
        median = Median(name="median").solve(reports, rng).value
        np.testing.assert_allclose(Mean(name="mean").solve(reports, rng).value, wanted["Mean"], atol=1e-12)
        np.testing.assert_allclose(median, wanted["Median"], atol=1e-12)
        np.testing.assert_allclose(Borda(name="borda").rank(pairs).value, wanted["Borda"], atol=1e-12)
        np.testing.assert_allclose(copeland_scores(pairs, ALPHA), wanted["Copeland"], atol=1e-9)
        for column, borda in (("R2R_borda", True), ("R2R_copeland", False)):
            np.testing.assert_allclose(break_ties(median, pairs, rankers, borda=borda), wanted[column], atol=1e-9)


@pytest.mark.parametrize("kind", ["expert1", "expert2", "novice", "peer1", "peer2"])
def test_the_published_strengths_of_comparative_judgement(real_data: Path, kind: str, tmp_path: Path) -> None:
    """Correlations of at least 0.998 with the strengths that sirt's ``btm`` found, which moves scores by 0.3 wins.

    The novices' strengths reach 12, where a prior of N(0, 9) binds; with the wider N(0, 100) they agree as well.
    """
    folder = real_data / "cj-jones2013a"
    table = pd.read_csv(folder / "comparisons.csv", dtype=str)
    path = tmp_path / "comparisons.csv"
    table[table["set"] == f"Jones2013a_{kind}"].to_csv(path, index=False)
    published = pd.read_csv(folder / f"btm_Jones2013a_{kind}.csv", dtype={"individual": str})
    method = BradleyTerry(name="bradley-terry", prior_sd=10.0 if kind == "novice" else 3.0)
    found = method.aggregate(pg.read_comparisons(path)).ranking().set_index("submission")["score"]
    assert len(found) == len(published) == 168
    assert np.corrcoef(found[published["individual"]], published["theta"])[0, 1] >= 0.998


def test_comparisons_are_read_and_what_is_wrong_is_said(tmp_path: Path) -> None:
    path = tmp_path / "judgements.csv"
    path.write_text("judge,winner,loser,minutes\nann,p,q,3\nbob,q,r,1\nann,p,r,2\n", encoding="utf-8")
    compared = pg.read_comparisons(path)
    assert compared.submissions == ("p", "q", "r")
    assert repr(compared) == "Comparisons(3 of 3 submissions by 2 judges)"
    assert list(pg.aggregate(compared, "borda").ranking()["rank"]) == [1, 2, 3]
    path.write_text("judge,winner,loser\nann,p,p\n,p,q\n", encoding="utf-8")
    with pytest.raises(pg.InputError) as caught:
        pg.read_comparisons(path)
    assert [str(problem) for problem in caught.value.problems] == [
        "judgements.csv, row 2: 'p' is compared with itself; correct the row or take it out",
        "judgements.csv, row 3: a judge, winner or loser is missing; correct the row or take it out",
    ]
    path.write_text("judge,winner\nann,p\n", encoding="utf-8")
    with pytest.raises(pg.InputError, match="there is no column 'loser'"):
        pg.read_comparisons(path)


def test_judges_and_submissions_in_several_spellings_are_one(tmp_path: Path) -> None:
    path = tmp_path / "judgements.csv"
    path.write_text("judge,winner,loser\nAnn,p,René\nann, p ,r\nbob,Rene\u0301,r\n", encoding="utf-8")
    compared = pg.read_comparisons(path)
    assert (compared.graders, compared.submissions) == (("Ann", "bob"), ("p", "René", "r"))
    assert [notice.message for notice in compared.notices] == [
        "taken for the same judge in several spellings: 'Ann' and 'ann'",
        r"taken for the same submission in several spellings: 'Ren\xe9' and 'Rene\u0301'",
    ]
    exact = pg.read_comparisons(path, exact_ids=True)
    assert (len(exact.graders), len(exact.submissions), exact.notices) == (3, 4, ())
    path.write_text("judge,winner,loser\nann,p\x1b[2J,q\nann,q,q\u200b\n", encoding="utf-8")
    with pytest.raises(pg.InputError) as caught:
        pg.read_comparisons(path)
    assert [problem.message for problem in caught.value.problems] == [
        r"the id 'p\x1b[2J' holds a control character",
        "'q' is compared with itself",
    ]


@pytest.mark.filterwarnings("error")
def test_rankings_that_leave_no_doubt_have_a_likelihood() -> None:
    """Odds of e^60 in one bundle do not drown those of the next, and odds of e^-5000 are no division by zero."""
    reports, items = reports_of([("a", "p", 3.0), ("a", "q", 1.0), ("b", "r", 2.0), ("b", "s", 1.0)])
    choices = Choices.of_reports(reports)
    strength = np.array([{"p": 60.0, "q": 0.0, "r": 1.0, "s": 0.5}[name] for name in items])
    value, _, _ = choices.likelihood(strength, np.ones(2))
    assert value == pytest.approx(-np.log1p(np.exp(-0.5)))
    value, in_strength, in_weight = choices.likelihood(100 * strength, np.ones(2))
    assert np.isfinite([value, *in_strength, *in_weight]).all()


def test_methods_that_grade_take_no_comparisons(tmp_path: Path) -> None:
    path = tmp_path / "judgements.csv"
    path.write_text("judge,winner,loser\nann,p,q\n", encoding="utf-8")
    with pytest.raises(pg.InputError, match="mean needs grades: comparisons say only which"):
        pg.aggregate(pg.read_comparisons(path), "mean")
    with pytest.raises(pg.InputError, match="borda ranks submissions and gives no grades"):
        pg.aggregate(pg.read_comparisons(path), "borda").grades()
