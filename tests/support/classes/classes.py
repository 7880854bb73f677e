"""Hypothesis strategies for gradebooks: any table that the model allows, with ids that files find hard to keep."""

from __future__ import annotations

from datetime import datetime

import numpy as np
from hypothesis import strategies as st

from peerage.gradebook.book import MISSING, ROLES, Gradebook
from peerage.rubric import FORBIDDEN, Component, Rubric

NASTY = [
    "007", "7", "7.0", "NA", "nan", "NULL", "None", "", "TRUE", "1e5", "=1+1", "'=1", "''@x", "-3", "+3", "@me", "\tx",
    "\rx", "x\ry", "x\r\ny", "x\ny", "a,b", "a;b", 'say "hi"', '"', "'", " padded ", "_x000D_", "_x005F_", "#N/A",
    "2024-05-01", "Zoë", "李", "مرحبا", "😀", "[red]", "submission", "grader", "\ufeffmark", "\u2028", "\x85",
]  # fmt: skip

_characters = st.characters(codec="utf-8").filter(lambda character: not FORBIDDEN.match(character))
texts = st.one_of(st.sampled_from(NASTY), st.text(_characters, max_size=8))
ids = texts.filter(lambda text: text.strip() != "")
authors = ids.map(str.strip).filter(lambda text: ";" not in text)
names = ids.map(str.strip)


def scales() -> st.SearchStrategy[tuple[float, ...]]:
    """Legal grades: whole, by halves, unevenly spaced, negative, or 0 to 100."""
    whole = st.integers(1, 6).map(lambda top: tuple(range(top + 1)))
    halves = st.integers(1, 8).map(lambda top: tuple(index / 2 for index in range(top + 1)))
    uneven = st.lists(st.integers(-1000, 1000), min_size=2, max_size=9, unique=True).map(
        lambda grades: tuple(grade / 100 for grade in sorted(grades))
    )
    return st.one_of(whole, halves, uneven, st.just(tuple(range(101))))


@st.composite
def gradebooks(draw: st.DrawFn) -> Gradebook:
    """A gradebook in which every submission and grader has a review, first named in the order of the reviews."""
    named = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    rubric = Rubric(tuple(Component(name, tuple(map(float, draw(scales())))) for name in named))
    pairs = draw(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=8, unique=True))
    tops = [component.n_levels - 1 for component in rubric.components]
    levels = [[draw(st.integers(MISSING, top)) for top in tops] for _ in pairs]
    for row in levels:
        if max(row) == MISSING:
            row[0] = 0
    submission, grader = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    submissions = draw(st.lists(ids, min_size=max(submission) + 1, max_size=max(submission) + 1, unique=True))
    graders = draw(st.lists(ids, min_size=max(grader) + 1, max_size=max(grader) + 1, unique=True))
    written = [
        tuple(
            draw(
                st.lists(authors.filter(lambda name: name not in {g.strip() for g in graders}), max_size=2, unique=True)
            )
        )
        for _ in submissions
    ]
    times = draw(st.none() | st.lists(_times(), min_size=len(pairs), max_size=len(pairs)))
    return Gradebook(
        rubric=rubric,
        submissions=tuple(submissions),
        graders=tuple(graders),
        roles=np.array([draw(st.integers(0, len(ROLES) - 1)) for _ in graders], dtype=np.int8),
        authors=tuple(written),
        assignments=tuple(draw(st.just("") | ids) for _ in submissions),
        review_submission=np.array(submission, dtype=np.int32),
        review_grader=np.array(grader, dtype=np.int32),
        levels=np.array(levels, dtype=np.int16),
        times=None if times is None else np.array(times, dtype="datetime64[us]"),
    )


def _times() -> st.SearchStrategy[datetime | None]:
    return st.none() | st.datetimes()


def _ranks(values: list[int]) -> list[int]:
    """Number the values in the order in which they first appear."""
    order = {value: rank for rank, value in enumerate(dict.fromkeys(values))}
    return [order[value] for value in values]
