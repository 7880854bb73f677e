"""Kernels are compiled, cached where possible, and run where nothing can be written."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from peerage.inference.numerics.jit import jit, needs_compilation

KERNELS = """
from peerage.inference.numerics.jit import jit, needs_compilation

@jit
def total(values):
    result = 0.0
    for value in values:
        result += value
    return result
"""

REPORT = """
import numpy as np
from small.kernels import needs_compilation, total
print(needs_compilation(total), total(np.arange(4.0)), needs_compilation(total), type(total).__name__)
"""


@jit
def quotient(numerator: float, denominator: float) -> float:
    return numerator / denominator


@jit(fastmath={"reassoc", "contract"})
def dot(first: np.ndarray, second: np.ndarray) -> float:
    result = 0.0
    for index in range(first.size):
        result += first[index] * second[index]
    return result


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with a tiny package of one kernel."""
    package = tmp_path / "small"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "kernels.py").write_text(KERNELS)
    return tmp_path


def run(folder: Path, **environment: str) -> list[str]:
    """What a fresh process that uses the tiny package reports."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "PEERAGE_"))}
    child = subprocess.run(
        [sys.executable, "-c", REPORT],
        cwd=folder,
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout.split()


def test_division_follows_numpy() -> None:
    assert quotient(1.0, 0.0) == math.inf
    assert math.isnan(quotient(0.0, 0.0))


def test_fastmath_is_a_choice_of_the_kernel() -> None:
    values = np.arange(100.0)
    assert dot(values, values) == pytest.approx(float(values @ values))


def test_compiled_code_is_found_by_the_next_process(small: Path) -> None:
    assert run(small) == ["True", "6.0", "False", "Kernel"]
    assert run(small) == ["False", "6.0", "False", "Kernel"]


def test_a_changed_source_needs_compilation(small: Path) -> None:
    run(small)
    source = small / "small" / "kernels.py"
    source.write_text(KERNELS.replace("0.0", "1.0"))
    cached = max(path.stat().st_mtime for path in (small / "small" / "__pycache__").glob("*.nbi"))
    os.utime(source, (cached + 2, cached + 2))
    assert run(small) == ["True", "7.0", "False", "Kernel"]


def test_runs_where_no_cache_can_be_written(small: Path) -> None:
    # A file in the place of each folder stops even a superuser, whom permissions do not.
    (small / "small" / "__pycache__").touch()
    blocked = small / "file"
    blocked.touch()
    nowhere = str(blocked / "folder")
    report = run(small, HOME=nowhere, XDG_CACHE_HOME=nowhere, NUMBA_CACHE_DIR=nowhere)
    assert report == ["True", "6.0", "False", "Kernel"]
    assert not list(small.rglob("*.nbi"))


def test_can_be_switched_off(small: Path) -> None:
    assert run(small, PEERAGE_JIT="0") == ["False", "6.0", "False", "function"]
    assert not list(small.rglob("*.nbi"))


def test_other_failures_of_the_cache_are_not_hidden(small: Path) -> None:
    with pytest.raises(AssertionError, match="Unknown cache locator class"):
        run(small, NUMBA_CACHE_LOCATOR_CLASSES="NoSuchLocator")


def test_needs_compilation_ends_with_the_first_call() -> None:
    quotient(1.0, 2.0)
    assert not needs_compilation(quotient)


def test_a_cache_of_types_that_have_moved_is_not_used(small: Path) -> None:
    """numba stores the types of arguments by name, and fails to read those that are no longer there."""
    pair = "from typing import NamedTuple\n\nclass Pair(NamedTuple):\n    one: float\n    two: float\n"
    kernel = (
        "\nfrom peerage.inference.numerics.jit import jit\n\n@jit\ndef total(pair):\n    return pair.one + pair.two\n"
    )
    program = "from small.kernels import Pair, total\nprint(total(Pair(1.0, 2.0)))"
    kernels = small / "small" / "kernels.py"
    kernels.write_text("\n" * 10 + pair + kernel)
    first = subprocess.run([sys.executable, "-c", program], cwd=small, capture_output=True, text=True, check=True)
    line = kernels.read_text().splitlines().index("@jit")
    (small / "small" / "pairs.py").write_text(pair)
    moved = "from small.pairs import Pair\n" + kernel
    padding = "\n" * (line - moved.splitlines().index("@jit"))
    kernels.write_text(padding + moved.replace("one + pair.two", "one - pair.two"))
    second = subprocess.run([sys.executable, "-c", program], cwd=small, capture_output=True, text=True, check=True)
    assert (first.stdout, second.stdout) == ("3.0\n", "-1.0\n")
