"""Child processes that Ctrl-C can stop, and that do not outlive a test."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Where the tests themselves run in the background of a shell, SIGINT is ignored, and children inherit that.
_HEED_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


@contextmanager
def running(program: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a Python program until the block ends."""
    command = [sys.executable, "-c", _HEED_CTRL_C + program, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()
