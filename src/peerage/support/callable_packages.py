"""Rooms that share their name with a public function, such as ``peerage.methods`` and ``peerage.methods()``.

Python binds an imported room to its name, over a function of that name. So the room itself can be called, and passes
the call on to the function of its name in its registry.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


class CallableRoom(ModuleType):
    """A room whose call lists what is in its registry."""

    def __call__(self) -> Any:
        """What the function of the room's name says."""
        registry = import_module(f"{self.__name__}.registry")
        return getattr(registry, self.__name__.rpartition(".")[2])()
