"""The tutorial of a term, run as it is written, but with shorter chains."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from term import FAST, grades_of, record, rows

TUTORIAL = Path(__file__).parents[1] / "docs" / "term.md"
WEEKS = [f"week{number:02}" for number in range(1, 12)]
APPEALS = {"week03": {("week02-03", "Component 1"): 5.0}, "week08": {("week07-02", "Component 2"): 4.0}}

_PEERAGE = f"""
peerage() {{
  if [ "$1" = fit ]; then set -- "$@" {" ".join(FAST)}; fi
  "{sys.executable}" -c 'import sys; from peerage.cli import main; sys.exit(main())' "$@"
}}
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds the results of every week."""
    home = tmp_path_factory.mktemp("tutorial")
    blocks = re.findall(r"^```sh\n(.*?)^```$", TUTORIAL.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    script = "set -e\n" + _PEERAGE + "".join(blocks)
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1"}
    run = subprocess.run(["bash", "-c", script], cwd=home, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return home / "results"


@pytest.mark.slow
def test_no_published_grade_changes_unless_it_is_asked_for(results: Path) -> None:
    for before, after in pairwise(WEEKS):
        old, new = grades_of(results / before), grades_of(results / after)
        assert {cell: new[cell] for cell in old} == old | APPEALS.get(after, {})
        assert len(new) == len(old) + 24
    assert any(rows(results / week / "proposals.csv") for week in WEEKS[1:])


@pytest.mark.slow
def test_what_the_staff_decided_is_recorded(results: Path) -> None:
    last = record(results / "week11")
    assert [entry["grader"] for entry in last["exclusions"]] == ["student05"]
    assert last["exclusions"][0]["n_reviews"] == 4 * 11 + 2
    assert [entry["submission"] for entry in last["overrides"]] == ["week02-03", "week07-02"]
    assert "student05" not in {row["grader"] for row in rows(results / "week11" / "graders.csv")}


@pytest.mark.slow
def test_what_was_compared_is_explained(results: Path) -> None:
    appeal = {(row["submission"], row["component"]): row["why"] for row in rows(results / "week03" / "changes.csv")}
    assert appeal["week02-03", "Component 1"] == "set by the staff: appeal: a proof was overlooked"
    final, published = grades_of(results / "final"), grades_of(results / "week11")
    changed = {(row["submission"], row["component"]): row["why"] for row in rows(results / "final" / "changes.csv")}
    assert set(changed) == {cell for cell in published if final[cell] != published[cell]} != set()
    assert all(words.startswith("no longer kept as it was handed out") for words in changed.values())
    assert {cell: final[cell] for appeals in APPEALS.values() for cell in appeals} == {
        cell: grade for appeals in APPEALS.values() for cell, grade in appeals.items()
    }
