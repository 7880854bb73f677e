"""``python -m peerage``, and where the command ``peerage`` begins."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def main() -> int:
    """Run the command line; Ctrl-C ends it without a traceback, also while its modules are still being imported."""
    try:
        from peerage.cli import main as command

        return command()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
