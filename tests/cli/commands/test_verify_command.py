"""``peerage verify``: what was changed, cut off, removed or added is said, and nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from peerage.cli import main
from peerage.results import result_folder
from peerage.results.marker import Marker


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with result_folder.writing(tmp_path / "results") as fresh:
        (fresh / "grades.csv").write_text("submission,grade\ns1,3\n")
        (fresh / "graders.csv").write_text("grader\nann\n")
        (fresh / "findings.jsonl").touch()
        (fresh / "canvas").mkdir()
        (fresh / "canvas" / "reviews-1.json").write_text("[]")
        (fresh / "A").mkdir()
        (fresh / "A" / "run.json").write_text("{}")
        result_folder.seal(fresh / "A")
    return tmp_path / "results"


def said(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = main(["verify", str(folder)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_what_was_written_is_as_it_was(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "findings.jsonl").write_text("a finding\n")
    assert said(folder, capsys) == (0, "5 files as written.\n", "")
    result_folder.add(folder, "grades.csv", "submission,grade\ns1,4\n")
    result_folder.add(folder / "A", "report.html", "<html>")
    assert said(folder, capsys) == (0, "6 files as written.\n", "")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("grades.csv", "submission,grade\ns1,5\n", "grades.csv: was changed after it was written"),
        ("grades.csv", "submission,gr", "grades.csv: was changed or cut off: it has 13 of 22 bytes"),
        ("A/run.json", "[]", "A/run.json: was changed after it was written"),
        ("canvas/reviews-1.json", "[1]", "canvas/reviews-1.json: was changed after it was written"),
        ("notes.txt", "mine", "notes.txt: was not written by peerage"),
        ("notes\n9 files as written.", "mine", r"notes\n9 files as written.: was not written by peerage"),
        ("grades.csv", None, "grades.csv: is missing"),
        ("A/.peerage.json", "{", "A: is missing or damaged"),
    ],
)
def test_what_is_not_as_it_was_is_said(
    folder: Path, name: str, content: str | None, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / name).unlink(missing_ok=True)
    if content is not None:
        (folder / name).write_text(content)
    status, out, _ = said(folder, capsys)
    assert status == 2
    assert expected in out.splitlines()


def test_every_single_byte_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = (folder / "grades.csv").read_bytes()
    for place in range(len(whole)):
        (folder / "grades.csv").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert said(folder, capsys)[0] == 2
    (folder / "grades.csv").write_bytes(whole)
    assert said(folder, capsys)[0] == 0


def test_another_version_and_what_a_killed_writer_left_is_noted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marker = json.loads((folder / ".peerage.json").read_text())
    (folder / ".peerage.json").write_text(json.dumps({**marker, "version": "0.0.1"}))
    (folder.parent / ".results.peerage-new").mkdir()
    status, _, err = said(folder, capsys)
    assert status == 0
    assert "note: written by peerage 0.0.1; this is " in err
    assert "note: left beside the folder by a writer that was killed: .results.peerage-new" in err


def test_results_without_checksums_say_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(folder / "A")
    names = ["findings.jsonl", "grades.csv", "graders.csv", "canvas", ".peerage.json"]
    (folder / ".peerage.json").write_text(json.dumps({"written by": "peerage", "files": names}))
    status, _, err = said(folder, capsys)
    assert status == 0
    assert "written without checksums" in err


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "A/../../secret", "", ".", "A//x", "\0"])
def test_a_marker_that_points_elsewhere_is_no_marker(folder: Path, name: str) -> None:
    marker = json.loads((folder / ".peerage.json").read_text())
    seals = {**marker["seals"], name: {"bytes": 1, "sha256": "00"}}
    for changed in ({"seals": seals}, {"files": [*marker["files"], name]}):
        (folder / ".peerage.json").write_text(json.dumps({**marker, **changed}))
        assert Marker.read(folder) is None


def test_a_file_that_was_being_replaced_may_be_either(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Marker.read(folder)
    assert before is not None
    earlier = (folder / "grades.csv").read_bytes()
    result_folder.add(folder, "grades.csv", "new")
    after = Marker.read(folder)
    assert after is not None
    after.before(before, "grades.csv").write(folder)
    assert said(folder, capsys)[0] == 0
    (folder / "grades.csv").write_bytes(earlier)
    assert said(folder, capsys)[0] == 0
    after.write(folder)
    assert said(folder, capsys)[0] == 2
