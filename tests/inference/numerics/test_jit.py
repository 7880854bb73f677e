"""Kernels are compiled, cached where possible, and run where nothing can be written."""

from __future__ import annotations

import ast
import gc
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import peerage
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


@jit
def added(number: int, amount: int) -> int:
    return number + amount


@jit
def added_in_many_ways(narrow: np.ndarray, wide: np.ndarray) -> int:
    return added(narrow[0], 1) + added(wide[0], 2) + added(wide[0], wide[1])


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


def test_a_kernel_is_compiled_once_for_all_constants_and_widths_of_integers() -> None:
    kernel: Any = added
    caller: Any = added_in_many_ways
    caller.entry._cache.flush()  # from an earlier run, which would not have to compile what it calls
    assert added_in_many_ways(np.array([10], np.int32), np.array([20, 3])) == 11 + 22 + 23
    assert len(kernel._inner.signatures) == 1


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


def test_a_damaged_cache_is_not_used(small: Path) -> None:
    run(small)
    for index in (small / "small" / "__pycache__").glob("*.nbi"):
        index.write_bytes(b"found in the street")
    assert run(small)[1] == "6.0"


def test_the_cache_holds_what_python_calls_with_what_that_calls(small: Path) -> None:
    """Another process finds the former's kernel, and compiles its own with what both of them call."""
    (small / "small" / "kernels.py").write_text(
        "from peerage.inference.numerics.jit import jit\n\n"
        "@jit\ndef twice(number):\n    return 2.0 * number\n\n"
        "@jit\ndef more(number):\n    return twice(number) + 1.0\n\n"
        "@jit\ndef most(number):\n    return more(twice(number)) - 1.0\n"
    )
    program = "import sys; from small import kernels; print(getattr(kernels, sys.argv[1])(3.0))"

    def called(name: str) -> tuple[str, dict[str, int]]:
        child = subprocess.run(
            [sys.executable, "-c", program, name], cwd=small, capture_output=True, text=True, check=True
        )
        kept = (small / "small" / "__pycache__").glob("*.nbc")
        return child.stdout, {path.name.split("-")[0]: path.stat().st_mtime_ns for path in kept}

    (first, alone), (second, both), (third, later) = called("more"), called("most"), called("more")
    assert (first, second, third) == ("7.0\n", "12.0\n", "7.0\n")
    assert {*alone} == {"kernels.more"}
    assert {*both} == {"kernels.more", "kernels.most"}
    assert (both["kernels.more"], later) == (alone["kernels.more"], both)


def kernels_of_the_package() -> dict[str, tuple[ast.FunctionDef, bool]]:
    """Each kernel by its name, and whether it says that it makes arrays."""
    found = {}
    for path in Path(peerage.__file__).parent.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                decorators = [ast.unparse(entry) for entry in node.decorator_list]
                if any(entry.startswith("jit") for entry in decorators):
                    found[f"{path.stem}.{node.name}"] = (
                        node,
                        any("makes_arrays=True" in entry for entry in decorators),
                    )
    return found


ARRAYS = ("NDArray", "Floats", "Ints", "Integers", "I64", "I32", "F64", "Flags")
PLAIN = {"floor", "isnan", "log", "exp", "sqrt", "int64", "uint64", "float32", "sum", "mean"}
"""What kernels that make no arrays may use of NumPy, and of arrays: for some others numba makes arrays."""


def test_who_is_given_a_new_array_counts_references_to_it() -> None:
    """Otherwise nobody would ever free it.

    Numba compiles such a kernel without a word if some function of its own has been compiled before for another.
    """
    kernels = kernels_of_the_package()
    makers = {
        node.name
        for node, _ in kernels.values()
        if node.returns is not None and any(word in ast.unparse(node.returns) for word in ARRAYS)
    }
    assert "unclamped" in makers
    forgetful = {
        name: called
        for name, (node, makes_arrays) in kernels.items()
        if (called := called_by(node) & makers | methods_of(node) - PLAIN) and not makes_arrays
    }
    assert forgetful == {}


def called_by(function: ast.FunctionDef) -> set[str]:
    """The names of the functions that a function calls."""
    return {
        node.func.id for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def methods_of(function: ast.FunctionDef) -> set[str]:
    """The names of the methods that a function calls, but for those of ``math`` and of random generators."""
    calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    methods = [call for call in calls if isinstance(call, ast.Attribute)]
    return {method.attr for method in methods if ast.unparse(method.value) not in ("math", "rng", "chain.rng")}


@jit(makes_arrays=True)
def made(size: int) -> np.ndarray:
    return np.ones(size)


@jit
def careless(size: int) -> float:
    array: np.ndarray = made(size)
    return float(array[0])


@jit(makes_arrays=True)
def careful(size: int) -> float:
    array: np.ndarray = made(size)
    return float(array[0])


@jit
def through_careless(size: int) -> float:
    return careless(size)


@jit
def through_careful(size: int) -> float:
    return careful(size)


@pytest.fixture
def counting() -> Iterator[None]:
    """Numba counts the arrays that kernels take and free."""
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@pytest.mark.usefixtures("counting")
def test_arrays_are_lost_where_that_is_forgotten() -> None:
    """So the check above is about something."""
    lost = []
    for kernel in (through_careful, through_careless):
        before = rtsys.get_allocation_stats()
        for _ in range(5):
            assert kernel(3) == 1.0
        after = rtsys.get_allocation_stats()
        lost.append((after.alloc - before.alloc) - (after.free - before.free))
    assert lost == [0, 5]


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("features", [{"drift": True}, {"correlation": True}, {"censoring": False}], ids=str)
@pytest.mark.parametrize("odd", [4.0, 2.9], ids=["whole grades", "heaped grades"])
def test_a_fit_frees_what_it_takes(features: dict[str, Any], odd: float) -> None:
    table = peerage.simulate(students=8, weeks=2, tas=1, components=2, seed=0)[0].table()
    table.loc[0, "grade"] = odd
    book = peerage.read_grades(table)
    before = rtsys.get_allocation_stats()
    posterior = peerage.fit(book, peerage.Model(**features), chains=1, draws=20, burn_in=5, seed=0)
    posterior.diagnostics()
    posterior.loo()
    posterior.check()
    posterior.staff_check()
    posterior.update(book, draws=5)
    peerage.explain(posterior)
    peerage.explain(posterior, form="average")
    del posterior
    gc.collect()
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free
