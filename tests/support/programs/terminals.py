"""The command line in a real terminal, with somebody who types."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterable

# A session's leader gets the first terminal that it opens as its own, whose Ctrl-C then reaches it.
_PROGRAM = """
import os, signal, sys
os.close(os.open(os.ttyname(0), os.O_RDWR))
signal.signal(signal.SIGINT, signal.default_int_handler)
from peerage.cli import main
sys.exit(main(sys.argv[1:]))
"""


def converse(arguments: Iterable[str], prompt: bytes, typed: Iterable[bytes]) -> tuple[int, str]:
    """Run a command, type the next piece of text at each prompt, and return its exit status and all that was shown."""
    keyboard = iter(typed)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", _PROGRAM, *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as child:
        os.close(theirs)
        shown, answered = b"", 0
        try:
            while more := os.read(ours, 4096):
                shown += more
                while shown.count(prompt) > answered:
                    os.write(ours, next(keyboard))
                    answered += 1
        except OSError:
            pass  # A terminal whose last user is gone is an error on Linux.
        finally:
            os.close(ours)
    return child.returncode, shown.decode()
