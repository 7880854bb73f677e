"""Files that would take all time and memory there is are refused in a sentence, and limits can be raised."""

from __future__ import annotations

import os
import re
import threading
import time
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest
from openpyxl.xml.constants import SHARED_STRINGS, SHEET_MAIN_NS

import peerage as pg
from peerage.cli import main
from peerage.formats.systems.moodle.workshop_contents import plain
from peerage.tables import limits, workbook_archive
from peerage.tables.limits import LIMITS

DOCS = Path(__file__).parents[2] / "docs" / "files.md"
STYLES, STRINGS, SHEET = "xl/styles.xml", "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"
TYPES = "[Content_Types].xml"


def refusal(path: Path, **options: object) -> str:
    with pytest.raises(pg.InputError) as refused:
        pg.read_grades(path, **options)  # type: ignore[arg-type]
    return str(refused.value)


def test_a_value_in_the_last_cell_of_a_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0]["XFD1048576"] = 1
    book.save(tmp_path / "g.xlsx")
    said = "g.xlsx: has 16,384 columns, and at most 1,000 are read; give a smaller file, or raise the limit 'columns'"
    assert refusal(tmp_path / "g.xlsx") == said


def test_a_workbook_that_unpacks_to_more_than_is_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].append(["submission", "grader", "S"])
    book.save(tmp_path / "g.xlsx")
    with zipfile.ZipFile(tmp_path / "g.xlsx", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/more", bytes(3_000_000))
    said = "g.xlsx: has 3 megabytes once it is unpacked, and at most 1 are read"
    remedy = "give a smaller file, or raise the limit 'unpacked'"
    assert refusal(tmp_path / "g.xlsx", limits={"unpacked": 1}) == f"{said}; {remedy}"


def test_many_columns(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(",".join(f"c{index}" for index in range(100_000)) + "\n")
    assert re.match(r"g.csv: has [\d,]+ columns, and at most 1,000 are read;", refusal(tmp_path / "g.csv"))


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"rows": 2}, "g.csv: has 5 rows, and at most 2 are read; give a smaller file, or raise the limit 'rows'"),
        ({"cells": 9}, "g.csv: has 20 cells, and at most 9 are read; give a smaller file, or raise the limit 'cells'"),
        (
            {"columns": 3},
            "g.csv: has 4 columns, and at most 3 are read; give a smaller file, or raise the limit 'columns'",
        ),
        (
            {"components": 1},
            "g.csv: has 2 components, and at most 1 are read; give a smaller file, or raise the limit 'components'",
        ),
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
    assert "megabytes of JSON or XML, and at most 1 are read" in refusal(path, limits={"document": 1})


def workbook_with(path: Path, part: str, change: Callable[[bytes], bytes]) -> None:
    """Write a workbook one of whose parts is changed."""
    book = openpyxl.Workbook()
    book.worksheets[0].append(["submission", "grader", "S"])
    for index in range(100):
        book.worksheets[0].append([f"p{index // 2}", f"a{index}", index % 3])
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if STRINGS not in members:
        members[STRINGS] = b'<sst xmlns="' + SHEET_MAIN_NS.encode() + b'"/>'
        types = f'<Override PartName="/{STRINGS}" ContentType="{SHARED_STRINGS}"/></Types>'
        members[TYPES] = members[TYPES].replace(b"</Types>", types.encode())
    members[part] = change(members[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def assert_too_much_markup(path: Path) -> None:
    """A file that packs to almost nothing is refused, and soon."""
    assert path.stat().st_size < 300_000
    begun = time.process_time()
    assert refusal(path) == (
        "g.xlsx: has 100,001 elements of markup in a row or beside its rows, and at most 100,000 are read; "
        "give a smaller file, or raise the limit 'markup'"
    )
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    ("part", "piece", "before"),
    [
        (STYLES, b"<xf/>", b"</cellXfs>"),
        (STYLES, b"<font/>", b"</fonts>"),
        ("xl/workbook.xml", b'<sheet name="x" sheetId="1" r:id="rId1"/>', b"</sheets>"),
        (TYPES, b'<Override PartName="/a" ContentType="b"/>', b"</Types>"),
        (SHEET, b"<c/>", b"</row>"),
        (SHEET, b"<row/><a/>", b"</sheetData>"),
        (SHEET, b"<row></row><a/>", b"</sheetData>"),
        # What only looks like a row, or like its end.
        (SHEET, b"<c/><row></row>", b"</row>"),
        (SHEET, b"<c/><!--</row>-->", b"</row>"),
        (SHEET, b"<c/><?a </row>?>", b"</row>"),
        (SHEET, b'<row xmlns="other"></row>', b"</sheetData>"),
    ],
)
def test_a_small_workbook_of_a_million_styles_sheets_or_cells(
    tmp_path: Path, part: str, piece: bytes, before: bytes
) -> None:
    workbook_with(tmp_path / "g.xlsx", part, lambda data: data.replace(before, piece * 1_000_000 + before, 1))
    assert_too_much_markup(tmp_path / "g.xlsx")


@pytest.mark.parametrize(
    ("part", "root", "piece"),
    [
        (STYLES, b"worksheet", b"<row></row>"),
        (STRINGS, b"worksheet", b"<row></row>"),
        (SHEET, b"sst", b"<si></si>"),
    ],
)
def test_a_part_that_passes_for_one_of_which_more_is_read(tmp_path: Path, part: str, root: bytes, piece: bytes) -> None:
    begins = b"<" + root + b' xmlns="' + SHEET_MAIN_NS.encode() + b'">'
    workbook_with(tmp_path / "g.xlsx", part, lambda _: begins + piece * 1_000_000 + b"</" + root + b">")
    assert_too_much_markup(tmp_path / "g.xlsx")


def other_prefix(data: bytes) -> bytes:
    """The same markup, in which every name has a prefix."""
    return re.sub(rb"<(/?)(?=\w)", rb"<\1x:", data).replace(b"xmlns=", b"xmlns:x=")


@pytest.mark.parametrize(
    "change",
    [
        other_prefix,
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"<row", b"\n<row"),
        lambda data: data.replace(b"<sheetData>", b"<sheetData><!-- <row> -->"),
        lambda data: data.replace(b"</sheetData>", b'<row r="200"/></sheetData>'),
        lambda data: data.replace(b"</sheetData>", b'</sheetData><a xmlns="b"/>'),
        lambda data: data.decode().encode("utf-16"),
    ],
)
def test_rows_however_they_are_written(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    workbook_with(tmp_path / "g.xlsx", SHEET, change)
    # More bytes than there may be elements, so that they are counted one by one.
    assert pg.read_grades(tmp_path / "g.xlsx", limits={"markup": 2000}).n_reviews == 100


def test_common_rows_are_counted_without_a_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame(
        {"submission": [f"p{row}" for row in range(2000)], "grader": "a", "S": [row % 3 for row in range(2000)]}
    )
    frame.to_excel(tmp_path / "g.xlsx", index=False)
    monkeypatch.setattr(workbook_archive, "expat", None)
    assert pg.read_grades(tmp_path / "g.xlsx").n_reviews == 2000
    assert "rows, and at most 1,000 are read" in refusal(tmp_path / "g.xlsx", limits={"rows": 1000})


def test_one_line_of_very_many_columns_below_a_header_of_few(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("submission,grader,S\np1,a,1\n" + "," * 1_000_000 + "\n")
    assert re.match(r"g.csv: has [\d,]+ columns, and at most 1,000 are read;", refusal(tmp_path / "g.csv"))


def test_a_header_of_many_long_names(tmp_path: Path) -> None:
    names = [f"{index:0200}" for index in range(1200)]
    (tmp_path / "g.csv").write_text(",".join(names) + "\n" + "," * 1199 + "\n")
    assert refusal(tmp_path / "g.csv").startswith("g.csv: has 1,200 columns, and at most 1,000 are read;")


def test_a_long_comment_is_no_row_of_many_columns(tmp_path: Path) -> None:
    essay = "Well argued, but long, and with many, many commas. " * 5_000
    (tmp_path / "g.csv").write_text(f'submission,grader,S,comment\np1,a,1,"{essay}"\np1,b,2,\n')
    assert pg.read_grades(tmp_path / "g.csv").n_reviews == 2


def test_hundreds_of_columns_take_no_minutes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    names = [f"q{index}" for index in range(300)]
    rows = [f"p{row},a{row}," + ",".join(map(str, rng.integers(0, 50, len(names)))) for row in range(1000)]
    (tmp_path / "g.csv").write_text("\n".join([f"submission,grader,{','.join(names)}", *rows]))
    begun = time.process_time()
    assert "has 300 components, and at most 200 are read" in refusal(tmp_path / "g.csv")
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("name", ["a", '"a"'])
def test_a_setting_whose_name_has_very_many_parts(tmp_path: Path, name: str) -> None:
    (tmp_path / "rubric.toml").write_text(f"{name}." * 100_000 + "a = 1\n")
    begun = time.process_time()
    with pytest.raises(pg.InputError, match="nested too deeply"):
        pg.Rubric.read(tmp_path / "rubric.toml")
    assert time.process_time() - begun < 10


def test_limits_that_make_no_sense() -> None:
    for wrong in ({"width": 3}, {"rows": 0}, {"rows": 2.5}):
        with pytest.raises(pg.InputError, match="limit"):
            pg.read_grades("g.csv", limits=wrong)  # type: ignore[arg-type]


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
        assert refusal(path) == f"{path}: is not an ordinary file; copy its contents to an ordinary file"
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


class Clock:
    """A clock on which every look takes a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 1.0
        return self.now


SLOW = "g.{}: was not read within {} seconds; give a smaller file, or raise the limit 'seconds'"


def test_a_workbook_is_given_up_at_the_row_at_which_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = openpyxl.Workbook()
    book.worksheets[0].append(["submission", "grader", "S"])
    for index in range(500):
        book.worksheets[0].append([f"p{index // 2}", f"a{index}", index % 3])
    book.save(tmp_path / "g.xlsx")
    monkeypatch.setattr(limits, "time", Clock())
    assert refusal(tmp_path / "g.xlsx", limits={"seconds": 200}) == SLOW.format("xlsx", 200)
    assert limits.time.now < 205  # type: ignore[attr-defined]
    assert pg.read_grades(tmp_path / "g.xlsx", limits={"seconds": 2000}).n_reviews == 500


def test_a_table_is_given_up_between_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "g.csv").write_text("submission,grader,S\np1,a,1\np1,b,2\n")
    monkeypatch.setattr(limits, "time", Clock())
    assert refusal(tmp_path / "g.csv", limits={"seconds": 1}) == SLOW.format("csv", 1)
    assert pg.read_grades(tmp_path / "g.csv").n_reviews == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes on this system")
@pytest.mark.parametrize("drips", [True, False])
def test_a_pipe_that_never_ends_is_given_up(drips: bool) -> None:
    source, target = os.pipe()
    over = threading.Event()

    def drip() -> None:
        while not over.wait(0.05):
            os.write(target, b"p1,a,1\n")

    writer = threading.Thread(target=drip)
    if drips:
        writer.start()
    begun = time.monotonic()
    assert "was not read within 1 seconds" in refusal(Path(f"/dev/fd/{source}"), limits={"seconds": 1})
    assert time.monotonic() - begun < 30
    over.set()
    if drips:
        writer.join()
    os.close(source)
    os.close(target)
