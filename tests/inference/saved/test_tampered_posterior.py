"""A posterior's file that was damaged or made to do harm is refused in a sentence, or harmless."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import peerage as pg
from support.faults.tampering import arrays_of, flipped, other_meta, save, tampered, with_bomb

REFUSED = re.compile(
    r".*: (this is not a posterior that peerage saved( \(.+\))?|this was saved by another version of peerage); "
    r"fit the class again"
)


def posterior_of(kind: str) -> pg.Posterior:
    """A small class, fitted in one of the ways in which chains differ."""
    book, _ = pg.simulate(students=8, weeks=2 if kind == "drift" else 1, tas=1, components=2, seed=1)
    fixed = pg.Fixed(bias={book.graders[0]: 0.5}, reliability={book.graders[1]: 2.0})
    model = {
        "learned": pg.Model(),
        "drift": pg.Model(drift=True),
        "uncensored": pg.Model(censoring=False),
        "paper": pg.Model(priors="paper", fixed=fixed),
        "correlated": pg.Model(priors="paper", correlation=True),
        "few": pg.Model(),
    }[kind]
    return pg.fit(book, model, chains=2, draws=200 if kind == "few" else 6, burn_in=2, seed=0, memory=0.0001)


@pytest.fixture(scope="module", params=["learned", "drift", "uncensored", "paper", "correlated", "few"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("posterior") / f"{request.param}.npz"
    posterior_of(request.param).save(path)
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("posterior") / "whole.npz"
    posterior_of("learned").save(path)
    return path


def outcome(path: Path) -> str:
    """What loading says; empty if the file is taken."""
    said = ""
    try:
        pg.load(path)
    except pg.ResultsError as error:
        said = str(error)
    assert not said or REFUSED.fullmatch(said), said
    return said


def test_what_is_whole_is_taken(file: Path) -> None:
    assert outcome(file) == ""


def test_every_way_of_tampering_is_refused_or_harmless(file: Path, tmp_path: Path) -> None:
    arrays, rng = arrays_of(file), np.random.default_rng(0)
    refused = 0
    for _ in range(150):
        _, changed = tampered(arrays, rng)
        save(tmp_path / "changed.npz", changed)
        refused += outcome(tmp_path / "changed.npz") != ""
        _, changed = other_meta(arrays, rng)
        save(tmp_path / "changed.npz", changed)
        outcome(tmp_path / "changed.npz")
    assert refused > 75


def test_bytes_that_changed(file: Path, tmp_path: Path) -> None:
    data, rng = file.read_bytes(), np.random.default_rng(1)
    for _ in range(30):
        for broken in flipped(data, rng):
            (tmp_path / "broken.npz").write_bytes(broken)
            outcome(tmp_path / "broken.npz")


@pytest.mark.parametrize(("place", "value"), [(6, 109), (8, 1)], ids=["version", "password"])
def test_an_archive_that_is_not_like_ours(whole: Path, tmp_path: Path, place: int, value: int) -> None:
    data = bytearray(whole.read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + place] = value
    data[data.index(b"PK\x03\x04") + place - 2] = value
    (tmp_path / "broken.npz").write_bytes(data)
    assert outcome(tmp_path / "broken.npz") != ""


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("state0_hyper", lambda values: values[:-1], "'state0_hyper' has the shape"),
        ("state1_true_grade", lambda values: values[: len(values) // 2], "'state1_true_grade' has the shape"),
        ("state0_habit", lambda values: values + 1_000_000, "'state0_habit' holds a number beyond"),
        ("draws_reliability", lambda values: values | 255, "'draws_reliability' holds a number beyond"),
        ("draws_effort", lambda values: values * np.nan, "'draws_effort' holds what is not a number"),
        ("kept", lambda values: values[::-1], "'kept' does not ascend"),
        ("hyper", lambda values: values.astype(np.float32), "'hyper' has the type float32, not float64"),
    ],
)
def test_what_once_reached_a_kernel(
    whole: Path, tmp_path: Path, name: str, change: Callable[[NDArray[Any]], NDArray[Any]], said: str
) -> None:
    arrays = arrays_of(whole)
    save(tmp_path / "changed.npz", arrays | {name: change(arrays[name])})
    assert said in outcome(tmp_path / "changed.npz")


def test_arrays_that_nobody_asks_for_are_not_read(whole: Path, tmp_path: Path) -> None:
    changed = Path(shutil.copy(whole, tmp_path))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with_bomb(changed, 1000)
    assert outcome(changed) == ""
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def test_compressed_arrays_are_refused(whole: Path, tmp_path: Path) -> None:
    save(tmp_path / "changed.npz", arrays_of(whole), compressed=True)
    assert "'meta' is compressed" in outcome(tmp_path / "changed.npz")


_PROGRAM = """
import sys, numpy as np
from pathlib import Path
sys.path.insert(0, {tests!r})
import peerage as pg
from inference.saved.test_tampered_posterior import posterior_of
from peerage.inference.saved import stored_arrays
from support.faults.tampering import arrays_of, beyond_grids, save, tampered
folder, taken = Path({folder!r}), 0
rng = np.random.default_rng(2)
posterior_of({kind!r}).save(folder / "whole.npz")
arrays = arrays_of(folder / "whole.npz")
{prepare}
for _ in range({count}):
    save(folder / "changed.npz", {change})
    try:
        posterior = pg.load(folder / "changed.npz")
    except pg.ResultsError:
        continue
    taken += 1
    try:
        posterior.update(posterior.book, draws=1, burn_in=0)
    except ArithmeticError:
        pass  # Compiled kernels divide by zero as NumPy does.
    except ValueError as error:
        assert str(error) == "math domain error"  # Compiled kernels go on with what is not a number.
print(taken)
"""


def updated(folder: Path, kind: str, change: str, count: int, prepare: str = "") -> subprocess.CompletedProcess[str]:
    """Load changed posteriors and draw from those that are taken, by kernels that check their bounds.

    They are not compiled. With numba's own bounds checks, the same takes minutes, since all is compiled anew.
    """
    tests = str(Path(__file__).parents[2])
    program = _PROGRAM.format(tests=tests, folder=str(folder), kind=kind, change=change, count=count, prepare=prepare)
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=os.environ | {"PEERAGE_JIT": "0"},
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["learned", "drift", "uncensored", "correlated"])
def test_what_is_taken_stays_within_bounds(tmp_path: Path, kind: str) -> None:
    done = updated(tmp_path, kind, "tampered(arrays, rng)[1]", 100)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0, "no file was taken, so that no kernel has seen one"


@pytest.mark.slow
def test_an_index_that_nobody_checked_is_found_in_the_kernels(tmp_path: Path) -> None:
    planted = "stored_arrays._check_range = lambda *_: None"
    done = updated(tmp_path, "learned", "beyond_grids(arrays)", 1, planted)
    assert done.returncode == 1
    assert "IndexError" in done.stderr
    checked = updated(tmp_path, "learned", "beyond_grids(arrays)", 1)
    assert (checked.returncode, checked.stdout) == (0, "0\n")
