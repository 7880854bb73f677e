"""A machine grades beside people: it is weighed like everybody, and is neither a student nor staff."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peerage as pg
from peerage.decisions.explain.submission_cases import graded_by_staff, without_replaced
from peerage.decisions.staff_grades import staff_grades
from peerage.errors import UnmetNeedError
from peerage.gradebook.book import MACHINE, MISSING, STUDENT, TA
from peerage.gradebook.report_means import peer_means
from peerage.gradebook.structure import overlap
from peerage.inference.layout import lay_out
from peerage.inference.staff_in_words import staff_sentences
from peerage.rubric import Component, Rubric

FAST: dict[str, Any] = {"chains": 2, "draws": 150, "burn_in": 100, "seed": 1}
STUDENTS, BIAS, NOISE = 30, 1.5, 0.4


def class_with_machine(tas: int = 0, machines: int = 1) -> tuple[pg.Gradebook, np.ndarray]:
    """30 submissions with three students each, a generous machine on all of them, TAs on the first five; the truth."""
    rng = np.random.default_rng(5)
    truth = rng.normal(2.5, 0.7, (STUDENTS, 2))
    pairs = [(u, (u + step) % STUDENTS) for u in range(STUDENTS) for step in (1, 2, 3)]
    pairs += [(u, STUDENTS + index) for index in range(machines) for u in range(STUDENTS)]
    pairs += [(u, STUDENTS + machines + index) for index in range(tas) for u in range(5)]
    submission, grader = np.array(pairs).T
    others = machines + tas
    bias = np.concatenate([rng.normal(0, 0.3, STUDENTS), np.full(machines, BIAS), np.zeros(tas)])
    noise = np.concatenate([np.full(STUDENTS, 0.8), np.full(others, NOISE)])
    reports = truth[submission] + bias[grader][:, None] + noise[grader][:, None] * rng.standard_normal((len(pairs), 2))
    rubric = Rubric(tuple(Component(name, (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)) for name in ("Essay", "Code")))
    people = [f"v{index}" for index in range(STUDENTS)]
    book = pg.Gradebook(
        rubric=rubric,
        submissions=tuple(f"u{index}" for index in range(STUDENTS)),
        graders=(*people, *(f"gpt{index}" for index in range(machines)), *(f"ta{index}" for index in range(tas))),
        roles=np.array([STUDENT] * STUDENTS + [MACHINE] * machines + [TA] * tas, np.int8),
        authors=tuple((name,) for name in people),
        assignments=("",) * STUDENTS,
        review_submission=submission.astype(np.int32),
        review_grader=grader.astype(np.int32),
        levels=np.clip(np.rint(reports), 0, 5).astype(np.int16),
    )
    return book, truth


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    return pg.fit(class_with_machine()[0], **FAST)


def test_a_file_has_machines(tmp_path: Path) -> None:
    rows = ["a,x,student,1", "a,y,,2", "a,gpt, Machine ,3", "b,x,student,2", "b,gpt,machine,3"]
    file = tmp_path / "grades.csv"
    file.write_text("submission,grader,role,grade\n" + "\n".join(rows) + "\n", encoding="utf-8")
    book = pg.read_grades(file)
    assert book.roles.tolist() == [STUDENT, STUDENT, MACHINE]
    assert not book.is_staff.any()
    assert list(pg.read_grades(book.table()).roles) == list(book.roles)
    file.write_text("submission,grader,role,grade\na,x,robot,1\nb,x,robot,2\n", encoding="utf-8")
    with pytest.raises(pg.InputError, match="'robot' is unknown; use student, ta, instructor or machine"):
        pg.read_grades(file)


def test_a_machine_is_weighed_by_what_it_shows(posterior: pg.Posterior) -> None:
    """Its large bias and its small error are found, and grades are better for it."""
    row = posterior.graders().set_index("grader").loc["gpt0"]
    assert row["role"] == "machine"
    assert row["effort"] == row["effort_lower"] == 1.0
    assert abs(row["bias"] - BIAS) < row["bias_upper"] - row["bias_lower"]
    assert row["reliability"] > np.median(posterior.graders()["reliability"])
    _, truth = class_with_machine()
    error = posterior.submissions()["expected"].to_numpy() - truth.ravel()
    means = peer_means(posterior.book) - truth.ravel()
    assert np.std(error) < 0.8 * np.std(means)


def test_a_machine_does_not_tell_the_level(posterior: pg.Posterior) -> None:
    """1.5 too much on all work moves the class by little, and is no reason to call the peers severe."""
    alone = pg.fit(posterior.book.select(posterior.book.roles[posterior.book.review_grader] == STUDENT), **FAST)
    moved = posterior.submissions()["expected"].mean() - alone.submissions()["expected"].mean()
    assert abs(moved) < 0.15
    assert not posterior.layout.has_staff
    assert "mean_bias" not in set(posterior.priors()["parameter"])
    (sentence,) = staff_sentences(posterior)
    assert sentence.startswith("No staff graded, so the general level of the grades is that of the peers.")


def test_a_machine_is_no_student(posterior: pg.Posterior) -> None:
    book = posterior.book
    by_students = posterior.submissions()["peer_mean"].to_numpy()
    np.testing.assert_allclose(by_students, peer_means(book))
    values = np.where((book.roles[book.review_grader] == STUDENT)[:, None], book.values, np.nan)
    first = np.nanmean(values[book.review_submission == 0], axis=0)
    np.testing.assert_allclose(by_students[:2], first)
    assert (posterior.submissions()["n_grades"] == 4).all()
    assert "gpt0" not in set(pg.credit(posterior)["grader"])
    assert pg.trust(posterior).set_index("grader").loc["gpt0", "standing"] == ""
    assert "gpt0" not in set(pg.pay(book, "mse", seed=0)["grader"])
    assert not posterior.layout.may_have_habit[-1]


def test_a_machine_is_no_staff() -> None:
    """Its grades are not final, not an anchor, and do not count where a TA graded."""
    book, _ = class_with_machine(tas=1)
    assert lay_out(book, pg.Model()).has_staff
    assert overlap(book) == (STUDENTS, 5)
    assert graded_by_staff(book)[:, 0].tolist() == [True] * 5 + [False] * 25
    machine = (book.roles[book.review_grader] == MACHINE) & (book.review_submission < 5)
    assert (without_replaced(book)[machine] == MISSING).all()
    found = pg.fit(book, **FAST)
    assert {submission for submission, _ in staff_grades(found)} == {f"u{index}" for index in range(5)}
    check = found.staff_check()
    assert check is not None
    assert check.n_submissions == 5
    with pytest.raises(UnmetNeedError, match="no TA or instructor graded"):
        pg.aggregate(class_with_machine()[0], "rank-with-ta")


def test_machines_alone_beside_staff_have_nobody_to_compare() -> None:
    book, _ = class_with_machine(tas=1)
    no_students = book.select(book.roles[book.review_grader] != STUDENT)
    kept = pg.exclude(no_students, [])
    assert lay_out(kept, pg.Model()).bias_spread[MACHINE] == 1.0
    table = no_students.table()
    assert not lay_out(pg.read_grades(table, rubric=book.rubric), pg.Model()).has_staff


def test_explanations_call_it_a_machine_and_say_nothing_against_it(posterior: pg.Posterior) -> None:
    sentences = pg.explain(posterior).sentences["sentence"]
    told = sentences[sentences.str.contains("[Aa] machine gave")]
    assert len(told) == len(sentences)
    assert not told.str.contains("[Aa] machine gave [0-9], which does not count, because (?:this|little)").any()


@pytest.mark.parametrize(
    "model",
    [
        pg.Model(censoring=False),
        pg.Model(correlation=True),
        pg.Model(priors=pg.Priors.paper(mu_s=2.5)),
    ],
    ids=["uncensored", "correlation", "fixed priors"],
)
def test_every_model_infers_a_machines_bias(model: pg.Model) -> None:
    row = pg.fit(class_with_machine()[0], model, **FAST).graders().set_index("grader").loc["gpt0"]
    assert abs(row["bias"] - BIAS) < row["bias_upper"] - row["bias_lower"]
    assert row["effort"] == 1.0
