"""The arrays of a file, each read only if it is what is expected: its name, type, shape and range.

Kernels do not check their bounds, so that nothing reaches them that was not checked here. Arrays that nobody asks for
are not read, and compressed ones, which could unpack to anything, are refused: we write none.
"""

from __future__ import annotations

import zipfile
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

LONGEST_HEADER = 10_000
"""Characters of an array's description at most."""

Shape = tuple[int | None, ...]
"""How long an array is in each direction; None where that is free."""


class DamagedError(ValueError):
    """Something in a file that is not what it should be."""


class StoredArrays:
    """The arrays in an open file."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def array(
        self,
        name: str,
        dtype: DTypeLike | tuple[DTypeLike, ...],
        shape: Shape,
        low: float | None = None,
        high: float | None = None,
    ) -> NDArray[Any]:
        """An array of a type, or one of some, and of a shape; all finite, and between two ends if they are given."""
        member = self._members.get(name)
        if member is None:
            raise DamagedError(f"it has no {name!r}")
        if member.compress_type != zipfile.ZIP_STORED:
            raise DamagedError(f"{name!r} is compressed")
        with self._archive.open(member) as file:
            found, fortran, kind = _described(file, name)
            kinds = [np.dtype(entry) for entry in (dtype if isinstance(dtype, tuple) else (dtype,))]
            if kind not in kinds:
                raise DamagedError(f"{name!r} has the type {kind}, not {' or '.join(map(str, kinds))}")
            if not _fits(found, shape):
                raise DamagedError(f"{name!r} has the shape {found}, not {_words(shape)}")
            size = int(np.prod(found, dtype=object)) * kind.itemsize
            data = file.read(size + 1)
        if len(data) != size:
            raise DamagedError(f"{name!r} is cut off")
        array = np.frombuffer(data, kind).reshape(found, order="F" if fortran else "C")
        _check_range(name, array, low, high)
        return np.array(array, order="C")


def _described(file: Any, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        return readers[npy.read_magic(file)](file, max_header_size=LONGEST_HEADER)
    except (KeyError, ValueError, EOFError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise DamagedError(f"{name!r} is not an array") from None


def _fits(found: tuple[int, ...], shape: Shape) -> bool:
    pairs = zip(found, shape, strict=False)
    return len(found) == len(shape) and all(length >= 0 and wanted in (None, length) for length, wanted in pairs)


def _words(shape: Shape) -> str:
    return f"({', '.join('any' if length is None else str(length) for length in shape)})"


def _check_range(name: str, array: NDArray[Any], low: float | None, high: float | None) -> None:
    if not array.size or array.dtype.kind == "b":
        return
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise DamagedError(f"{name!r} holds what is not a number")
    for end, is_beyond in ((low, np.less), (high, np.greater)):
        if end is not None and is_beyond(array, end).any():
            raise DamagedError(f"{name!r} holds a number beyond {end:g}")
