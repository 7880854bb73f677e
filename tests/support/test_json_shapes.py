"""Documents that do not look as they should are told apart, with the first thing that is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from peerage.support.files.json_shapes import Maybe, misfit

SHAPE = {"name": str, "points": Maybe((int, float)), "files": [{"size": int}]}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"name": "a", "files": []}, ""),
        ({"name": "a", "points": None, "files": [{"size": 1, "more": 2}]}, ""),
        ([], "it is not a table"),
        ({"files": []}, "there is no 'name'"),
        ({"name": 3, "files": []}, "'name' is not text"),
        ({"name": "a", "points": "3", "files": []}, "'points' is not a whole number or a number"),
        ({"name": "a", "points": True, "files": []}, "'points' is not a whole number or a number"),
        ({"name": "a", "files": {}}, "'files' is not a list"),
        ({"name": "a", "files": [{"size": 1}, {"size": None}]}, "'size' is not a whole number"),
        ({"name": "a", "files": [3]}, "an entry of 'files' is not a table"),
    ],
)
def test_misfits(document: Any, said: str) -> None:
    assert misfit(document, SHAPE) == said
