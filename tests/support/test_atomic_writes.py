"""A file is replaced whole or not at all, whoever writes it, and nothing partial is left beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

import peerage as pg
from peerage.canvas.place import Place
from peerage.canvas.store import Store
from peerage.exports.exporting import export_folder
from peerage.formats.staff.pseudonyms import Key
from peerage.results.result_folder import keep, writing
from peerage.support.files.atomic_writes import replacing
from peerage.tables.writing_tables import write_table
from support.classes.tiny import tiny_class
from support.programs.exporting import result_folder

resource = pytest.importorskip("resource", reason="this system cannot limit the size of files")

ROOM = 1000
"""How many bytes a file may have on the full disk."""

SMALL, LARGE = 1, 500
"""How many rows a writer writes at first, and then, which need more room than there is."""

Write = Callable[[], object]


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file grow beyond :data:`ROOM`: writing more fails in the middle."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def table(folder: Path, rows: int) -> Write:
    return partial(write_table, pd.DataFrame({"grader": ["ann"] * rows}), folder / "graders.csv")


def key(folder: Path, rows: int) -> Write:
    return partial(Key({f"student{row}": f"person-{row}" for row in range(rows)}).write, folder / "key.csv")


def answer(folder: Path, rows: int) -> Write:
    store = Store.open(folder, Place("https://canvas.example.com", 1, 2))
    return partial(store.add, f"request for {rows}", "reviews", b"an answer" * rows, "")


def posterior(folder: Path, rows: int) -> Write:
    return partial(pg.fit(tiny_class(1), chains=1, draws=2, seed=rows).save, folder / "posterior.npz")


def exported(folder: Path, rows: int) -> Write:
    totals = [(f"s{row}", "Essay", f"student{row}", 1.0) for row in range(rows)]
    results = result_folder(folder.with_name(f"results{rows}"), totals)
    return partial(export_folder, results, "csv", folder / "marks.csv", force=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("writer", [table, key, answer, posterior, exported])
def test_a_full_disk_leaves_the_earlier_file_and_nothing_partial(
    tmp_path: Path, writer: Callable[[Path, int], Write]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    writer(folder, SMALL)()
    earlier = contents(folder)
    assert earlier
    write = writer(folder, LARGE)
    with full_disk(), pytest.raises((OSError, pg.ResultsError)):
        write()
    assert contents(folder) == earlier
    write()
    assert contents(folder) != earlier
    assert not any(name.startswith(".") for name in contents(folder))


def test_a_full_disk_is_called_that_when_a_folder_is_copied(tmp_path: Path) -> None:
    with writing(tmp_path / "results") as fresh:
        (fresh / "grades.csv").write_bytes(bytes(2 * ROOM))
    with full_disk(), pytest.raises(pg.ResultsError) as caught:
        keep(tmp_path / "results")
    assert str(caught.value).endswith("the results cannot be written (File too large); choose another folder")
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_what_is_written_takes_the_place_of_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "a.b.csv"
    path.write_text("earlier")
    with replacing(path) as part:
        part.write_text("new")
        assert (part.suffix, path.read_text()) == (".csv", "earlier")
    assert contents(tmp_path) == {"a.b.csv": b"new"}


def test_a_file_that_was_linked_to_is_replaced_where_it_is(tmp_path: Path) -> None:
    home, link = tmp_path / "home", tmp_path / "link.csv"
    home.mkdir()
    link.symlink_to(home / "grades.csv")
    for text in ("first", "second"):
        with replacing(link) as part:
            part.write_text(text)
        assert link.is_symlink()
        assert contents(home) == {"grades.csv": text.encode()}


def test_what_a_killed_process_left_is_not_written_into(tmp_path: Path) -> None:
    with replacing(tmp_path / "key.csv") as part:
        part.write_text("new")
    part.write_text("left by another process")
    part.chmod(0o644)
    key(tmp_path, SMALL)()
    assert (tmp_path / "key.csv").stat().st_mode & 0o777 == 0o600
    assert part.read_text() == "left by another process"
    assert (tmp_path / "key.csv").read_text() != part.read_text()
