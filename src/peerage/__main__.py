"""``python -m peerage``, and where the command ``peerage`` begins."""

from __future__ import annotations

import gc
import sys

INTERRUPTED = 130

_COLLECTIONS = 100_000, 50, 100
"""How seldom Python looks for garbage: nearly all that a command makes is in use until it ends."""


def main() -> int:
    """Run the command line; Ctrl-C ends it without a traceback, also while its modules are still being imported."""
    gc.set_threshold(*_COLLECTIONS)
    try:
        from peerage.cli import main as command

        status = command()
        gc.freeze()  # what is still there need not be looked through once more at the end
        return status
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
