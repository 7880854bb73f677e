"""``peerage update``: what it writes, keeps and says, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main
from peerage.cli.commands.update import SHOWN
from peerage.cli.setting_flags import with_flag
from peerage.decisions.staff_grades import change_of_level
from peerage.results import provenance, result_folder
from peerage.results.results import Results
from peerage.results.schema import GRADES

FAST = ["--chains", "2", "--draws", "30", "--burn-in", "10", "-q"]
NEW = "submission,grader,role,Component 1,Component 2\nweek1-1,prof,instructor,0,0\nlate,student1,student,4,\n"


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def record(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "run.json").read_text("utf-8"))
    return content


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a class's results, made with options that are not the defaults, and a file of new grades."""
    folder = tmp_path_factory.mktemp("fitted")
    book, _ = pg.simulate(8, 2, seed=3, tas=1, components=2)
    book.write(folder / "class.csv", rubric=True)
    (folder / "new.csv").write_text(NEW)
    options = ["--staff-final", "--name-graders", "--no-effort", "--seed", "7", "--spot-checks", "3"]
    assert main(["fit", str(folder / "class.csv"), *options, *FAST]) == 0
    return folder


@pytest.fixture
def home(fitted: Path, tmp_path: Path) -> Path:
    """A copy of it that may be changed."""
    return Path(shutil.copytree(fitted, tmp_path / "home"))


def update(home: Path, *options: str) -> int:
    return main(["update", str(home / "class"), str(home / "new.csv"), *options])


def test_everything_is_made_anew_as_it_was_chosen_to_be(home: Path) -> None:
    before = record(home / "class")
    assert update(home) == 0
    after = record(home / "class")
    assert names(home / "class") == names(home / "class-before-1")
    for name in ("choices", "model", "rubric", "seed", "chains", "draws"):
        assert after[name] == before[name]
    assert after["choices"]["staff_final"]
    assert [entry["name"] for entry in after["input"]] == ["class.csv", "new.csv"]
    assert after["counts"]["grades"] == before["counts"]["grades"] + 3
    assert len(pd.read_csv(home / "class" / "spotchecks.csv")) == 3


def test_the_files_hold_what_the_update_of_the_posterior_gives(home: Path) -> None:
    posterior = pg.load(home / "class" / "posterior.npz")
    expected = posterior.update(pg.read_grades(home / "new.csv", rubric=posterior.book.rubric))
    assert update(home) == 0
    saved = pg.load(home / "class" / "posterior.npz")
    np.testing.assert_array_equal(saved.draws["true_grade"], expected.draws["true_grade"])
    tables = Results.of(expected).tables
    written = pd.read_csv(home / "class" / "grades.csv")
    assert list(written["most_likely"]) == list(tables[GRADES]["most_likely"])
    assert "late" in set(written["submission"])


def test_what_is_said_of_the_model_holds_until_more_than_few_grades_are_new(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = record(home / "class")
    monkeypatch.setattr(provenance, "FEW", 5 / first["counts"]["grades"])  # the new grades are three
    assert update(home) == 0
    second = record(home / "class")
    assert second["prediction"] == first["prediction"] | {"staff": second["prediction"]["staff"]}
    assert second["model_checks"] == first["model_checks"] | {"grades_since": 3}
    assert "before the last 3 grades came in or changed" in (home / "class" / "report.html").read_text("utf-8")
    told = [
        f"{problem['message']} (found before the last 3 grades came in or changed)"
        for problem in first["model_checks"]["problems"]
    ]
    warned = [warning["message"] for warning in second["warnings"]]
    assert all(any(message.startswith(words) for message in warned) for words in told)
    monkeypatch.setattr(provenance, "FEW", 2 / first["counts"]["grades"])
    assert update(home) == 0  # brings nothing new
    third = record(home / "class")
    assert third["prediction"]["elpd"] != first["prediction"]["elpd"]
    assert third["model_checks"]["grades_since"] == 0


def test_the_earlier_results_are_kept_and_never_replaced(home: Path) -> None:
    first = contents(home / "class")
    assert update(home) == 0
    second = contents(home / "class")
    assert update(home) == 0
    assert contents(home / "class-before-1") == first
    assert contents(home / "class-before-2") == second
    result_folder.find(home / "class-before-1")
    shutil.rmtree(home / "class-before-1")
    assert update(home) == 0
    assert names(home) == ["class", "class-before-2", "class-before-3", "class.csv", "new.csv", "rubric.toml"]


def test_results_may_be_written_elsewhere(home: Path) -> None:
    before = contents(home / "class")
    assert update(home, "-o", str(home / "other")) == 0
    assert contents(home / "class") == before
    assert names(home) == ["class", "class.csv", "new.csv", "other", "rubric.toml"]
    assert names(home / "other") == names(home / "class")


def test_the_same_input_gives_the_same_files_whatever_the_workers(home: Path) -> None:
    for number in ("1", "2"):
        assert update(home, "-o", str(home / number), "--workers", number) == 0
    one, other = contents(home / "1"), contents(home / "2")
    timed = {"run.json", "posterior.npz", "report.html", result_folder.MARKER}
    assert {name: one[name] for name in set(one) - timed} == {name: other[name] for name in set(other) - timed}
    assert record(home / "1") | {"timings": None} == record(home / "2") | {"timings": None}


def test_changes_are_printed_before_and_after(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grades = [pd.read_csv(home / "class" / "grades.csv")]
    assert update(home, "-q") == 0
    captured = capsys.readouterr()
    grades.append(pd.read_csv(home / "class" / "grades.csv"))
    before, after = (table.set_index(["submission", "component"])["grade"] for table in grades)
    changed = [key for key in before.index if before[key] != after[key]]
    assert ("week1-1", "Component 1") in changed
    lines = [f"  {u} in {c}: {before[u, c]:g} → {after[u, c]:g}" for u, c in changed]
    others = len([key for key in changed if key[0] != "week1-1"])
    printed = [line for line in captured.out.splitlines() if "→" in line]
    assert set(printed) <= set(lines)
    assert len(printed) == len(changed) - others + min(others, SHOWN)
    assert "139 grades in 70 reviews, 3 more than before." in captured.out
    assert "1 submission is new." in captured.out
    assert f"The earlier results are in {home / 'class-before-1'}" in captured.out
    assert "note: 1 new submission: 'late'; if one of them is not new, write its id as before" in captured.err
    assert "note: the rubric" not in captured.err


def test_json_lists_every_change(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = pd.read_csv(home / "class" / "grades.csv").set_index(["submission", "component"])["grade"]
    assert update(home, "--json", "-q") == 0
    said = json.loads(capsys.readouterr().out)
    after = pd.read_csv(home / "class" / "grades.csv").set_index(["submission", "component"])["grade"]
    assert said["written"] == str(home / "class")
    assert said["previous"] == str(home / "class-before-1")
    listed = {(change["submission"], change["component"]): change for change in said["changes"]}
    assert {key for key in after.index if before.get(key) != after[key]} == set(listed)
    for (submission, component), change in listed.items():
        assert change["before"] == before.get((submission, component))
        assert change["after"] == after[submission, component]
        assert change["has_new_grades"] == (submission in ("week1-1", "late"))
    assert listed["late", "Component 1"]["before"] is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("submission,grader,component,grade\nweek1-1,ta1,Component 9,1\n", "Component 9"),
        ("submission,grader,component,grade\nweek1-1,ta1,Component 1,17\n", "17"),
        ("submission,grader,component,grade,author\nweek1-1,ta1,Component 1,1,nobody\n", "the author of submission"),
        ("nonsense\n", "new.csv"),
    ],
)
def test_bad_grades_are_named_and_change_nothing(
    home: Path, text: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "new.csv").write_text(text)
    before = contents(home / "class")
    assert update(home) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said
    assert contents(home / "class") == before
    assert names(home) == ["class", "class.csv", "new.csv", "rubric.toml"]


def test_the_rubric_is_that_of_the_results_whatever_lies_beside_the_new_grades(home: Path) -> None:
    (home / "rubric.toml").write_text("[components.Other]\ngrades = [0, 1]\n")
    assert update(home) == 0


@pytest.mark.parametrize("what", ["absent", "foreign", "damaged", "undecided"])
def test_a_folder_without_results_is_refused(home: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    if what == "absent":
        shutil.rmtree(home / "class")
    elif what == "foreign":
        (home / "class" / result_folder.MARKER).unlink()
    elif what == "damaged":
        (home / "class" / "posterior.npz").write_text("nothing of ours")
    else:
        kept = {name: value for name, value in record(home / "class").items() if name != "choices"}
        (home / "class" / "run.json").write_text(json.dumps(kept))
    assert update(home) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert said.startswith(str(home / "class"))


def test_results_with_a_file_of_ones_own_are_not_replaced(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "class" / "letter.txt").write_text("dear student")
    assert update(home) == 2
    assert "'letter.txt' in this folder was not written by peerage and would be lost" in capsys.readouterr().err


def test_results_that_were_replaced_meanwhile_are_not_replaced_again(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another update ends while this one samples."""
    right = pg.Posterior.update

    def slow(posterior: pg.Posterior, *arguments: Any, **options: Any) -> pg.Posterior:
        monkeypatch.undo()
        assert update(home, "-q") == 0
        return right(posterior, *arguments, **options)

    monkeypatch.setattr(pg.Posterior, "update", slow)
    assert update(home, "-q") == 2
    assert "these results were replaced in the meantime; run the update again" in capsys.readouterr().err
    assert names(home) == ["class", "class-before-1", "class.csv", "new.csv", "rubric.toml"]


def class_of_generous_students(folder: Path) -> None:
    """A class graded by students alone, fitted, and a TA's reviews, which are much lower."""
    names = [f"student{index + 1:02}" for index in range(12)]
    model = pg.Model(priors=pg.Priors.paper(mu_s=3), fixed=pg.Fixed(bias=dict.fromkeys(names, 1.0)))
    book, _ = pg.simulate(students=12, weeks=1, tas=0, components=2, seed=3, model=model)
    book.write(folder / "wide.csv", rubric=True)
    graded = "".join(f"{name},zoe,ta,1,1\n" for name in book.submissions[:4])
    (folder / "ta.csv").write_text(f"submission,grader,role,Component 1,Component 2\n{graded}")
    assert main(["fit", str(folder / "wide.csv"), *FAST]) == 0


def test_that_the_whole_class_moves_to_the_level_of_staff_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class_of_generous_students(tmp_path)
    capsys.readouterr()
    wide, ta = tmp_path / "wide", tmp_path / "ta.csv"
    assert main(["update", str(wide), str(ta), "-o", str(tmp_path / "other"), "-q"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    excess = record(tmp_path / "other")["explanations"]["excess_over_staff"]
    assert record(wide)["explanations"]["excess_over_staff"] == 0
    assert excess >= 0.2
    assert with_flag(change_of_level(0, excess), "staff_level") in said
    assert main(["update", str(wide), str(ta), "-o", str(tmp_path / "other"), "-q", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["excess_over_staff"] == {"before": 0, "after": excess}
    other = tmp_path / "other"
    assert main(["update", str(other), str(ta), "-o", str(tmp_path / "again"), "-q"]) == 0
    again = record(tmp_path / "again")["explanations"]["excess_over_staff"]
    said = " ".join(capsys.readouterr().out.split())
    changed = change_of_level(excess, again)
    assert (with_flag(changed, "staff_level") if changed and again else changed) in said
    assert ("level of the grades" in said) == (again != excess)


def test_a_fit_that_forgets_the_tas_file_says_so_outside_a_project_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class_of_generous_students(tmp_path)
    wide = tmp_path / "wide"
    assert "not read today" not in capsys.readouterr().err
    assert main(["update", str(wide), str(tmp_path / "ta.csv"), "-q"]) == 0
    assert main(["fit", str(tmp_path / "wide.csv"), str(tmp_path / "ta.csv"), "-o", str(wide), *FAST]) == 0
    assert "not read today" not in capsys.readouterr().err
    assert main(["fit", str(tmp_path / "wide.csv"), *FAST]) == 0
    forgotten = f"the results in {wide} also used 'ta.csv', which is not read today; unless that is meant, name it too"
    assert f"note: {forgotten}" in capsys.readouterr().err.splitlines()
    (wide / "run.json").write_text("{bad")
    assert main(["fit", str(tmp_path / "wide.csv"), *FAST]) == 0
    assert record(wide)["final"] == "average"
