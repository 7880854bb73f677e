"""``peerage compare``: every change is listed, with a reason that the perturbation of the data confirms."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main
from support.classes.term import changed, class_table, fitted, graders_of, grades_of, rows, written

TABLE = class_table(students=10)
CELL = ("week1-01", "Component 1")
REVIEWERS = sorted(set(TABLE[(TABLE["submission"] == CELL[0]) & (TABLE["role"] == "student")]["grader"]))


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("old")
    return fitted(written(TABLE, home / "class" / "class.csv"), home / "old")


def compared(old: Path, table: pd.DataFrame, home: Path, *options: str) -> dict[tuple[str, str], str]:
    """Why each grade changed, from old results to those of a table."""
    new = fitted(written(table, home / "class" / "class.csv"), home / "new", *options)
    assert main(["compare", str(old), str(new)]) == 0
    listed = {(row["submission"], row["component"]): row for row in rows(new / "changes.csv")}
    before, after = grades_of(old), grades_of(new)
    cells = {cell for cell in before.keys() | after.keys() if before.get(cell) != after.get(cell)}
    assert set(listed) == cells
    for cell, row in listed.items():
        assert (row["before"], row["after"]) == tuple(
            "" if cell not in grades else f"{grades[cell]:g}" for grades in (before, after)
        )
    return {cell: row["why"] for cell, row in listed.items()}


def with_grade(component: str, grade: float) -> pd.DataFrame:
    """The class, all reviewers of the first submission having given a component some grade."""
    return changed(TABLE, lambda table: (table["submission"] == CELL[0]) & (table["component"] == component), grade)


def test_results_that_are_the_same_have_no_changes(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = old.with_name("copy")
    shutil.copytree(old, copy)
    assert main(["compare", str(old), str(copy)]) == 0
    assert "40 grades before, 40 now: 0 changed, 0 new, 0 gone." in capsys.readouterr().out
    assert rows(copy / "changes.csv") == []
    assert "Grades that changed since the earlier results" in (copy / "report.html").read_text("utf-8")
    assert main(["report", str(copy)]) == 0


def test_corrections_are_the_reason_where_they_were_made_and_nowhere_else(old: Path, tmp_path: Path) -> None:
    why = compared(old, with_grade("Component 1", 0), tmp_path)
    before = TABLE[(TABLE["submission"] == CELL[0]) & (TABLE["component"] == CELL[1]) & (TABLE["grade"] != 0)]
    for grader, grade in zip(before["grader"], before["grade"], strict=True):
        assert f"{grader!r} corrected Component 1 from {grade:g} to 0" in why[CELL]
    assert not any("corrected" in words for (submission, _), words in why.items() if submission != CELL[0])


def test_a_new_review_is_the_reason_where_it_was_made(old: Path, tmp_path: Path) -> None:
    new = {"submission": CELL[0], "grader": "prof", "component": CELL[1], "grade": 0.0, "role": "instructor"}
    why = compared(old, pd.concat([TABLE, pd.DataFrame([new])]), tmp_path)
    assert why[CELL] == "1 new review, by 'prof'"
    assert all("new review, by" not in words for (submission, _), words in why.items() if submission != CELL[0])


def test_a_grade_that_moves_without_reviews_of_its_own_names_a_grader_who_was_re_estimated(
    old: Path, tmp_path: Path
) -> None:
    """One grader's reviews are turned upside down: whatever that moves elsewhere goes through graders."""
    culprit = TABLE["grader"] == REVIEWERS[0]
    why = compared(old, TABLE.assign(grade=TABLE["grade"].mask(culprit, 5 - TABLE["grade"])), tmp_path)
    own = {cell: words for cell, words in why.items() if cell[0] in set(TABLE[culprit]["submission"])}
    assert all(words.startswith(f"{REVIEWERS[0]!r} corrected ") for words in own.values())
    others = {cell: words for cell, words in why.items() if cell not in own}
    assert others
    reviewers = TABLE.groupby("submission")["grader"].agg(set)
    old_graders, new_graders = graders_of(old), graders_of(tmp_path / "new")
    for (submission, _), reason in others.items():
        words = reason.split()
        estimate, grader = words[1], words[3].strip("'")
        assert grader in reviewers[submission]
        moved = (float(table[grader][estimate]) for table in (old_graders, new_graders))
        assert words[5:][:5] == ["re-estimated", "from", f"{next(moved):.2f}", "to", f"{next(moved):.2f}"]
        assert ("by this grader elsewhere" in reason) == (grader == REVIEWERS[0])


def test_exclusions_overrides_and_settings_are_reasons(
    old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "class"
    home.mkdir()
    exclusions = "".join(f"{name},{CELL[0]},friends\n" for name in REVIEWERS[1:])
    (home / "exclude.csv").write_text("grader,submission,reason\n" + exclusions + ",week2-02,withdrawn\n")
    other = ("week1-02", "Component 2")
    grade = (grades_of(old)[other] + 1) % 6
    (home / "override.csv").write_text(f"submission,component,grade,reason\n{other[0]},{other[1]},{grade:g},appeal\n")
    why = compared(old, with_grade("Component 2", 0), tmp_path, "--seed", "1")
    assert why[other] == "set by the staff: appeal"
    assert why["week2-02", "Component 1"] == "its reviews are excluded: withdrawn"
    named = why[CELL[0], "Component 2"]
    assert all(f"the review by {name!r} is excluded: friends" in named for name in REVIEWERS[1:])
    assert f"{REVIEWERS[0]!r} corrected Component 2" in named
    computed = [words for cell, words in why.items() if cell != other and cell[0] != "week2-02"]
    assert all(words.endswith("other settings: seed 0 → 1") for words in computed)
    said = capsys.readouterr().out
    assert "2 gone." in said
    assert "1 × set by staff, or no longer set by staff" in said


def test_a_review_that_was_withdrawn_is_the_reason(old: Path, tmp_path: Path) -> None:
    gone = (TABLE["submission"] == CELL[0]) & TABLE["grader"].isin(REVIEWERS[1:])
    lost = TABLE["submission"] == "week2-02"
    why = compared(old, TABLE[~(gone | lost)], tmp_path)
    mine = [words for (submission, _), words in why.items() if submission == CELL[0]]
    assert mine
    assert all(
        words == "; ".join(f"the review by {name!r} is no longer there" for name in REVIEWERS[1:]) for words in mine
    )
    assert {why["week2-02", name] for name in ("Component 1", "Component 2")} == {"no longer graded by anybody"}
    assert not any(
        "no longer" in words for (submission, _), words in why.items() if submission not in (CELL[0], "week2-02")
    )


def test_a_submission_whose_graders_are_all_excluded_says_why(old: Path, tmp_path: Path) -> None:
    reviewers = sorted(set(TABLE[TABLE["submission"] == CELL[0]]["grader"]))
    (tmp_path / "class").mkdir()
    text = "".join(f"{name},,reason {index % 2}\n" for index, name in enumerate(reviewers))
    (tmp_path / "class" / "exclude.csv").write_text(f"grader,submission,reason\n{text}")
    why = compared(old, TABLE, tmp_path)
    assert why[CELL] == "its reviews are excluded: reason 0; reason 1"


def test_a_role_that_changed_is_the_reason_for_what_the_grader_graded_and_reaches_the_rest_through_graders(
    old: Path, tmp_path: Path
) -> None:
    table = TABLE.assign(role=TABLE["role"].mask(TABLE["grader"] == REVIEWERS[0], "ta"))
    why = compared(old, table, tmp_path)
    own = set(TABLE[TABLE["grader"] == REVIEWERS[0]]["submission"])
    assert {submission in own for submission, _ in why} == {True, False}
    for (submission, _), words in why.items():
        if submission in own:
            assert words == f"{REVIEWERS[0]!r} is now ta, not student"
        else:
            assert words.startswith("the ")
            assert "re-estimated" in words


def test_a_change_of_settings_alone_is_the_only_reason(old: Path, tmp_path: Path) -> None:
    why = compared(old, TABLE, tmp_path, "--no-effort", "--no-bias")
    assert set(why.values()) == {"other settings: bias on → off, effort on → off"}


def test_what_held_a_grade_and_what_holds_it_now_are_reasons(old: Path, tmp_path: Path) -> None:
    """A grade is set, then not any more; grades are kept from results of another seed, then not any more."""
    home = tmp_path / "class"
    grades = written(TABLE, home / "class.csv")
    (home / "override.csv").write_text(
        f"submission,component,grade,reason\n{CELL[0]},{CELL[1]},{(grades_of(old)[CELL] + 1) % 6:g},appeal\n"
    )
    other = fitted(grades, tmp_path / "other", "--seed", "7")
    kept = fitted(grades, tmp_path / "kept", "--published", str(other))
    (home / "override.csv").unlink()

    def reasons(before: Path, after: Path) -> dict[tuple[str, str], str]:
        assert main(["compare", str(before), str(after)]) == 0
        return {(row["submission"], row["component"]): row["why"] for row in rows(after / "changes.csv")}

    held = reasons(old, kept)
    assert held.pop(CELL) == "set by the staff: appeal"
    assert set(held.values()) == {"kept as published"}
    released = reasons(kept, fitted(grades, tmp_path / "released"))
    assert released.pop(CELL) == "no longer set by the staff"
    assert set(released) == set(held)
    assert all(words.startswith("no longer kept as published: other settings: seed 7") for words in released.values())


def test_the_class_is_the_reason_where_no_grader_was_re_estimated(
    old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a threshold that no estimate reaches, what changes elsewhere is put down to the reviews that changed."""
    monkeypatch.setattr("peerage.term.change_reasons.NOTABLE", 1e9)
    culprit = TABLE["grader"] == REVIEWERS[0]
    table = TABLE.assign(grade=TABLE["grade"].mask(culprit, 5 - TABLE["grade"]))
    own = set(TABLE[culprit]["submission"])
    why = compared(old, table, tmp_path)
    others = {words for (submission, _), words in why.items() if submission not in own}
    assert others == {f"the class as a whole was re-estimated after {len(own)} reviews, new or changed"}


def test_a_script_gets_all_of_it(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = fitted(written(with_grade("Component 1", 0), tmp_path / "class.csv"), tmp_path / "new")
    capsys.readouterr()
    assert main(["compare", str(old), str(new), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["why"] for entry in listed] == [row["why"] for row in rows(new / "changes.csv")]
    mine = next(entry for entry in listed if (entry["submission"], entry["component"]) == CELL)
    assert set(mine["kinds"]) == {"correction"}


def test_a_folder_without_results_is_refused(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(old), str(tmp_path)]) == 2
    assert "there are no results here" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_move_of_the_whole_class_is_not_put_down_to_single_graders(tmp_path: Path) -> None:
    """A TA gives two less than the students on half of the first week's work."""
    book, _ = pg.simulate(10, 2, seed=3, tas=0, components=2)
    table = book.table()
    checked = table[table["assignment"] == "week1"].drop_duplicates(["submission", "component"]).head(10)
    staff = checked.assign(grader="ta", role="ta", grade=(checked["grade"] - 2).clip(0))
    learned = ["--priors", "learned"]
    before = fitted(written(table, tmp_path / "one" / "class.csv"), tmp_path / "before", *learned)
    both = written(pd.concat([table, staff]), tmp_path / "two" / "class.csv")
    after = fitted(both, tmp_path / "after", *learned)
    assert main(["compare", str(before), str(after)]) == 0
    changes = rows(after / "changes.csv")
    elsewhere = [row["why"] for row in changes if row["submission"] not in set(staff["submission"])]
    assert elsewhere
    assert all(why.startswith("grades by staff elsewhere moved the class as a whole by -") for why in elsewhere)
