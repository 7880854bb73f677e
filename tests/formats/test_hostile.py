"""Whatever a file holds: the right words, the right exit status, no traceback, and nothing left behind."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from support.faults.hostile_files import run_case

CASES: list[dict[str, Any]] = [
    case
    for name in ("hostile.toml", "everyday.toml")
    for case in tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))["case"]
]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_words_and_status(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status = run_case(case)
    captured = capsys.readouterr()
    notes = [line.removeprefix("note: ") for line in captured.out.splitlines() if line.startswith("note: ")]
    said = captured.err.splitlines() if status else notes
    assert (status, said) == (case["status"], case["said"].splitlines())
    assert not (captured.err if status == 0 else captured.out)
    assert {path.name for path in tmp_path.iterdir()} == set(case.get("files", ()))


def test_at_least_forty_distinct_cases() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES) >= 40
