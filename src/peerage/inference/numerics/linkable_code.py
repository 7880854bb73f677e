"""How a kernel is compiled that only other kernels call: as code to be linked into theirs, and not further.

numba optimises each function together with all that it calls, and makes machine code of it, before its callers do the
same with a copy: what lies five calls deep is optimised six times, and five of the six pieces of machine code never
run. Here a kernel stays as numba wrote it. The kernel that Python calls has them all linked in and optimised once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

_ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names begin of the variables by which numba finds a function's constants; it asks for them by address."""


class LinkableCompiler(Compiler):  # type: ignore[misc]
    """numba's own pipeline, with a library that is made for linking."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """Compile a function."""
        self.state.library = _LinkableLibrary(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class _LinkableLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code to be linked: of what it holds, only the variables of environments become machine code."""

    def _optimize_final_module(self) -> None:
        """Leave the whole to the kernel that this is linked into."""

    def _optimize_functions(self, ll_module: llvm.ModuleRef) -> None:
        """Leave each function to it too."""
        ll_module.data_layout = self._codegen._data_layout

    def _finalize_final_module(self) -> None:
        self._finalized = True  # so that it can be asked for what is to be linked
        self._shared_module = self._get_module_for_linking()
        whole = self._shared_module
        names = [entry.name for entry in whole.global_variables if entry.name.startswith(_ENVIRONMENT)]
        lines = [f'target triple = "{whole.triple}"', *(f"@{name} = common global i64 0" for name in names)]
        self._final_module = llvm.parse_assembly("\n".join(lines))
        self._final_module.data_layout = whole.data_layout
        self._final_module.name = whole.name
        super()._finalize_final_module()
