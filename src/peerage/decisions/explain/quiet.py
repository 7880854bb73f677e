"""Keep a library's own messages out of our standard output."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_STDOUT = 1


@contextmanager
def quiet() -> Iterator[None]:
    """Discard what C code prints to standard output, in whatever thread, until the last thread that asked is done."""
    _switch.off()
    try:
        yield
    finally:
        _switch.on()


class _Switch:
    """Standard output, which is switched off by the first thread that asks for it and on again by the last."""

    def __init__(self) -> None:
        self.lock, self.threads, self.kept = threading.Lock(), 0, -1

    def off(self) -> None:
        with self.lock:
            self.threads += 1
            if self.threads > 1:
                return
            if sys.stdout is not None:
                sys.stdout.flush()
            _flush()
            # Where standard output is closed, nothing can be printed to it.
            with suppress(OSError):
                self.kept = os.dup(_STDOUT)
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, _STDOUT)
                os.close(nowhere)

    def on(self) -> None:
        with self.lock:
            self.threads -= 1
            if self.threads > 0 or self.kept < 0:
                return
            # C keeps what it prints in a buffer of its own, which must not be emptied after the switch back.
            _flush()
            os.dup2(self.kept, _STDOUT)
            os.close(self.kept)
            self.kept = -1


_switch = _Switch()


def _flush() -> None:
    """Empty C's output buffers."""
    with suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL("ucrtbase" if os.name == "nt" else None)
        library.fflush(None)
