"""The example files of other systems, and how `peerage import` is run on them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

import peerage as pg
from peerage import cli

EXAMPLES = Path(__file__).parents[2] / "examples"
DETAILS = ("assignment", "author", "role", "time")


def run_import(*arguments: str | Path) -> int:
    """Run `peerage import` and return its exit status."""
    return cli.main(["import", *map(str, arguments)])


def rows(book: pg.Gradebook, *details: str) -> list[tuple[object, ...]]:
    """The grades of a gradebook, each with some details of its review."""
    table = book.table()
    return list(table[["submission", "grader", "component", "grade", *details]].itertuples(index=False, name=None))


def said(book: pg.Gradebook) -> list[str]:
    """What was noticed, in words, but for what every small class is told."""
    return [str(notice) for notice in book.notices if not _is_about_size(notice.message)]


def _is_about_size(message: str) -> bool:
    return any(words in message for words in ("with a single review", "only one grade", "without a common grader"))


def problems(*paths: Path, **options: object) -> list[str]:
    """What is wrong with some files."""
    with pytest.raises(pg.InputError) as caught:
        pg.read_grades(list(paths), **options)  # type: ignore[arg-type]
    return [str(problem) for problem in caught.value.problems]


def changed(example: str, folder: Path, changes: Iterable[tuple[str, str]]) -> Path:
    """A copy of an example in which some text is replaced, each piece of which has to be there."""
    text = (EXAMPLES / example).read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / example
    path.write_text(text, encoding="utf-8")
    return path
