"""A file is read once: what is hashed is what is fitted, whatever becomes of the file."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import peerage as pg
from peerage.gradebook.input_files import InputFile
from peerage.gradebook.merging import merged
from peerage.results.results import Results
from peerage.workflow.fit_class import fit_class
from peerage.workflow.fit_plan import FitPlan, SamplingPlan
from support.classes.tiny import tiny_class

FAST = ["--chains", "1", "--draws", "10", "--burn-in", "5", "-q"]


@pytest.fixture
def grades(tmp_path: Path) -> Path:
    tiny_class(1).write(tmp_path / "grades.csv")
    return tmp_path / "grades.csv"


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_file_that_changes_or_goes_after_it_was_read(grades: Path) -> None:
    before = grades.read_bytes()
    book = pg.read_grades(grades)
    grades.unlink()
    results = fit_class(book, FitPlan(sampling=SamplingPlan(chains=1, draws=10, burn_in=5, seed=0)))
    assert results.record["input"] == [{"name": "grades.csv", "sha256": hash_of(before)}]


def test_classes_that_are_merged_come_from_both_files(grades: Path, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_bytes(grades.read_bytes())
    book = pg.read_grades(grades)
    more = pg.read_grades(tmp_path / "more.csv")
    sha256 = hash_of(grades.read_bytes())
    assert merged(book, more).inputs == (InputFile("grades.csv", sha256), InputFile("more.csv", sha256))


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="this system has no /dev/stdin")
def test_standard_input_has_the_hash_of_what_was_piped(grades: Path, tmp_path: Path) -> None:
    command = ["fit", "/dev/stdin", "-o", str(tmp_path / "out"), *FAST]
    program = [sys.executable, "-c", "import sys; from peerage.cli import main; sys.exit(main())"]
    data = grades.read_bytes()
    done = subprocess.run([*program, *command], input=data, capture_output=True, timeout=300, env=os.environ)
    assert done.returncode == 0, done.stderr.decode()
    record = json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))
    assert record["input"] == [{"name": "stdin", "sha256": hash_of(data)}]


def test_names_of_pages_do_not_depend_on_the_grades(grades: Path) -> None:
    book = pg.read_grades(grades)
    posterior = pg.fit(book, chains=1, draws=10, seed=0)
    assert Results.of(posterior).secret != Results.of(posterior).secret
