"""A model of a disk whose power fails: what was not forced to disk may be lost, in any order.

A recorder watches a program write real files below a folder. It keeps a log of what happens to names (made, renamed,
exchanged, removed), and of what is forced to disk. From the log, :func:`disks_after_power_loss` makes what the disk may
hold when the power fails: at each point of the log, every folder may have lost its latest changes of names, back to
when it was last forced to disk, and every file its content since it was. This is more than journalling file systems
lose.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from peerage.results import result_folder
from peerage.support.files.atomic_writes import exchange

Change = dict[str, "int | None"]
"""What becomes of the names of a folder: each stands for another thing, or for none."""


@dataclass
class Log:
    """What happened, in order: changes of a folder's names, and what was forced to disk."""

    root: int
    events: list[tuple[str, int, Any]] = field(default_factory=list)
    folders: set[int] = field(default_factory=set)


class Recorder:
    """Watches names by looking at all of them whenever something may have happened to one."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.log = Log(home.stat().st_ino)
        self.forgetful = False
        self._known: dict[int, dict[str, int]] = {}
        self._held: dict[int, int] = {}

    def look(self) -> None:
        """Note what became of names since the last look."""
        found: dict[int, dict[str, int]] = {}
        for folder, _, _ in os.walk(self._home):
            with os.scandir(folder) as entries:
                named = {entry.name: entry.inode() for entry in entries}
            for name, number in named.items():
                self._hold(Path(folder) / name, number)
            found[Path(folder).stat().st_ino] = named
        for number, names in found.items():
            before = self._known.get(number, {})
            changed = {name: names.get(name) for name in {*names, *before} if names.get(name) != before.get(name)}
            if changed:
                self.log.events.append(("names", number, changed))
        self.log.folders |= set(found)
        self._known = found

    def _hold(self, path: Path, number: int) -> None:
        """Keep something from being forgotten: its number would be used again for something else."""
        if number not in self._held:
            self._held[number] = os.open(path, os.O_RDONLY)

    def force(self, descriptor: int) -> None:
        """Note what is forced to disk, unless the program forgets to do so."""
        self.look()
        if self.forgetful:
            return
        known = os.fstat(descriptor)
        if stat.S_ISDIR(known.st_mode):
            self.log.events.append(("forced", known.st_ino, None))
        else:
            content = os.pread(self._held[known.st_ino], known.st_size, 0)
            self.log.events.append(("content", known.st_ino, content))

    def close(self) -> None:
        """End watching."""
        self.look()
        for descriptor in self._held.values():
            os.close(descriptor)


@contextmanager
def recorded(home: Path) -> Iterator[Recorder]:
    """Record what is written below a folder."""
    recorder = Recorder(home)

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            recorder.look()
            try:
                return function(*args, **options)
            finally:
                recorder.look()

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("rename", "replace", "unlink", "remove", "rmdir", "mkdir"):
            patch.setattr(os, name, watched(getattr(os, name)))
        patch.setattr(result_folder, "exchange", watched(exchange))
        patch.setattr(os, "fsync", recorder.force)
        yield recorder
    recorder.close()


@dataclass
class Disk:
    """What a disk surely holds at some point, and which changes of names it may or may not hold."""

    names: dict[int, dict[str, int]] = field(default_factory=dict)
    pending: dict[int, list[Change]] = field(default_factory=dict)
    content: dict[int, bytes] = field(default_factory=dict)

    def apply(self, kind: str, number: int, what: Any) -> None:
        """Let an event happen."""
        if kind == "names":
            self.pending.setdefault(number, []).append(what)
        elif kind == "content":
            self.content[number] = what
        else:
            for change in self.pending.pop(number, []):
                _change(self.names.setdefault(number, {}), change)

    def write(self, number: int, folder: Path, rng: np.random.Generator, folders: set[int]) -> None:
        """Write what may be left of a folder: its first changes, of which the last ones may be lost."""
        names = dict(self.names.get(number, {}))
        pending = self.pending.get(number, [])
        for change in pending[: int(rng.integers(len(pending) + 1))]:
            _change(names, change)
        for name, inner in names.items():
            if inner in folders:
                (folder / name).mkdir(exist_ok=True)
                self.write(inner, folder / name, rng, folders)
            else:
                (folder / name).write_bytes(self.content.get(inner, b""))


def _change(names: dict[str, int], change: Change) -> None:
    for name, number in change.items():
        if number is None:
            names.pop(name, None)
        else:
            names[name] = number


def disks_after_power_loss(
    log: Log, before: int, home: Path, rng: np.random.Generator, each: int = 8
) -> Iterator[tuple[int, Path]]:
    """What the disk may hold after each event, from ``before`` on: some of the possible cases, in new folders."""
    disk = Disk()
    for place, event in enumerate(log.events):
        disk.apply(*event)
        if place < before:
            continue
        for case in range(each):
            folder = home / f"{place}-{case}"
            folder.mkdir(parents=True)
            disk.write(log.root, folder, rng, log.folders)
            yield place, folder
