"""``peerage pay``: the table on standard output or in a file, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import peerage as pg
from peerage.cli import main


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    book, _ = pg.simulate(8, 2, seed=3, tas=1, components=2)
    book.write(tmp_path / "grades.csv", rubric=True)
    return tmp_path / "grades.csv"


def test_the_table_is_printed_or_written(grades: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = pg.pay(pg.read_grades(grades), "output-agreement")
    assert main(["pay", str(grades), "--mechanism", "output-agreement"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "grader,assignment,payment"
    assert main(["pay", str(grades), "--mechanism", "output-agreement", "--json"]) == 0
    paid = pd.DataFrame(json.loads(capsys.readouterr().out))["payment"].tolist()
    assert paid == pytest.approx(expected["payment"].tolist(), rel=1e-4)
    target = grades.parent / "paid.csv"
    assert main(["pay", str(grades), "--mechanism", "output-agreement", "-o", str(target)]) == 0
    assert capsys.readouterr().out == ""
    assert pd.read_csv(target)["grader"].tolist() == expected["grader"].tolist()


def test_an_unknown_mechanism_and_an_unfit_class_are_refused(grades: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pay", str(grades), "--mechanism", "fairness"]) == 2
    assert "there is no mechanism 'fairness'; choose one of mse" in capsys.readouterr().err
    assert main(["pay", str(grades), "--mechanism", "dmi"]) == 2
    assert "dmi can pay nobody" in capsys.readouterr().err
