"""``peerage simulate``: files that read back as the class that was drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main

FILES = [".peerage.json", "graders_truth.csv", "peer_grades.csv", "rubric.toml", "true_grades.csv"]


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_what_is_written_reads_back_as_the_class(tmp_path: Path) -> None:
    out = tmp_path / "class"
    options = ["--students", "12", "--weeks", "2", "--calibrations", "1", "--components", "2", "--seed", "5"]
    assert main(["simulate", "-o", str(out), *options]) == 0
    book, truth = pg.simulate(12, 2, 5, calibrations=1, components=2)
    read = pg.read_grades(out / "peer_grades.csv")
    assert names(out) == FILES
    assert (read.submissions, read.graders, read.authors) == (book.submissions, book.graders, book.authors)
    assert (read.assignments, read.rubric) == (book.assignments, book.rubric)
    for name in ("roles", "review_submission", "review_grader", "levels"):
        np.testing.assert_array_equal(getattr(read, name), getattr(book, name))
    written = pd.read_csv(out / "true_grades.csv")
    pd.testing.assert_frame_equal(written, truth.true_grades(), check_dtype=False, rtol=1e-12)
    written = pd.read_csv(out / "graders_truth.csv")
    pd.testing.assert_frame_equal(written, truth.graders(), check_dtype=False, rtol=1e-12)


def test_every_option_reaches_the_simulator(tmp_path: Path) -> None:
    (tmp_path / "rubric.toml").write_text("[components.Code]\ngrades = '0 to 3 by 0.5'\n")
    (tmp_path / "priors.toml").write_text("mu_s = 3.0\nsigma_b = 0.2\n")
    options = ["--students", "9", "--weeks", "2", "--reviews-per-student", "2", "--tas", "2", "--ta-share", "0.5"]
    options += ["--rubric", str(tmp_path / "rubric.toml"), "--priors", str(tmp_path / "priors.toml")]
    options += ["--submissions-per-week", "3", "--team-size", "2", "--setting", "c", "--no-effort", "--correlation"]
    assert main(["simulate", "-o", str(tmp_path / "out"), *options]) == 0
    _, truth = pg.simulate(
        9,
        2,
        0,
        reviews_per_student=2,
        tas=2,
        ta_share=0.5,
        components=pg.Rubric.read(tmp_path / "rubric.toml"),
        submissions_per_week=3,
        team_size=2,
        model=pg.Model(effort=False, correlation=True, priors=pg.Priors.paper(mu_s=3.0, sigma_b=1.0, tau_l=4.0)),
    )
    written = pd.read_csv(tmp_path / "out" / "graders_truth.csv")
    pd.testing.assert_frame_equal(written, truth.graders(), check_dtype=False, rtol=1e-12)
    assert pg.read_grades(tmp_path / "out" / "peer_grades.csv").rubric.names == ("Code",)


def test_bias_can_be_left_out(tmp_path: Path) -> None:
    assert main(["simulate", "-o", str(tmp_path / "out"), "--students", "6", "--weeks", "1", "--no-bias"]) == 0
    assert (pd.read_csv(tmp_path / "out" / "graders_truth.csv")["bias"] == 0).all()


def test_an_earlier_class_is_replaced_and_anything_else_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = ["--students", "6", "--weeks", "1"]
    assert main(["simulate", "-o", str(tmp_path / "out"), *small]) == 0
    assert main(["simulate", "-o", str(tmp_path / "out"), *small, "--seed", "1"]) == 0
    assert main(["simulate", "-o", str(tmp_path), *small]) == 2
    assert "this folder holds files that are not results" in capsys.readouterr().err
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--students", "1"], "students must be a whole number of at least 2, not 1"),
        (["--components", "3", "--rubric", "absent.toml"], "--rubric and --components cannot be used together"),
        (["--rubric", "absent.toml"], "absent.toml: cannot be read (No such file or directory); check the path"),
        (["--setting", "z"], "'z' is not one of 'a', 'b', 'c'"),
    ],
)
def test_bad_options_are_named_and_leave_nothing_behind(
    tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", "-o", str(tmp_path / "out"), *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert names(tmp_path) == []
