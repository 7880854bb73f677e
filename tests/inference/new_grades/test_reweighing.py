"""Updates from the draws that there are: against fits of all reviews, and when they are left to the chains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy import stats

import peerage as pg
from peerage.gradebook.merging import merged
from peerage.inference import posterior
from peerage.inference.fitted import more_draws
from peerage.inference.layout import lay_out
from peerage.inference.new_grades import reweighing, updating
from peerage.inference.new_grades.reweighing import reweighed
from peerage.inference.new_grades.updating import BURN_IN, WEIGHED
from peerage.inference.sampling.chains import Samples
from peerage.results.results import Results
from peerage.workflow.update_class import update_class

FALSE_ALARM = 1e-3
"""How often the comparison with fits fails by chance, all its entries taken together."""

FITS = 40
"""Independent fits on each side, whose differences tell the Monte-Carlo errors."""

MODELS = {"learned": pg.Model(), "fixed": pg.Model(priors="paper"), "without effort": pg.Model(effort=False)}

Floats = NDArray[np.float64]


@cache
def small_class() -> pg.Gradebook:
    book, _ = pg.simulate(students=14, weeks=2, tas=1, components=2, seed=0)
    return book


@cache
def fitted(name: str = "fixed", seed: int = 1, draws: int = 200) -> pg.Posterior:
    return pg.fit(small_class(), MODELS[name], chains=2, draws=draws, burn_in=95, seed=seed)


def enough(seed: int = 1) -> pg.Posterior:
    """A fit of which an update leaves so many draws that nothing is known roughly."""
    return fitted("fixed", seed, 1500)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains would make 50 draws each, as in a large class."""
    monkeypatch.setattr(updating, "REPORTS_A_CHAIN", 1)


def unseen_by_staff() -> str:
    """A submission that the class's TA has not graded."""
    return all_unseen()[0]


def all_unseen() -> list[str]:
    """All of them."""
    book = small_class()
    seen = book.review_submission[book.is_staff[book.review_grader]]
    return [name for place, name in enumerate(book.submissions) if place not in seen]


def review(grade: float, *, submission: str | None = None, grader: str = "ta1", role: str = "ta") -> pg.Gradebook:
    """A review that gives every component the same grade."""
    rubric = small_class().rubric
    row = {"submission": unseen_by_staff() if submission is None else submission, "grader": grader, "role": role}
    return pg.read_grades(pd.DataFrame([row | dict.fromkeys(rubric.names, grade)]), rubric=rubric)


def after(before: pg.Posterior, new: pg.Gradebook, fewest: int = 1) -> pg.Posterior | None:
    """The posterior after new reviews by its own draws, if that can be had."""
    layout = lay_out(merged(before.book, new), before.model)
    samples = reweighed(before, layout, fewest)
    if samples is None:
        return None
    heard = (*before.heard, *new.submissions)
    return replace(before, book=layout.book, laid_out=layout, samples=samples, heard=heard)


def what_is_known(found: pg.Posterior, submissions: Sequence[str]) -> Floats:
    """What an update changes: grades of submissions, who made an effort on them, all graders, and what is learned.

    Draws of other submissions move too.
    """
    layout, samples = found.layout, found.samples
    places = [found.book.submissions.index(name) for name in submissions]
    cells = np.isin(layout.cell_submission, places)
    reviews = np.isin(layout.book.review_submission[layout.review_order], places)
    draws = found.draws
    true_grades = draws.on_model_scale("true_grade")
    parts = [samples.level_mass[cells, :-1], samples.effortful[reviews], samples.influence[reviews]]
    parts += [draws[name].mean(axis=(0, 1)) for name in ("reliability", "bias", "effort")]
    parts += [true_grades.mean(axis=(0, 1)), true_grades[:, :, cells].reshape(-1, cells.sum()).std(axis=0)]
    parts += [samples.kept_hyper.mean(axis=(0, 1)), draws.slopes().mean(axis=(0, 1))]
    return np.concatenate([np.asarray(part, float).ravel() for part in parts])


def largest_gap(name: str, *others: str) -> float:
    """By how much updates and fits differ, in units of the limit that chance keeps to.

    Reviews of other submissions come first, one after the other.
    """
    submissions = (*others, unseen_by_staff())
    found = []
    for seed in range(FITS):
        updated: pg.Posterior | None = fitted(name, seed)
        for submission in submissions:
            assert updated is not None
            updated = after(updated, review(4, submission=submission))
        assert updated is not None
        fit = _fit_of_all(name, seed, submissions)
        found.append((what_is_known(updated, submissions), what_is_known(fit, submissions)))
    updates, fits = np.array(found).transpose(1, 0, 2)
    moving = (updates.std(axis=0) > 1e-6) & (fits.std(axis=0) > 1e-6)
    p_values = stats.ttest_ind(updates[:, moving], fits[:, moving], equal_var=False).pvalue
    return float(p_values.min() * moving.sum() / FALSE_ALARM)


@cache
def _fit_of_all(name: str, seed: int, submissions: tuple[str, ...]) -> pg.Posterior:
    book = small_class()
    for submission in submissions:
        book = merged(book, review(4, submission=submission))
    return pg.fit(book, MODELS[name], chains=2, draws=200, burn_in=95, seed=1000 + seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_reweighed_draws_are_those_of_a_fit_of_all_reviews(name: str) -> None:
    assert largest_gap(name) > 1


@pytest.mark.slow
@pytest.mark.parametrize("part", ["_log_probabilities", "_drawn_again"])
def test_a_missing_part_is_noticed(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws that all count alike, or a submission that does not hear the new review."""
    if part == "_log_probabilities":
        monkeypatch.setattr(reweighing, part, lambda *_: np.linspace(0, 1e-3, 400))
    else:
        drawn_again = reweighing._drawn_again

        def deaf(before: pg.Posterior, *arguments: object) -> Samples:
            samples: Samples = drawn_again(before, *arguments)  # type: ignore[arg-type]
            return replace(samples, level_mass=before.samples.level_mass)

        monkeypatch.setattr(reweighing, part, deaf)
    assert largest_gap("fixed") < 1


@pytest.mark.slow
def test_reviews_that_come_one_after_the_other_are_those_of_a_fit_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the tail of the weights is heavier than in use: what is compared has the noise of the weights."""
    monkeypatch.setattr(reweighing, "LARGEST_SHAPE", np.inf)
    assert largest_gap("learned", all_unseen()[1]) > 1


def test_what_was_heard_before_moves_with_what_comes_later() -> None:
    first, second = all_unseen()[:2]
    once = after(fitted(draws=1500), review(4, submission=first))
    assert once is not None
    twice = after(once, review(4, submission=second))
    assert twice is not None
    cells = twice.layout.cell_submission == twice.book.submissions.index(first)
    assert not np.array_equal(twice.samples.level_mass[cells], once.samples.level_mass[cells])


def test_what_is_heard_between_runs_of_the_chains_is_little() -> None:
    names = all_unseen()
    before = replace(fitted(), heard=tuple(names[1:6]))
    assert after(before, review(4)) is None
    assert after(replace(before, heard=tuple(names[1:5])), review(4)) is not None


def test_what_new_reviews_do_not_concern_keeps_its_probabilities() -> None:
    before, updated = fitted(), after(fitted(), review(4))
    assert updated is not None
    others = updated.layout.cell_submission != updated.book.submissions.index(unseen_by_staff())
    assert_array_equal(updated.samples.level_mass[others], before.samples.level_mass[others])
    assert not np.array_equal(updated.samples.level_mass[~others], before.samples.level_mass[~others])


def correction() -> pg.Gradebook:
    """Another grade by the TA of a submission that the TA has graded."""
    book = small_class()
    mine = np.flatnonzero(book.is_staff[book.review_grader])[0]
    name = book.submissions[book.review_submission[mine]]
    return review(float((book.values[mine][0] + 1) % 5), submission=name)


NOT_AT_ONCE = {
    "a student's review": lambda: review(3, grader=small_class().graders[0], role="student"),
    "a first review by a TA": lambda: review(3, grader="ta9"),
    "a new submission": lambda: review(3, submission="late"),
    "a correction": correction,
}


@pytest.mark.parametrize("name", ["fixed", "without effort"])
@pytest.mark.parametrize("what", NOT_AT_ONCE)
def test_all_else_is_left_to_the_chains(what: str, name: str) -> None:
    assert after(fitted(name), NOT_AT_ONCE[what]()) is None


@pytest.mark.parametrize("notice", [updating.STILL_MOVING, updating.ROUGH])
def test_so_are_draws_that_were_not_settled(notice: pg.Problem) -> None:
    assert after(updating.told(fitted(), [notice]), review(4)) is None


@pytest.mark.usefixtures("hasty")
def test_so_is_an_update_that_leaves_too_few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    assert WEIGHED in enough().update(review(5)).book.notices
    monkeypatch.setattr(posterior, "convergence_problems", lambda _: [pg.Problem("few draws")])
    assert WEIGHED not in enough().update(review(5)).book.notices


def test_chains_that_disagree_go_on_to_do_so() -> None:
    """Where one of them expected a review, and the other did not."""
    before = fitted()
    draws = before.samples.draws["bias"].copy()
    draws[1, :, -1] = np.minimum(draws[1, :, -1] + 20, 150)
    shifted = replace(before, samples=replace(before.samples, draws=before.samples.draws | {"bias": draws}))
    updated = after(shifted, review(4))
    assert updated is not None
    for chain in (0, 1):
        assert set(updated.samples.draws["bias"][chain, :, -1]) <= set(draws[chain, :, -1])


@pytest.mark.usefixtures("hasty")
def test_chains_that_go_on_afterwards_first_forget_where_they_stood() -> None:
    updated = enough().update(review(5))
    longer = updated.extend(2)
    assert WEIGHED not in longer.book.notices
    known = more_draws(updated, 2, every=1, workers=1, progress=False, burn_in=BURN_IN)
    at_once = more_draws(updated, 2, every=1, workers=1, progress=False)
    last = longer.samples.draws["true_grade"][:, -2:]
    assert_array_equal(last, known.draws["true_grade"])
    assert not np.array_equal(last, at_once.draws["true_grade"])
    settled = longer.extend(2).samples.draws["true_grade"][:, -2:]
    again = more_draws(longer, 2, every=1, workers=1, progress=False)
    assert_array_equal(settled, again.draws["true_grade"])


def test_so_is_a_class_whose_chains_would_make_as_many_draws() -> None:
    """A small class's chains can afford as many draws as before."""
    assert after(fitted(), review(4), fewest=400) is None
    assert WEIGHED not in enough().update(review(5), draws=50).book.notices


@pytest.mark.usefixtures("hasty")
def test_an_update_that_is_heard_at_once_keeps_all_draws() -> None:
    updated = enough().update(review(5))
    assert (updated.n_draws, updated.burn_in) == (1500, enough().burn_in)
    assert enough().update(review(5), draws=50).n_draws == 50


def test_so_is_a_surprise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where hardly any draw expected the new review, so that the tail of the weights has no variance."""
    monkeypatch.setattr(reweighing, "LARGEST_SHAPE", -np.inf)
    assert after(fitted(), review(5)) is None


def test_models_whose_chains_cannot_sweep_over_a_part_are_left_to_them() -> None:
    before = pg.fit(small_class(), pg.Model(censoring=False, priors="paper"), chains=2, draws=20, seed=0)
    assert after(before, review(4)) is None


def test_draws_that_an_update_left_several_times_count_once() -> None:
    updated = after(fitted(), review(4))
    assert updated is not None
    even = np.full((2, 200), 1 / 200)
    kept = np.unique(updated.samples.draws["effort"].reshape(400, -1), axis=0, return_counts=True)[1]
    assert reweighing._worth(fitted().samples, even) == pytest.approx(400)
    assert reweighing._worth(updated.samples, even) == pytest.approx(400**2 / (kept**2).sum())
    assert kept.max() > 1


def test_each_update_says_how_it_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when the one before was made in the same way."""
    once = updating.told(fitted(), [WEIGHED, pg.Problem("something known before")])
    monkeypatch.setattr(pg.Posterior, "update", lambda self, *_, **__: self)
    assert update_class(Results.of(once), review(4)).notices == (WEIGHED,)


@pytest.mark.usefixtures("hasty")
def test_what_was_heard_is_known_by_the_id_that_the_class_has() -> None:
    """New grades may spell it in another way."""
    updated = enough().update(review(5, submission=f"{unseen_by_staff()} "))
    assert WEIGHED in updated.book.notices
    assert updated.heard == (unseen_by_staff(),)
    assert after(updated, review(4, submission=all_unseen()[1])) is not None


@pytest.mark.usefixtures("hasty")
def test_an_updated_posterior_can_be_saved_and_goes_on(tmp_path: Path) -> None:
    updated = enough().update(review(5))
    updated.save(tmp_path / "posterior.npz")
    loaded = pg.load(tmp_path / "posterior.npz")
    assert (updated.heard, loaded.heard) == ((unseen_by_staff(),),) * 2
    assert not loaded.update(review(4), draws=20).heard
    pd.testing.assert_frame_equal(loaded.submissions(), updated.submissions())
    assert updated.extend(10).n_draws == 1510
    assert loaded.update(review(4), draws=20).n_draws == 20
