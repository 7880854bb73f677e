"""A run.json that was changed by hand is refused in a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from peerage.errors import InputError
from peerage.results.run_record import read_record


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ([], "it is not a table"),
        ({"seed": "x"}, "'seed' is not a whole number"),
        ({"input": [{"sha256": "1"}]}, "there is no 'name'"),
        ({"warnings": [3]}, "an entry of 'warnings' is not a table or text"),
        ({"overrides": [{"submission": "p"}]}, "there is no 'component'"),
        ({"choices": {"staff_final": "yes"}}, "'staff_final' is not true or false"),
        ({"choices": {"spot_checks": [1]}}, "'spot_checks' is not a whole number"),
        ({"choices": {"credit_scale": 3}}, "'credit_scale' is not text"),
        ({"choices": {"required_reviews": 1.5}}, "'required_reviews' is not a whole number or text"),
        ({"classes": [{"name": "a", "folder": "../../elsewhere"}]}, "a class is in '../../elsewhere'"),
        ({"classes": [{"name": "a", "folder": "/etc"}]}, "a class is in '/etc'"),
    ],
)
def test_records(tmp_path: Path, record: Any, said: str) -> None:
    (tmp_path / "run.json").write_text(json.dumps(record))
    with pytest.raises(InputError) as refused:
        read_record(tmp_path)
    assert str(refused.value) == f"run.json: is missing or damaged ({said}); fit the class again"


def test_a_record_that_is_nested_too_deeply(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match="is missing or damaged"):
        read_record(tmp_path)
