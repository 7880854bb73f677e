"""Results of earlier versions: what can be read of them is, and the rest is refused in one sentence with the way out.

Each archive in ``earlier_versions/`` holds the results of ``grades.csv``, as a version wrote them. It is named after
the format of its posterior. A released format is never removed. A new one is added with::

    peerage fit grades.csv -o format-N --chains 2 --draws 20 --burn-in 10 --seed 1
    python -m zipfile --create format-N.zip format-N/* format-N/.peerage.json
"""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from peerage.cli import main
from peerage.inference.saved.posterior_file import FORMAT
from peerage.results.results import Results

HOME = Path(__file__).with_name("earlier_versions")
FORMATS = sorted(path.stem for path in HOME.glob("*.zip"))
FAST = ["--chains", "1", "--draws", "10", "--burn-in", "5", "-q"]


@pytest.fixture(params=FORMATS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    shutil.unpack_archive(HOME / f"{request.param}.zip", tmp_path / request.param)
    shutil.copy(HOME / "grades.csv", tmp_path)
    return tmp_path / str(request.param)


def grades_of(folder: Path) -> dict[str, float]:
    with (folder / "grades.csv").open(encoding="utf-8") as file:
        return {row["submission"]: float(row["grade"]) for row in csv.DictReader(file)}


def test_tables_and_the_record_are_read(folder: Path) -> None:
    results = Results.read(folder)
    assert {submission: grade for (submission, _), grade in results.grades.items()} == grades_of(folder)
    assert results.rubric.names == ("Component 1",)
    assert main(["verify", str(folder)]) == 0
    for to, name in (("csv", "marks.csv"), ("xlsx", "marks.xlsx")):
        assert main(["export", str(folder), "--to", to, "-o", str(folder.parent / name)]) == 0


def test_grades_that_were_handed_out_are_kept_and_compared(folder: Path) -> None:
    new, grades = folder.parent / "new", str(folder.parent / "grades.csv")
    assert main(["fit", grades, "-o", str(new), "--published", str(folder), *FAST]) == 0
    assert grades_of(new) == grades_of(folder)
    assert main(["compare", str(folder), str(new)]) == 0


@pytest.mark.parametrize("command", ["report", "update", "spotchecks"])
def test_what_needs_the_draws_opens_them_or_says_what_to_do(
    folder: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = [str(folder.parent / "grades.csv"), "-q"] if command == "update" else []
    status, said = main([command, str(folder), *more]), capsys.readouterr().err
    if folder.name == f"format-{FORMAT}":
        assert status == 0
    elif status != 0:
        assert status == 2
        assert (
            said == f"{folder / 'posterior.npz'}: this was saved by another version of peerage; fit the class again\n"
        )
