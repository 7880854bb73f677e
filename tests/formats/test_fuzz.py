"""A short run of the fuzzer: every reader takes its own files, and refuses damaged ones in a sentence.

``python benchmarks/fuzz.py`` is the long run.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

from peerage.errors import PeerageError
from support.faults.fuzzing import Target, fuzz, targets, write

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there is no alarm on this system")

INPUTS = 300


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> list[Target]:
    return targets(tmp_path_factory.mktemp("readers"))


def test_every_reader_takes_its_own_files(readers: list[Target], tmp_path: Path) -> None:
    for target in readers:
        assert target.read(write(tmp_path / target.name, target.files)) is not None


def test_damaged_files_are_read_or_refused_in_a_sentence(readers: list[Target], tmp_path: Path) -> None:
    findings = [finding for finding in fuzz(readers, INPUTS, tmp_path) if finding is not None]
    assert findings == []


def test_a_reader_with_a_fault_is_found(tmp_path: Path) -> None:
    def faulty(folder: Path) -> None:
        text = (folder / "g.txt").read_bytes()
        if text[:1] != b"a":
            raise PeerageError("begins otherwise")
        text.decode("ascii")

    def other_end(data: bytes, _: object) -> bytes:
        return data + b"\xff"

    target = Target("faulty", {"g.txt": b"abc"}, (other_end,), faulty)
    found = Counter(finding.what.splitlines()[-1][:18] for finding in fuzz([target], 5, tmp_path) if finding)
    assert found == {"UnicodeDecodeError": 5}
    shutil.rmtree(tmp_path / "input")
