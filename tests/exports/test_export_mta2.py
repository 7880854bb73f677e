"""The three files that Mechanical TA 2 imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from peerage.exports import mta2_files
from peerage.exports.mta2_files import Files
from support.programs.exporting import refusal, result_folder, run_export
from support.programs.importing import EXAMPLES

EXAMPLE = EXAMPLES / "mta2_files"


def test_the_files_of_a_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = [("s1", "a|b", 0.45), ("s1", "c,d", 0.55)]
    folder = result_folder(tmp_path / "out", weights=weights, graders=[("a|b", "student", 5.0), ("c,d", "ta", None)])
    assert run_export(folder, "--to", "mta2") == 0
    out = tmp_path / "out-mta2"
    assert {path.name for path in out.iterdir()} == {"grades.csv", "reliability.csv", "spotchecks.csv", ".peerage.json"}
    assert (out / "grades.csv").read_text("utf-8").splitlines() == [
        "s1,12,|a||b|,0.45,|c,d|,0.55",
        "s2,7.625",
        "s3,13",
        "s4,2",
        "s5,0",
    ]
    assert (out / "reliability.csv").read_text("utf-8") == "|a||b|,0.4,1.2,2.1\n"
    assert (out / "spotchecks.csv").read_text("utf-8").splitlines() == ["s5,1", "s1,2"]
    assert capsys.readouterr().err == ""
    assert run_export(folder, "--to", "mta2") == 0, "a folder that peerage has written is replaced"


def test_exactly_what_the_example_holds() -> None:
    assert mta2_files.read(EXAMPLE) == Files(
        grades=(("17", 12.5, (("ann", 0.45), ("o'neil, bob", 0.55))), ("18", 0, ()), ("19", 20, (("a|b", 1),))),
        reliability=(("ann", 0.41, 0.9, 1.73), ("o'neil, bob", 0, 0.2, 1)),
        priorities=(("19", 1), ("17", 2.5)),
    )


def test_user_names_from_a_roster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("id,username\n1001,ann\n1002,bob\n1003,cat\n")
    folder = result_folder(tmp_path / "out")
    assert run_export(folder, "--to", "mta2", "--roster", roster) == 2
    assert capsys.readouterr().err == (
        "the roster does not name 'ta', whose weights belong to the grades; add everyone who graded to the roster\n"
    )
    roster.write_text(roster.read_text() + "ta,tom\n")
    assert run_export(folder, "--to", "mta2", "--roster", roster) == 0
    written = mta2_files.read(tmp_path / "out-mta2")
    assert written.grades[0] == ("s1", 12, (("bob", 0.45), ("cat", 0.55)))
    assert [name for name, *_ in written.reliability] == ["ann", "bob", "cat"]
    assert written.grades[1] == ("s2", 7.625, (("tom", 1),))


def test_results_without_weights_and_spot_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = result_folder(tmp_path / "out", weights=[], spot_checks=[])
    assert run_export(folder, "--to", "mta2") == 0
    assert capsys.readouterr().err.splitlines() == [
        "note: weights were left out; the most likely grades have none",
        "note: spotchecks.csv was left out: these results have no spot checks; fit the class again",
    ]
    assert mta2_files.read(tmp_path / "out-mta2").priorities == ()


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        (
            "grades.csv",
            "s1,3,ann\n",
            "grades.csv, row 1: is not a row of a folder of files for Mechanical TA 2: it has 3",
        ),
        ("grades.csv", "s1\n", "it has 1 cell where 2 are expected"),
        (
            "grades.csv",
            "s1,3\n\ns2,good\n",
            "row 3: is not a row of a folder of files for Mechanical TA 2: 'good' is not",
        ),
        ("reliability.csv", "ann,1,2\n", "it has 3 cells where 4 are expected"),
        ("spotchecks.csv", "s1,\n", "'' is not a number"),
        ("spotchecks.csv", "|s1,2\n", "spotchecks.csv: is damaged"),
    ],
)
def test_malformed_files(tmp_path: Path, file: str, content: str, message: str) -> None:
    (tmp_path / file).write_text(content)
    assert message in refusal(mta2_files.read, tmp_path)
