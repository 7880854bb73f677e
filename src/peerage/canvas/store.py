"""Answers of Canvas as files, so that an interrupted pull goes on and a finished one can be read again.

A folder holds the body of each answer as it came, and ``pull.json``, which says which request each file answers and
where the list goes on. Both are written to a temporary name first: a file that is named in ``pull.json`` is whole.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from peerage.canvas.place import BOUNDS, Place
from peerage.errors import InputError, Problem
from peerage.support.files.atomic_writes import replacing
from peerage.support.files.bounded_files import read_bounded
from peerage.support.files.json_files import read_json
from peerage.support.files.json_shapes import misfit

INDEX = "pull.json"
RAW = "canvas"
"""The folder within a result folder that holds what Canvas answered."""

_FILE = re.compile(r"[a-z_]+-[0-9]{1,9}\.json")
_SHAPE = {
    "place": {"url": str, "course": int, "assignment": int},
    "begun": str,
    "answers": [{"request": str, "file": str, "link": str}],
}


@dataclass(frozen=True)
class Answer:
    """A request, the file that holds the answer's body, and the answer's ``Link`` header."""

    request: str
    file: str
    link: str


@dataclass
class Store:
    """A folder of answers about one place."""

    folder: Path
    place: Place
    begun: str
    answers: dict[str, Answer] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, place: Place) -> Store:
        """The folder as an interrupted pull of the same place left it, or a new one."""
        if not folder.exists() or not any(folder.iterdir()):
            return cls(folder, place, datetime.now(UTC).isoformat(timespec="seconds"))
        index = _index(folder)
        if index.get("place") != asdict(place):
            message = "holds the unfinished pull of another assignment, or something else"
            raise InputError(Problem(message, "move it elsewhere, or name another folder", str(folder)))
        answers = [Answer(entry["request"], entry["file"], entry["link"]) for entry in index["answers"]]
        return cls(folder, place, index["begun"], {answer.request: answer for answer in answers})

    def body(self, answer: Answer) -> bytes:
        """The body of a stored answer."""
        return read_bounded(self.folder / answer.file, BOUNDS.answer_megabytes)[0]

    def add(self, request: str, kind: str, body: bytes, link: str) -> None:
        """Keep an answer."""
        if not self.answers:
            # By its index the folder is known as ours, from its first file on.
            self.folder.mkdir(0o700, parents=True, exist_ok=True)
            self._write_index()
        number = 1 + sum(answer.file.startswith(f"{kind}-") for answer in self.answers.values())
        answer = Answer(request, f"{kind}-{number}.json", link)
        _replace(self.folder / answer.file, body)
        self.answers[request] = answer
        self._write_index()

    def discard(self) -> None:
        """Remove the folder: Canvas has to be asked anew, for what it answered is of no use."""
        shutil.rmtree(self.folder)

    @property
    def files(self) -> list[Path]:
        """The files that hold answers."""
        return [self.folder / answer.file for answer in self.answers.values()]

    def _write_index(self) -> None:
        index = {"place": asdict(self.place), "begun": self.begun, "answers": list(map(asdict, self.answers.values()))}
        _replace(self.folder / INDEX, json.dumps(index, indent=1).encode() + b"\n")


def pulled_files(folder: Path) -> list[Path]:
    """The answers that a finished pull has left in a result folder; none if it is no such folder."""
    return [folder / RAW / entry["file"] for entry in _index(folder / RAW).get("answers", ())]


def _index(folder: Path) -> dict[str, Any]:
    """What the index of a folder says; nothing if there is none."""
    try:
        index = read_json(folder / INDEX)
    except ValueError:
        return {}
    wrong = misfit(index, _SHAPE)
    outside = [] if wrong else [entry["file"] for entry in index["answers"] if not _FILE.fullmatch(entry["file"])]
    if wrong or outside:
        reason = wrong or f"it lists {outside[0]!r}, which is no answer in this folder"
        raise InputError(Problem(f"{INDEX} is damaged ({reason})", "pull again into another folder", str(folder)))
    return dict(index)


def _replace(path: Path, content: bytes) -> None:
    with replacing(path) as part:
        part.write_bytes(content)
