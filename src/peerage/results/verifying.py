"""Whether results are what was written: every file against the checksum that was taken of it then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from peerage.results import result_folder
from peerage.results.marker import Marker, Seal
from peerage.support.files.atomic_writes import PART
from peerage.support.words.wording import listed
from peerage.version import __version__


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
    findings = tuple(_findings(folder, "", counts))
    return Verified(sum(counts), findings, tuple(_notes(folder)))


def _findings(folder: Path, prefix: str, counts: list[int]) -> Iterator[str]:
    marker = Marker.read(folder)
    if marker is None:
        yield f"{prefix or '.'}: there are no results here, or the list of its files is damaged"
        return
    for name, seal in marker.seals.items():
        wrong = _wrong(folder / name, [seal, *filter(None, [marker.replaced.get(name)])])
        counts.append(not wrong)
        if wrong:
            yield f"{prefix}{name}: {wrong}"
    inner = [name for name in sorted(marker.names) if Marker.read(folder / name) is not None]
    sealed = {name.partition("/")[0] for name in marker.seals}
    if marker.seals:
        lost = marker.names - sealed - {result_folder.MARKER, *inner}
        yield from (f"{prefix}{name}: is missing or damaged" for name in sorted(lost))
    yield from (f"{prefix}{name}: was not written by peerage" for name in sorted(_strangers(folder, marker)))
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
