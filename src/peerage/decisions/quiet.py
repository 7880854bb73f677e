"""Keep a library's own messages out of our standard output."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_STDOUT = 1


@contextmanager
def quiet() -> Iterator[None]:
    """Discard what C code prints to standard output meanwhile."""
    if sys.stdout is not None:
        sys.stdout.flush()
    _flush()
    try:
        kept = os.dup(_STDOUT)
    except OSError:
        # Standard output is closed: nothing can be printed to it.
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, _STDOUT)
        yield
    finally:
        # C keeps what it prints in a buffer of its own, which must not be emptied after the switch back.
        _flush()
        os.dup2(kept, _STDOUT)
        os.close(nowhere)
        os.close(kept)


def _flush() -> None:
    """Empty C's output buffers."""
    with suppress(OSError, AttributeError, TypeError):
        library = ctypes.CDLL("ucrtbase" if os.name == "nt" else None)
        library.fflush(None)
