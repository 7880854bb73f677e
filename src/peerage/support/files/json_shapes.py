"""What a JSON document has to look like, said as a document of types.

``{"name": str, "points": Maybe((int, float)), "files": [str]}`` is a table with a name, perhaps points, and a list of
files; other entries may be there and are not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_WORDS = {str: "text", int: "a whole number", float: "a number", list: "a list", dict: "a table", bool: "true or false"}


@dataclass(frozen=True)
class Maybe:
    """An entry that may be missing or null."""

    shape: Any


def misfit(value: Any, shape: Any, name: str = "it") -> str:
    """What is the first thing that does not look as it should; empty if all does."""
    if isinstance(shape, Maybe):
        return "" if value is None else misfit(value, shape.shape, name)
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return f"{name} is not a table"
        return next(filter(None, (_entry(value, key, inner) for key, inner in shape.items())), "")
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{name} is not a list"
        return next(filter(None, (misfit(entry, shape[0], f"an entry of {name}") for entry in value)), "")
    kinds = shape if isinstance(shape, tuple) else (shape,)
    fits = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
    return "" if fits else f"{name} is not {' or '.join(dict.fromkeys(_WORDS[kind] for kind in kinds))}"


def _entry(table: dict[str, Any], key: str, shape: Any) -> str:
    if key not in table:
        return "" if isinstance(shape, Maybe) else f"there is no {key!r}"
    return misfit(table[key], shape, repr(key))
