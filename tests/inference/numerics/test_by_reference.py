"""Named tuples that kernels take by reference: what they read is what Python gave, and nothing is left behind."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from peerage.inference.numerics.arrays import F64, I32
from peerage.inference.numerics.by_reference import by_reference, placed
from peerage.inference.numerics.jit import jit


@by_reference
class Inner(NamedTuple):
    weights: F64
    factor: float


@by_reference
class Outer(NamedTuple):
    places: I32
    inner: Inner
    flag: bool


@jit
def weighted(inner: Inner, place: int) -> float:
    return float(inner.weights[place] * inner.factor)


@jit
def total(outer: Outer) -> float:
    result = 0.0
    for place in outer.places:
        result += weighted(outer.inner, place)
    return result if outer.flag else -result


@jit
def doubled(outer: Outer) -> None:
    for place in range(len(outer.inner.weights)):
        outer.inner.weights[place] *= 2.0


@jit(makes_arrays=True)
def copied(outer: Outer) -> F64:
    return outer.inner.weights.copy()


@jit
def lacking(inner: Any) -> None:
    inner.nothing[0] = 1.0


def given(flag: bool = True) -> Outer:
    return Outer(np.array([0, 2, 2], np.int32), Inner(np.array([1.0, 10.0, 100.0]), 0.5), flag)


def test_kernels_read_fields_through_calls_and_levels() -> None:
    assert total(given()) == 100.5
    assert total(given(flag=False)) == -100.5


def test_arrays_are_those_of_python() -> None:
    outer = given()
    doubled(outer)
    np.testing.assert_array_equal(outer.inner.weights, [2.0, 20.0, 200.0])
    np.testing.assert_array_equal(copied(outer), outer.inner.weights)


def test_other_types_of_fields_are_compiled_anew() -> None:
    outer = given()
    wide = outer._replace(places=outer.places.astype(np.int64))
    assert total(wide) == total(outer)


@by_reference
class Mixed(NamedTuple):
    flag: bool
    narrow: np.float32
    outer: Outer
    other: bool
    place: np.int32
    table: F64


@jit
def gathered(mixed: Mixed, out: F64) -> None:
    out[0], out[1], out[2] = mixed.flag, mixed.narrow, mixed.other
    out[3], out[4] = mixed.table[mixed.place, 1], mixed.outer.inner.weights[mixed.outer.places[1]]


def test_fields_of_every_kind_and_order_lie_where_kernels_look() -> None:
    table = np.arange(24.0).reshape(4, 6)[::-1, ::2]
    for flag, other in [(False, True), (True, False)]:
        out = np.zeros(5)
        gathered(Mixed(flag, np.float32(0.5), given(), other, np.int32(2), table), out)
        np.testing.assert_array_equal(out, [flag, 0.5, other, table[2, 1], 100.0])


def test_what_was_laid_out_stays_until_it_is_forgotten() -> None:
    laid_out = placed(given())
    spoilt = [np.full(3, 7.0) for _ in range(1000)]
    assert total(laid_out) == 100.5
    assert len(spoilt) == 1000


def test_what_was_taken_is_freed() -> None:
    """A kernel that kept an array would keep it from being freed in Python too."""
    outer = given()
    counts = sys.getrefcount(outer.places), sys.getrefcount(outer.inner.weights)
    for _ in range(10):
        total(outer), copied(outer)
    assert (sys.getrefcount(outer.places), sys.getrefcount(outer.inner.weights)) == counts


def test_threads_do_not_disturb_each_other() -> None:
    """Each call lays its tuple out in memory of its own."""

    def sums(factor: float) -> list[float]:
        outer = given()._replace(inner=Inner(np.array([1.0, 10.0, 100.0]), factor))
        return [total(outer) for _ in range(2000)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(sums, [1.0, 2.0, 3.0, 4.0]))
    assert found == [[201.0 * factor] * 2000 for factor in (1.0, 2.0, 3.0, 4.0)]


def test_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(TypingError, match="nothing"):
        lacking(given().inner)


def test_a_field_of_no_known_type_is_refused() -> None:
    with pytest.raises(ValueError, match=r"[Cc]annot determine Numba type"):
        total(given()._replace(flag=object()))  # type: ignore[arg-type]


def test_a_cache_of_fields_in_another_order_is_not_used(tmp_path: Path) -> None:
    def difference(first: str, second: str) -> str:
        (tmp_path / "pairs.py").write_text(
            "from typing import NamedTuple\nfrom peerage.inference.numerics.by_reference import by_reference\n\n"
            f"@by_reference\nclass Pair(NamedTuple):\n    {first}: float\n    {second}: float\n"
        )
        program = "from kernels import difference\nfrom pairs import Pair\nprint(difference(Pair(one=5.0, two=3.0)))"
        child = subprocess.run(
            [sys.executable, "-B", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return child.stdout

    (tmp_path / "kernels.py").write_text(
        "from peerage.inference.numerics.jit import jit\n\n"
        "@jit\ndef difference(pair):\n    return pair.one - pair.two\n"
    )
    assert (difference("one", "two"), difference("two", "one")) == ("2.0\n", "2.0\n")
