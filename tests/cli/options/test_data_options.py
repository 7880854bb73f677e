"""Options that say how a file is read."""

from __future__ import annotations

from peerage.cli.options.data_options import parse_columns


def test_columns_may_hold_commas() -> None:
    assert parse_columns("submission=Paper, title,grader = Who") == {"submission": "Paper, title", "grader": "Who"}
    assert parse_columns(None) is None
