"""Options that belong together, as one parameter of a command.

A group is a frozen dataclass whose fields are options. ``@grouped`` lets a command take it as one parameter; typer sees
an option for each field.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

Command = Callable[..., None]


def grouped(command: Command) -> Command:
    """The command as typer can read it: each group is spread into its options, which keep their order."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if isinstance(hint, type) and is_dataclass(hint)}
    spread = [
        option
        for name, parameter in inspect.signature(command).parameters.items()
        for option in (_options(groups[name]) if name in groups else [_option(name, hints[name], parameter.default)])
    ]

    @wraps(command)
    def called(**given: Any) -> None:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        command(**given, **made)

    called.__signature__ = inspect.Signature(spread)  # type: ignore[attr-defined]
    called.__annotations__ = {option.name: option.annotation for option in spread}
    return called


def _options(group: type) -> list[inspect.Parameter]:
    """The options of a group, in their order."""
    hints = get_type_hints(group, include_extras=True)
    return [_option(field.name, hints[field.name], _default(field)) for field in fields(group)]


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
