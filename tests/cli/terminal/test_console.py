"""What the terminal shows: many problems of a kind are shortened."""

from __future__ import annotations

from peerage import Problem
from peerage.cli.terminal.console import SHOWN_PER_KIND, shorten


def test_problems_are_shortened_by_kind() -> None:
    problems = [Problem(f"odd {index}", "even it out") for index in range(SHOWN_PER_KIND + 5)]
    lines = shorten([*problems, Problem("alone")])
    assert len(lines) == SHOWN_PER_KIND + 2
    assert "alone" in lines
    assert lines[-1] == "and 5 more like these: even it out"
