"""A small class that holds every special case of the model at once."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from peerage.gradebook.book import INSTRUCTOR, STUDENT, TA, Gradebook
from peerage.model import Fixed, Model, Priors
from peerage.rubric import Rubric

MODELS = [
    Model(bias=bias, effort=effort, censoring=censoring, correlation=correlation, priors="paper")
    for bias, effort, censoring, correlation in itertools.product([True, False], repeat=4)
]
"""All combinations of bias, effort, censoring and correlation."""

FIXED = Fixed(effort={"b": 0.7}, reliability={"c": 0.9}, bias={"a": 0.25}, true_grade={("s1", "Structure"): 3.0})
"""One value of each kind that a user can fix, for :func:`tiny_class`."""

PRIORS = Priors.paper(mu_s=(3.5, 3.0), sigma_s=(0.8, 1.2), sigma_b=0.7, tau_l=2.0, epsilon=0.1)
"""Priors that differ by component and from the defaults."""


def model_id(model: Model) -> str:
    """A short name of a model for a test's id."""
    return model.name.replace(" ", "")


def tiny_class(seed: int) -> Gradebook:
    """Seven graders, six submissions, two components of different scales, random grades.

    A TA and an instructor; a submission of two authors, one without, one whose author does not grade; a submission
    with one review; a grader with one; missing grades; an assignment without the second component.
    """
    rng = np.random.default_rng(seed)
    rubric = Rubric.from_dict({"Structure": {"grades": "0 to 5 by 1"}, "Code": {"grades": [0, 0.5, 2, 3]}})
    graders_of = [(1, 2, 5), (0, 2, 3), (1, 3, 6), (0, 2, 4, 5, 6), (0, 1, 3), (1,)]
    pairs = np.array([(submission, grader) for submission, graders in enumerate(graders_of) for grader in graders])
    levels = np.stack([rng.integers(0, 6, len(pairs)), rng.integers(0, 4, len(pairs))], axis=1)
    levels[[1, 7], [1, 0]] = -1
    levels[pairs[:, 0] >= 4, 1] = -1
    return Gradebook(
        rubric=rubric,
        submissions=("s0", "s1", "s2", "s3", "s4", "s5"),
        graders=("a", "b", "c", "d", "e", "ta", "teacher"),
        roles=np.array([STUDENT] * 5 + [TA, INSTRUCTOR], dtype=np.int8),
        authors=(("a",), ("b",), ("a", "c"), (), ("d",), ("somebody",)),
        assignments=("first",) * 4 + ("second",) * 2,
        review_submission=pairs[:, 0].astype(np.int32),
        review_grader=pairs[:, 1].astype(np.int32),
        levels=levels.astype(np.int16),
    )


def one_submission(rubric: Rubric, levels: NDArray[np.integer]) -> Gradebook:
    """One submission, and a grader for each row of levels."""
    count = len(levels)
    return Gradebook(
        rubric=rubric,
        submissions=("s",),
        graders=tuple(f"g{index}" for index in range(count)),
        roles=np.zeros(count, np.int8),
        authors=((),),
        assignments=("",),
        review_submission=np.zeros(count, np.int32),
        review_grader=np.arange(count, dtype=np.int32),
        levels=levels.astype(np.int16),
    )
