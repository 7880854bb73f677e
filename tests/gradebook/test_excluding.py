"""Exclusions of a gradebook in memory: as if the reviews had never been written, like those of a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import peerage as pg
from support.classes.tiny import tiny_class


def rules_for(book: pg.Gradebook) -> list[pg.Exclusion]:
    first = book.submissions[book.review_submission[0]], book.graders[book.review_grader[0]]
    return [pg.Exclusion(first[1], first[0], "conflict"), pg.Exclusion("", book.submissions[-1], "copied")]


def test_a_gradebook_loses_what_a_file_would(tmp_path: Path) -> None:
    book, _ = pg.simulate(students=12, weeks=2, seed=3)
    book.write(tmp_path / "grades.csv", rubric=True)
    rules = rules_for(book)
    lines = [f"{rule.grader},{rule.submission},{rule.reason}" for rule in rules]
    (tmp_path / "exclude.csv").write_text("\n".join(["grader,submission,reason", *lines]))
    there = pg.read_grades(tmp_path / "grades.csv", exclude=tmp_path / "exclude.csv")
    plain = tmp_path / "plain"
    plain.mkdir()
    book.write(plain / "grades.csv", rubric=True)
    here = pg.exclude(pg.read_grades(plain / "grades.csv"), rules)
    assert (here.submissions, here.graders, here.authors) == (there.submissions, there.graders, there.authors)
    assert_array_equal(here.levels, there.levels)
    assert_array_equal(here.review_grader, there.review_grader)
    assert_array_equal(here.applicable, there.applicable)
    assert here.exclusions == there.exclusions
    said = {str(notice) for notice in here.notices}
    assert f"excluded {pg.read_grades(plain / 'grades.csv').n_reviews - here.n_reviews} reviews" in said
    assert any(f"without any review that counts: '{book.submissions[-1]}'" in notice for notice in said)
    assert said <= {str(notice) for notice in there.notices}


def test_a_rule_that_excludes_nothing_is_refused() -> None:
    with pytest.raises(pg.InputError, match="the grades do not hold all reviews by 'nobody'; write the ids"):
        pg.exclude(tiny_class(1), [pg.Exclusion("nobody", "", "typo")])


def test_something_has_to_be_left() -> None:
    book = tiny_class(1)
    everyone = [pg.Exclusion(name, "", "strike") for name in book.graders]
    with pytest.raises(pg.InputError, match="every review is excluded"):
        pg.exclude(book, everyone)
    assert pg.exclude(book, []) is book


def test_what_belongs_to_a_submission_outlives_a_change_of_anything_else() -> None:
    """A submission whose only review of a component is gone keeps the component."""
    book, _ = pg.simulate(students=8, weeks=1, components=2, seed=1)
    levels = book.levels.copy()
    levels[1:, 1] = -1
    sparse = replace(book, levels=levels)
    some = sparse.select(np.arange(book.n_reviews) > 0)
    assert sparse.applicable.all()
    assert replace(some, notices=()).applicable.all()
    assert not replace(some, also_applicable=None).applicable[:, 1].any()
    with pytest.raises(pg.InputError, match="also_applicable needs a row for each submission"):
        replace(some, also_applicable=np.ones((1, 2), bool))
