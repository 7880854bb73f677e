"""One contract for all methods: whatever a class looks like, a method gives finite grades or says why it does not."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import peerage as pg
from peerage.errors import UnmetNeedError
from peerage.gradebook import MISSING
from peerage.methods.method_contract import Method
from peerage.methods.method_registry import METHODS
from peerage.methods.models.crowd_labels import CrowdLabels, Mace
from peerage.methods.models.peerage import FittedMethod
from peerage.methods.models.pg2 import PG2
from peerage.methods.models.pg3 import PG3
from peerage.methods.models.pg4 import PG4
from peerage.methods.models.pg5 import PG5
from peerage.methods.models.rasch import ManyFacetRasch

Grades = list[tuple[str, str, str, float]]


def class_of(grades: Grades, rubric: pg.Rubric) -> pg.Gradebook:
    """A class from rows of (submission, grader, component, grade); submission s1 is by grader s1, and so on."""
    submissions = tuple(dict.fromkeys(row[0] for row in grades))
    graders = tuple(dict.fromkeys(row[1] for row in grades))
    reviews = list(dict.fromkeys(row[:2] for row in grades))
    levels = np.full((len(reviews), len(rubric)), MISSING, np.int16)
    for submission, grader, component, grade in grades:
        place = rubric.names.index(component)
        levels[reviews.index((submission, grader)), place] = rubric.components[place].grades.index(grade)
    return pg.Gradebook(
        rubric=rubric,
        submissions=submissions,
        graders=graders,
        roles=np.array([1 if name.startswith("ta") else 0 for name in graders], np.int8),
        authors=tuple((name,) for name in submissions),
        assignments=tuple("1" if index < len(submissions) / 2 else "2" for index in range(len(submissions))),
        review_submission=np.array([submissions.index(pair[0]) for pair in reviews], np.int32),
        review_grader=np.array([graders.index(pair[1]) for pair in reviews], np.int32),
        levels=levels,
    )


ESSAY = pg.Rubric.uniform(["Essay"], range(6))
BOTH = pg.Rubric((pg.Component("Essay", (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)), pg.Component("Code", (0.0, 0.5, 2.0, 10.0))))


def one_review() -> pg.Gradebook:
    return class_of([("s1", "s2", "Essay", 3.0)], ESSAY)


def unconnected_parts() -> pg.Gradebook:
    rows = [
        ("s1", "s2", "Essay", 3.0),
        ("s2", "s1", "Essay", 5.0),
        ("s3", "s4", "Essay", 1.0),
        ("s4", "s3", "Essay", 2.0),
    ]
    return class_of(rows, ESSAY)


def missing_components() -> pg.Gradebook:
    """Code is graded once, nobody's Essay is graded in s3, and one review holds one component of two."""
    rows = [
        ("s1", "s2", "Essay", 3.0),
        ("s1", "s3", "Essay", 4.0),
        ("s2", "s1", "Essay", 2.0),
        ("s2", "s3", "Code", 2.0),
    ]
    return class_of([*rows, ("s3", "s1", "Code", 10.0), ("s1", "ta1", "Essay", 5.0)], BOTH)


def uneven_scales() -> pg.Gradebook:
    rows: Grades = []
    for index, (submission, grader) in enumerate(
        [("s1", "s2"), ("s1", "s3"), ("s2", "s1"), ("s2", "s3"), ("s3", "s1")]
    ):
        rows += [
            (submission, grader, "Essay", float(index)),
            (submission, grader, "Code", (0.0, 0.5, 2.0, 10.0)[index % 4]),
        ]
    return class_of(rows, BOTH)


def ties() -> pg.Gradebook:
    rows = [
        (f"s{one}", f"s{other}", "Essay", 3.0 + one % 2) for one in range(1, 5) for other in range(1, 5) if one != other
    ]
    return class_of(rows, ESSAY)


def all_equal() -> pg.Gradebook:
    return class_of(
        [(f"s{one}", f"s{other}", "Essay", 4.0) for one in (1, 2, 3) for other in (1, 2, 3) if one != other], ESSAY
    )


def all_at_the_bottom() -> pg.Gradebook:
    book = all_equal()
    return replace(book, levels=np.zeros_like(book.levels))


def without_authors() -> pg.Gradebook:
    book = ties()
    return replace(book, authors=((),) * book.n_submissions)


def with_some_left_out() -> pg.Gradebook:
    """As a fold leaves it: a submission and a grader without any review."""
    book = unconnected_parts()
    return book.select(np.arange(book.n_reviews) > 0)


def plain() -> pg.Gradebook:
    return pg.simulate(students=10, weeks=2, components=2, reviews_per_student=3, seed=3)[0]


CLASSES: tuple[Callable[[], pg.Gradebook], ...] = (
    one_review,
    unconnected_parts,
    missing_components,
    uneven_scales,
    ties,
    all_equal,
    all_at_the_bottom,
    without_authors,
    with_some_left_out,
    plain,
)


def short(method: Method) -> Method:
    """A method that samples, with few draws, so that the contract is what takes the time."""
    if isinstance(method, FittedMethod):
        return replace(method, chains=2, draws=30)
    if isinstance(method, Mace):
        return replace(method, rounds=5, restarts=1)
    if isinstance(method, CrowdLabels):
        return replace(method, rounds=5)
    return replace(method, sweeps=60) if isinstance(method, ManyFacetRasch | PG2 | PG3 | PG4 | PG5) else method


@pytest.mark.parametrize("build", CLASSES, ids=lambda build: build.__name__)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_method_gives_finite_grades_or_says_why_not(method: Method, build: Callable[[], pg.Gradebook]) -> None:
    book = build()
    need = method.unmet(book)
    if need is not None:
        with pytest.raises(UnmetNeedError, match=f"{method.name} needs {need.name}: "):
            method.aggregate(book)
        return
    found = short(method).aggregate(book, seed=0)
    cells = int(book.applicable.sum())
    ranking = found.ranking()
    assert list(ranking) == ["submission", "component", "score", "rank"]
    assert len(ranking) == cells
    assert np.isfinite(ranking["score"]).all()
    assert ranking["rank"].min() == 1
    if not method.is_ranking:
        grades = found.grades()
        assert list(grades) == ["submission", "component", "grade", "sd"]
        assert np.isfinite(grades["grade"]).all()
        assert not (grades["sd"] < 0).any()
        assert np.isnan(found.sd).all() or np.isfinite(found.sd[book.applicable & graded(book)]).all()
    graders = found.graders()
    assert list(graders) == ["grader", "weight", "bias"]
    assert list(graders["grader"]) == list(book.graders)
    active = np.bincount(book.review_grader, minlength=book.n_graders) > 0
    for name in ("weight", "bias"):
        values = graders[name].to_numpy(float)
        assert np.isnan(values).all() or np.isfinite(values[active]).all()
    assert isinstance(found.converged, bool)
    assert found.seconds >= 0


def graded(book: pg.Gradebook) -> NDArray[np.bool_]:
    """(submissions, components) whether anybody graded it."""
    found = np.zeros(book.applicable.shape, bool)
    review, component = np.nonzero(book.levels != MISSING)
    found[book.review_submission[review], component] = True
    return found


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_same_seed_gives_the_same_grades(method: Method) -> None:
    book = plain()
    first, second = (short(method).aggregate(book, seed=7).scores for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_class_of_equal_grades_gets_them(method: Method) -> None:
    """Every work has a 4 from everyone, so that it is a 4, or nobody is above another."""
    # One kind of PeerRank mixes in how well the author graded.
    if isinstance(method, SAMPLED) or method.unmet(all_equal()) is not None or method.name == "peerrank-generalised":
        return
    found = method.aggregate(all_equal())
    if method.is_ranking:
        assert (found.ranking()["rank"] == 1).all()
    else:
        np.testing.assert_allclose(found.scores, 4.0, atol=1e-6)


SAMPLED = (FittedMethod, Mace, ManyFacetRasch, PG2, PG3, PG4, PG5)


def test_a_refusal_names_method_need_and_remedy_and_survives_a_worker() -> None:
    with pytest.raises(UnmetNeedError) as caught:
        pg.aggregate(without_authors(), "peerrank")
    message = "peerrank needs authors: it uses graders' own grades, and no grader is known to be an author"
    assert str(caught.value) == f"{message}; choose another method"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_an_unknown_method_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(pg.InputError, match=r"there is no method 'vancuver'; choose one of peerage, .*vancouver"):
        pg.aggregate(plain(), "vancuver")
    with pytest.raises(pg.InputError, match="takes a Gradebook"):
        pg.aggregate("grades.csv", "mean")  # type: ignore[arg-type]


def test_the_room_of_methods_can_be_called_and_lists_them() -> None:
    table = pg.methods()
    assert list(table) == ["name", "citation", "needs", "gives"]
    assert list(table["name"]) == [method.name for method in METHODS]
    assert table["name"].is_unique
    assert table.set_index("name").loc["rank-with-ta", "needs"] == "authors, staff grades"


def test_a_missing_grade_is_the_mean_of_the_component() -> None:
    book = with_some_left_out()
    grades = pg.aggregate(book, "mean").grades().set_index("submission")["grade"]
    assert grades["s1"] == pytest.approx(np.mean([5, 1, 2]))
