"""The file by which a result folder is known: it lists the folder's files, with a checksum of each."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from peerage.support.files.json_files import read_json
from peerage.support.files.json_shapes import Maybe, misfit
from peerage.version import __version__

MARKER = ".peerage.json"

_SEAL = {"bytes": int, "sha256": str}
_SHAPE = {"files": [str], "version": Maybe(str), "secret": Maybe(str), "seals": Maybe({}), "replaced": Maybe({})}


@dataclass(frozen=True)
class Seal:
    """What a file held when it was written."""

    bytes: int
    sha256: str

    @classmethod
    def of(cls, file: Path) -> Seal:
        """What a file holds now."""
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
            return cls(opened.tell(), digest)


@dataclass(frozen=True)
class Marker:
    """What a result folder should hold.

    Attributes
    ----------
    names: of everything in the folder, this file included
    seals: of the files; folders in it have markers of their own, and results of early versions have no seals
    replaced: what files held before those that are being put in their places
    version: of the program that wrote the folder
    secret: what nobody can guess who cannot read the folder; results of early versions have none
    """

    names: frozenset[str]
    seals: Mapping[str, Seal] = field(default_factory=dict)
    replaced: Mapping[str, Seal] = field(default_factory=dict)
    version: str = __version__
    secret: str = ""

    @classmethod
    def of(cls, folder: Path, names: set[str]) -> Marker:
        """The marker of a folder with some names, as it is now."""
        files = (file for name in sorted(names - {MARKER}) for file in _files(folder / name))
        seals = {file.relative_to(folder).as_posix(): Seal.of(file) for file in files}
        return cls(frozenset(names | {MARKER}), seals, secret=new_secret())

    @classmethod
    def read(cls, folder: Path) -> Marker | None:
        """The marker of a folder; None for a folder that is not ours."""
        try:
            content = read_json(folder / MARKER)
            if misfit(content, _SHAPE) or not all(map(_is_name, content["files"])):
                return None
            seals, replaced = (_seals(content.get(name) or {}) for name in ("seals", "replaced"))
        except (ValueError, TypeError):
            return None
        version, secret = (content.get(name) or "" for name in ("version", "secret"))
        return cls(frozenset(content["files"]), seals, replaced, version, secret)

    def write(self, folder: Path) -> None:
        """Write the marker into a folder."""
        content: dict[str, Any] = {"written by": "peerage", "version": self.version, "files": sorted(self.names)}
        if self.secret:
            content["secret"] = self.secret
        for name, seals in (("seals", self.seals), ("replaced", self.replaced)):
            if seals:
                content[name] = {file: asdict(seal) for file, seal in seals.items()}
        (folder / MARKER).write_text(json.dumps(content, indent=1) + "\n", "utf-8")

    def with_file(self, name: str, seal: Seal) -> Marker:
        """The marker once a file is in the folder, in place of an earlier one of that name if there was any."""
        return replace(self, names=self.names | {name, MARKER}, seals={**self.seals, name: seal}, replaced={})

    def before(self, earlier: Marker, name: str) -> Marker:
        """The marker while a file may be there or not yet: what ``earlier`` says of it holds too."""
        return replace(self, replaced={name: earlier.seals[name]} if name in earlier.seals else {})


def new_secret() -> str:
    """Something that nobody can guess."""
    return secrets.token_hex(16)


def _files(path: Path) -> Iterator[Path]:
    """A file, or the files in a folder that has no marker of its own."""
    if path.is_file():
        yield path
    elif not (path / MARKER).exists():
        yield from (file for file in sorted(path.rglob("*")) if file.is_file())


def _is_name(text: str) -> bool:
    """Whether something can be the name of a file in a folder, and of none elsewhere."""
    return text not in ("", ".", "..") and not set(text) & set("/\\\0")


def _seals(entries: Mapping[str, Any]) -> dict[str, Seal]:
    """The seals of a marker, if they are some."""
    wrong = next(filter(None, (misfit(entry, _SEAL, name) for name, entry in entries.items())), "")
    outside = [name for name in entries if not all(map(_is_name, name.split("/")))]
    if wrong or outside:
        raise ValueError(wrong or outside[0])
    return {name: Seal(entry["bytes"], entry["sha256"]) for name, entry in entries.items()}
