"""Balanced review matching: its promises hold for every request that can be met, and the others are refused."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_flow

from peerage import InputError
from peerage.simulation.matching import match

Pairs = NDArray[np.int64]


def own_work(students: int) -> Pairs:
    return np.stack([np.arange(students)] * 2, axis=1)


@st.composite
def requests(draw: st.DrawFn) -> tuple[int, int, int, Pairs]:
    """A request that can be met: reviewers, submissions, reviews each and banned pairs, dense and sparse."""
    reviewers, submissions = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    pair = st.tuples(st.integers(0, reviewers - 1), st.integers(0, submissions - 1))
    banned = np.array(draw(st.lists(pair, max_size=40)), dtype=np.int64).reshape(-1, 2)
    allowed = np.ones((reviewers, submissions), dtype=bool)
    allowed[banned[:, 0], banned[:, 1]] = False
    most = int(allowed.sum(axis=1).min())
    if most == 0:
        return reviewers, submissions, draw(st.integers(1, submissions)), banned[:0]
    return reviewers, submissions, draw(st.integers(1, most)), banned


@given(requests(), st.integers(0, 2**32))
def test_everyone_gives_the_same_number_and_no_pair_is_banned_or_repeated(
    request_: tuple[int, int, int, Pairs], seed: int
) -> None:
    reviewers, submissions, each, banned = request_
    reviewer, submission = match(reviewers, submissions, each, np.random.default_rng(seed), banned=banned)
    pairs = list(zip(reviewer.tolist(), submission.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert not set(pairs) & {tuple(pair) for pair in banned.tolist()}
    assert np.bincount(reviewer, minlength=reviewers).tolist() == [each] * reviewers
    assert submission.min() >= 0
    assert submission.max() < submissions


@given(requests(), st.integers(0, 2**32))
def test_counts_are_as_equal_as_banned_pairs_allow(request_: tuple[int, int, int, Pairs], seed: int) -> None:
    reviewers, submissions, each, banned = request_
    _, submission = match(reviewers, submissions, each, np.random.default_rng(seed), banned=banned)
    counts = np.bincount(submission, minlength=submissions)
    allowed = np.ones((reviewers, submissions), dtype=bool)
    allowed[banned[:, 0], banned[:, 1]] = False
    lowest_maximum = next(cap for cap in range(reviewers + 1) if flow(allowed, each, cap) == reviewers * each)
    highest_minimum = max(cap for cap in range(reviewers + 1) if flow(allowed, each, cap) == cap * submissions)
    assert (counts.max(), counts.min()) == (lowest_maximum, highest_minimum)


@given(st.integers(2, 40), st.integers(2, 60), st.integers(0, 2**32), st.data())
def test_with_single_authors_counts_differ_by_one_at_most(
    students: int, submissions: int, seed: int, data: st.DataObject
) -> None:
    writers = min(students, submissions)
    each = data.draw(st.integers(1, submissions - 1))
    _, submission = match(students, submissions, each, np.random.default_rng(seed), banned=own_work(writers))
    counts = np.bincount(submission, minlength=submissions)
    assert counts.max() - counts.min() <= 1


def flow(allowed: NDArray[np.bool_], each: int, cap: int) -> int:
    """The most reviews that fit when a reviewer gives ``each`` and a submission takes ``cap`` at most."""
    reviewers, submissions = allowed.shape
    capacity = np.zeros((reviewers + submissions + 2,) * 2, dtype=np.int32)
    capacity[-2, :reviewers] = each
    capacity[:reviewers, reviewers:-2] = allowed
    capacity[reviewers:-2, -1] = cap
    size = len(capacity)
    return int(maximum_flow(csr_array(capacity), size - 2, size - 1).flow_value)


def test_the_same_seed_gives_the_same_matching() -> None:
    first, second, third = (
        match(30, 30, 4, np.random.default_rng(seed), banned=own_work(30))[1].tolist() for seed in (1, 1, 2)
    )
    assert first == second != third


def test_a_class_does_not_fall_apart() -> None:
    reviewer, submission = match(400, 400, 4, np.random.default_rng(0), banned=own_work(400))
    graph = csr_array((np.ones(len(reviewer)), (reviewer, 400 + submission)), shape=(800, 800))
    parts, _ = connected_components(graph, directed=False)
    assert parts == 1


def test_all_allowed_pairs_are_equally_likely() -> None:
    """Chi-square over the 30 pairs of six students who review two others: false-alarm rate below 1e-4.

    Pairs within a matching repel each other, so the statistic is smaller than a chi-square of 24 degrees of freedom,
    whose 1 - 1e-4 quantile is 60.
    """
    rng = np.random.default_rng(5)
    matchings = 2000
    counts = np.zeros((6, 6))
    for _ in range(matchings):
        np.add.at(counts, match(6, 6, 2, rng, banned=own_work(6)), 1)
    expected = matchings * 12 / 30
    assert np.trace(counts) == 0
    assert ((counts - expected) ** 2 / expected)[~np.eye(6, dtype=bool)].sum() < 60


@pytest.mark.parametrize(
    ("reviewers", "submissions", "each", "banned", "message"),
    [
        (5, 5, 5, own_work(5), "some reviewer may see only 4 of the 5; ask for at most 4 reviews each"),
        (5, 3, 4, (), "some reviewer may see only 3 of the 3; ask for at most 3 reviews each"),
        (0, 3, 1, (), "at least one reviewer"),
        (3, 3, 0, (), "one review each"),
        (3, 3, 1, [(3, 0)], "does not exist"),
        (3, 3, 1, [(0, -1)], "does not exist"),
    ],
)
def test_impossible_requests_are_refused(
    reviewers: int, submissions: int, each: int, banned: Pairs, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        match(reviewers, submissions, each, np.random.default_rng(0), banned=banned)


@pytest.mark.slow
def test_a_hundred_thousand_students_are_matched_in_seconds() -> None:
    start = time.perf_counter()
    _, submission = match(100_000, 100_000, 4, np.random.default_rng(0), banned=own_work(100_000))
    assert time.perf_counter() - start < 30
    assert (np.bincount(submission) == 4).all()
