"""Every exception that Peerage raises on purpose.

::

    PeerageError             anything that a user can act on; its text is a sentence
    ├── InputError           grades, a rubric or a settings file that cannot be used; lists every problem
    │   └── UnmetNeedError   a class that lacks what a method of aggregation needs
    ├── ModelError           a model, prior or fixed value that makes no sense
    ├── ResultsError         a result folder that may not be replaced, or cannot be read
    │   └── OtherVersionError  a posterior in a format of another version
    ├── ServiceError         a service on the network that fails or does not answer
    ├── MissingExtraError    an optional dependency that is not installed
    └── Stopped              work that was asked to stop, and left nothing half done

The command line turns each of them into its text, without a traceback, and exit status 2; a service that fails is no
mistake of the user's, and ends with status 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong with, or surprising in, the input, and what to do about it.

    ``setting`` names the setting that the remedy is about, if there is one, as Python spells it. Whoever shows the
    problem says where to find that setting: the command line adds an option, a page would add a link.
    """

    message: str
    remedy: str = ""
    file: str = ""
    row: int | str | None = None
    setting: str = ""

    def __str__(self) -> str:
        """The problem in one line: ``file, row 3: message; remedy``."""
        where = ", ".join(part for part in (self.file, f"row {self.row}" if self.row is not None else "") if part)
        what = f"{self.message}; {self.remedy}" if self.remedy else self.message
        return f"{where}: {what}" if where else what


class PeerageError(Exception):
    """Base of all errors that a user can act on; ``setting`` is the one that it concerns, if any."""

    def __init__(self, text: str = "", *, setting: str = "") -> None:
        super().__init__(text)
        self.setting = setting


class InputError(PeerageError):
    """Input that cannot be used, with every problem found in it."""

    def __init__(self, problems: Iterable[Problem] | Problem | str) -> None:
        if isinstance(problems, str):
            problems = Problem(problems)
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class UnmetNeedError(InputError):
    """A class that lacks what a method needs; ``need`` names it."""

    def __init__(self, method: str, need: str, reason: str) -> None:
        self.need, self._arguments = need, (method, need, reason)
        super().__init__(f"{method} needs {need}: {reason}; choose another method")

    def __reduce__(self) -> tuple[type[UnmetNeedError], tuple[str, str, str]]:
        return type(self), self._arguments


class ModelError(PeerageError):
    """A model, a prior or a fixed value that makes no sense."""


class ResultsError(PeerageError):
    """A result folder that may not be replaced, or that cannot be read."""


class OtherVersionError(ResultsError):
    """A posterior in a format that this version does not read."""


class ServiceError(PeerageError):
    """A service on the network that fails, does not answer, or asks for a longer pause than we wait."""


class MissingExtraError(PeerageError):
    """A feature whose optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        self._arguments = feature, extra
        super().__init__(f"{feature} needs an optional dependency; install it with: pip install 'peerage[{extra}]'")

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        return type(self), self._arguments


class Stopped(PeerageError):  # noqa: N818 - what was asked for is no error
    """Work that ended early because its caller asked it to."""

    def __init__(self) -> None:
        super().__init__("stopped before it was done")

    def __reduce__(self) -> tuple[type[Stopped], tuple[()]]:
        return type(self), ()
