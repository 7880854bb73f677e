"""A file to which findings are added one by one, and which outlives whatever ends the program that adds them.

A program that is killed has lost the line that it was about to add, and none before it. What else is in the folder
says what the findings are about, so that those of something else are not taken for them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Generic, TypeVar

from peerage.errors import PeerageError, ResultsError
from peerage.support.files.atomic_writes import locked
from peerage.support.files.bounded_files import read_bounded
from peerage.support.files.json_files import parse_json, read_json
from peerage.support.files.json_shapes import misfit

LARGEST = 1000
"""Megabytes of findings at most."""

K = TypeVar("K")
V = TypeVar("V")


class Journal(Generic[K, V]):
    """What has been found so far, by the task that found it.

    Parameters
    ----------
    path: the file, with a line of JSON for each finding
    encode, decode: from a task and its finding to the entries of a line, and back
    what: what writes such a file, in words
    shape: what a line looks like (:mod:`peerage.support.files.json_shapes`)
    """

    def __init__(
        self,
        path: Path,
        encode: Callable[[K, V], Mapping[str, Any]],
        decode: Callable[[Mapping[str, Any]], tuple[K, V]],
        what: str,
        shape: Mapping[str, Any],
    ) -> None:
        self.path, self._encode, self._decode, self._what, self._shape = path, encode, decode, what, shape
        self.found = dict(self._read())

    def add(self, key: K, value: V) -> None:
        """Keep what a task found."""
        self.found[key] = value
        with self.path.open("ab") as file:
            file.write(json.dumps(self._encode(key, value)).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self) -> Iterator[tuple[K, V]]:
        """The findings of the file, whose last line is cut off if it was not written to its end."""
        content, megabytes = read_bounded(self.path, LARGEST)
        if megabytes > LARGEST:
            raise ResultsError(f"{self.path}: has more than {LARGEST:,} megabytes; name another folder")
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            os.truncate(self.path, len(whole))
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                entries = parse_json(line)
                if misfit(entries, self._shape):
                    raise ValueError("a line looks different")
                key, value = self._decode(entries)
                hash(key)
            except (ValueError, KeyError, TypeError, PeerageError):
                message = f"is not what {self._what} writes; remove that row"
                raise ResultsError(f"{self.path}, row {number}: {message}") from None
            yield key, value


def at_work(path: str | Path, what: str) -> AbstractContextManager[None]:
    """Be the only one of a kind that is at work in a folder; the system releases the lock of one that dies."""
    target = Path(path).resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    busy = f"another {what} is at work in this folder; wait until it ends, or name another folder"
    return locked(target.with_name(f".{target.name}.peerage-{what}"), busy=f"{path}: {busy}")


def check_record(path: str | Path, file: Path, record: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The record in ``file``; refuse to go on with findings whose record differs in an entry of the present one."""
    try:
        begun: dict[str, Any] = dict(read_json(file))
    except (ValueError, TypeError):
        raise ResultsError(f"{path}: holds results, but not of a {what}; name another folder") from None
    # The present record as it would be read.
    wanted = json.loads(json.dumps(record))
    differing = [key for key in wanted if begun.get(key) != wanted[key]]
    if differing:
        message = f"holds a {what} that differs in {', '.join(differing)}; name another folder, or remove this one"
        raise ResultsError(f"{path}: {message}")
    return begun
