"""``peerage fit`` and ``peerage demo``: what they write, what they say and where, and what they refuse."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import peerage as pg
from peerage.cli import main
from peerage.decisions.choices import DecisionChoices
from peerage.model import WHERE_POSSIBLE
from peerage.results.schema import POSTERIOR, RECORD, REPORT, TABLES
from support.programs.children import COMMAND, running

FAST = ["--chains", "2", "--draws", "30", "--burn-in", "10"]
EVERYTHING = sorted([".peerage.json", REPORT, POSTERIOR, RECORD, *(table.file for table in TABLES[:6])])


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def record(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "run.json").read_text("utf-8"))
    return content


def untimed(meta: NDArray[np.uint8]) -> dict[str, Any]:
    """The text part of a saved posterior, without how long things took."""
    return dict(json.loads(meta.tobytes())) | {"timings": None, "seconds": None}


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    """A small class as a file, alone in its folder."""
    book, _ = pg.simulate(8, 2, seed=3, tas=1, components=2)
    path = tmp_path / "class" / "grades.csv"
    path.parent.mkdir()
    book.write(path)
    return path


def test_everything_is_written_to_a_folder_named_after_the_input(
    grades: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", str(grades), *FAST]) == 0
    captured = capsys.readouterr()
    folder = grades.with_suffix("")
    assert names(folder) == EVERYTHING
    assert names(grades.parent) == ["grades", "grades.csv"]
    assert f"Written to {folder}: " in captured.out
    assert "16 submissions by 8 students, 1 TA" in captured.out
    assert "note: the rubric was inferred" in captured.err


def test_the_files_hold_the_posterior_of_the_same_seed(grades: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["fit", str(grades), "-o", str(out), *FAST, "--seed", "5", "-q"]) == 0
    expected = pg.fit(pg.read_grades(grades), chains=2, draws=30, burn_in=10, seed=5)
    written = pd.read_csv(out / "grades.csv")
    assert list(written.columns[:4]) == ["submission", "component", "grade", "most_likely"]
    explanation = DecisionChoices().explain(expected)
    assert explanation is not None
    assert list(written["grade"]) == list(explanation.grades["grade"])
    for table, file in ((expected.submissions(), "grades.csv"), (expected.graders(), "graders.csv")):
        read = pd.read_csv(out / file)[list(table.columns)]
        pd.testing.assert_frame_equal(read, table, check_dtype=False, rtol=1e-4)
    loaded = pg.load(out / "posterior.npz")
    np.testing.assert_array_equal(loaded.draws["true_grade"], expected.draws["true_grade"])


def test_every_option_reaches_the_fit(grades: Path, tmp_path: Path) -> None:
    (tmp_path / "priors.toml").write_text("mu_s = 3.0\nsigma_b = 0.5\n")
    (tmp_path / "fixed.csv").write_text(
        "variable,id,component,value\nreliability,student1,,2\ntrue_grade,week1-1,Component 2,3\n"
    )
    options = ["--no-bias", "--no-effort", "--no-censoring", "--correlation", "--seed", "9", "--workers", "1"]
    options += ["--priors", str(tmp_path / "priors.toml"), "--fixed", str(tmp_path / "fixed.csv")]
    options += ["--chains", "3", "--draws", "20", "--burn-in", "5"]
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), *options]) == 0
    posterior = pg.load(tmp_path / "out" / "posterior.npz")
    assert posterior.model == pg.Model(
        bias=False,
        effort=False,
        censoring=False,
        correlation=True,
        priors=pg.Priors.paper(mu_s=3.0, sigma_b=0.5),
        fixed=pg.Fixed(reliability={"student1": 2.0}, true_grade={("week1-1", "Component 2"): 3.0}),
    )
    assert (posterior.seed, posterior.burn_in) == (9, 5)
    assert posterior.draws["reliability"].shape[:2] == (3, 20)
    assert record(tmp_path / "out")["model"]["fixed"][0]["id"] == "student1"


def test_what_is_on_where_it_can_be_has_an_option_that_switches_it_off(tmp_path: Path) -> None:
    halves = [grade / 2 for grade in range(11)]  # of which some people may use whole numbers only
    rubric = pg.Rubric.uniform(["Idea", "Proof"], halves)
    pg.simulate(8, 2, seed=3, components=rubric)[0].write(tmp_path / "grades.csv", rubric=True)
    learned = {}
    for feature in (None, *WHERE_POSSIBLE):
        off = [f"--no-{feature}"] if feature else []
        out, sampling = tmp_path / str(feature), ["--chains", "1", "--draws", "5", "--burn-in", "1", "-q"]
        assert main(["fit", str(tmp_path / "grades.csv"), "-o", str(out), *sampling, *off]) == 0
        assert record(out)["model"].get(feature, True) is (feature is None)
        learned[feature] = {entry["parameter"] for entry in record(out)["learned"]}
    inferred = set(WHERE_POSSIBLE) - {"floors"}  # which are a rule
    assert all(learned[feature] < learned[None] for feature in inferred)
    assert learned["floors"] == learned[None]


def test_biases_drift_where_that_is_asked_for(grades: Path, tmp_path: Path) -> None:
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), "--drift", "-q", *FAST]) == 0
    found = record(tmp_path / "out")
    assert found["model"]["drift"] is True
    assert "drift" in {entry["parameter"] for entry in found["learned"]}
    assert names(tmp_path / "out") == sorted([*EVERYTHING, "biases.csv"])
    biases = pd.read_csv(tmp_path / "out" / "biases.csv")
    assert list(biases["assignment"].unique()) == ["week1", "week2"]
    pd.testing.assert_frame_equal(biases, pg.load(tmp_path / "out" / POSTERIOR).biases(), check_dtype=False, rtol=1e-4)


def test_the_data_options_are_those_of_check(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("Paper,Judge,S\np1,ann,1.2\np1,bob,3\np2,ann,2\np2,ann,3\np2,bob,1\n")
    (tmp_path / "r.toml").write_text("[components.S]\ngrades = [1, 2, 3]\n")
    options = ["--rubric", str(tmp_path / "r.toml"), "--columns", "submission=Paper,grader=Judge"]
    assert main(["fit", str(path), *options, "--snap", "--duplicates", "last", *FAST]) == 0
    assert pg.load(tmp_path / "g" / "posterior.npz").book.n_reviews == 4


def test_the_same_file_gives_the_same_files_whatever_the_workers(grades: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert main(["fit", str(grades), "-o", str(first), *FAST, "--workers", "1"]) == 0
    assert main(["fit", str(grades), "-o", str(second), *FAST, "--workers", "2"]) == 0
    for name in ("grades.csv", "totals.csv", "graders.csv", "weights.csv", "explanations.csv"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    assert record(first) | {"timings": None} == record(second) | {"timings": None}
    with np.load(first / "posterior.npz") as one, np.load(second / "posterior.npz") as other:
        assert one.files == other.files
        for name in set(one.files) - {"meta"}:
            np.testing.assert_array_equal(one[name], other[name])
        assert untimed(one["meta"]) == untimed(other["meta"])


def test_another_seed_gives_other_files(grades: Path, tmp_path: Path) -> None:
    for seed in ("0", "1"):
        assert main(["fit", str(grades), "-o", str(tmp_path / seed), *FAST, "--seed", seed]) == 0
    assert (tmp_path / "0" / "grades.csv").read_bytes() != (tmp_path / "1" / "grades.csv").read_bytes()


def test_json_prints_the_record_and_nothing_else(
    grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), *FAST, "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out) == record(tmp_path / "out")


def test_warnings_go_to_standard_error_and_into_the_record(
    grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = ["--chains", "1", "--draws", "3", "--burn-in", "0"]
    assert main(["fit", str(grades), "-o", str(tmp_path / "out"), *short]) == 0
    captured = capsys.readouterr()
    assert "warning: convergence cannot be judged from 3 draws per chain; use 1,000 draws (--draws)" in captured.err
    assert "convergence" not in captured.out
    messages = [entry["message"] for entry in record(tmp_path / "out")["warnings"]]
    assert "convergence cannot be judged from 3 draws per chain" in messages


def test_ids_forge_no_line_and_move_no_cursor(grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.read_csv(grades)
    for column in ("submission", "grader"):
        table[column] = [f"{name}\x9b31m\nWritten to elsewhere\x85\u202e" for name in table[column]]
    table.to_csv(grades, index=False)
    out = str(tmp_path / "out")
    for command in (["check", str(grades)], ["fit", str(grades), "-o", out, *FAST], ["spotchecks", out]):
        assert main(command) == 0
        captured = capsys.readouterr()
        shown = captured.out + captured.err
        assert not set(shown) & set("\x9b\x85\u202e")
        assert not [line for line in shown.splitlines() if line.startswith("Written to elsewhere")]
    assert "\\x9b31m" in shown


def test_an_earlier_fit_is_replaced(grades: Path) -> None:
    for _ in range(2):
        assert main(["fit", str(grades), *FAST]) == 0
    assert names(grades.parent) == ["grades", "grades.csv"]


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("class", "the input"),
        ("class/grades.csv", "this is a file; name a folder for the results"),
        ("others", "this folder holds files that are not results; name another folder or an empty one"),
        ("class/grades.csv/out", "grades.csv is not a folder); choose another folder"),
        ("a" * 250, "File name too long); choose another folder"),
    ],
)
def test_a_bad_target_is_refused_before_the_grades_are_read(
    tmp_path: Path, grades: Path, out: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "letter.txt").write_text("dear reader")
    grades.write_text("unreadable")
    assert main(["fit", str(grades), "-o", str(tmp_path / out)]) == 2
    assert words in capsys.readouterr().err
    assert names(tmp_path / "others") == ["letter.txt"]
    assert names(tmp_path) == ["class", "others"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--model", "best"], "--model"),
        (["--model", "auto", "--no-bias"], "the model is chosen automatically"),
        (["--model", "auto", "--drift"], "the model is chosen automatically"),
        (["--priors", "absent.toml"], "absent.toml: cannot be read (No such file or directory); check the path\n"),
        (["--fixed", "absent.csv"], "absent.csv: cannot be read (No such file or directory); check the path\n"),
        (["--chains", "0"], "--chains"),
        (["--draws", "many"], "--draws"),
        (["--seed", "-1"], "--seed"),
        (["--final", "median"], "--final"),
    ],
)
def test_bad_options_are_named_and_leave_nothing_behind(
    grades: Path, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", str(grades), *options]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err
    assert names(grades.parent) == ["grades.csv"]


def test_correlation_without_authors_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.csv"
    path.write_text("submission,grader,S\np1,ann,1\np1,bob,3\np2,ann,2\n")
    assert main(["fit", str(path), "--correlation"]) == 2
    assert "correlation needs to know who wrote what; add an author column to the grades" in capsys.readouterr().err
    assert names(tmp_path) == ["g.csv"]


def test_more_draws_than_fit_into_memory_are_refused(grades: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", str(grades), "--draws", "1000000000000000"]) == 1
    said = "there is not enough memory for this; use a smaller input, or fewer draws or chains\n"
    assert capsys.readouterr().err.endswith(said)
    assert names(grades.parent) == ["grades.csv"]


def test_ctrl_c_ends_a_fit_and_leaves_nothing(grades: Path) -> None:
    with running(COMMAND, "fit", str(grades), "--draws", "1000000") as child:
        assert child.stderr is not None
        assert child.stderr.readline().startswith("note: ")  # the grades are read, and sampling begins
        time.sleep(3)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert said.endswith("interrupted\n")
    assert "Traceback" not in said
    assert names(grades.parent) == ["grades.csv"]


@pytest.mark.slow
def test_the_demo_fits_a_class_and_beats_the_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "demo"
    assert main(["demo", "-o", str(out)]) == 0
    captured = capsys.readouterr()
    truth = ["graders_truth.csv", "peer_grades.csv", "rubric.toml", "true_grades.csv"]
    assert names(out) == sorted([*EVERYTHING, *truth])
    assert pg.read_grades(out / "peer_grades.csv").n_submissions == 240
    grades, true = pd.read_csv(out / "grades.csv"), pd.read_csv(out / "true_grades.csv")["true_grade"].clip(0, 5)
    peers, ours, final = ((grades[name] - true).abs().mean() for name in ("peer_mean", "expected", "grade"))
    assert f"  {peers:.2f} for the plain mean of the peers' grades" in captured.out
    assert f"  {ours:.2f} for the expected grades behind them" in captured.out
    assert f"  {final:.2f} for the final grades, which are weighted averages of the reports" in captured.out
    assert ours < peers
    assert final < peers
    assert "not settled" not in captured.err
