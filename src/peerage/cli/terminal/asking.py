"""Questions on standard error, answers from standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from peerage.cli.terminal.console import say
from peerage.errors import InputError, Problem
from peerage.support.words.visible import plain_lines

Answer = TypeVar("Answer")


class Terminal:
    """Whoever sits before the terminal, or a file of answers, a line each."""

    def say(self, text: str) -> None:
        """Show a line, or several."""
        for line in text.splitlines():
            say(line)

    def ask(self, question: str, default: str, parse: Callable[[str], Answer]) -> Answer:
        """Ask until the answer can be parsed; an empty one is the default, if there is one."""
        while True:
            sys.stderr.write(plain_lines(f"{question} [{default}]: " if default else f"{question}: "))
            sys.stderr.flush()
            line = sys.stdin.readline()
            if not line:
                say("")
                remedy = "run it again and answer every question; Enter accepts what is in brackets"
                raise InputError(Problem("the answers ended before the questions did", remedy))
            try:
                return parse(line.strip() or default)
            except ValueError as error:
                say(f"  {error}")
