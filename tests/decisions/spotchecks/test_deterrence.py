"""How many checks deter: against simulation, linear programming and cases that one can see."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import peerage as pg
from peerage.decisions.spotchecks.deterrence import deterrence, least_share, report_sensitive, share_checked
from peerage.errors import ModelError

ODDS = st.floats(0.05, 0.95)


@given(ODDS, ODDS, st.floats(1, 50), st.floats(0.1, 5))
def test_just_below_the_least_share_reading_does_not_pay(
    reader: float, shirker: float, loss: float, effort: float
) -> None:
    def deters(share: float) -> bool:
        return deterrence(share, reader_passes=reader, shirker_passes=shirker, loss=loss, effort=effort).deters

    share = least_share(reader_passes=reader, shirker_passes=shirker, loss=loss, effort=effort)
    if np.isinf(share):
        assert not deters(1.0) or (reader - shirker) * loss == pytest.approx(effort)
    else:
        assert deters(min(share * 1.001, 1.0)) or share > 0.999
        assert not deters(share * 0.999)


def test_what_a_shirker_may_expect_is_what_simulated_shirkers_lose() -> None:
    """A hundred thousand shirkers of twelve reviews each; five standard errors."""
    rng = np.random.default_rng(0)
    checked = rng.random((100_000, 12)) < 0.15
    shirker, reader = rng.random((2, 100_000, 12))
    fails, reader_fails = checked & (shirker > 0.3), checked & (reader > 0.9)
    found = deterrence(0.15, reader_passes=0.9, shirker_passes=0.3, loss=10, effort=1, reviews=12)
    assert found.caught == pytest.approx(fails.any(axis=1).mean(), abs=5 * 0.5 / np.sqrt(100_000))
    extra = 10.0 * (fails.sum(axis=1) - reader_fails.sum(axis=1))
    assert found.loses == pytest.approx(extra.mean(), abs=5 * extra.std() / np.sqrt(100_000))
    assert found.saves == 12
    assert not found.deters


@given(st.floats(0.2, 0.9), st.floats(0.6, 0.99), st.floats(0.6, 0.99), st.floats(20, 500))
def test_report_sensitive_checks_are_the_least_that_deter(
    high: float, seen: float, seen_low: float, loss: float
) -> None:
    """A linear program over both shares finds the same; and no fixed share takes less work."""
    found = report_sensitive(high=high, right_if_high=seen, right_if_low=seen_low, loss=loss, effort=1.0)
    joint = np.array([[high * seen, (1 - high) * (1 - seen_low)], [high * (1 - seen), (1 - high) * seen_low]])
    work = joint.sum(axis=1)
    barred = np.array([[-joint[1, 1], joint[1, 0]], [joint[0, 1], -joint[0, 0]]])
    best = linprog(work, barred, np.full(2, -1 / loss), bounds=[(0, 1), (0, 1)])
    assert best.success == np.isfinite(found.checked)
    if best.success:
        assert found.checked == pytest.approx(best.fun, rel=1e-6)
        assert found.checked <= found.fixed + 1e-9


def test_the_grade_that_most_work_has_is_checked_more_often() -> None:
    """Who reports it blindly is mostly right, so that only more checks deter."""
    found = report_sensitive(high=0.8, right_if_high=0.9, right_if_low=0.9, loss=50, effort=1)
    assert found.high > found.fixed / 2 > found.low


def test_calibrations_and_checks_by_staff_count() -> None:
    book, _ = pg.simulate(students=10, weeks=2, tas=1, ta_share=0.0, calibrations=2, seed=0)
    assert share_checked(book) == pytest.approx(2 / (2 + 2 * 4))
    without, _ = pg.simulate(students=10, weeks=2, tas=0, seed=0)
    assert share_checked(without) == 0


def test_settings_must_make_sense() -> None:
    with pytest.raises(ModelError, match="share is a probability"):
        deterrence(1.5, reader_passes=0.9, shirker_passes=0.1, loss=1, effort=1)
    with pytest.raises(ModelError, match="must be positive"):
        report_sensitive(high=0.5, right_if_high=0.9, right_if_low=0.9, loss=0, effort=1)
