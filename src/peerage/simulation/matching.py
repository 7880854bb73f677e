"""Who reviews what: a random matching in which everyone gives, and everything gets, the same number of reviews.

Reviews are given out in turn from a shuffled circle of submissions, so that the counts are equal at once. The few that
landed on a banned pair (one's own work) go to the least reviewed submission instead, and paths of single moves level
the counts again. Swaps of pairs of reviews, which change no count, then make the matching random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peerage.errors import InputError, Problem

SWAP_ROUNDS = 12
"""How often each review is offered a swap; connections between neighbours on the circle are gone after a few."""


def match(
    reviewers: int,
    submissions: int,
    each: int,
    rng: np.random.Generator,
    *,
    banned: ArrayLike = (),
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give each reviewer ``each`` different submissions, none of a banned pair.

    The numbers of reviews that submissions get differ by one at most, or, where the banned pairs rule that out, by as
    little as they allow.

    Parameters
    ----------
    reviewers, submissions: how many there are; both are referred to by index
    each: how many submissions a reviewer gets
    rng: the source of randomness
    banned: (pairs, 2) reviewer and submission that must not meet, such as authors and their own work

    Returns
    -------
    reviewer, submission: (reviewers · each,) indexes, sorted by reviewer and then by submission
    """
    pairs = np.asarray(banned, dtype=np.int64).reshape(-1, 2)
    _check(reviewers, submissions, each, pairs)
    forbidden = np.unique(pairs[:, 0] * submissions + pairs[:, 1])
    reviewer, submission = _deal(reviewers, submissions, each, rng)
    submission = _avoid(reviewer, submission, submissions, forbidden)
    keys = _shuffle(reviewer, submission, submissions, forbidden, rng)
    return keys // submissions, keys % submissions


def _check(reviewers: int, submissions: int, each: int, pairs: NDArray[np.int64]) -> None:
    """Refuse what cannot be matched."""
    if reviewers < 1 or submissions < 1 or each < 1:
        raise InputError("a matching needs at least one reviewer, one submission and one review each")
    if len(pairs) and (pairs.min() < 0 or (pairs >= [reviewers, submissions]).any()):
        raise InputError("a banned pair names a reviewer or a submission that does not exist")
    distinct = np.unique(pairs, axis=0)
    fewest = submissions - int(np.bincount(distinct[:, 0], minlength=reviewers).max())
    if each > fewest:
        message = f"nobody can review {each} submissions: some reviewer may see only {fewest} of the {submissions}"
        raise InputError(Problem(message, f"ask for at most {fewest} reviews each"))


def _deal(
    reviewers: int, submissions: int, each: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Deal consecutive submissions of a shuffled circle to the reviewers in random order."""
    reviewer = np.repeat(rng.permutation(reviewers), each)
    circle = rng.permutation(submissions)
    return reviewer, circle[np.arange(reviewers * each) % submissions]


def _avoid(
    reviewer: NDArray[np.int64], submission: NDArray[np.int64], submissions: int, forbidden: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Replace the reviews of banned pairs and level the counts again."""
    wrong = np.flatnonzero(np.isin(reviewer * submissions + submission, forbidden))
    if not len(wrong):
        return submission
    table = _MatchingTable(reviewer, submission, submissions, forbidden)
    for review in wrong:
        table.replace(int(review))
    table.level()
    return table.submission


class _MatchingTable:
    """A matching in which single reviews are moved from one submission to another."""

    def __init__(
        self,
        reviewer: NDArray[np.int64],
        submission: NDArray[np.int64],
        submissions: int,
        forbidden: NDArray[np.int64],
    ) -> None:
        self.reviewer = reviewer
        self.submission = submission.copy()
        self.load = np.bincount(submission, minlength=submissions)
        self.closed = {divmod(key, submissions) for key in forbidden.tolist()}
        self.reviews: list[set[int]] = [set() for _ in range(submissions)]
        for review, (one, other) in enumerate(zip(reviewer.tolist(), submission.tolist(), strict=True)):
            self.reviews[other].add(review)
            self.closed.add((one, other))

    def replace(self, review: int) -> None:
        """Move a review of a banned pair to the least reviewed submission that is open to its reviewer."""
        reviewer = int(self.reviewer[review])
        order = np.argsort(self.load, kind="stable").tolist()
        target = next(submission for submission in order if (reviewer, submission) not in self.closed)
        self._move(review, target, reopen=False)

    def level(self) -> None:
        """Move reviews from fuller to emptier submissions until no path of moves evens the counts further."""
        settled = np.zeros(len(self.load), dtype=bool)
        while True:
            most = self.load.max()
            unsettled = np.where(settled, most, self.load)
            low = int(np.argmin(unsettled))
            if most - unsettled[low] <= 1:
                return
            settled[list(self._relieve(low))] = True

    def _relieve(self, low: int) -> set[int]:
        """Give ``low`` one more review along a path of moves; without one, return all that could pass one on to it.

        Those returned can be set aside for good: whatever moves elsewhere, nothing outside can pass a review to them.
        """
        step: dict[int, tuple[int, int]] = {}
        reached = {low}
        frontier = [low]
        by_load = np.argsort(-self.load, kind="stable").tolist()
        for target in frontier:
            for source in by_load:
                review = None if source in reached else self._movable(source, target)
                if review is None:
                    continue
                step[source] = (review, target)
                if self.load[source] >= self.load[low] + 2:
                    self._follow(step, source, low)
                    return set()
                reached.add(source)
                frontier.append(source)
        return reached

    def _follow(self, step: dict[int, tuple[int, int]], source: int, low: int) -> None:
        while source != low:
            review, target = step[source]
            self._move(review, target, reopen=True)
            source = target

    def _movable(self, source: int, target: int) -> int | None:
        """A review of ``source`` whose reviewer may take ``target`` instead."""
        reviews = self.reviews[source]
        return next((one for one in reviews if (int(self.reviewer[one]), target) not in self.closed), None)

    def _move(self, review: int, target: int, *, reopen: bool) -> None:
        reviewer, source = int(self.reviewer[review]), int(self.submission[review])
        if reopen:
            self.closed.remove((reviewer, source))
        self.closed.add((reviewer, target))
        self.reviews[source].remove(review)
        self.reviews[target].add(review)
        self.submission[review] = target
        self.load[source] -= 1
        self.load[target] += 1


def _shuffle(
    reviewer: NDArray[np.int64],
    submission: NDArray[np.int64],
    submissions: int,
    forbidden: NDArray[np.int64],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Swap the submissions of random pairs of reviews wherever that keeps pairs distinct and allowed; sorted keys."""
    keys = np.sort(reviewer * submissions + submission)
    half = len(keys) // 2
    for _ in range(SWAP_ROUNDS):
        order = rng.permutation(len(keys))
        first, second = keys[order[:half]], keys[order[half : 2 * half]]
        swapped_first = first - first % submissions + second % submissions
        swapped_second = second - second % submissions + first % submissions
        proposed = np.concatenate([swapped_first, swapped_second])
        taken = _contains(keys, proposed) | _contains(forbidden, proposed) | _repeated(proposed)
        accepted = ~(taken[:half] | taken[half:])
        keys[order[:half][accepted]] = swapped_first[accepted]
        keys[order[half : 2 * half][accepted]] = swapped_second[accepted]
        keys.sort()
    return keys


def _contains(ordered: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which values occur in an ascending array."""
    if not len(ordered):
        return np.zeros(len(values), dtype=bool)
    places = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.asarray(ordered[places] == values)


def _repeated(values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which values occur more than once."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse] > 1)
