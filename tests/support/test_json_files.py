"""JSON files that peerage wrote are read within limits, whatever has become of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from peerage.canvas.store import INDEX, RAW, pulled_files
from peerage.errors import PeerageError
from peerage.evaluation.benchmark.running import findings_in
from peerage.results.marker import MARKER, Marker
from peerage.results.run_record import read_record
from peerage.support.files import json_files
from peerage.support.files.journal import check_record
from peerage.support.files.json_files import read_json
from peerage.workflow.publishing import FOLDER, publications

DEEP = "[" * 100_000
DIGITS = "9" * 5000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DEEP, "nested too deeply"),
        ('{"a": ' + DIGITS + "}", "too many digits"),
        ('{"a": ' + "9" * 400 + "}", "too many digits"),
        ("{", "Expecting"),
        (" " * 1_100_000 + "{}", "has 1 megabytes, and at most 1 are read"),
        (None, "is not an ordinary file"),
    ],
)
def test_what_cannot_be_read_has_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, said: str
) -> None:
    monkeypatch.setattr(json_files, "LARGEST", 1)
    path = tmp_path / "a.json"
    if text is None:
        path.symlink_to("/dev/zero")
    else:
        path.write_text(text)
    with pytest.raises(ValueError, match=said):
        read_json(path)


def record(folder: Path) -> object:
    return read_record(folder)


def marker(folder: Path) -> object:
    if Marker.read(folder) is None:
        raise PeerageError("is not ours")
    return None


def handed_out(folder: Path) -> object:
    return publications(folder)


def findings(folder: Path) -> object:
    return findings_in(folder / "findings.jsonl").found


def begun(folder: Path) -> object:
    check_record(folder, folder / "benchmark.json", {"seed": 1}, "benchmark")
    return None


READERS: tuple[tuple[str, Callable[[Path], object]], ...] = (
    ("run.json", record),
    (MARKER, marker),
    (f"{RAW}/{INDEX}", pulled_files),
    (f"{FOLDER}/1/publication.json", handed_out),
    ("findings.jsonl", findings),
    ("benchmark.json", begun),
)


@pytest.mark.parametrize(("name", "read"), READERS, ids=[name for name, _ in READERS])
@pytest.mark.parametrize("text", [DEEP, '{"task": [[]], "seed": []}', "[1]", f'{{"seed": {DIGITS}}}', "\x00"])
def test_every_reader_refuses_in_a_sentence(
    tmp_path: Path, name: str, read: Callable[[Path], object], text: str
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text + "\n")
    with suppress(PeerageError):
        assert read(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
@pytest.mark.parametrize(("name", "read"), READERS[:5], ids=[name for name, _ in READERS[:5]])
def test_no_reader_reads_a_device(tmp_path: Path, name: str, read: Callable[[Path], object]) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).symlink_to("/dev/zero")
    with suppress(PeerageError):
        assert read(tmp_path) == []
