"""``peerage evaluate``: its files, what it prints, and what it refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main
from peerage.evaluation.evaluation_tables import COLUMNS

OPTIONS = ["--chains", "1", "--draws", "30", "--burn-in", "20", "-q"]
NAMES = {"evaluation.csv", "reviews.csv", "tests.csv", "evaluation.txt", "evaluation.png", "evaluation.svg", "run.json"}


@pytest.fixture(scope="module")
def grades(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("class") / "class.csv"
    book = pg.simulate(students=8, weeks=1, tas=1, components=1, seed=1)[0]
    book.write(path, rubric=True)
    return path


@pytest.fixture(scope="module")
def written(grades: Path) -> Path:
    assert main(["evaluate", str(grades), "--folds", "2", *OPTIONS]) == 0
    return grades.with_name("class-evaluation")


def test_all_files_are_written(written: Path) -> None:
    assert {path.name for path in written.iterdir()} == NAMES | {".peerage.json"}
    text = (written / "evaluation.csv").read_text("utf-8")
    lines = text.splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert lines[1].startswith("bias + effort + censoring,true,true,true,false,learned,-")
    assert lines[-3].startswith("mean,,,,,,-")
    table = pd.read_csv(written / "evaluation.csv")
    reviews = pd.read_csv(written / "reviews.csv")
    assert list(reviews.columns) == ["submission", "grader", "fold", *table["model"]]
    for name, elpd in zip(table["model"], table["elpd"], strict=True):
        assert reviews[name].sum() == pytest.approx(elpd, abs=1e-3)


def test_the_record_and_the_text_say_the_same(written: Path) -> None:
    record = json.loads((written / "run.json").read_text("utf-8"))
    table = pd.read_csv(written / "evaluation.csv")
    assert [row["model"] for row in record["evaluation"]] == list(table["model"])
    assert record["evaluation"][0]["p_value"] is None
    assert record["method"] == "cross-validation"
    assert record["folds"] == 2
    assert record["input"][0]["name"] == "class.csv"
    assert (written / "evaluation.txt").read_text("utf-8").splitlines() == record["sentences"]


def test_the_figure_is_an_image_with_the_models_names(written: Path) -> None:
    assert (written / "evaluation.png").read_bytes().startswith(b"\x89PNG")
    texts = [entry.text for entry in ET.parse(written / "evaluation.svg").iter() if entry.tag.endswith("text")]
    assert {"without bias", "with correlation", "class average"} <= set(texts)


def test_leave_one_out_replaces_earlier_results_and_prints_json(
    grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    for _ in range(2):
        arguments = ["evaluate", str(grades), "-o", str(out), "--loo", "--priors", "paper", "--json", *OPTIONS]
        assert main(arguments) == 0
        record = json.loads(capsys.readouterr().out)
        assert record["method"] == "leave-one-out"
        assert record["folds"] is None
        assert record["evaluation"][0]["priors"] == "paper"
    assert "fold" not in pd.read_csv(out / "reviews.csv")


def test_what_it_found_and_where_it_is_are_printed(
    grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["evaluate", str(grades), "-o", str(out), "--folds", "2", "--no-effort", *OPTIONS]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "With effort: " in printed
    assert "The mean of the other graders: " in printed
    assert f"Written to {out}: evaluation.txt, evaluation.csv" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--loo", "--folds", "3"], "leave-one-out has no folds"),
        (["--folds", "1"], "greater than or equal to 2"),
        (["--priors", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_bad_usage_ends_with_status_2_and_writes_nothing(
    grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    out = tmp_path / "out"
    assert main(["evaluate", str(grades), "-o", str(out), *arguments, *OPTIONS]) == 2
    assert message in " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert not out.exists()


def test_a_folder_with_other_files_is_refused_before_anything_is_fitted(
    grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["evaluate", str(grades), "-o", str(tmp_path)]) == 2
    assert "this folder holds files that are not results" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_single_review_is_refused_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.csv"
    path.write_text("submission,grader,component,grade\np,ann,Essay,3\n")
    (tmp_path / "rubric.toml").write_text('[components.Essay]\ngrades = "0 to 5 by 1"\n')
    assert main(["evaluate", str(path), "-q"]) == 2
    assert "there is only one review" in capsys.readouterr().err


def test_without_matplotlib_the_message_says_what_to_install(
    grades: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = tmp_path / "out"
    assert main(["evaluate", str(grades), "-o", str(out)]) == 2
    message = "A figure needs an optional dependency; install it with: pip install 'peerage[figures]'\n"
    assert capsys.readouterr().err == message
    assert not out.exists()
