"""Posteriors after new grades: what the chains carry over, when they have settled, and that a fresh fit agrees."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy import signal, stats

import peerage as pg
from peerage.gradebook.book import TA
from peerage.gradebook.merging import merged, places
from peerage.inference.layout import Layout, lay_out
from peerage.inference.new_grades import carrying_over, updating
from peerage.inference.new_grades.carrying_over import carried_over, on_grid
from peerage.inference.new_grades.updating import BURN_IN, ROUGH, STILL_MOVING, WENT_ON, moving, touched_by
from peerage.inference.numerics.likelihood import Grid
from peerage.inference.sampling.chains import VARIABLES, ChainState, Samples

FALSE_ALARM = 1e-3
CHAINS, DRAWS = 40, 80
BURN_IN_OF_FITS = 95
"""Too short for fits with learned priors to compare their chains, which would make these depend on each other."""

MODELS = {
    "learned": pg.Model(),
    "fixed": pg.Model(priors="paper"),
    "uncensored": pg.Model(censoring=False, priors="paper"),
    "paper": pg.Model(grids="paper", priors="paper"),
}


@cache
def small_class() -> pg.Gradebook:
    book, _ = pg.simulate(students=14, weeks=1, tas=1, components=2, seed=0)
    return book


@cache
def fitted(name: str = "fixed") -> pg.Posterior:
    return pg.fit(small_class(), MODELS[name], chains=2, draws=40, burn_in=20, seed=1)


def reviews(*rows: tuple[str, str, str, float]) -> pg.Gradebook:
    """Reviews that give every component the same grade, as submission, grader, role, grade."""
    rubric = small_class().rubric
    table = pd.DataFrame(
        [
            {"submission": submission, "grader": grader, "role": role} | dict.fromkeys(rubric.names, grade)
            for submission, grader, role, grade in rows
        ]
    )
    return pg.read_grades(table, rubric=rubric)


def best_submission() -> str:
    return str(fitted().submissions().groupby("submission")["expected"].mean().idxmax())


def first_student_review() -> tuple[str, str]:
    book = small_class()
    return book.submissions[book.review_submission[0]], book.graders[book.review_grader[0]]


def new_assignment() -> pg.Gradebook:
    """Eight students who are new to the class review each other's new work, and the class's TA helps."""
    table = pg.simulate(students=8, weeks=1, tas=1, components=2, seed=4)[0].table()
    for name in ("submission", "author", "assignment"):
        table[name] = "new-" + table[name]
    students = table["role"] == "student"
    table.loc[students, "grader"] = "new-" + table.loc[students, "grader"]
    return pg.read_grades(table, rubric=small_class().rubric)


SCENARIOS = {
    "a TA's grade": lambda: reviews((best_submission(), "ta1", "ta", 3)),
    "a new TA contradicts": lambda: reviews((best_submission(), "ta9", "ta", 0)),
    "an instructor contradicts": lambda: reviews((best_submission(), "prof", "instructor", 0)),
    "a correction": lambda: reviews((*first_student_review(), "student", 0)),
    "a new assignment": new_assignment,
}


# What the chains carry over


def values_of(layout: Layout, state: ChainState) -> dict[tuple[str, ...], float]:
    """Everything that a state says, by id, on the model's scale; without what is fixed."""
    book, known = layout.book, layout.known
    found: dict[tuple[str, ...], float] = {}

    def value(name: str, entry: int | np.integer) -> float:
        stored = state.variables[name][entry]
        return float(getattr(layout.grids, name).points[stored] if stored.dtype.kind == "i" else stored)

    for cell, submission in enumerate(layout.cell_submission):
        component = book.rubric.names[layout.reports.cell_component[cell]]
        found["true_grade", book.submissions[submission], component] = value("true_grade", cell)
    for name in VARIABLES[1:]:
        for grader in np.flatnonzero(np.isnan(getattr(known, name))):
            found[name, book.graders[grader]] = value(name, grader)
    for place, review in enumerate(layout.review_order):
        pair = book.submissions[book.review_submission[review]], book.graders[book.review_grader[review]]
        found["effortful", *pair] = float(state.variables["effortful"][place])
    return found


def assert_carried_over(posterior: pg.Posterior, new: pg.Gradebook) -> None:
    layout = lay_out(merged(posterior.book, new), posterior.model)
    states = carried_over(posterior, layout)
    for before, after in zip(posterior.samples.states, states, strict=True):
        known, now = values_of(posterior.layout, before), values_of(layout, after)
        assert {key: now[key] for key in known} == known
        assert len(now) > len(known)
        assert after.generator == before.generator


@pytest.mark.parametrize("name", MODELS)
def test_known_ids_keep_their_values_wherever_they_stand_now(name: str) -> None:
    assert_carried_over(fitted(name), new_assignment())


def test_values_that_are_mapped_one_off_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrying_over, "places", lambda keys, wanted: np.roll(places(keys, wanted), 1))
    with pytest.raises(AssertionError):
        assert_carried_over(fitted(), new_assignment())


def test_values_move_to_the_nearest_point_where_grids_change() -> None:
    """A first TA, of whom much is expected, stretches the grid of reliabilities."""
    students = small_class().select(small_class().roles[small_class().review_grader] != TA)
    table = students.table()
    model = pg.Model(priors=pg.Priors.paper(alpha_tau_ta=30, beta_tau_ta=0.3), correlation=True)
    posterior = pg.fit(pg.read_grades(table, rubric=students.rubric), model, chains=2, draws=5, seed=0)
    layout = lay_out(merged(posterior.book, reviews(("week1-01", "ta1", "ta", 3))), model)
    before, now = posterior.layout.grids.reliability, layout.grids.reliability
    assert len(now) > len(before)
    step = np.log(now.points[1] / now.points[0])
    for earlier, state in zip(posterior.samples.states, carried_over(posterior, layout), strict=True):
        old = before.points[earlier.variables["reliability"]]
        new = now.points[state.variables["reliability"][: len(old)]]
        assert np.abs(np.log(new / old)).max() <= step / 2 + 1e-9


def test_a_student_who_becomes_a_ta_is_clamped_and_whose_role_stays_is_not() -> None:
    submission, grader = first_student_review()
    posterior = fitted()
    after = posterior.update(reviews((submission, grader, "ta", 2)), draws=10)
    place = after.book.graders.index(grader)
    assert (after.draws["effort"][:, :, place] == 1).all()
    mine = after.book.review_grader == place
    assert (after.reviews()["effort_probability"][mine] == 1).all()
    assert (after.draws["effort"][:, :, after.book.graders.index("student02")] < 1).all()


def test_what_belongs_to_no_cell_grader_or_review_is_passed_on() -> None:
    posterior = fitted()
    more = {"scale": np.array([1.5, 2.5])}
    states = tuple(ChainState(state.variables | more, state.generator) for state in posterior.samples.states)
    posterior = replace(posterior, samples=replace(posterior.samples, states=states))
    layout = lay_out(merged(posterior.book, new_assignment()), posterior.model)
    for state in carried_over(posterior, layout):
        assert_array_equal(state.variables["scale"], more["scale"])


def test_what_is_fixed_stays_fixed() -> None:
    component = small_class().rubric.names[0]
    fixed = pg.Fixed(bias={"student03": 0.5}, reliability={"student04": 3.0}, true_grade={("week1-01", component): 2.0})
    posterior = pg.fit(small_class(), pg.Model(fixed=fixed, priors="paper"), chains=2, draws=10, seed=0)
    after = posterior.update(reviews(("week1-01", "ta1", "ta", 5), ("late", "student03", "student", 1)))
    assert after.model == posterior.model
    assert (after.draws["bias"][:, :, after.book.graders.index("student03")] == 0.5).all()
    assert (after.draws["reliability"][:, :, after.book.graders.index("student04")] == 3.0).all()
    assert after.submissions()["most_likely"][0] == 2
    assert after.submissions()["confidence"][0] == 1


# Agreement with a fresh fit


@cache
def many_chains(name: str) -> pg.Posterior:
    return pg.fit(small_class(), MODELS[name], chains=CHAINS, draws=1, burn_in=BURN_IN_OF_FITS, seed=2)


def moments(samples: Samples, centres: dict[str, NDArray[Any]]) -> NDArray[np.float64]:
    """(chain, entry) averages over each chain's draws of every entry and of its squared distance from a centre."""
    parts = []
    for name, centre in centres.items():
        drawn = samples.draws[name].astype(np.float64)
        parts += [drawn.mean(axis=1), ((drawn - centre) ** 2).mean(axis=1)]
    return np.concatenate(parts, axis=1)


def disagreement(ours: Samples, fresh: Samples) -> tuple[float, float]:
    """The largest gap between means over chains, in standard errors, and what it exceeds once in a thousand tests.

    Chains are independent, so the standard errors of the averages over a chain's draws are those of a plain sample.
    """
    centres = {name: fresh.draws[name].mean(axis=(0, 1), dtype=np.float64) for name in VARIABLES}
    left, right = moments(ours, centres), moments(fresh, centres)
    error = np.sqrt((left.var(axis=0, ddof=1) + right.var(axis=0, ddof=1)) / CHAINS)
    free = error > 0
    gap = np.abs(left.mean(axis=0) - right.mean(axis=0))[free] / error[free]
    # Of two samples of one size and unequal variance, the statistic has at least CHAINS - 1 degrees of freedom.
    return float(gap.max()), float(stats.t.isf(FALSE_ALARM / free.sum() / 2, CHAINS - 1))


@pytest.fixture
def no_going_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make updates stop after their first burn-in, so that it alone must suffice."""
    monkeypatch.setattr(updating, "ROUNDS", 0)


def updated(new: pg.Gradebook, name: str = "fixed", burn_in: int | None = None, draws: int = DRAWS) -> Samples:
    return many_chains(name).update(new, burn_in=burn_in, draws=draws).samples


def fresh_fit(new: pg.Gradebook, name: str = "fixed") -> Samples:
    book = merged(small_class(), new)
    return pg.fit(book, MODELS[name], chains=CHAINS, draws=DRAWS, burn_in=BURN_IN_OF_FITS, seed=3).samples


@pytest.mark.slow
@pytest.mark.usefixtures("no_going_on")
@pytest.mark.parametrize(("scenario", "name"), [*((key, "fixed") for key in SCENARIOS), ("a TA's grade", "learned")])
def test_an_update_agrees_with_a_fresh_fit(scenario: str, name: str) -> None:
    """Means and variances of every entry; the six tests together fail falsely six times in a thousand runs."""
    new = SCENARIOS[scenario]()
    gap, limit = disagreement(updated(new, name), fresh_fit(new, name))
    assert gap < limit


@pytest.mark.slow
@pytest.mark.usefixtures("no_going_on")
def test_grades_that_are_ignored_are_noticed() -> None:
    another_grade = reviews((best_submission(), "ta9", "ta", 5))
    gap, limit = disagreement(updated(another_grade), fresh_fit(SCENARIOS["a new TA contradicts"]()))
    assert gap > limit


@pytest.mark.slow
@pytest.mark.usefixtures("no_going_on")
def test_a_burn_in_that_is_too_short_is_noticed() -> None:
    new = SCENARIOS["an instructor contradicts"]()
    gap, limit = disagreement(updated(new, burn_in=0, draws=10), fresh_fit(new))
    assert gap > limit


# Whether the chains have settled


def settled(rng: np.random.Generator, entries: int, slope: float = 0.0) -> Samples:
    """Four chains of autocorrelated draws of one variable, with a trend of ``slope`` from first to last."""
    noise = rng.standard_normal((4, 130, entries))
    drawn = signal.lfilter([np.sqrt(1 - 0.7**2)], [1, -0.7], noise, axis=1)[:, 50:]
    drawn += slope * np.linspace(0, 1, 80)[:, None]
    nothing = np.zeros(0)
    return Samples(
        {"bias": drawn},
        np.arange(80),
        {},
        np.zeros((4, 80), np.int64),
        nothing,
        nothing,
        nothing,
        np.zeros((4, 80, 0)),
        (),
        0.0,
    )


@pytest.mark.parametrize("entries", [1, 5, 20])
@pytest.mark.parametrize("copies", [1, 4])
def test_chains_that_have_settled_seldom_go_on(entries: int, copies: int) -> None:
    """One in a hundred does, also if entries say the same; of 1,000, more than 21 do with a probability below 0.001."""
    rng = np.random.default_rng(entries)
    touched = {"bias": np.repeat(np.arange(entries), copies)}
    alarms = sum(moving(settled(rng, entries), touched) for _ in range(1000))
    assert alarms <= stats.binom.isf(1e-3, 1000, updating.FALSE_ALARM)


def test_chains_that_move_on_are_noticed() -> None:
    """A trend of two standard deviations is found in nine of ten classes at least, with five entries."""
    rng = np.random.default_rng(0)
    found = sum(moving(settled(rng, 5, slope=2.0), {"bias": np.arange(5)}) for _ in range(200))
    assert found > 180


def test_new_grades_touch_their_submissions_and_all_who_graded_these() -> None:
    submission, grader = first_student_review()
    layout = fitted().layout
    touched = touched_by(reviews((submission, grader, "student", 1)), layout)
    book = layout.book
    rows = book.review_submission == book.submissions.index(submission)
    assert_array_equal(touched["bias"], np.unique(book.review_grader[rows]))
    assert {book.submissions[layout.cell_submission[cell]] for cell in touched["true_grade"]} == {submission}
    assert len(touched["true_grade"]) == len(book.rubric)


def test_the_chains_go_on_until_they_have_settled_and_it_is_said() -> None:
    posterior = pg.fit(small_class(), MODELS["paper"], chains=4, draws=40, burn_in=100, seed=1)
    calibrations = [(name, "prof", "instructor", index % 6) for index, name in enumerate(small_class().submissions[:6])]
    after = posterior.update(reviews(*calibrations), burn_in=0, draws=20)
    assert after.burn_in >= 20
    assert after.burn_in % 20 == 0
    assert WENT_ON in after.book.notices


def test_what_was_said_of_an_earlier_update_is_not_repeated() -> None:
    book = replace(small_class(), notices=(WENT_ON, STILL_MOVING, pg.Problem("kept")))
    posterior = pg.fit(book, MODELS["fixed"], chains=1, draws=4, burn_in=0, seed=0)
    after = posterior.update(reviews((best_submission(), "ta1", "ta", 3)))
    assert after.book.notices[0] == pg.Problem("kept")
    assert not {WENT_ON, STILL_MOVING} & set(after.book.notices)


def test_chains_that_never_settle_are_given_up_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updating, "moving", lambda *_: True)
    after = fitted().update(reviews((best_submission(), "ta1", "ta", 3)), draws=4)
    assert after.burn_in == BURN_IN + updating.ROUNDS * 4
    assert STILL_MOVING in after.book.notices
    assert "the chains have not settled after the new grades; fit all grades again" in map(str, after.book.notices)


def test_few_draws_of_an_update_are_told_once_and_are_no_reason_to_wait() -> None:
    """Chains that agreed and go on for a moment are not taken for chains that disagree; others still are."""
    new = reviews((small_class().submissions[0], "ta1", "ta", 3))
    model = pg.Model(priors="paper")
    agreed = pg.fit(small_class(), model, draws=2000, seed=1)
    assert not agreed.warnings
    once = agreed.update(new, draws=24)
    again = once.update(new, draws=24)
    for after in (once, again):
        assert after.book.notices.count(ROUGH) == 1
        assert not any("hand nothing out" in str(warning) for warning in after.warnings)
    for precise in (again.update(new, draws=2000), again.extend(2000)):
        assert ROUGH not in precise.book.notices
        assert not precise.warnings

    apart = pg.fit(small_class(), model, draws=24, burn_in=0, seed=1).update(new, draws=24)
    assert ROUGH not in apart.book.notices
    assert any("hand nothing out" in str(warning) for warning in apart.warnings)


# The rest


def test_an_update_repeats_itself_and_survives_a_file(tmp_path: Any) -> None:
    new = new_assignment()
    fitted().save(tmp_path / "posterior.npz")
    one, other = fitted().update(new, workers=1), pg.load(tmp_path / "posterior.npz").update(new, workers=2)
    for name in VARIABLES:
        assert_array_equal(one.samples.draws[name], other.samples.draws[name])
    assert_array_equal(one.samples.level_mass, other.samples.level_mass)
    assert one.book.notices == other.book.notices


def test_small_classes_keep_as_many_draws_and_large_ones_what_a_second_allows() -> None:
    new = reviews((best_submission(), "ta1", "ta", 3))
    assert fitted().update(new).samples.n_draws == fitted().samples.n_draws
    assert fitted().update(new, draws=7).samples.n_draws == 7
    long = replace(fitted(), samples=replace(fitted().samples, effortful_count=np.zeros((2, 10**6), np.int64)))
    reports = len(fitted().layout.report_level)
    assert updating.default_draws(long, fitted().layout) == updating.REPORTS_A_CHAIN // reports


def test_bad_settings_are_refused() -> None:
    new = reviews((best_submission(), "ta1", "ta", 3))
    with pytest.raises(pg.ModelError, match="draws must be at least 1, not 0"):
        fitted().update(new, draws=0)
    with pytest.raises(pg.ModelError, match="burn_in must be at least 0, not -1"):
        fitted().update(new, burn_in=-1)
    with pytest.raises(pg.InputError, match="update takes a Gradebook; make one with read_grades"):
        fitted().update("grades.csv")  # type: ignore[arg-type]


def test_points_of_a_grid_lie_in_their_own_cells() -> None:
    for grid in (Grid.linear(-1.0, 0.05, 77), Grid.geometric(0.02, 20, 1.035)):
        codes = np.arange(len(grid))
        assert_array_equal(on_grid(codes, grid, grid), codes)
