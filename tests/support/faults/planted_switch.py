"""A number that compiled kernels read while they run: which planted bug they are to have, if any.

Numba takes globals for constants. So the number lies at an address that a compiled function of this process reads, and
kernels, whose machine code other processes use too, find that function by its name.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import cfunc, types
from numba.core.typing import signature
from numba.extending import intrinsic

_NAME = "peerage_planted_bug"
_NUMBER = np.zeros(1, np.int64)
_ADDRESS = int(_NUMBER.ctypes.data)


@intrinsic  # type: ignore[untyped-decorator]
def _number_at(_typing: Any, _address: Any) -> Any:
    def load(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()))

    return types.int64(types.intp), load


@cfunc("int64()")  # type: ignore[untyped-decorator]
def _read() -> Any:
    return _number_at(_ADDRESS)


llvmlite.binding.add_symbol(_NAME, _read.address)

which_bug = types.ExternalFunction(_NAME, signature(types.int64))
"""What kernels call: the number that was set."""


def choose_bug(number: int) -> None:
    """Set the number; 0 for no bug."""
    _NUMBER[0] = number
