"""Two gradebooks of one class as one: new grades join those that were there, or correct them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.gradebook.book import MISSING, ROLES, STUDENT, Gradebook
from peerage.gradebook.rulings import Exclusion
from peerage.gradebook.structure import surprises, without_surprises
from peerage.support.words.spelling import Known, same_text
from peerage.support.words.wording import counted, listed, quoted

Indexes = NDArray[np.intp]
Said = TypeVar("Said", str, tuple[str, ...])


def merged(book: Gradebook, new: Gradebook) -> Gradebook:
    """The gradebook with new grades in it; its own ids keep their places, and new ones follow.

    Where a grader has graded a component of a submission in both, the new grade replaces the earlier one. What is
    known about graders and submissions in one of the two need not be said in the other, and must not contradict it.
    """
    if book.rubric != new.rubric:
        raise InputError(_other_rubric(book, new))
    new = _spelt_alike(book, new)
    matches = _Matches.of(book, new)
    joint = _joined(book, new, matches)
    own = _own_work(joint)
    notices = [
        *without_surprises(book),
        *without_surprises(new),
        *_newcomers(book, joint),
        *_roles_changed(book, new, joint, matches),
        *_repeats(book, new, matches),
        *_own_work_dropped(joint, own),
    ]
    joint = joint.select(~own)
    said = (*dict.fromkeys(notices), *surprises(joint))
    return replace(joint, notices=said)


def _spelt_alike(book: Gradebook, new: Gradebook) -> Gradebook:
    """The new grades with ids as the earlier ones spell them, where just one of those is meant."""
    people = Known((*book.graders, *(name for names in book.authors for name in names)))
    works = Known(book.submissions, same_text)
    graders = tuple(map(people.spelling, new.graders))
    submissions = tuple(map(works.spelling, new.submissions))
    if len(set(graders)) < len(graders) or len(set(submissions)) < len(submissions):
        return new
    authors = tuple(tuple(dict.fromkeys(map(people.spelling, names))) for names in new.authors)
    if (graders, submissions, authors) == (new.graders, new.submissions, new.authors):
        return new
    pairs = [*zip(new.graders, graders, strict=True), *zip(new.submissions, submissions, strict=True)]
    words = listed(f"{name!r} as {known!r}" for name, known in pairs if name != known)
    notices = [Problem(f"ids were read in the spelling of the earlier grades: {words}")] if words else []
    return replace(new, graders=graders, submissions=submissions, authors=authors, notices=(*new.notices, *notices))


def places(keys: NDArray[np.integer], wanted: NDArray[np.integer]) -> Indexes:
    """Where each wanted key stands among some distinct keys, or -1."""
    order = np.argsort(keys)
    at = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    return np.where(keys[at] == wanted, at, -1)


def n_changed(before: Gradebook, after: Gradebook) -> int:
    """How many grades of a merged gradebook are new, corrected, gone, or by somebody whose role has changed."""
    changed, gone = _changed(before, after)
    return int(np.count_nonzero(changed) + np.count_nonzero(before.levels[gone] != MISSING))


def with_changed_reviews(before: Gradebook, after: Gradebook) -> NDArray[np.bool_]:
    """(submissions,) of a merged gradebook: those with a grade that counts in :func:`n_changed`."""
    changed, gone = _changed(before, after)
    found = np.zeros(after.n_submissions, bool)
    found[after.review_submission[changed.any(axis=1)]] = True
    found[before.review_submission[gone]] = True
    return found


def _changed(before: Gradebook, after: Gradebook) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(reviews, components): grades that are not as they were; and (earlier reviews,): those that are gone."""
    keys, earlier = (
        book.review_submission.astype(np.int64) * len(after.graders) + book.review_grader for book in (after, before)
    )
    place = places(earlier, keys)
    same = (place >= 0)[:, None] & (after.levels == before.levels[np.maximum(place, 0)])
    n_before = len(before.graders)
    other_role = np.zeros(len(after.graders), bool)
    other_role[:n_before] = after.roles[:n_before] != before.roles
    changed = (after.levels != MISSING) & ~(same & ~other_role[after.review_grader, None])
    return changed, ~np.isin(earlier, keys)


@dataclass(frozen=True, eq=False)
class _Matches:
    """All ids, those of the earlier gradebook first, and the place of each new entry among them.

    A review that is not among the earlier ones has the place -1.
    """

    submissions: tuple[str, ...]
    graders: tuple[str, ...]
    submission: Indexes
    grader: Indexes
    review: Indexes

    @classmethod
    def of(cls, book: Gradebook, new: Gradebook) -> _Matches:
        """Match the entries of two gradebooks."""
        submissions, submission = _union(book.submissions, new.submissions)
        graders, grader = _union(book.graders, new.graders)
        keys = book.review_submission.astype(np.int64) * len(graders) + book.review_grader
        wanted = submission[new.review_submission] * len(graders) + grader[new.review_grader]
        return cls(submissions, graders, submission, grader, places(keys, wanted))


def _union(known: Sequence[str], new: Sequence[str]) -> tuple[tuple[str, ...], Indexes]:
    names = tuple(dict.fromkeys((*known, *new)))
    place = {name: index for index, name in enumerate(names)}
    return names, np.array([place[name] for name in new])


def _joined(book: Gradebook, new: Gradebook, matches: _Matches) -> Gradebook:
    """All reviews, the earlier ones first, without a word about what happened to them."""
    authors, problems = _agreed("author", book.authors, new.authors, matches)
    assignments, more = _agreed("assignment", book.assignments, new.assignments, matches)
    if problems or more:
        raise InputError([*problems, *more])
    roles = np.full(len(matches.graders), STUDENT, np.int8)
    roles[: book.n_graders] = book.roles
    roles[matches.grader] = np.where(new.roles == STUDENT, roles[matches.grader], new.roles)
    fresh, again = np.flatnonzero(matches.review < 0), np.flatnonzero(matches.review >= 0)
    levels = np.concatenate([book.levels, new.levels[fresh]])
    place = matches.review[again]
    levels[place] = np.where(new.levels[again] == MISSING, levels[place], new.levels[again])
    joint = Gradebook(
        rubric=book.rubric,
        submissions=matches.submissions,
        graders=matches.graders,
        roles=roles,
        authors=tuple(authors),
        assignments=tuple(assignments),
        review_submission=np.append(book.review_submission, matches.submission[new.review_submission[fresh]]),
        review_grader=np.append(book.review_grader, matches.grader[new.review_grader[fresh]]),
        levels=levels,
        times=_times(book, new, matches.review),
        comments=_comments(book, new, matches.review),
        self_grades=tuple({grade[:3]: grade for grade in (*book.self_grades, *new.self_grades)}.values()),
        exclusions=_exclusions(book, new),
        inputs=tuple(dict.fromkeys((*book.inputs, *new.inputs))),
    )
    # Either gradebook may know of components that no review at hand tells of.
    applicable = joint.applicable.copy()
    applicable[: book.n_submissions] |= book.applicable
    applicable[matches.submission] |= new.applicable
    return replace(joint, also_applicable=applicable)


def _agreed(
    what: str, known: Sequence[Said], new: Sequence[Said], matches: _Matches
) -> tuple[list[Said], list[Problem]]:
    """What either gradebook says of each submission, and where they contradict each other."""
    said, problems = list(known), []
    said += [type(new[0])()] * (len(matches.submissions) - len(known))
    for index, value in zip(matches.submission, new, strict=True):
        before = said[index]
        if before and value and _in_any_order(before) != _in_any_order(value):
            message = f"the {what} of submission {matches.submissions[index]!r} is {_text(value)!r} in the new grades"
            remedy = "correct the new grades, or fit all grades again"
            problems.append(Problem(f"{message} but was {_text(before)!r}", remedy))
        said[index] = before or value
    return said, problems


def _in_any_order(said: Said) -> str | list[str]:
    return said if isinstance(said, str) else sorted(said)


def _text(said: Said) -> str:
    return said if isinstance(said, str) else ";".join(said)


def _times(book: Gradebook, new: Gradebook, review: Indexes) -> NDArray[np.datetime64] | None:
    """When each review was given; one that is given again has its new time, if there is one."""
    if book.times is None and new.times is None:
        return None
    unknown = np.datetime64("NaT", "us")
    before = np.full(book.n_reviews, unknown) if book.times is None else book.times
    now = np.full(new.n_reviews, unknown) if new.times is None else new.times
    times = np.concatenate([before, now[review < 0]])
    again = (review >= 0) & ~np.isnat(now)
    times[review[again]] = now[again]
    return times


def _comments(book: Gradebook, new: Gradebook, review: Indexes) -> tuple[str, ...]:
    """What was written about each review; one that is given again has its new comment, if there is one."""
    if not (book.comments or new.comments):
        return ()
    said = list(book.comments or [""] * book.n_reviews)
    for place, comment in zip(review.tolist(), new.comments or [""] * new.n_reviews, strict=True):
        if place < 0:
            said.append(comment)
        elif comment:
            said[place] = comment
    return tuple(said)


def _exclusions(book: Gradebook, new: Gradebook) -> tuple[Exclusion, ...]:
    """The exclusions of both, each once and with the reviews that it took out of either."""
    counts: Counter[Exclusion] = Counter()
    for rule in (*book.exclusions, *new.exclusions):
        counts[replace(rule, n_reviews=0)] += rule.n_reviews
    return tuple(replace(rule, n_reviews=number) for rule, number in counts.items())


def _own_work(book: Gradebook) -> NDArray[np.bool_]:
    """(reviews,) whether graders review their own work, which perhaps only both gradebooks together tell."""
    graders: dict[str, list[int]] = {}
    for index, name in enumerate(book.graders):
        graders.setdefault(name.strip(), []).append(index)
    own = [
        submission * book.n_graders + grader
        for submission, authors in enumerate(book.authors)
        for author in authors
        for grader in graders.get(author, ())
    ]
    keys = book.review_submission.astype(np.int64) * book.n_graders + book.review_grader
    return np.isin(keys, np.array(own, dtype=np.int64))


def _other_rubric(book: Gradebook, new: Gradebook) -> Problem:
    mine, theirs = ({component.name: component for component in part.rubric.components} for part in (book, new))
    names = [name for name in mine | theirs if mine.get(name) != theirs.get(name)]
    how = f"differs in {quoted(names)}" if names else "has its components in another order"
    return Problem(f"the rubric of the new grades {how}", "read them with the rubric of the class", setting="rubric")


def _newcomers(book: Gradebook, joint: Gradebook) -> Iterator[Problem]:
    submissions = joint.submissions[book.n_submissions :]
    if submissions:
        message = f"{counted(len(submissions), 'new submission')}: {quoted(submissions)}"
        yield Problem(message, "if one of them is not new, write its id as before")
    graders, roles = joint.graders[book.n_graders :], joint.roles[book.n_graders :]
    for index, role in enumerate(ROLES):
        names = [name for name, own in zip(graders, roles, strict=True) if own == index]
        if names:
            message = f"{counted(len(names), 'new grader')} with the role {role}: {quoted(names)}"
            yield Problem(message, "staff need the role ta or instructor" if index == STUDENT else "")


def _roles_changed(book: Gradebook, new: Gradebook, joint: Gradebook, matches: _Matches) -> Iterator[Problem]:
    for place, said in zip(matches.grader, new.roles, strict=True):
        if place >= book.n_graders:
            continue
        name, before, now = joint.graders[place], book.roles[place], joint.roles[place]
        if before != now:
            yield Problem(f"the role of {name!r} was {ROLES[before]} and is now {ROLES[now]}, in all reviews")
        elif said != now:
            yield Problem(f"the role of {name!r} stays {ROLES[now]}; the new grades give no role")


def _repeats(book: Gradebook, new: Gradebook, matches: _Matches) -> Iterator[Problem]:
    """Grades that were there already, and those that are corrected."""
    again = np.flatnonzero(matches.review >= 0)
    before, now = book.levels[matches.review[again]], new.levels[again]
    both = (before != MISSING) & (now != MISSING)
    same = int(np.count_nonzero(both & (before == now)))
    if same:
        yield Problem(f"{counted(same, 'new grade')} {'was' if same == 1 else 'were'} already there")
    corrected = np.argwhere(both & (before != now))
    if len(corrected):
        examples = (_correction(new, again[row], int(index), before[row, index]) for row, index in corrected)
        yield Problem(f"{counted(len(corrected), 'grade')} corrected: {listed(examples)}")


def _correction(new: Gradebook, review: np.intp, index: int, before: np.int16) -> str:
    grader, submission = new.graders[new.review_grader[review]], new.submissions[new.review_submission[review]]
    component = new.rubric.components[index]
    grades = f"from {component.grades[before]:g} to {new.values[review, index]:g}"
    return f"{grader!r} on {submission!r} in {component.name!r} {grades}"


def _own_work_dropped(book: Gradebook, own: NDArray[np.bool_]) -> Iterator[Problem]:
    names = dict.fromkeys(book.graders[grader] for grader in book.review_grader[own])
    if names:
        number = counted(int(np.count_nonzero(own)), "review")
        yield Problem(f"dropped {number} of the grader's own work, by {quoted(names)}")
