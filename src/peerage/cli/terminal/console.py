"""What the commands print: results on standard output, everything else on standard error."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from peerage.cli.setting_flags import ASKED, QUESTIONS, as_line, with_flag
from peerage.errors import InputError, PeerageError, Problem
from peerage.support.files.system_errors import refused
from peerage.support.words.visible import one_line, plain_lines

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

SHOWN_PER_KIND = 10
"""How many problems of one kind are printed in full."""


_UNSPOKEN: set[str] = set()
_SHORTEST_SECRET = 8


def never_print(secret: str) -> None:
    """From now on, write stars where something secret would be printed; what is too short is none."""
    if len(secret) >= _SHORTEST_SECRET:
        _UNSPOKEN.add(secret)


def output() -> Console:
    """Standard output; names that look like markup, emoji codes or orders to a terminal are printed as they are."""
    from rich.console import Console

    class PlainConsole(Console):
        def render_str(self, text: str, **options: Any) -> Text:
            return super().render_str(_without_secrets(plain_lines(text)), **options)

    return PlainConsole(markup=False, highlight=False, emoji=False)


def name_cell(name: str) -> Text:
    """A name as a table shows it: in one line, which is cut off rather than broken."""
    from rich.text import Text

    return Text(one_line(" ".join(name.split())), no_wrap=True, overflow="ellipsis")


def say(text: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(_without_secrets(one_line(text)) + "\n")


def _without_secrets(text: str) -> str:
    for secret in _UNSPOKEN:
        text = text.replace(secret, "***")
    return text


def warn(notices: Iterable[Problem], where: str = "") -> None:
    """Write notices to standard error, and about which class, if there are several."""
    for notice in notices:
        say(f"note: {where}{as_line(notice)}")


def describe_error(error: PeerageError) -> list[str]:
    """The error in lines; of many problems of one kind, the first few and how many more there are.

    Where answers to questions can help, the last line says how to be asked.
    """
    if not isinstance(error, InputError):
        return [with_flag(str(error), error.setting)]
    asked = any(problem.setting in ASKED for problem in error.problems)
    return [*shorten(error.problems), *([QUESTIONS] if asked else [])]


def describe_failure(error: OSError) -> str:
    """What the operating system refuses, and for which file; of a folder that could not be copied, the first file."""
    file, reason = refused(error)
    return f"{file or 'the operating system'}: {reason}"


def shorten(problems: Iterable[Problem]) -> list[str]:
    """A line for each problem, but at most :data:`SHOWN_PER_KIND` of those that share a remedy."""
    lines = []
    seen: Counter[tuple[str, str]] = Counter()
    for problem in problems:
        kind = (problem.remedy, problem.setting)
        seen[kind] += 1
        if seen[kind] <= SHOWN_PER_KIND:
            lines.append(as_line(problem))
    for kind, count in seen.items():
        if count > SHOWN_PER_KIND:
            lines.append(f"and {count - SHOWN_PER_KIND:,} more like these: {with_flag(*kind)}")
    return lines
