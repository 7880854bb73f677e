"""Decisions look into a posterior in one place, and what they find there agrees with its tables."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

import peerage as pg
from peerage import decisions
from peerage.decisions.posterior_needs import Cells
from support.tiny import tiny_class

INSIDE = {"layout", "samples", "margins"}


def test_only_one_module_looks_into_a_posterior() -> None:
    (room,) = decisions.__path__
    found = {
        path.name
        for path in Path(room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in INSIDE
    }
    assert found == {"posterior_needs.py"}


def test_cells_are_the_rows_of_the_table_of_submissions() -> None:
    posterior = pg.fit(tiny_class(1), chains=1, draws=20, seed=0)
    cells, table = Cells.of(posterior), posterior.submissions()
    assert [posterior.book.submissions[place] for place in cells.submission] == list(table["submission"])
    assert [posterior.book.rubric.names[place] for place in cells.component] == list(table["component"])
    assert_allclose(cells.level_mass.sum(axis=1), 1)
    assert_array_equal(cells.added_up(np.ones(len(cells))), table.groupby("submission", sort=False).size())
    assert cells.starts[-1] == len(cells)
