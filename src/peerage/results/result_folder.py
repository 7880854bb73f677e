"""A result folder: written whole or not at all, and found again.

::

    with writing("results") as folder:
        (folder / "notes.txt").write_text(...)

A writer fills a temporary folder beside the target, forces it to disk, and then puts it in the target's place. Linux
and macOS exchange two folders in one step. Elsewhere the earlier results are renamed first, and a writer that is killed
between the two renames leaves nothing at the target; whoever comes next, a writer or :func:`find`, puts the earlier
results back. The target never holds anything but the whole of the earlier results or the whole of the new ones.

All of this happens under a lock that the system releases when its holder dies. So only one writer is at work on a
target, and whatever temporary folder it finds was left by a dead one.

Every result folder holds :data:`MARKER`, which lists its files with their checksums. A folder without it, or with files
that it does not list, is not ours to replace.

Only the owner can read new results. Whoever gives a folder other permissions keeps them when its results are replaced.

The results of several classes are a result folder that holds a result folder for each; they are replaced together.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from peerage.errors import ResultsError
from peerage.results.marker import MARKER as MARKER
from peerage.results.marker import Marker, Seal
from peerage.support.files.atomic_writes import exchange, force_names_to_disk, force_to_disk, locked
from peerage.support.files.system_errors import reason
from peerage.support.files.writable_places import obstacle

PUBLICATION = "publication.json"
"""The file in a copy of results that were handed out, which nothing may replace."""

_PRIVATE = 0o700
LEFT_BY_SYSTEMS = {".DS_Store", "Thumbs.db", "desktop.ini"}


@contextmanager
def writing(path: str | Path, *, sealed: bool = False) -> Iterator[Path]:
    """Give a folder to write into; when the block ends well, its contents replace what was at ``path``.

    When it does not, whatever was at ``path`` stays as it was. Other writers wait meanwhile: compute first, then write.
    A copy of results is ``sealed``: it brings its marker along.
    """
    target = Path(path).resolve()
    check_target(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with locked(_beside(target, "lock")):
            _settle(target)
            check_target(target)
            fresh = _beside(target, "new")
            fresh.mkdir(_PRIVATE)
            try:
                yield fresh
                if not sealed:
                    seal(fresh)
                _allow(fresh, _permissions(target))
                _force_to_disk(fresh)
                _put_in_place(fresh, target)
            finally:
                _settle(target)
    except OSError as error:
        raise ResultsError(f"{path}: the results cannot be written ({reason(error)}); choose another folder") from error


def check_target(path: str | Path, inputs: Iterable[str | Path] = ()) -> None:
    """Refuse a target that results cannot or may not replace, or whose replacement would delete one of the inputs."""
    target = Path(path).resolve()
    if outermost(target) != target:
        home = Path(path).parent
        raise ResultsError(f"{path}: this is one of the classes in {home}, written together; name another folder")
    # The lock's name is the longest that is needed there.
    if why := obstacle(_beside(target, "lock")):
        raise ResultsError(f"{path}: the results cannot be written ({why}); choose another folder")
    here = Path.cwd()
    if _is_one_of(target, (here, *here.parents)):
        raise ResultsError(f"{path}: results cannot replace the folder that you are in; name another folder")
    for file in inputs:
        if _is_one_of(target, Path(file).resolve().parents):
            raise ResultsError(f"{path}: the input {file} lies in this folder; name another folder for the results")
    if not target.exists():
        return
    if not target.is_dir():
        raise ResultsError(f"{path}: this is a file; name a folder for the results")
    if os.path.ismount(target):
        raise ResultsError(f"{path}: a disk begins here, which results cannot replace; name a folder in it")
    if not _names(target):
        return
    if _listed(target) is None:
        raise ResultsError(f"{path}: this folder holds files that are not results; name another folder or an empty one")
    if (target / PUBLICATION).exists():
        raise ResultsError(f"{path}: these grades were handed out, and this is the record of it; name another folder")
    strangers = sorted(_strangers(target))
    if strangers:
        what = f"{strangers[0]!r} in this folder was not written by peerage and would be lost"
        raise ResultsError(f"{path}: {what}; move it elsewhere, or name another folder")


def _is_one_of(target: Path, folders: Sequence[Path]) -> bool:
    """Whether a folder is among some, also where names differ in case and the system does not care."""
    return target in folders or (target.exists() and any(target.samefile(folder) for folder in folders))


def outermost(path: str | Path) -> Path:
    """The result folder that is replaced as a whole: the one at ``path``, or that of all classes if it is of one."""
    target = Path(path).resolve()
    inside = _listed(target) is not None and target.name in (_listed(target.parent) or ())
    return target.parent if inside else target


def seal(folder: Path) -> None:
    """Make a folder inside one that is being written a result folder of its own."""
    Marker.of(folder, _names(folder)).write(folder)


def find(path: str | Path) -> Path:
    """The result folder at ``path``, put back first if a killed writer left it aside."""
    target = Path(path).resolve()
    for place in (target.parent, target):
        if not place.exists() and _listed(_beside(place, "old")) is not None:
            _put_back(place)
    if _listed(target) is None:
        raise ResultsError(f"{path}: there are no results here; name a folder that peerage has written")
    return target


def _put_back(target: Path) -> None:
    try:
        with locked(_beside(target, "lock")):
            _settle(target)
    except OSError as error:
        aside = _beside(target, "old")
        raise ResultsError(f"{target}: the results are in {aside}; rename that folder ({error.strerror})") from error


def keep(path: str | Path) -> Path:
    """Copy results to a folder beside them, ``DIR-before-1`` or the next number, and return that folder."""
    target = find(path)
    prefix = f"{target.name}-before-"
    suffixes = (entry.name.removeprefix(prefix) for entry in target.parent.iterdir() if entry.name.startswith(prefix))
    number = 1 + max((int(suffix) for suffix in suffixes if suffix.isdecimal()), default=0)
    kept = target.with_name(f"{prefix}{number}")
    with writing(kept, sealed=True) as folder:
        shutil.copytree(target, folder, dirs_exist_ok=True)
    return kept


def add(path: str | Path, name: str, content: str | bytes) -> Path:
    """Put a file into a result folder, in place of an earlier one that peerage wrote, whole or not at all."""
    target = find(path)
    home = outermost(target)
    try:
        with locked(_beside(home, "lock")):
            _settle(home)
            earlier = Marker.read(target) or Marker(frozenset())
            if (target / name).exists() and name not in earlier.names:
                raise ResultsError(f"{target / name}: was not written by peerage and would be lost; move it elsewhere")
            fresh = _beside(home, "new")
            fresh.mkdir(_PRIVATE)
            try:
                (fresh / name).write_bytes(content if isinstance(content, bytes) else content.encode())
                after = earlier.with_file(name, Seal.of(fresh / name))
                # Whoever is killed meanwhile leaves the earlier file or the new one, of which the marker knows both.
                _move_marker(after.before(earlier, name), fresh, target)
                _move(fresh / name, target)
                _move_marker(after, fresh, target)
            finally:
                _settle(home)
    except OSError as error:
        what = f"cannot be written ({reason(error)})"
        raise ResultsError(f"{target / name}: {what}; check the folder's permissions") from error
    return target / name


def _beside(target: Path, purpose: str) -> Path:
    """The name of the target's lock, new contents or earlier contents."""
    return target.parent / f".{target.name}.peerage-{purpose}"


def _names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()} - LEFT_BY_SYSTEMS


def _strangers(folder: Path) -> Iterator[str]:
    """The names in a result folder, and in those inside it, that no marker lists."""
    listed = _listed(folder) or frozenset()
    for name in _names(folder):
        if name not in listed:
            yield name
        elif _listed(folder / name) is not None:
            yield from (f"{name}/{inner}" for inner in _strangers(folder / name))


def _move_marker(marker: Marker, fresh: Path, target: Path) -> None:
    marker.write(fresh)
    _move(fresh / MARKER, target)


def _move(file: Path, target: Path) -> None:
    """Put a file into a result folder, durably."""
    file.chmod(_permissions(target) & 0o666)
    force_to_disk(file)
    file.replace(target / file.name)
    force_names_to_disk(target)


def _listed(folder: Path) -> frozenset[str] | None:
    """The names that the folder's marker lists; None for a folder that is not ours."""
    marker = Marker.read(folder)
    return None if marker is None else marker.names


def _put_in_place(fresh: Path, target: Path) -> None:
    """Move the new results to the target; what was there ends up beside it."""
    if not target.exists():
        fresh.rename(target)
    elif not exchange(fresh, target):
        target.rename(_beside(target, "old"))
        fresh.rename(target)
    force_names_to_disk(target.parent)


def _settle(target: Path) -> None:
    """Put back what stepped aside if nothing took its place, and remove what is left over."""
    aside = _beside(target, "old")
    if not target.exists() and _listed(aside) is not None:
        aside.rename(target)
        force_names_to_disk(target.parent)
    _discard(aside)
    _discard(_beside(target, "new"))


def _discard(folder: Path) -> None:
    """Remove a folder, its marker first: a half-removed folder must never be put back."""
    if folder.exists():
        (folder / MARKER).unlink(missing_ok=True)
        shutil.rmtree(folder)


def _permissions(folder: Path) -> int:
    """Who may read results: those who may read the earlier ones, or else the owner alone."""
    return _PRIVATE if _listed(folder) is None else stat.S_IMODE(folder.stat().st_mode)


def _allow(folder: Path, mode: int) -> None:
    """Give a folder and all in it some permissions; no file can be run."""
    for root, _, files in os.walk(folder):
        Path(root).chmod(mode)
        for name in files:
            (Path(root) / name).chmod(mode & 0o666)


def _force_to_disk(folder: Path) -> None:
    for root, _, files in os.walk(folder):
        for name in files:
            force_to_disk(Path(root) / name)
        force_names_to_disk(Path(root))
