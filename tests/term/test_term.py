"""The tutorial of a term, run as it is written, but with shorter chains."""

from __future__ import annotations

import os
import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from peerage.cli import main
from support.classes.term import FAST, grades_of, record, rows

TUTORIAL = Path(__file__).parents[2] / "docs" / "term.md"
WEEKS = [f"week{number:02}" for number in range(1, 12)]
APPEALS = {"week03": {("week02-11", "Component 2"): 5.0}, "week08": {("week07-04", "Component 1"): 5.0}}

# Starting Python for every command would take most of the time, so the shell asks this process to run them.
_PRELUDE = """
set -e
trap 'printf "" > ../asked' EXIT
peerage() { printf '%s\\0' "$@" > ../asked; read -r status < ../answered; return $status; }
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds the results of every week."""
    base = tmp_path_factory.mktemp("tutorial")
    home, asked, answered = base / "home", base / "asked", base / "answered"
    home.mkdir()
    os.mkfifo(asked)
    os.mkfifo(answered)
    blocks = re.findall(r"^```sh\n(.*?)^```$", TUTORIAL.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    with (
        pytest.MonkeyPatch.context() as patch,
        subprocess.Popen(["bash", "-c", _PRELUDE + "".join(blocks)], cwd=home) as shell,
    ):
        patch.chdir(home)
        while command := asked.read_text("utf-8").split("\0")[:-1]:
            status = main([*command, *(FAST if command[0] == "fit" else ())])
            answered.write_text(f"{status}\n", "utf-8")
    assert shell.returncode == 0
    return home / "results"


@pytest.mark.slow
def test_no_published_grade_changes_unless_it_is_asked_for(results: Path) -> None:
    for before, after in pairwise(WEEKS):
        old, new = grades_of(results / before), grades_of(results / after)
        assert {cell: new[cell] for cell in old} == old | APPEALS.get(after, {})
        assert len(new) == len(old) + 24
    assert any(rows(results / week / "proposals.csv") for week in WEEKS[1:])


@pytest.mark.slow
def test_each_proposed_change_has_a_reason_that_is_true(results: Path) -> None:
    """No review came late or was corrected; one grader was excluded in the fourth week, and others re-estimated."""
    table = pd.read_csv(results.parent / "term" / "peer_grades.csv", dtype=str)
    reviewers = table.groupby("submission")["grader"].agg(set)
    for week in WEEKS[1:]:
        for row in rows(results / week / "proposals.csv"):
            graders = reviewers[row["submission"]]
            excluded = "the review by 'student05' is excluded: copies grades from others" in row["why"]
            assert excluded <= ("student05" in graders and week >= "week04")
            if week == "week04":
                assert excluded == ("student05" in graders)
            named = set(re.findall(r"the (?:reliability|bias|effort) of '(\w+)' was re-estimated", row["why"]))
            assert named <= graders
            assert excluded or named or "the class as a whole was re-estimated" in row["why"]
            assert not re.search("new review, by|corrected|no longer|settings|anew", row["why"])


@pytest.mark.slow
def test_what_the_staff_decided_is_recorded(results: Path) -> None:
    last = record(results / "week11")
    assert [entry["grader"] for entry in last["exclusions"]] == ["student05"]
    assert last["exclusions"][0]["n_reviews"] == 4 * 11 + 2
    assert [entry["submission"] for entry in last["overrides"]] == ["week02-11", "week07-04"]
    assert "student05" not in {row["grader"] for row in rows(results / "week11" / "graders.csv")}


@pytest.mark.slow
def test_what_was_compared_is_explained(results: Path) -> None:
    appeal = {(row["submission"], row["component"]): row["why"] for row in rows(results / "week03" / "changes.csv")}
    assert appeal["week02-11", "Component 2"] == "set by the staff: appeal: a proof was overlooked"
    final, published = grades_of(results / "final"), grades_of(results / "week11")
    changed = {(row["submission"], row["component"]): row["why"] for row in rows(results / "final" / "changes.csv")}
    assert set(changed) == {cell for cell in published if final[cell] != published[cell]} != set()
    assert all(words.startswith("no longer kept as published") for words in changed.values())
    for appeals in APPEALS.values():
        assert {cell: final[cell] for cell in appeals} == appeals
