"""How kernels are compiled: with numba's own steps, but for those that take long and are of no use here.

numba optimises each function together with all that it calls, and makes machine code of it, before its callers do the
same with a copy: what lies five calls deep is optimised six times, and five of the six pieces of machine code never
run. Here a kernel that only other kernels call stays as numba wrote it. The kernel that Python calls has them all
linked in, is optimised once, and alone becomes machine code.
"""

from __future__ import annotations

import gc
import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import llvmlite.binding as llvm
from numba.core import typed_passes, types, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.compiler_machinery import PassManager
from numba.core.types import containers

_UNUSED = (
    *(untyped_passes.WithLifting, untyped_passes.InlineClosureLikes, untyped_passes.MakeFunctionToJitFunction),
    *(untyped_passes.InlineInlinables, untyped_passes.FindLiterallyCalls, untyped_passes.LiteralUnroll),
    *(untyped_passes.RewriteDynamicRaises, typed_passes.InlineOverloads),
)
"""Steps that look for what no kernel has: contexts, functions within functions, exceptions with arguments."""

_OPERATORS = frozenset(filter(callable, vars(operator).values()))
_PLAIN = types.Number, types.Boolean, types.Array, containers.BaseTuple
"""Kinds of operands; what an operator makes of these depends on nothing else."""


class EntryCompiler(Compiler):  # type: ignore[misc]
    """Compiles a kernel that Python calls."""

    library: type[JITCodeLibrary]

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Compile a function."""
        self.state.flags = _Flags(self.state.flags)
        codegen = self.state.targetctx.codegen()
        self.state.library = self.library(codegen, func.__qualname__)
        self.state.library.enable_object_caching()
        with _everything_linked(codegen), _looked_up_once(self.state.typingctx):
            return super().compile_extra(func)

    def define_pipelines(self) -> list[PassManager]:
        """The steps of the compilation."""
        (whole,) = super().define_pipelines()
        steps = PassManager("kernel")
        unused = _UNUSED if self.state.flags.nrt else (*_UNUSED, typed_passes.NopythonRewrites)
        steps.passes = [(step, words) for step, words in whole.passes if step not in unused]
        steps.finalize()
        return [steps]


class LinkableCompiler(EntryCompiler):
    """Compiles a kernel that only other kernels call."""


@contextmanager
def _everything_linked(codegen: Any) -> Iterator[None]:
    """Leave to be linked whatever else has to be compiled for a kernel; numba compiles in one thread at a time."""
    if "create_library" in vars(codegen):
        yield
        return
    codegen.create_library, codegen.set_env = partial(_OptimisedLibrary, codegen), partial(_set_environment, codegen)
    looks_for_garbage = gc.isenabled()
    gc.disable()  # compilation makes much that stays, and little that does not
    try:
        yield
    finally:
        if looks_for_garbage:
            gc.enable()
        del codegen.create_library, codegen.set_env


@contextmanager
def _looked_up_once(typing_context: Any) -> Iterator[None]:
    """Find the types of what operators make of their operands once for each kind of these."""
    if "resolve_function_type" in vars(typing_context):
        yield
        return
    typing_context.resolve_function_type = partial(_type_of_call, typing_context.resolve_function_type, {})
    try:
        yield
    finally:
        del typing_context.resolve_function_type


def _type_of_call(resolve: Callable[..., Any], known: dict[Any, Any], function: Any, args: Any, keywords: Any) -> Any:
    """The signature of a call. numba tries anew, for the same operands, all that an operator could mean."""
    is_operator = getattr(function, "typing_key", function) in _OPERATORS
    if not is_operator or keywords or not all(isinstance(kind, _PLAIN) for kind in args):
        return resolve(function, args, keywords)
    call = function, tuple(args)
    found = known.get(call)
    if found is None:
        found = known[call] = resolve(function, args, keywords)
    return found


def _set_environment(codegen: Any, name: str, environment: Any) -> None:
    """Tell a function where its constants lie, if it has machine code of its own."""
    if codegen._engine.is_symbol_defined(name):
        type(codegen).set_env(codegen, name, environment)


class _Flags(Flags):  # type: ignore[misc]
    """The options of a compilation. Those of numba compare all that could be set, a hundred thousand times."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and self._values == other._values

    def __hash__(self) -> int:
        return hash(Flags)


class _LinkableLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code to be linked, of which no machine code is made."""

    def _optimize_functions(self, ll_module: llvm.ModuleRef) -> None:
        """Leave each function to the optimisation of the whole."""
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Leave what this calls, too, to the kernel that all is linked into."""
        self._shared_module, self._finalized = self._final_module, True
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"  # there may be several copies, of which one is kept


class _OptimisedLibrary(_LinkableLibrary):
    """The same of numba's own functions, which only become short enough to be inlined once they are optimised."""

    def finalize(self) -> None:
        """Link and optimise what this calls."""
        for library in _callers_first(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        _optimise(self._final_module, self._codegen)
        super().finalize()


class _EntryLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that Python calls, with all that it calls at any remove."""

    _optimize_functions = _LinkableLibrary._optimize_functions

    def finalize(self) -> None:
        """Link and optimise it all, and make machine code of it."""
        self._linking_libraries: list[Any] = _callers_first(self._linking_libraries)
        super().finalize()

    def _optimize_final_module(self) -> None:
        _optimise(self._final_module, self._codegen)


def _callers_first(libraries: Iterable[Any]) -> list[Any]:
    """Libraries and those that they call, each before what it calls: LLVM links no function that none has called."""
    seen: set[int] = set()
    found: list[Any] = []

    def visit(library: Any) -> None:
        if id(library) not in seen:
            seen.add(id(library))
            for called in library._linking_libraries:
                visit(called)
            found.append(library)

    for library in libraries:
        visit(library)
    return found[::-1]


def _optimise(module: llvm.ModuleRef, codegen: Any) -> None:
    options = llvm.create_pipeline_tuning_options()
    options.speed_level, options.loop_vectorization, options.slp_vectorization = 3, True, False
    # Loops of one sweep are short: unrolled, they are no faster, and take a quarter more machine code.
    options.loop_unrolling = False
    builder = llvm.create_pass_builder(codegen._tm, options)
    steps = builder.getModulePassManager()
    steps.add_refprune_pass()  # of references to a random generator, counted at each draw
    steps.run(module, builder)


EntryCompiler.library, LinkableCompiler.library = _EntryLibrary, _LinkableLibrary
