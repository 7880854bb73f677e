"""Whether results are what was written: every file against the checksum that was taken of it then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from peerage.errors import Problem
from peerage.results import result_folder
from peerage.results.marker import Marker, Seal
from peerage.support.files.atomic_writes import PART
from peerage.support.words.wording import listed
from peerage.version import __version__

_STRANGE = "was not written by peerage"


@dataclass(frozen=True)
class Verified:
    """What a look at a result folder found.

    Attributes
    ----------
    files: how many files are what was written
    findings: what is not as it was written, each in words
    notes: what is worth knowing and no damage
    """

    files: int
    findings: tuple[str, ...]
    notes: tuple[str, ...]


def verify(path: str | Path) -> Verified:
    """Compare all files in a result folder, and in those of its classes, with what was written."""
    folder = result_folder.find(path)
    counts: list[int] = []
    findings = tuple(f"{file}: {wrong}" for file, wrong in _findings(folder, "", counts))
    return Verified(sum(counts), findings, tuple(_notes(folder)))


def changed_files(path: str | Path) -> tuple[Problem, ...]:
    """Files of results, and of their classes, that are not what was written: a notice of each, for their users."""
    folder = result_folder.find(path)
    return tuple(
        Problem(wrong, "fit the class again, unless this was meant", f"{folder.name}/{file}")
        for file, wrong in _findings(folder, "", [])
        if wrong != _STRANGE
    )


def _findings(folder: Path, prefix: str, counts: list[int]) -> Iterator[tuple[str, str]]:
    """Each file that is not as it was written, and what is wrong with it."""
    marker = Marker.read(folder)
    if marker is None:
        yield prefix or ".", "there are no results here, or the list of its files is damaged"
        return
    for name, seal in marker.seals.items():
        wrong = _wrong(folder / name, [seal, *filter(None, [marker.replaced.get(name)])])
        counts.append(not wrong)
        if wrong:
            yield f"{prefix}{name}", wrong
    inner = [name for name in sorted(marker.names) if Marker.read(folder / name) is not None]
    sealed = {name.partition("/")[0] for name in marker.seals}
    if marker.seals:
        lost = marker.names - sealed - {result_folder.MARKER, *inner}
        yield from ((f"{prefix}{name}", "is missing or damaged") for name in sorted(lost))
    yield from ((f"{prefix}{name}", _STRANGE) for name in sorted(_strangers(folder, marker)))
    for name in inner:
        yield from _findings(folder / name, f"{prefix}{name}/", counts)


def _strangers(folder: Path, marker: Marker) -> set[str]:
    return {entry.name for entry in folder.iterdir()} - marker.names - result_folder.LEFT_BY_SYSTEMS


def _wrong(file: Path, seals: list[Seal]) -> str:
    """What is wrong with a file; empty if it is one of those that were sealed."""
    newest = seals[0]
    if not newest.bytes and file.is_file():
        # A journal is empty when its folder is written, and grows.
        return ""
    try:
        found = Seal.of(file)
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if found in seals:
        return ""
    if found.bytes < newest.bytes:
        return f"was changed or cut off: it has {found.bytes:,} of {newest.bytes:,} bytes"
    return "was changed after it was written"


def _notes(folder: Path) -> Iterator[str]:
    marker = Marker.read(folder)
    if marker is not None and not marker.seals:
        yield "these results were written without checksums, so changes cannot be found; fit again to have them"
    if marker is not None and marker.version != __version__:
        writer = f"peerage {marker.version}" if marker.version else "an early version of peerage"
        yield f"written by {writer}; this is {__version__}"
    left = [
        entry.name for entry in folder.parent.iterdir() if entry.name.startswith((f".{folder.name}.peerage-", PART))
    ]
    if left:
        yield f"left beside the folder by a writer that was killed: {listed(sorted(left))}"
