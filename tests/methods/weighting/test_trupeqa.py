"""TRUPEQA by hand: graders measured on probes, their biases subtracted, weights one over standard deviations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from peerage.methods.item_reports import ItemReports
from peerage.methods.method_contract import Solution
from peerage.methods.weighting.trupeqa import Trupeqa
from support.classes.published import reports_of

PROBED = [
    ("staff", "p", 3.0), ("staff", "q", 4.0), ("staff", "r", 8.0),
    ("ann", "p", 4.0), ("ann", "q", 5.0), ("ann", "r", 12.0), ("ann", "u", 7.0), ("ann", "w", 6.0),
    ("bob", "p", 1.0), ("bob", "q", 4.0), ("bob", "u", 2.0),
    ("cem", "p", 9.0), ("cem", "u", 9.0), ("cem", "w", 9.0),
    ("dua", "q", 6.0), ("dua", "r", 10.0), ("dua", "v", 8.0),
]  # fmt: skip
"""Ann errs by 1, 1 and 4, Bob by −2 and 0, Cem on one probe alone, Dua by 2 both times."""


def solved(rows: list[tuple[str, str, float]]) -> tuple[Solution, ItemReports, list[str]]:
    reports, items = reports_of(rows)
    reports = replace(reports, is_staff=np.arange(reports.n_graders) == 0)
    return Trupeqa(name="trupeqa").solve(reports, np.random.default_rng(0)), reports, items


def test_the_equations_by_hand() -> None:
    """Ann's squares are 1 + 1 + 4, so τ = 2/6; Bob's 1 + 1, so τ = 1/2; Dua's are those of rounding, 1/12.

    The probes' grades 3, 4 and 8 have mean 5 and variance 7.
    """
    found, _, items = solved(PROBED)
    grade = dict(zip(items, found.value, strict=True))
    np.testing.assert_allclose(np.asarray(found.bias)[1:], [2.0, -1.0, 6.0, 2.0])
    np.testing.assert_allclose(np.asarray(found.weight)[1:], [3**-0.5, 2**-0.5, 0.0, 12**0.5])
    prior, ann, bob, dua = 7**-0.5, 3**-0.5, 2**-0.5, 12**0.5
    assert grade["u"] == pytest.approx((5 * prior + 5 * ann + 3 * bob) / (prior + ann + bob))
    assert grade["v"] == pytest.approx((5 * prior + 6 * dua) / (prior + dua))
    assert grade["w"] == pytest.approx((5 * prior + 4 * ann) / (prior + ann))
    assert [grade[name] for name in "pqr"] == [3.0, 4.0, 8.0]


def test_weights_by_precision_would_be_seen() -> None:
    """The power of the check above: with τ for √τ, as another script of the authors has it, the grade is another."""
    found, _, items = solved(PROBED)
    other = (5 / 7 + 5 / 3 + 3 / 2) / (1 / 7 + 1 / 3 + 1 / 2)
    assert abs(found.value[items.index("u")] - other) > 0.05


def test_who_copies_the_probes_with_a_constant_bias_is_corrected() -> None:
    rng = np.random.default_rng(2)
    truth = rng.uniform(5, 20, 40)
    rows = [("staff", f"s{index}", float(truth[index])) for index in range(10)]
    for grader in range(5):
        rows += [(f"g{grader}", f"s{index}", float(truth[index] + grader)) for index in range(40)]
    found, _, _ = solved(rows)
    apart = np.abs(found.value - truth)
    assert apart[10:].max() < 0.2
    assert (apart[:10] == 0).all()
