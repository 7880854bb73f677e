"""``export``: from results to a file of another system, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from peerage.errors import InputError, Problem, ResultsError
from peerage.exports import canvas_grades, moodle_grades, mta2_files, students_csv, workbook
from peerage.exports.export_options import Options, Prepared
from peerage.results import result_folder
from peerage.results.results import Results
from peerage.results.schema import RECORD
from peerage.support.files.atomic_writes import replacing


class Export(Protocol):
    """One format that results can be written in: each is a module of its own.

    Attributes
    ----------
    NAME: what users call it
    TITLE: what messages call it
    ENDING: of the file's name, if none is given; a folder's has no suffix
    USES: the options that mean something to it
    """

    NAME: str
    TITLE: str
    ENDING: str
    USES: tuple[str, ...]

    def prepare(self, results: Results, options: Options, /) -> Prepared:
        """What is to be written about a class."""

    def write(self, content: Any, path: Path, /) -> None:
        """Write it to a new file, or into an empty folder."""

    def read(self, path: Path, /) -> Any:
        """Read what was written."""


EXPORTS: tuple[Export, ...] = (canvas_grades, moodle_grades, mta2_files, workbook, students_csv)
NAMES = tuple(known.NAME for known in EXPORTS)


@dataclass(frozen=True)
class Exported:
    """Where a file was written, what it holds in words, what was left out of it, and what was changed by hand."""

    path: Path
    summary: str
    notices: tuple[Problem, ...]


def export_folder(
    folder: Path, to: str, out: Path | None = None, options: Options | None = None, *, force: bool = False
) -> Exported:
    """Write the results in a folder as another system reads them, by default beside the folder."""
    known, options = _known(to), options or Options()
    options.refuse_others(known.USES, known.NAME)
    target = _default(folder, known) if out is None else out
    _check(target, known, options, folder, force=force)
    return export(Results.read(folder), to, target, options, force=force)


def export(results: Results, to: str, target: Path, options: Options | None = None, *, force: bool = False) -> Exported:
    """Write results as another system reads them.

    A file that exists is replaced only with ``force``; a folder that peerage has written always is.
    """
    known, options = _known(to), options or Options()
    options.refuse_others(known.USES, known.NAME)
    _check(target, known, options, force=force)
    prepared = known.prepare(results, options)
    with _writing(target, known) as path:
        known.write(prepared.content, path)
        if known.read(path) != prepared.content:
            message = f"an id or name cannot be kept as it is in {known.TITLE}"
            raise InputError(Problem(message, "give that person, submission or assignment another"))
    return Exported(target, prepared.summary, (*results.changed, *prepared.notices))


def _known(to: str) -> Export:
    known = next((known for known in EXPORTS if to == known.NAME), None)
    if known is None:
        raise InputError(Problem(f"there is no format {to!r} to export to", f"use {', '.join(NAMES)}"))
    return known


def _default(folder: Path, known: Export) -> Path:
    """Beside the results; those of one class of several beside the results of all."""
    own, home = folder.resolve(), result_folder.outermost(folder)
    name = own.name if own == home else f"{home.name}-{own.name}"
    return home.with_name(name + known.ENDING)


def _suffix(known: Export) -> str:
    """How the names of a format's files end; empty for a folder."""
    return Path(f"name{known.ENDING}").suffix


def _check(target: Path, known: Export, options: Options, folder: Path | None = None, *, force: bool) -> None:
    """Refuse a target that would damage the results in a folder, the roster or a file that is already there."""
    inputs = [] if folder is None else [folder / result_folder.MARKER]
    inputs += [options.roster] if isinstance(options.roster, Path) else []
    suffix = _suffix(known)
    if not suffix:
        result_folder.check_target(target, inputs)
        if (target / RECORD).exists():
            raise ResultsError(f"{target}: this folder holds the results of a fit; name another")
        return
    if target.suffix.lower() != suffix:
        raise ResultsError(f"{target}: {known.TITLE} is a file that ends in {suffix}; name one")
    if folder is not None and target.resolve().is_relative_to(result_folder.outermost(folder)):
        raise ResultsError(f"{target}: this is in the result folder, which must hold nothing else; name another place")
    if target.is_dir():
        raise ResultsError(f"{target}: this is a folder; name a file")
    if isinstance(options.roster, Path) and target.resolve() == options.roster.resolve():
        raise ResultsError(f"{target}: this is the roster; name another file")
    if target.exists() and not force:
        raise ResultsError(f"{target}: this file exists; name another, or ask to replace it", setting="force")


@contextmanager
def _writing(target: Path, known: Export) -> Iterator[Path]:
    """Give a place to write to; when the block ends well, what was written takes the target's place."""
    if not _suffix(known):
        with result_folder.writing(target) as folder:
            yield folder
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as part:
            yield part
    except OSError as error:
        raise ResultsError(f"{target}: cannot be written ({error.strerror or error}); name another file") from error
