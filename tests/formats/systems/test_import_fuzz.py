"""Whatever happens to another system's files, there is a gradebook or a sentence, never anything else."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import peerage as pg
from peerage.formats.systems.known_systems import FORMATS, TABLE
from support.programs.importing import EXAMPLES

MOODLE = ("submissions", "assessments", "grades", "rubric", "levels")
SETS = {
    "canvas-csv": ["canvas_reviews.csv"],
    "canvas-json": ["canvas_peer_reviews.json", "canvas_rubric.json"],
    "ora-data": ["ora_data.csv"],
    "ora-long": ["ora_long.csv"],
    "moodle-tables": [f"moodle/{name}.csv" for name in MOODLE],
    "moodle-backup": ["moodle/workshop.xml"],
    "mta2": ["mta2.csv"],
    "ipeer": ["ipeer.csv"],
    "qualtrics": ["qualtrics.csv"],
    "forms": ["google_form.csv", "microsoft_form.csv"],
}
PIECES = [
    "",
    ",",
    '"',
    "\n",
    "0",
    "-1",
    "NaN",
    "1e9",
    "x",
    "²",
    "\x01",
    "null",
    "[]",
    "{}",
    "<a>",
    "&amp;",
    "Ada Novak",
    ";",
]
VALUES = st.sampled_from([None, "", "x", 0, -1, 1.5, float("nan"), float("inf"), True, [], {}, [None], {"id": 1}])


def _read(files: dict[str, str], **options: Any) -> None:
    with TemporaryDirectory() as folder, suppress(pg.InputError):
        paths = [Path(folder) / name for name in files]
        for path, text in zip(paths, files.values(), strict=True):
            path.write_text(text, encoding="utf-8")
        pg.read_grades(paths, **options)


def _texts(name: str) -> dict[str, str]:
    return {Path(file).name: (EXAMPLES / file).read_text(encoding="utf-8") for file in SETS[name]}


def test_every_format_has_an_example() -> None:
    assert list(SETS) == [known.NAME for known in FORMATS]


@pytest.mark.parametrize("name", SETS)
@settings(max_examples=30)
@given(data=st.data())
def test_damaged_text(name: str, data: st.DataObject) -> None:
    files = _texts(name)
    for _ in range(data.draw(st.integers(1, 3))):
        file = data.draw(st.sampled_from(sorted(files)))
        text = files[file]
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.integers(0, 12))
        files[file] = text[:start] + data.draw(st.sampled_from(PIECES)) + text[end:]
    _read(files, snap=data.draw(st.booleans()))


@settings(max_examples=150)
@given(data=st.data())
def test_json_of_the_wrong_shape(data: st.DataObject) -> None:
    documents = {file: json.loads(text) for file, text in _texts("canvas-json").items()}
    node: Any = documents[data.draw(st.sampled_from(sorted(documents)))]
    while True:
        keys = sorted(node) if isinstance(node, dict) else list(range(len(node)))
        key = data.draw(st.sampled_from(keys))
        inner = node[key]
        if not isinstance(inner, dict | list) or not inner or data.draw(st.booleans()):
            node[key] = data.draw(VALUES)
            break
        node = inner
    _read({file: json.dumps(document) for file, document in documents.items()})


@pytest.mark.parametrize("said", [*SETS, TABLE])
@pytest.mark.parametrize("held", SETS)
def test_a_format_that_the_file_does_not_have(said: str, held: str) -> None:
    _read(_texts(held), format_name=said)


@pytest.mark.parametrize("held", SETS)
def test_a_file_is_recognised_as_one_format_only(held: str) -> None:
    book = pg.read_grades([EXAMPLES / file for file in SETS[held]])
    recognised = [str(notice) for notice in book.notices if "was recognised as" in notice.message]
    assert len(recognised) == len(SETS[held])
    assert all(f"({held})" in notice for notice in recognised)


def test_every_format_is_documented() -> None:
    index = (EXAMPLES.parents[1] / "docs" / "index.md").read_text(encoding="utf-8")
    assert [name for name in [*SETS, TABLE] if f"`{name}`" not in index] == []
