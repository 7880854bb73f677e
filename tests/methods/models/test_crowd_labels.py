"""Methods of Crowd-Kit under our contract: weights tell careful graders from random ones, and the extra is named."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import peerage as pg
from peerage.methods.item_reports import ItemReports
from peerage.methods.method_contract import Method
from peerage.methods.models.crowd_labels import DawidSkene, Glad, Mace
from support.classes.published import reports_of

LABELLERS = [
    DawidSkene(name="dawid-skene", rounds=20),
    Glad(name="glad", rounds=5),
    Mace(name="mace", rounds=10, restarts=2),
]


@pytest.mark.parametrize("method", LABELLERS, ids=lambda method: method.name)
def test_careful_graders_have_more_weight_and_their_labels_win(method: DawidSkene | Glad | Mace) -> None:
    """Four graders give the true label of 40 works, three any of four; every careful one outweighs every other."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4, 40)
    rows = [
        (f"g{grader}", f"s{work}", float(true[work] if grader < 4 else rng.integers(0, 4)))
        for work in range(40)
        for grader in range(7)
    ]
    reports, _ = reports_of(rows)
    found = method.solve(ItemReports(**{**vars(reports), "ladder": (np.arange(4.0),)}), rng)
    np.testing.assert_array_equal(np.rint(found.value), true)
    assert found.weight is not None
    assert found.weight[:4].min() > found.weight[4:].max()


def test_without_crowd_kit_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crowdkit.aggregation", None)
    book, _ = pg.simulate(students=8, weeks=1, components=1, seed=1)
    method: Method = LABELLERS[0]
    with pytest.raises(pg.MissingExtraError, match=r"dawid-skene needs an optional dependency; .*peerage\[crowd\]"):
        method.aggregate(book)
