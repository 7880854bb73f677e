"""The picture of the package is that of the present code."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
PROGRAM = runpy.run_path(str(DOCS / "package_graph.py"))


def test_the_picture_of_the_rooms_is_up_to_date() -> None:
    written = (DOCS / "architecture.svg").read_text(encoding="utf-8")
    assert written == PROGRAM["drawn"](), "rooms import others than before: run `python docs/package_graph.py`"


def test_imports_that_a_longer_way_implies_are_not_drawn() -> None:
    graph = {"a": frozenset("bc"), "b": frozenset("c"), "c": frozenset()}
    drawn = PROGRAM["needed"](graph)
    assert drawn == {"a": frozenset("b"), "b": frozenset("c"), "c": frozenset()}
    assert PROGRAM["in_rows"](drawn) == [["a"], ["b"], ["c"]]
