"""The one way in which kernels are compiled.

``@jit`` compiles a kernel with numba: no Python objects, no GIL, division as in NumPy, machine code cached
on disk. ``@jit(fastmath={"reassoc", "contract"})`` also lets sums be reordered, so that their loops are
vectorised; plain ``fastmath=True`` assumes that there is no NaN, which is for a kernel to decide.

Kernels borrow the arrays that other kernels give them, and do not count references to them: counting takes time, in
compilation and in every sweep. A kernel that makes arrays of its own, or gets new ones from another, or computes with
whole arrays, has to say so: ``@jit(makes_arrays=True)``.

The environment variable ``PEERAGE_JIT=0`` leaves kernels as plain Python functions, for a debugger. The
cache lies in the package's folder, else in the user's cache folder, or where ``NUMBA_CACHE_DIR`` says;
where none of them can be written, kernels are compiled anew in each process.

numba's cache notices a change in a kernel's own file only, and a kernel that calls one of another module would keep
the old code of the latter. So here a kernel's cached code is valid as long as no file of a kernel in sight of it, at
any remove, has changed.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Set
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, overload

import numba

from peerage.inference.numerics import by_reference, kernel_compilers

P = ParamSpec("P")
R = TypeVar("R")
Options = dict[str, Any]


@overload
def jit(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def jit(*, fastmath: bool | Set[str] = ..., makes_arrays: bool = ...) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def jit(
    function: Callable[..., Any] | None = None, /, *, fastmath: bool | Set[str] = False, makes_arrays: bool = False
) -> Callable[..., Any]:
    """Compile a kernel, or give the decorator that does so with other arithmetic rules or with arrays of its own."""
    options = {"fastmath": fastmath, "_nrt": makes_arrays}
    if function is None:
        return lambda function: _compile(function, options)
    return _compile(function, options)


class Kernel:
    """A compiled function.

    Kernels call each other's machine code. What Python needs besides to call one, unpacking dozens of arrays, takes as
    long to compile as the code itself: it is made only for kernels that Python calls, when it first does so.
    """

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        self.py_func, self._options = function, options
        self.__name__, self.__qualname__, self.__doc__ = function.__name__, function.__qualname__, function.__doc__
        self.__module__ = function.__module__

    @cached_property
    def _inner(self) -> Any:
        """The form that other kernels call, which the cache holds only as a part of these."""
        options = {**self._options, "pipeline_class": kernel_compilers.LinkableCompiler, "no_cpython_wrapper": True}
        inner: Any = _decorator(options)(self.py_func)
        inner.compile = partial(_compile_widened, inner.compile)
        return inner

    @property
    def _numba_type_(self) -> Any:
        """What the kernel is to other kernels that are being compiled."""
        return numba.types.Dispatcher(self._inner)

    @cached_property
    def entry(self) -> Any:
        """The form that Python can call; it counts references, as the unpacking of a random generator makes some."""
        return _cached(self.py_func, {**self._options, "pipeline_class": kernel_compilers.EntryCompiler, "_nrt": True})

    def __call__(self, *args: Any) -> Any:
        """Call the kernel from Python."""
        return self.entry(*map(by_reference.placed, args))


def needs_compilation(kernel: Callable[..., Any]) -> bool:
    """Tell whether the next call of a kernel will spend time on compiling it.

    The answer is for messages: it sees whether machine code newer than the source is in the cache, not
    whether that is for these argument types and this processor.
    """
    if not isinstance(kernel, Kernel) or kernel.entry.signatures:
        return False
    if kernel.entry.stats.cache_path is None:
        return True
    index = Path(kernel.entry._cache._cache_file._index_path)
    source = Path(kernel.py_func.__code__.co_filename)
    return not index.exists() or index.stat().st_mtime < source.stat().st_mtime


def _compile(function: Callable[..., Any], options: Options) -> Callable[..., Any]:
    return function if os.environ.get("PEERAGE_JIT") == "0" else Kernel(function, options)


def _decorator(options: Options, *, cache: bool = False) -> Any:
    return numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, cache=cache, **options)


def _cached(function: Callable[..., Any], options: Options) -> Any:
    """The object that numba makes of a kernel, whose machine code is kept where that can be."""
    try:
        compiled: Any = _decorator(options, cache=True)(function)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        return _decorator(options)(function)
    index: Any = compiled._cache._cache_file
    index._source_stamp = _stamp(function)
    index._load_index = partial(_known_overloads, index._load_index)
    return compiled


def _compile_widened(compile_for: Callable[[tuple[Any, ...]], Any], types: tuple[Any, ...]) -> Any:
    """Compile a kernel once for all constants and widths of integers that others call it with, not for each."""
    return compile_for(tuple(_WIDENED.get(kind, kind) for kind in map(numba.types.unliteral, types)))


_WIDENED = {numba.types.int32: numba.types.int64}
"""Kinds of numbers that kernels are given as another kind."""


def _known_overloads(load_index: Callable[[], dict[Any, Any]]) -> dict[Any, Any]:
    """What a cache holds: nothing, if it is damaged or of an earlier version whose types are no longer where they were.

    numba reads those types before it looks whether the cache is still valid.
    """
    try:
        return load_index()
    except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
        return {}


_COMPILER = (__file__, by_reference.__file__, kernel_compilers.__file__)
"""The files that say how kernels are compiled."""


def _stamp(function: Callable[..., Any]) -> list[tuple[str, float, int]]:
    """The state of all source files on which a kernel's code may depend."""
    sources = set(_COMPILER)
    _add_sources(function, sources)
    states = ((source, Path(source).stat()) for source in sorted(sources))
    return [(source, state.st_mtime, state.st_size) for source, state in states]


def _add_sources(function: Callable[..., Any], sources: set[str]) -> None:
    """Add the file of a kernel, and those of all kernels in sight of it, at any remove."""
    file = function.__code__.co_filename
    if file not in sources:
        sources.add(file)
        for value in function.__globals__.values():
            if isinstance(value, Kernel):
                _add_sources(value.py_func, sources)
