"""Four weeks of a class in a project folder, told by what the terminal says, line by line."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from peerage.cli import main
from peerage.workflow.publishing import publications
from support.classes.term import class_table, grades_of, rows, written

SHORT = ["--chains", "2", "--draws", "30", "--burn-in", "10", "--priors", "paper", "-q"]
"""Too short to be believed: warnings about the fit are not looked at."""

SETTINGS = "note: using the settings in peerage.toml; options override them"
REPUBLISH = "note: to replace them with today's instead: peerage fit --republish"
LATECOMER = [
    "note: 1 grader with a single review: 'latecomer'; little can be said about such graders",
    "note: 1 grader wrote nothing that was graded: 'latecomer'; correct an id that is misspelt, and give staff the "
    "role ta or instructor",
]
FILES = (
    "report.html, grades.csv, totals.csv, graders.csv, spotchecks.csv, weights.csv, explanations.csv, posterior.npz, "
    "run.json"
)
KEEPS = "From now on, peerage fit and peerage update keep these grades."
LOOK = f"To look at the results, open {Path('results', 'report.html')} in a browser."
NEXT = "Once students have these grades, run: peerage publish results"

FIRST = Path("published", "1")
BESIDE = "note: using override.csv, found beside the grades, to set grades (--override)"
BY_STAFF = ["Set by the staff:", "  week2-1 in Component 1: 0 (a page was missing)"]

Run = Callable[..., tuple[list[str], list[str]]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command; give the lines that it writes for the reader, and its notes, without warnings about short fits."""

    def running(*arguments: str, status: int = 0) -> tuple[list[str], list[str]]:
        assert main(list(arguments)) == status
        said = capsys.readouterr()
        notes = [line for line in said.err.splitlines() if not line.startswith("warning: ")]
        lines = said.out.splitlines()
        if arguments[0] == "fit" and lines:
            # What every fit prints comes first, down to the line about who should practise.
            begin = next(index for index, line in enumerate(lines) if line.endswith("(graders.csv)."))
            lines = lines[begin + 1 :]
        return [line for line in lines if line], notes

    return running


def keeping(number: int) -> str:
    today = publications(Path())[0].at.date()
    assert abs(today - date.today()).days <= 1
    return f"note: keeping the grades that were handed out, the latest on {today} ({Path('published', str(number))})"


def kept(number: int) -> list[str]:
    """What is said of published grades and of the proposals beside them."""
    proposed = rows(Path("results", "proposals.csv"))
    sure = sum(float(row["certainty"]) >= 0.9 for row in proposed)
    change = f"Today's estimates would change {len(proposed)}, {sure} of them with a certainty of 90% or more"
    return [f"Kept {number} published grades.", f"{change} (proposals.csv)."]


def told(number: int) -> dict[tuple[str, str], float]:
    return grades_of(Path("published", str(number)))


def begins(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first week there is nothing, and that is said with what to do."""
    assert run("fit", status=2)[1] == [
        "there are no grades to read; name a table of grades, or run peerage init once, which asks for it and writes "
        "peerage.toml"
    ]
    (home / "later" / "week1.csv").rename(home / "week1.csv")
    (home / "later" / "rubric.toml").rename(home / "rubric.toml")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n\n\n3\n"))
    assert run("init")[0] == [
        "Written to peerage.toml. From now on, in this folder:",
        "peerage check shows how the grades are understood;",
        "peerage fit estimates the grades and writes them to results;",
        "peerage publish results records that students have them, so that later fits keep them.",
    ]
    assert (home / "peerage.toml").read_text("utf-8").splitlines()[-1] == 'required_reviews = "each=3"'
    (home / "peerage.toml").write_text((home / "peerage.toml").read_text("utf-8").replace("week*", "week?"), "utf-8")


def hands_out_the_first_week(run: Run) -> None:
    """The first week is fitted and handed out."""
    assert run("publish", "results", status=2)[1] == [
        "results: there are no results here; name a folder that peerage has written"
    ]
    assert run("fit", *SHORT) == ([f"Written to results: {FILES}", LOOK, NEXT], [SETTINGS])
    assert run("publish", "results") == (
        [f"Recorded in {FIRST}: 16 grades in results are handed out (16 new, 0 as before, 0 changed).", KEEPS],
        [],
    )
    again = "All 16 grades in results were handed out before; nothing is recorded."
    assert run("publish", "results") == ([again], [])


def receives_a_late_review(home: Path, run: Run) -> None:
    """In the second week a review of the first one comes late."""
    one = pd.read_csv("week1.csv")
    pd.concat([one, one.iloc[:2].assign(grader="latecomer")]).to_csv("week1.csv", index=False)
    (home / "later" / "week2.csv").rename(home / "week2.csv")
    lines, notes = run("fit", *SHORT)
    late = "note: 1 late review of submissions with published grades, by 'latecomer'"
    assert notes == [SETTINGS, keeping(1), REPUBLISH, *LATECOMER, late]
    assert lines == [*kept(16), f"Written to results: {FILES}, proposals.csv", LOOK, NEXT]
    assert told(1).items() <= grades_of(Path("results")).items()
    second = Path("published", "2")
    assert run("publish", "results")[0] == [
        f"Recorded in {second}: 32 grades in results are handed out (16 new, 16 as before, 0 changed).",
        KEEPS,
    ]


def grants_an_appeal(home: Path, run: Run) -> None:
    """In the third week an appeal succeeds: the one grade that changes is named."""
    (home / "later" / "week3.csv").rename(home / "week3.csv")
    override = "submission,component,grade,reason\nweek2-1,Component 1,0,a page was missing\n"
    (home / "override.csv").write_text(override)
    lines, notes = run("fit", *SHORT)
    assert notes == [SETTINGS, keeping(2), REPUBLISH, *LATECOMER, BESIDE]
    assert lines == [*BY_STAFF, *kept(31), f"Written to results: {FILES}, proposals.csv", LOOK, NEXT]
    before = told(2)["week2-1", "Component 1"]
    assert run("publish", "results")[0] == [
        f"Recorded in {Path('published', '3')}: 48 grades in results are handed out (16 new, 31 as before, 1 changed).",
        f"  week2-1 in Component 1: {before:g} → 0",
        KEEPS,
    ]


def has_a_ta_check(home: Path, run: Run) -> None:
    """A TA checks what is most worth it; what was handed out stays, and the estimates' view is listed beside it."""
    checks = json.loads("".join(run("spotchecks", "results", "--budget", "1", "--json")[0]))
    assert [check["rank"] for check in checks] == [1]
    shown = run("spotchecks", "results", "--budget", "1")[0]
    assert shown[-2:] == [
        "Priority: by how much a grade by staff is expected to reduce the variance of the submission's grades, "
        "in squared points.",
        "Once staff have graded any of these, run: peerage update results NEW_GRADES",
    ]
    checked = checks[0]["submission"]
    header = "submission,grader,component,grade,role"
    (home / "ta.csv").write_text(f"{header}\n{checked},ta9,Component 1,0,ta\n{checked},ta9,Component 2,0,ta\n")
    lines, notes = run("update", "results", "ta.csv", "-q")
    new = "note: 1 new grader with the role ta: 'ta9'"
    few = "note: 2 graders with a single review: 'latecomer', 'ta9'; little can be said about such graders"
    assert notes == [keeping(3), new, few]
    unchanged = ["No grade of submissions with new grades changed.", "No grade of other submissions changed."]
    saved = [f"Written to results: {FILES}, proposals.csv", f"The earlier results are in {home / 'results-before-1'}"]
    other = "Staff gave other grades than were handed out; these stay unless override.csv sets the grade:"
    before = [
        f"  {checked} in {part}: {told(3)[checked, part]:g}, by staff 0" for part in ("Component 1", "Component 2")
    ]
    stays = [*kept(47), other, *before]
    assert lines == ["208 grades in 104 reviews, 2 more than before.", *unchanged, *BY_STAFF, *stays, *saved]
    assert grades_of(Path("results")) == told(3)
    assert checked in {row["submission"] for row in rows(Path("results", "proposals.csv"))}


def forgets_the_tas_file(home: Path, run: Run) -> None:
    """The last week: the TA's file is missing from the project, which is said."""
    (home / "later" / "week4.csv").rename(home / "week4.csv")
    notes = run("fit", *SHORT)[1]
    forgotten = (
        "note: the results in results also used 'ta.csv', which is not read today; "
        "unless that is meant, add it to the setting 'grades' of peerage.toml"
    )
    assert notes == [SETTINGS, forgotten, keeping(3), REPUBLISH, *LATECOMER, BESIDE]
    text = (home / "peerage.toml").read_text("utf-8").replace('"week?.csv"', '"week?.csv", "ta.csv"')
    (home / "peerage.toml").write_text(text, "utf-8")
    notes = run("fit", *SHORT)[1]
    assert forgotten not in notes
    assert told(3).items() <= grades_of(Path("results")).items()
    assert run("publish", "results")[0][0].endswith("(16 new, 48 as before, 0 changed).")


def cannot_hand_out_by_mistake(run: Run) -> None:
    """Results that know nothing of what was handed out cannot be handed out by mistake."""
    run("fit", "-o", "other", "--published", str(FIRST), *SHORT)
    refusal = run("publish", "other", status=2)[1][0]
    assert "would differ from what students were told: week" in refusal
    assert refusal.endswith("; fit again in this project, which keeps them, or ask to replace them (--replace)")
    assert run("fit", "-o", str(FIRST), *SHORT, status=2)[1][-1] == (
        f"{FIRST}: these grades were handed out, and this is the record of it; name another folder"
    )


def asks_for_todays_grades(run: Run) -> None:
    """At the end the instructor asks for what all reviews say."""
    lines, notes = run("fit", "--republish", *SHORT)
    moved = sum(grade != grades_of(Path("results"))[cell] for cell, grade in told(4).items())
    assert notes[1] == keeping(4).replace("keeping", "replacing")
    assert lines == [
        *BY_STAFF,
        f"{moved} published grades changed (changes.csv).",
        f"Written to results: {FILES}, changes.csv",
        LOOK,
        NEXT,
    ]
    final = run("publish", "results")[0]
    assert final[0].endswith(f"({0} new, {64 - moved} as before, {moved} changed).")
    assert told(5) == grades_of(Path("results"))


@pytest.mark.slow
def test_a_term_in_which_no_published_grade_changes_unasked(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = class_table(students=8, weeks=4)
    for week in ("week1", "week2", "week3", "week4"):
        written(table[table["assignment"] == week], home / "later" / f"{week}.csv")
    begins(home, run, monkeypatch)
    hands_out_the_first_week(run)
    receives_a_late_review(home, run)
    grants_an_appeal(home, run)
    has_a_ta_check(home, run)
    forgets_the_tas_file(home, run)
    cannot_hand_out_by_mistake(run)
    asks_for_todays_grades(run)


@pytest.mark.usefixtures("home")
def test_publishing_needs_a_project(run: Run) -> None:
    assert run("publish", "results", status=2)[1] == [
        "there is no peerage.toml here, so nothing can be recorded; write one with peerage init"
    ]
