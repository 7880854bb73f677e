"""Files that would take all time and memory there is are refused in a sentence, and limits can be raised."""

from __future__ import annotations

import os
import re
import threading
import zipfile
from dataclasses import asdict
from pathlib import Path

import openpyxl
import pytest

import peerage as pg
from peerage.cli import main
from peerage.formats.systems.moodle.moodle_workshop import plain
from peerage.tables.limits import LIMITS

DOCS = Path(__file__).parents[2] / "docs" / "files.md"


def refusal(path: Path, **options: object) -> str:
    with pytest.raises(pg.InputError) as refused:
        pg.read_grades(path, **options)  # type: ignore[arg-type]
    return str(refused.value)


def test_a_value_in_the_last_cell_of_a_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0]["XFD1048576"] = 1
    book.save(tmp_path / "g.xlsx")
    said = "g.xlsx: has 16,384 columns, and at most 1,000 are read; give less, or raise the limit 'columns'"
    assert refusal(tmp_path / "g.xlsx") == said


def test_a_workbook_that_unpacks_to_more_than_is_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].append(["submission", "grader", "S"])
    book.save(tmp_path / "g.xlsx")
    with zipfile.ZipFile(tmp_path / "g.xlsx", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/more", bytes(3_000_000))
    said = (
        "g.xlsx: has 3 megabytes once it is unpacked, and at most 1 are read; give less, or raise the limit 'unpacked'"
    )
    assert refusal(tmp_path / "g.xlsx", limits={"unpacked": 1}) == said


def test_many_columns(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(",".join(f"c{index}" for index in range(100_000)) + "\n")
    assert re.match(r"g.csv: has [\d,]+ columns, and at most 1,000 are read;", refusal(tmp_path / "g.csv"))


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"rows": 2}, "g.csv: has 5 rows, and at most 2 are read; give less, or raise the limit 'rows'"),
        ({"cells": 9}, "g.csv: has 20 cells, and at most 9 are read; give less, or raise the limit 'cells'"),
        ({"columns": 3}, "g.csv: has 4 columns, and at most 3 are read; give less, or raise the limit 'columns'"),
        ({"components": 1}, "has 2 components, and at most 1 are read; give less, or raise the limit 'components'"),
    ],
)
def test_other_limits(tmp_path: Path, limits: dict[str, int], said: str) -> None:
    (tmp_path / "g.csv").write_text("submission,grader,S,T\np1,a,1,2\np1,b,2,3\np2,a,3,1\n")
    assert refusal(tmp_path / "g.csv", limits=limits) == said
    assert pg.read_grades(tmp_path / "g.csv", limits=dict.fromkeys(limits, 100)).n_reviews == 3


def test_large_files_and_documents(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("submission,grader,S\n" + "p1,a,1\n" * 200_000)
    assert refusal(path, limits={"megabytes": 1}).startswith("g.csv: has 1 megabytes, and at most 1 are read;")
    path.write_text("[{}," + " " * 1_100_000 + "{}]")
    assert "megabytes, being a document, and at most 1 are read" in refusal(path, limits={"document": 1})


def test_limits_that_make_no_sense() -> None:
    for limits in ({"width": 3}, {"rows": 0}, {"rows": 2.5}):
        with pytest.raises(pg.InputError, match="limit"):
            pg.read_grades("g.csv", limits=limits)  # type: ignore[arg-type]


def test_the_command_line_raises_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.csv"
    path.write_text("submission,grader,S,T\np1,a,1,2\np1,b,2,3\np2,a,3,1\n")
    assert main(["check", str(path), "--limits", "columns=3"]) == 2
    assert "(--limits)" in capsys.readouterr().err
    assert main(["check", str(path), "--limits", "columns=4,rows=100"]) == 0
    assert main(["check", str(path), "--limits", "columns=" + "9" * 5000]) == 2


def test_devices_and_pipes_are_not_read_but_what_the_shell_pipes_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe"):
        assert refusal(path) == f"{path}: is not an ordinary file; copy what it holds to one"
        with pytest.raises(pg.InputError, match="is not an ordinary file"):
            pg.Rubric.read(path)
    source, target = os.pipe()
    writer = threading.Thread(target=_write, args=(target,))
    writer.start()
    assert pg.read_grades(f"/dev/fd/{source}").n_reviews == 2
    writer.join()
    os.close(source)


def _write(target: int) -> None:
    with os.fdopen(target, "wb") as file:
        file.write(b"submission,grader,S\np1,a,1\np1,b,2\n")


def test_a_description_of_angle_brackets_takes_no_time() -> None:
    assert plain("<" * 300_000 + "Style</p>") == "<" * 300_000 + "Style"


def test_the_documented_table_has_every_limit() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", DOCS.read_text("utf-8"), re.MULTILINE))
    assert {name: int(value.replace(",", "")) for name, value in rows.items()} == asdict(LIMITS)
