"""Child processes that Ctrl-C can stop, and that do not outlive a test."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Where the tests themselves run in the background of a shell, SIGINT is ignored, and children inherit that.
_HEED_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"

# With so many findings in its journal, the program goes no further: whoever wants to stop it there need not hurry.
_HOLD = """
from peerage.support.files.journal import Journal
add = Journal.add
def add_and_hold(journal, key, value):
    add(journal, key, value)
    if len(journal.found) >= {findings}:
        signal.pause()
Journal.add = add_and_hold
"""

COMMAND = "import sys; from peerage.cli import main; sys.exit(main(sys.argv[1:]))"
"""A program that is the command line."""


@contextmanager
def running(program: str, *arguments: str, hold: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """Run a Python program until the block ends; with ``hold``, it waits for a signal after so many findings."""
    held = "" if hold is None else _HOLD.format(findings=hold)
    command = [sys.executable, "-c", _HEED_CTRL_C + held + program, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()
