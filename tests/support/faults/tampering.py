"""Files of posteriors that were changed by hand: every array in every way that once reached a kernel."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


def arrays_of(path: Path) -> Arrays:
    """All that a file holds."""
    with np.load(path) as stored:
        return {name: stored[name] for name in stored.files}


def arrays_of_bytes(data: bytes) -> Arrays:
    """All that a file holds, from its bytes."""
    with np.load(io.BytesIO(data)) as stored:
        return {name: stored[name] for name in stored.files}


def bytes_of_arrays(arrays: Arrays) -> bytes:
    """The bytes of a posterior's file."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def save(path: Path, arrays: Arrays, *, compressed: bool = False) -> None:
    """Write arrays as a posterior's file has them."""
    (np.savez_compressed if compressed else np.savez)(path, **arrays)  # type: ignore[arg-type]


def tampered(arrays: Arrays, rng: np.random.Generator) -> tuple[str, Arrays]:
    """The arrays with something wrong, and what."""
    name = str(rng.choice(sorted(arrays)))
    changed = dict(arrays)
    how, values = _WAYS[int(rng.integers(len(_WAYS)))](arrays[name].copy(), rng)
    if values is None:
        del changed[name]
    else:
        changed[name] = values
    return f"{name} {how}", changed


def beyond_grids(arrays: Arrays) -> Arrays:
    """The arrays, whose chains stand at places that no grid has."""
    places = {name: values for name, values in arrays.items() if name.startswith("state") and values.dtype.kind in "iu"}
    return arrays | {name: np.full_like(values, np.iinfo(values.dtype).max) for name, values in places.items()}


def _shorter(values: NDArray[Any], rng: np.random.Generator) -> tuple[str, NDArray[Any]]:
    axis = int(rng.integers(max(values.ndim, 1)))
    return "shorter", values[tuple(slice(0, -1) if place == axis else slice(None) for place in range(values.ndim))]


def _retyped(values: NDArray[Any], rng: np.random.Generator) -> tuple[str, NDArray[Any]]:
    kind = rng.choice(["int64", "float32", "float64", "uint8", "int16", "complex128", ">i4", "U4"])
    return f"as {kind}", values.astype(kind)


def _beyond(values: NDArray[Any], rng: np.random.Generator) -> tuple[str, NDArray[Any]]:
    if not values.size:
        return "empty as before", values
    place = tuple(int(rng.integers(length)) for length in values.shape)
    extreme = [-1, 1_000_000, 255, 65535, -(2**31), 200, 401, np.nan, np.inf, 1e300][int(rng.integers(10))]
    with np.errstate(all="ignore"):
        values[place] = np.array(extreme).astype(values.dtype)
    return f"with {extreme} at {place}", values


_WAYS: list[Callable[[NDArray[Any], np.random.Generator], tuple[str, NDArray[Any] | None]]] = [
    _shorter,
    _retyped,
    _beyond,
    _beyond,
    _beyond,
    lambda values, _: ("halved", values[: len(values) // 2]),
    lambda values, _: ("longer", np.concatenate([values, values[:1]])),
    lambda values, _: ("flat", values.ravel()[None]),
    lambda *_: ("gone", None),
]


def other_meta(arrays: Arrays, rng: np.random.Generator) -> tuple[str, Arrays]:
    """The arrays with something else in the description."""
    meta = json.loads(arrays["meta"].tobytes())
    name = str(rng.choice(sorted(meta)))
    values: list[Any] = [None, -1, 10**30, "x", [], {}, [None], [[]], {"a": 1}, True, 1e308, [10**30] * 4]
    meta[name] = values[int(rng.integers(len(values)))]
    text = json.dumps(meta).encode()
    return f"{name} = {meta[name]!r}", arrays | {"meta": np.frombuffer(text, np.uint8)}


def with_bomb(path: Path, megabytes: int) -> None:
    """Add an array that nobody asks for and that unpacks to much more than it takes."""
    archive = zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED, compresslevel=1)
    with archive, archive.open("bomb.npy", "w") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f8", "fortran_order": False, "shape": (megabytes * 125_000,)}
        )
        for _ in range(megabytes):
            file.write(bytes(1_000_000))


def flipped(data: bytes, rng: np.random.Generator) -> Iterator[bytes]:
    """The file with a byte changed, cut off, or with a part twice."""
    place = int(rng.integers(len(data)))
    yield data[:place] + bytes([data[place] ^ (1 << int(rng.integers(8)))]) + data[place + 1 :]
    yield data[:place]
    yield data[:place] + data[: place // 2]
