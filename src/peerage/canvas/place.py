"""Where an assignment is, how to be let in, and how long to wait."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from peerage.errors import InputError, Problem

Report = Callable[[str], None]
"""What takes a line about how things go."""

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PRINTABLE = re.compile(r"[!-~]+")


def say_nothing(_: str) -> None:
    """Let a line about how things go pass."""


@dataclass(frozen=True)
class Place:
    """An assignment of a course on a Canvas server, whose address is without its path."""

    url: str
    course: int
    assignment: int

    @property
    def address(self) -> str:
        """Where the assignment is on its server."""
        return f"courses/{self.course}/assignments/{self.assignment}"

    @classmethod
    def of(cls, url: str, course: int, assignment: int) -> Place:
        """A place whose address was checked; whatever page of Canvas the address is of, its server is meant."""
        try:
            parts = urlsplit(url.strip())
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            message = f"{url!r} is not the address of a Canvas server"
            raise InputError(Problem(message, "write https://canvas.school.edu", setting="url"))
        if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
            message = f"{url!r} would send the token unencrypted"
            raise InputError(Problem(message, "write https:// instead", setting="url"))
        return cls(f"{parts.scheme}://{parts.netloc}", course, assignment)


@dataclass(frozen=True)
class Patience:
    """How long to wait for Canvas, in seconds.

    Attributes
    ----------
    timeout: for an answer to begin, and between its parts
    attempts: how often a request is made before giving up
    pause: after the first attempt that failed; it doubles with each further one
    longest: a single pause at most; if Canvas asks for more, we give up instead
    refill: how much of its allowance Canvas gives back in a second
    poll: between two looks at a job
    job: for a job to end
    answer: for an answer to be complete
    total: for everything that one command asks for
    """

    timeout: float = 30.0
    attempts: int = 8
    pause: float = 1.0
    longest: float = 120.0
    refill: float = 10.0
    poll: float = 1.0
    job: float = 600.0
    answer: float = 300.0
    total: float = 7200.0


@dataclass(frozen=True)
class Bounds:
    """How much of Canvas's answers is taken: megabytes of one, megabytes of all, and pages of a list."""

    answer_megabytes: int = 100
    megabytes: int = 1000
    pages: int = 2000


BOUNDS = Bounds()
"""What holds for every command. A list of 2,000 pages has 200,000 entries."""


PATIENCE = Patience()
"""How long we wait unless told otherwise."""


def checked_token(token: str) -> str:
    """The token without outer spaces, if it can be one; a message about it never shows it."""
    token = token.strip()
    if not token:
        raise InputError(Problem("there is no Canvas token", "give one", setting="token"))
    if not _PRINTABLE.fullmatch(token):
        raise InputError(Problem("the Canvas token has characters that no token has", "copy it again", setting="token"))
    return token
