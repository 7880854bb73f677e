"""Two gradebooks of one class as one: what joins, what is corrected, what is refused, and what is said of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import peerage as pg
from peerage.gradebook.merging import merged, n_changed
from support.classes.classes import gradebooks

RUBRIC = pg.Rubric.uniform(["Style", "Code"], [0, 1, 2, 3])


def book_of(*rows: dict[str, Any]) -> pg.Gradebook:
    return pg.read_grades(pd.DataFrame(rows), rubric=RUBRIC)


def row(submission: str, grader: str, style: float | None, code: float | None, **more: str) -> dict[str, Any]:
    return {"submission": submission, "grader": grader, "Style": style, "Code": code, **more}


def grades(book: pg.Gradebook) -> dict[tuple[str, str, str], float]:
    table = book.table()
    keys = zip(table["submission"], table["grader"], table["component"], strict=True)
    return dict(zip(keys, table["grade"], strict=True))


def words(book: pg.Gradebook) -> str:
    return "\n".join(map(str, book.notices))


CLASS = book_of(row("p1", "ann", 1, 2), row("p1", "bob", 2, 3), row("p2", "ann", 0, 1), row("p2", "bob", 1, None))


def test_new_grades_join_and_earlier_ids_keep_their_places() -> None:
    new = book_of(row("p9", "zoe", 3, 3), row("p2", "tom", 1, 1))
    joint = merged(CLASS, new)
    assert joint.submissions == ("p1", "p2", "p9")
    assert joint.graders == ("ann", "bob", "zoe", "tom")
    assert grades(joint) == grades(CLASS) | grades(new)
    assert "1 new submission: 'p9'; if one of them is not new, write its id as before" in words(joint)
    assert "2 new graders with the role student: 'zoe', 'tom'; staff need the role ta or instructor" in words(joint)


def test_a_grade_given_again_corrects_the_earlier_one_and_an_empty_one_keeps_it() -> None:
    joint = merged(CLASS, book_of(row("p1", "ann", 3, None), row("p2", "bob", 1, 2)))
    assert grades(joint) == grades(CLASS) | {("p1", "ann", "Style"): 3, ("p2", "bob", "Code"): 2}
    assert "1 grade corrected: 'ann' on 'p1' in 'Style' from 1 to 3" in words(joint)
    assert "1 new grade was already there" in words(joint)


def test_what_is_odd_is_said_of_the_whole_and_not_of_its_parts() -> None:
    new = book_of(row("p2", "cem", 1, 1), row("p1", "cem", 1, 1))
    alone = book_of(row("p1", "ann", 1, 2), row("p2", "bob", 1, 3))
    assert "2 submissions with a single review" in words(alone)
    assert "single review: 'p1'" not in words(merged(alone, new))
    assert "2 graders with a single review: 'ann', 'bob'" in words(merged(alone, new))


def test_roles_may_be_left_out_and_may_be_brought_in() -> None:
    staffed = merged(CLASS, book_of(row("p1", "kim", 1, 1, role="ta"), row("p2", "ann", 0, 1, role="ta")))
    assert dict(zip(staffed.graders, staffed.roles, strict=True)) == {"ann": 1, "bob": 0, "kim": 1}
    assert "the role of 'ann' was student and is now ta, in all reviews" in words(staffed)
    assert "1 new grader with the role ta: 'kim'" in words(staffed)
    again = merged(staffed, book_of(row("p2", "kim", 1, 1)))
    assert_array_equal(again.roles, staffed.roles)
    assert "the role of 'kim' stays ta; the new grades give no role" in words(again)


def test_authors_and_assignments_are_completed() -> None:
    known = book_of(row("p1", "ann", 1, 2, author="tom;eve", assignment="w1"), row("p2", "ann", 0, 1))
    joint = merged(known, book_of(row("p1", "bob", 1, 1), row("p2", "bob", 1, 1, author="sue", assignment="w2")))
    assert joint.authors == (("tom", "eve"), ("sue",))
    assert joint.assignments == ("w1", "w2")
    assert merged(joint, book_of(row("p1", "cem", 1, 1, author="eve;tom"))).authors == joint.authors


def test_contradictions_are_refused_all_at_once() -> None:
    known = book_of(row("p1", "ann", 1, 2, author="tom", assignment="w1"))
    with pytest.raises(pg.InputError) as caught:
        merged(known, book_of(row("p1", "bob", 1, 1, author="eve", assignment="w2")))
    remedy = "correct the new grades, or fit all grades again"
    assert str(caught.value).splitlines() == [
        f"the author of submission 'p1' is 'eve' in the new grades but was 'tom'; {remedy}",
        f"the assignment of submission 'p1' is 'w2' in the new grades but was 'w1'; {remedy}",
    ]


def test_own_work_that_only_both_together_tell_is_dropped() -> None:
    known = book_of(row("p1", "ann", 1, 2, author="tom"), row("p2", "ann", 1, 2, author="tom"))
    joint = merged(known, book_of(row("p1", "tom", 3, 3), row("p1", "bob", 2, 2)))
    assert ("p1", "tom", "Style") not in grades(joint)
    assert ("p1", "bob", "Style") in grades(joint)
    assert "dropped 1 review of the grader's own work, by 'tom'" in words(joint)


@pytest.mark.parametrize(
    ("rubric", "how"),
    [
        (pg.Rubric.uniform(["Style", "Code"], [0, 1, 2]), "differs in 'Style', 'Code'"),
        (pg.Rubric.uniform(["Style", "Code", "Wit"], [0, 1, 2, 3]), "differs in 'Wit'"),
        (pg.Rubric.uniform(["Code", "Style"], [0, 1, 2, 3]), "has its components in another order"),
    ],
)
def test_another_rubric_is_refused(rubric: pg.Rubric, how: str) -> None:
    table = pd.DataFrame([{"submission": "p1", "grader": "tom", "component": "Style", "grade": 1}])
    with pytest.raises(pg.InputError, match=f"the rubric of the new grades {how}; read them with the rubric of the"):
        merged(CLASS, pg.read_grades(table, rubric=rubric))


def test_grades_that_come_and_that_go_have_changed() -> None:
    assert n_changed(CLASS, merged(CLASS, book_of(row("p1", "ann", 1, 3), row("p3", "cem", 2, None)))) == 2
    known = book_of(row("p1", "tom", 3, 3), row("p1", "ann", 1, 2))
    assert n_changed(known, merged(known, book_of(row("p1", "bob", 2, 2, author="tom")))) == 4  # tom's are dropped


def test_times_are_kept_and_replaced() -> None:
    timed = book_of(row("p1", "ann", 1, 2, time="2024-01-01"), row("p1", "bob", 1, 2, time="2024-01-02"))
    joint = merged(timed, book_of(row("p1", "bob", 2, 2, time="2024-03-01"), row("p2", "bob", 2, 2)))
    assert joint.times is not None
    assert [str(time)[:10] for time in joint.times] == ["2024-01-01", "2024-03-01", "NaT"]
    assert merged(CLASS, CLASS).times is None


def test_a_component_that_a_submission_had_stays_though_no_review_tells() -> None:
    known = CLASS.select(np.array([False, False, False, True]))
    joint = merged(known, book_of(row("p2", "cem", 1, None)))
    assert joint.applicable.all()


@given(gradebooks(), st.data())
def test_the_parts_of_a_gradebook_make_up_the_whole(book: pg.Gradebook, data: st.DataObject) -> None:
    assume(book.n_reviews > 1)
    chosen = data.draw(st.lists(st.booleans(), min_size=book.n_reviews, max_size=book.n_reviews).map(np.array))
    graded = book.levels >= 0
    assume(graded[chosen].any() and graded[~chosen].any())
    joint = merged(book.select(chosen), book.select(~chosen))
    assert grades(joint) == grades(book)
    assert (joint.submissions, joint.graders, joint.authors) == (book.submissions, book.graders, book.authors)
    assert_array_equal(joint.roles, book.roles)
    assert_array_equal(joint.applicable, book.applicable)
    assert grades(merged(joint, book)) == grades(book)


def test_ids_are_those_of_the_earlier_grades_however_they_are_spelt() -> None:
    joint = merged(CLASS, book_of(row("p2 ", "Ann", 3, 3), row("P1", "bob", 1, 1)))
    assert joint.submissions == ("p1", "p2", "P1")
    assert joint.graders == ("ann", "bob")
    assert grades(joint)["p2", "ann", "Style"] == 3
    assert "ids were read in the spelling of the earlier grades: 'Ann' as 'ann', 'p2 ' as 'p2'" in words(joint)
