"""Settings that are whole numbers."""

from __future__ import annotations

import operator

from peerage.errors import ModelError


def at_least(least: int, **setting: int) -> int:
    """A whole number that is given by name and not too small, as a plain int."""
    ((name, value),) = setting.items()
    try:
        number = operator.index(value)
    except TypeError:
        raise ModelError(f"{name} must be a whole number, not {value!r}") from None
    if number < least:
        raise ModelError(f"{name} must be at least {least}, not {number}")
    return number
