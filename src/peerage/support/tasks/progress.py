"""How far long work has come: a value that its caller is told, and the counter that tells it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Phase = Literal["compiling", "sampling", "fitting"]
"""What is under way: kernels are compiled (nothing is counted), sweeps of all chains are made, or whole fits."""


@dataclass(frozen=True)
class Progress:
    """How far a piece of work has come.

    Attributes
    ----------
    phase: ``"compiling"``, once after installation; ``"sampling"``, counted in sweeps; ``"fitting"``, in whole fits
    done, total: how much of the phase is done, of how much; the total can grow
    note: something that was found on the way, in words; mostly empty
    """

    phase: Phase
    done: int
    total: int
    note: str = ""


Listener = Callable[[Progress], None]
"""Is called by the thread that asked for the work, several times a second. An exception in it ends the work."""


class Counter:
    """Counts what is done of a phase, and tells a listener."""

    def __init__(self, listener: Listener, phase: Phase, total: int, *, compiling: bool = False) -> None:
        self.listener, self.phase, self.total = listener, phase, total
        self.done = 0
        if compiling:
            listener(Progress("compiling", 0, 0))
        self.tell()

    def advance(self, more: int = 1) -> None:
        """Take so much more for done."""
        if more:
            self.done += more
            self.tell()

    def expect(self, more: int) -> None:
        """Take so much more for still to be done."""
        self.total += more

    def tell(self, note: str = "") -> None:
        """Tell how far the phase has come."""
        self.listener(Progress(self.phase, self.done, self.total, note))
