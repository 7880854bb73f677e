"""Whether something can be written at a place is known beforehand, and why not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from peerage.errors import ResultsError
from peerage.results.result_folder import check_target
from peerage.support.files.writable_places import obstacle


def test_a_place_where_something_can_be_written_has_no_obstacle_and_nothing_is_left_there(tmp_path: Path) -> None:
    assert obstacle(tmp_path / "new") == ""
    assert obstacle(tmp_path / "folders" / "that are" / "missing") == ""
    assert list(tmp_path.iterdir()) == []


def test_what_lies_below_a_file_or_has_too_long_a_name_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert obstacle(tmp_path / "file" / "new" / "newer") == f"{tmp_path / 'file'} is not a folder"
    for name in ("a" * 300, f"{'a' * 300}/new"):
        assert "File name too long" in obstacle(tmp_path / name)


def test_a_disk_that_is_not_there_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where Windows has no such drive: above it there is nothing to look for."""
    monkeypatch.setattr(Path, "exists", lambda _: False)
    monkeypatch.setattr(Path, "is_dir", lambda _: False)
    assert obstacle(tmp_path / "new") == f"{tmp_path.anchor} is not a folder"


def test_what_the_system_refuses_is_said_as_the_system_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    assert obstacle(tmp_path / "new") == f"nothing can be made in {tmp_path}: Read-only file system"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such a folder")
def test_a_folder_that_the_system_fills_takes_no_results_and_nobody_waits_for_it() -> None:
    with pytest.raises(ResultsError, match=r"/proc/x: the results cannot be written \(nothing can be made in /proc: "):
        check_target("/proc/x")


def test_a_folder_where_a_disk_begins_cannot_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_target(tmp_path)
    monkeypatch.setattr(os.path, "ismount", lambda path: path == tmp_path)
    with pytest.raises(ResultsError, match="a disk begins here, which results cannot replace; name a folder in it"):
        check_target(tmp_path)
