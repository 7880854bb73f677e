"""The files of grades that somebody names, before any of them is opened."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from reprlib import repr as shortened

from peerage.errors import InputError, Problem
from peerage.gradebook.writing import GRADES_NAME
from peerage.support.words.spelling import as_text

_TABLES = (".csv", ".tsv", ".xlsx", ".parquet")


def given_files(paths: object) -> list[Path]:
    """The files that one or several paths name; what is no path, or names a folder, is refused."""
    if not isinstance(paths, Iterable) or isinstance(paths, str | bytes | os.PathLike | Mapping):
        paths = [paths]
    files = [_file(path) for path in paths]
    if not files:
        raise InputError(Problem("no file of grades was given", "name at least one"))
    folders = [_folder(file) for file in files if os.path.isdir(file)]  # noqa: PTH112 - which fails for no name
    if folders:
        raise InputError(folders)
    return files


def _file(path: object) -> Path:
    if not isinstance(path, str | os.PathLike):
        remedy = "give the path of a file, several paths, or a table such as pandas'"
        raise InputError(Problem(f"no grades can be read from {shortened(path)}", remedy))
    if not os.fspath(path):
        raise InputError(Problem("the name of a file of grades is empty", "name the file"))
    return Path(path)


def _folder(folder: Path) -> Problem:
    """That a folder is no file, and which file in it may be meant: the one of the usual name, or the only table."""
    tables = []
    with suppress(OSError):
        tables = [file.name for file in folder.iterdir() if file.suffix.lower() in _TABLES]
    likely = [GRADES_NAME] if GRADES_NAME in tables else tables
    such_as = f", such as {as_text(likely[0])}" if len(likely) == 1 else ""
    return Problem("is a folder", f"name the file in it{such_as}", as_text(str(folder)))
