"""Named tuples of arrays that kernels are given by reference.

numba hands a named tuple from kernel to kernel number by number, seven for an array: hundreds of instructions at each
call, all of which have to be compiled. A class that is marked with :func:`by_reference` is laid out in
memory once, when Python calls a kernel, and kernels hand each other its address. In Python it stays a plain named
tuple. Kernels can read its fields by name; they cannot make one, unpack it or return it.
"""

from __future__ import annotations

import hashlib
import struct
from functools import cached_property
from typing import Any, TypeVar

import llvmlite.ir as llvm
import numpy as np
from numba import typeof
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.core.typing.typeof import typeof_impl
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, types, unbox

C = TypeVar("C", bound=type[tuple[Any, ...]])

_MARKED: set[type] = set()


def by_reference(cls: C) -> C:
    """Let kernels take the named tuples of a class by reference."""
    known: dict[tuple[Any, ...], Reference] = {}

    def type_of(value: tuple[Any, ...], context: Any) -> Reference | None:
        kinds = tuple(_type_of(entry, context) for entry in value)
        if None in kinds:
            return None
        return known.get(kinds) or known.setdefault(kinds, Reference(cls, kinds))

    typeof_impl.register(cls)(type_of)
    _MARKED.add(cls)
    return cls


def _type_of(value: Any, context: Any) -> Any:
    """The type of a field; those of arrays are kept, since numba takes long to make one."""
    if type(value) is not np.ndarray:
        return typeof_impl(value, context)
    key = value.dtype, value.ndim, value.flags.num
    return _ARRAYS.get(key) or _ARRAYS.setdefault(key, typeof_impl(value, context))


_ARRAYS: dict[tuple[Any, ...], Any] = {}


class Reference(types.Type):  # type: ignore[misc]
    """What kernels know of such a named tuple: its class, and the name and type of each field.

    The type's own name becomes part of the names of all kernels that take it, so it is short.
    """

    def __init__(self, cls: Any, kinds: tuple[Any, ...]) -> None:
        self.cls, self.fields, self.kinds = cls, cls._fields, kinds
        digest = hashlib.sha256(repr((cls.__module__, self.fields, kinds)).encode()).hexdigest()[:12]
        super().__init__(f"{cls.__name__}.{digest}")

    @cached_property
    def form(self) -> str:
        """How the fields lie in memory, as in C, in the letters of :mod:`struct`."""
        return "".join(map(_form, self.kinds))

    @cached_property
    def size(self) -> int:
        """How many bytes the tuple takes, with all tuples that it holds, each at a multiple of eight."""
        return self.own_size + sum(kind.size for kind in self.kinds if isinstance(kind, Reference))

    @cached_property
    def own_size(self) -> int:
        """How many bytes its fields take."""
        return -(-struct.calcsize(self.form) // 8) * 8

    def write(self, given: tuple[Any, ...], memory: memoryview, address: int, start: int) -> None:
        """Lay out a tuple in memory from some place on; the memory begins at an address."""
        words: list[Any] = []
        after = start + self.own_size
        for kind, value in zip(self.kinds, given, strict=True):
            if isinstance(kind, Reference):
                kind.write(value, memory, address, after)
                words.append(address + after)
                after += kind.size
            elif isinstance(kind, types.Array):
                # Kernels borrow arrays: what would count references to one is left empty.
                words += (0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
            else:
                words.append(value)
        struct.pack_into(self.form, memory, start, *words)

    @property
    def key(self) -> tuple[Any, ...]:
        """What is the same for equal types, also for one that a cache holds of an earlier version of the class."""
        return self.cls, self.fields, self.kinds


def _form(kind: types.Type) -> str:
    """How a field lies in memory."""
    if isinstance(kind, types.Array):
        return f"PPqqP{2 * kind.ndim}q"
    if isinstance(kind, Reference):
        return "P"
    return _FORMS[kind]


_FORMS = {types.boolean: "?", types.int32: "i", types.int64: "q", types.float32: "f", types.float64: "d"}


@register_model(Reference)
class _AddressModel(models.PrimitiveModel):  # type: ignore[misc]
    """In machine code, the address of the fields, one after the other."""

    def __init__(self, manager: Any, kind: Reference) -> None:
        fields = [manager[entry].get_value_type() for entry in kind.kinds]
        super().__init__(manager, kind, llvm.LiteralStructType(fields).as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    """Of which type each field is."""

    key = Reference

    def generic_resolve(self, kind: Reference, name: str) -> Any:
        """The type of a field; None if there is none of that name."""
        return kind.kinds[kind.fields.index(name)] if name in kind.fields else None


@lower_getattr_generic(Reference)  # type: ignore[untyped-decorator]
def _field(context: Any, builder: Any, kind: Reference, address: Any, name: str) -> Any:
    """Read a field."""
    place = kind.fields.index(name)
    value = builder.load(cgutils.gep_inbounds(builder, address, 0, place))
    return impl_ret_borrowed(context, builder, kind.kinds[place], value)


class Placed:
    """A named tuple as kernels take it: laid out in memory with all that it holds, which it keeps alive."""

    def __init__(self, given: tuple[Any, ...]) -> None:
        self.given = given
        self.kind: Reference = typeof(given)
        self.memory = np.zeros(self.kind.size, np.uint8)
        self.address = self.memory.ctypes.data
        self.kind.write(given, self.memory.data, self.address, 0)


def placed(argument: Any) -> Any:
    """What a kernel is given for an argument."""
    return Placed(argument) if type(argument) in _MARKED else argument


typeof_impl.register(Placed)(lambda value, _context: value.kind)


@unbox(Reference)  # type: ignore[untyped-decorator]
def _address(kind: Reference, given: Any, c: Any) -> NativeValue:
    """Where the tuple lies."""
    number = c.pyapi.object_getattr_string(given, "address")
    address = c.builder.inttoptr(c.pyapi.long_as_ulonglong(number), c.context.get_value_type(kind))
    c.pyapi.decref(number)
    return NativeValue(address)
