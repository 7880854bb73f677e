"""Ctrl-C while modules are being imported ends the command without a traceback."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

from peerage.__main__ import main
sys.meta_path.insert(0, Interrupting())
sys.argv = ["peerage", "check", "no-such-file.csv"]
sys.exit(main())
"""


@pytest.mark.parametrize("module", ["peerage.cli", "typer", "pandas", "numpy", "peerage.formats.reading"])
def test_an_import_can_be_interrupted(module: str) -> None:
    program = PROGRAM.format(module=module)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")
