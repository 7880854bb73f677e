"""Text that is nested too deeply is known without reading it."""

from __future__ import annotations

import json

import pytest

from peerage.support.files.nesting import DEEPEST, is_too_deep
from peerage.support.files.textfile import parse_toml


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("opened", ["[", '{"a": ', '[1, "]]]]", '])
def test_brackets_are_counted(opened: str) -> None:
    assert not is_too_deep(opened * DEEPEST)
    assert is_too_deep(opened * (DEEPEST + 1))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32"])
def test_in_any_encoding_of_json(encoding: str) -> None:
    hidden = '["\\"", ' + nested(DEEPEST) + ', "\\""]'
    assert is_too_deep(hidden.encode(encoding))
    assert not is_too_deep(nested(DEEPEST).encode(encoding))


def test_what_is_long_or_stands_in_strings_is_not_deep() -> None:
    assert not is_too_deep("[" + ", ".join(["[[], {}]"] * 10_000) + "]")
    assert not is_too_deep(json.dumps(["[" * 10_000, 'say "{" ' * 1000, "\\" * 1001]))
    assert not is_too_deep("name = '" + "[" * 10_000 + "'")


@pytest.mark.parametrize("before", ["", '"""\n""" , '], ids=["plain", "hidden"])
def test_settings_that_are_too_deep_are_refused(before: str) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_toml("a = [" + before + "[" * 5000 + ' "')
