"""The one way in which kernels are compiled.

``@jit`` compiles a kernel with numba: no Python objects, no GIL, division as in NumPy, machine code cached
on disk. ``@jit(fastmath={"reassoc", "contract"})`` also lets sums be reordered, so that their loops are
vectorised; plain ``fastmath=True`` assumes that there is no NaN, which is for a kernel to decide.

The environment variable ``PEERAGE_JIT=0`` leaves kernels as plain Python functions, for a debugger. The
cache lies in the package's folder, else in the user's cache folder, or where ``NUMBA_CACHE_DIR`` says;
where none of them can be written, kernels are compiled anew in each process.

numba's cache notices a change in a kernel's own file only, and a kernel that calls one of another module would keep
the old code of the latter. So here a kernel's cached code is valid as long as no file of a kernel in sight of it, at
any remove, has changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Set
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, overload

import numba
from numba.core.dispatcher import Dispatcher

P = ParamSpec("P")
R = TypeVar("R")


@overload
def jit(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def jit(*, fastmath: bool | Set[str]) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def jit(function: Callable[..., Any] | None = None, /, *, fastmath: bool | Set[str] = False) -> Callable[..., Any]:
    """Compile a kernel, or give the decorator that does so with other arithmetic rules."""
    if function is None:
        return lambda function: _compile(function, fastmath)
    return _compile(function, fastmath)


def needs_compilation(kernel: Callable[..., Any]) -> bool:
    """Tell whether the next call of a kernel will spend time on compiling it.

    The answer is for messages: it sees whether machine code newer than the source is in the cache, not
    whether that is for these argument types and this processor.
    """
    if not isinstance(kernel, Dispatcher) or kernel.signatures:
        return False
    folder = kernel.stats.cache_path
    if folder is None:
        return True
    code = kernel.py_func.__code__
    source = Path(code.co_filename)
    indexes = Path(folder).glob(f"{source.stem}.{kernel.py_func.__qualname__}-{code.co_firstlineno}.py*.nbi")
    written = source.stat().st_mtime
    return all(index.stat().st_mtime < written for index in indexes)


def _compile(function: Callable[..., Any], fastmath: bool | Set[str]) -> Callable[..., Any]:
    if os.environ.get("PEERAGE_JIT") == "0":
        return function
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    try:
        compiled: Callable[..., Any] = numba.njit(cache=True, **options)(function)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        return numba.njit(**options)(function)  # type: ignore[no-any-return]
    index: Any = compiled._cache._cache_file  # type: ignore[attr-defined]
    index._source_stamp = _stamp(function)
    index._load_index = partial(_known_overloads, index._load_index)
    return compiled


def _known_overloads(load_index: Callable[[], dict[Any, Any]]) -> dict[Any, Any]:
    """What a cache holds: nothing, if it is of an earlier version whose argument types are no longer where they were.

    numba reads those types before it looks whether the cache is still valid.
    """
    try:
        return load_index()
    except (AttributeError, ImportError):
        return {}


_SOURCES: dict[str, set[str]] = {}
"""For each file that holds kernels, the files of those that its kernels can see, its own among them."""


def _stamp(function: Callable[..., Any]) -> list[tuple[str, float, int]]:
    """The state of all source files on which a kernel's code may depend."""
    file = function.__code__.co_filename
    sources = _SOURCES.setdefault(file, {file})
    for value in function.__globals__.values():
        if isinstance(value, Dispatcher):
            sources |= _SOURCES.get(value.py_func.__code__.co_filename, set())
    states = ((source, Path(source).stat()) for source in sorted(sources))
    return [(source, state.st_mtime, state.st_size) for source, state in states]
