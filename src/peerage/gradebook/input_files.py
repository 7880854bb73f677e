"""Where grades come from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class InputFile:
    """A file of grades, or another source: a name for people, and a hash of the content; never a path."""

    name: str
    sha256: str

    @classmethod
    def of(cls, path: Path) -> InputFile:
        """A file as it is now."""
        return cls(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
