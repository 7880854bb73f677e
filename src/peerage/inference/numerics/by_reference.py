"""Named tuples of arrays that kernels are given by reference.

numba hands a named tuple from kernel to kernel number by number, seven for an array: hundreds of instructions at each
call, all of which have to be compiled. A class that is marked with :func:`by_reference` is laid out in
memory once, when Python calls a kernel, and kernels hand each other its address. In Python it stays a plain named
tuple. Kernels can read its fields by name; they cannot make one, unpack it or return it.
"""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import llvmlite.ir as llvm
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.core.typing.typeof import typeof_impl
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, types, unbox

C = TypeVar("C", bound=type[tuple[Any, ...]])


def by_reference(cls: C) -> C:
    """Let kernels take the named tuples of a class by reference."""

    def type_of(value: tuple[Any, ...], context: Any) -> Reference | None:
        kinds = tuple(typeof_impl(entry, context) for entry in value)
        return None if None in kinds else Reference(cls, kinds)

    typeof_impl.register(cls)(type_of)
    return cls


class Reference(types.Type):  # type: ignore[misc]
    """What kernels know of such a named tuple: its class, and the name and type of each field.

    The type's own name becomes part of the names of all kernels that take it, so it is short.
    """

    def __init__(self, cls: Any, kinds: tuple[Any, ...]) -> None:
        self.cls, self.fields, self.kinds = cls, cls._fields, kinds
        digest = hashlib.sha256(repr((cls.__module__, self.fields, kinds)).encode()).hexdigest()[:12]
        super().__init__(f"{cls.__name__}.{digest}")

    @property
    def key(self) -> tuple[Any, ...]:
        """What is the same for equal types, also for one that a cache holds of an earlier version of the class."""
        return self.cls, self.fields, self.kinds


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


@unbox(Reference)  # type: ignore[untyped-decorator]
def _lay_out(kind: Reference, given: Any, c: Any) -> NativeValue:
    """Lay out a named tuple that Python gives to a kernel, in the memory of that call."""
    address = cgutils.alloca_once(c.builder, c.context.get_value_type(kind).pointee)
    failed = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    fields = [c.unbox(entry, c.pyapi.tuple_getitem(given, place)) for place, entry in enumerate(kind.kinds)]
    for place, native in enumerate(fields):
        c.builder.store(native.value, cgutils.gep_inbounds(c.builder, address, 0, place))
        with c.builder.if_then(native.is_error, likely=False):
            c.builder.store(cgutils.true_bit, failed)

    def clean_up() -> None:
        for entry, native in zip(kind.kinds, fields, strict=True):
            if native.cleanup is not None:
                native.cleanup()
            if c.context.enable_nrt:
                c.context.nrt.decref(c.builder, entry, native.value)

    return NativeValue(address, cleanup=clean_up, is_error=c.builder.load(failed))
