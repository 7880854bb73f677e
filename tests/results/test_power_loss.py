"""The power fails while results or a key are written: the earlier ones or the new ones are there, whole."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from peerage.errors import PeerageError
from peerage.formats.staff.pseudonyms import Key
from peerage.gradebook.rulings import Exclusion
from peerage.results import result_folder
from peerage.results.verifying import verify
from support.classes.tiny import tiny_class
from support.faults.power_loss import disks_after_power_loss, recorded

pytestmark = pytest.mark.skipif(os.name != "posix", reason="folders cannot be forced to disk on this system")

FILES = ("grades.csv", "A/grades.csv", "A/graders.csv")


def write_results(home: Path, text: str) -> None:
    with result_folder.writing(home / "results") as fresh:
        (fresh / "A").mkdir()
        for name in FILES:
            (fresh / name).write_text(text * 100)
        result_folder.seal(fresh / "A")


def add_to_results(home: Path, text: str) -> None:
    result_folder.add(home / "results", "grades.csv", text * 100)


def write_key(home: Path, text: str) -> None:
    excluded = (Exclusion(text, "", "late"),)
    with Key.kept(home / "key.csv") as key:
        key.hide(replace(tiny_class(1), exclusions=excluded))


def texts(home: Path) -> set[str]:
    """The texts of which the results are made, which have to be whole."""
    folder = result_folder.find(home / "results")
    assert verify(folder).findings == ()
    return {(folder / name).read_text()[:3] for name in FILES}


def check_results(home: Path) -> bool:
    """Whether the results are the new ones; otherwise they are the earlier ones."""
    (text,) = texts(home)
    return text == "new"


def check_addition(home: Path) -> bool:
    found = texts(home)
    assert found <= {"old", "new"}
    return "new" in found


def check_key(home: Path) -> bool:
    people = Key.read(home / "key.csv").people
    assert "old" in people
    return "new" in people


CASES = {
    "results": (write_results, write_results, check_results),
    "an addition": (write_results, add_to_results, check_addition),
    "a key": (write_key, write_key, check_key),
}


def losses(name: str, tmp_path: Path, *, forcing: bool) -> tuple[list[bool], list[str]]:
    """For each disk after a power loss whether it holds the new version, and what went wrong on some."""
    first, second, check = CASES[name]
    home, found, wrong = tmp_path / "home", [], []
    home.mkdir()
    with recorded(home) as recorder:
        first(home, "old")
        written, recorder.forgetful = len(recorder.log.events), not forcing
        second(home, "new")
    for place, disk in disks_after_power_loss(recorder.log, written, tmp_path / "disks", np.random.default_rng(0)):
        try:
            found.append(check(disk))
        except (AssertionError, PeerageError, ValueError) as error:
            wrong.append(f"{place}: {error}")
    return found, wrong


@pytest.mark.parametrize("name", CASES)
def test_the_earlier_or_the_new_version_is_whole(name: str, tmp_path: Path) -> None:
    found, wrong = losses(name, tmp_path, forcing=True)
    assert wrong == []
    assert len(found) >= 40
    assert set(found) == {False, True}
    assert found[-1]


@pytest.mark.parametrize("name", CASES)
def test_a_writer_that_forces_nothing_to_disk_is_caught(name: str, tmp_path: Path) -> None:
    _, wrong = losses(name, tmp_path, forcing=False)
    assert wrong != []
