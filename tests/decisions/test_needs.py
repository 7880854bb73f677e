"""Decisions look into a posterior in one place, and what they find there agrees with its tables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

import peerage as pg
from peerage import decisions
from peerage.decisions.posterior_needs import GradedCells
from support.classes.tiny import tiny_class

INSIDE = {"layout", "samples", "margins"}


BEHIND = ("features", "layout", "margins", "numerics", "sampling")
"""What lies behind a posterior, in the room of inference."""

TOOLS = {
    "explain/nearest_average.py": {"numerics.jit"},
    "explain/weight_search.py": {"numerics.jit"},
    "spotchecks/benefit.py": {"numerics.likelihood"},
}
"""What other modules may import of it: compiled functions of plain arrays are made with the one, and are the other."""


def modules(room: Path) -> Iterator[tuple[str, ast.Module]]:
    """The modules of a room and of those in it, by their paths there."""
    for path in room.rglob("*.py"):
        yield path.relative_to(room).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> set[str]:
    """What is imported of inference, but for the room's name."""
    prefix = "peerage.inference."
    found = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    found |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return {name.removeprefix(prefix) for name in found if name.startswith(prefix)}


def behind(tree: ast.Module) -> set[str]:
    return {name for name in imported(tree) if name.split(".")[0] in BEHIND}


def test_only_one_module_looks_into_a_posterior() -> None:
    """Of decisions, and of all that comes after inference."""
    found = {
        name
        for name, tree in modules(Path(pg.__file__).parent)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in INSIDE and not name.startswith("inference/")
    }
    assert found == {"decisions/posterior_needs.py"}


def test_only_that_module_imports_what_lies_behind_a_posterior() -> None:
    (room,) = decisions.__path__
    found = {name: behind(tree) for name, tree in modules(Path(room))}
    assert found.pop("posterior_needs.py")
    assert {name: names for name, names in found.items() if names} == TOOLS


def test_planted_imports_are_found() -> None:
    planted = "from peerage.inference.numerics.hyperparameters import SHAPE\nimport peerage.inference.layout\n"
    assert behind(ast.parse(planted)) == {"numerics.hyperparameters", "layout"}
    assert behind(ast.parse("from peerage.inference.posterior import Posterior")) == set()


def test_cells_are_the_rows_of_the_table_of_submissions() -> None:
    posterior = pg.fit(tiny_class(1), chains=1, draws=20, seed=0)
    cells, table = GradedCells.of(posterior), posterior.submissions()
    assert [posterior.book.submissions[place] for place in cells.submission] == list(table["submission"])
    assert [posterior.book.rubric.names[place] for place in cells.component] == list(table["component"])
    assert_allclose(cells.level_mass.sum(axis=1), 1)
    assert_array_equal(cells.added_up(np.ones(len(cells))), table.groupby("submission", sort=False).size())
    assert cells.starts[-1] == len(cells)
