"""Commands that fit nothing do not wait for kernels to be compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import peerage as pg

USES_A_KERNEL = "import numpy; from peerage.inference.numerics.psis import smooth; smooth(numpy.arange(30.0))"


def compiled_by(folder: Path, *arguments: str) -> list[Path]:
    """What a fresh process compiles, where nothing has been compiled before."""
    kernels = folder / "kernels"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(kernels)}
    subprocess.run([sys.executable, *arguments], env=environment, check=True, capture_output=True)
    return list(kernels.rglob("*.nbi"))


@pytest.mark.parametrize("arguments", [("--help",), ("fit", "--help"), ("check",)], ids=" ".join)
def test_help_and_checking_compile_nothing(arguments: tuple[str, ...], tmp_path: Path) -> None:
    grades = tmp_path / "grades.csv"
    pg.simulate(6, 1, seed=0)[0].write(grades, rubric=True)
    files = [str(grades)] if arguments == ("check",) else []
    assert compiled_by(tmp_path, "-m", "peerage", *arguments, *files) == []


def test_what_is_compiled_is_seen(tmp_path: Path) -> None:
    assert compiled_by(tmp_path, "-c", USES_A_KERNEL)
