"""Comments on parts of the work, each in a column of its own, become one comment of the review."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from peerage.errors import Problem
from peerage.formats.rows.columns.column_roles import COMMENT, is_numeric
from peerage.support.words.wording import counted, quoted
from peerage.tables.column import Column
from peerage.tables.known_columns import field_of, fold
from peerage.tables.sheet import Sheet

_WORDS = re.compile(r"\b(?:comments?|feedback|remarks?|justifications?)\b")
_LETTER = re.compile(r"[^\W\d_]")


def about(what: str, text: str) -> str:
    """A comment on a part of the work, beginning with what it is about."""
    return f"{what}{'' if what.endswith(('?', '.', '!', ':')) else ':'} {text}" if text else ""


def commented(sheet: Sheet, taken: Collection[str], words: re.Pattern[str] = _WORDS) -> list[str]:
    """The columns that are called like comments and hold words, without those whose folded names are taken."""
    return [
        name
        for name in sheet.header
        if fold(name) not in taken and words.search(fold(name)) and _holds_words(sheet.column(name))
    ]


def as_one(sheet: Sheet, taken: Collection[str]) -> Sheet:
    """The sheet with one column of comments, unless it has none or one that is recognised by its name."""
    names = commented(sheet, taken)
    recognised = [name for name in names if field_of(name) == COMMENT]
    return sheet if len(names) == len(recognised) < 2 else together(sheet, names)


def together(sheet: Sheet, names: Sequence[str]) -> Sheet:
    """The sheet with some columns as one called ``comment``, where each text begins with what it is about.

    A column of that name that holds something else stays what it is, and so do the comments.
    """
    if any(fold(name) == COMMENT for name in sheet.header if name not in names):
        return sheet
    columns = [(name if field_of(name) != COMMENT else "", sheet.column(name)) for name in names]
    texts = [
        "\n".join(text if not name else about(name, text) for name, column in columns if (text := column[row].strip()))
        for row in range(len(sheet))
    ]
    others = [index for index, name in enumerate(sheet.header) if name not in names]
    message = f"read {counted(len(names), 'column')} as comments: {quoted(names)}"
    return replace(
        sheet,
        header=(*(sheet.header[index] for index in others), COMMENT),
        columns=(*(sheet.columns[index] for index in others), Column.of_texts(texts)),
        notices=(*sheet.notices, Problem(message, "", sheet.file)),
    )


def _holds_words(column: Column) -> bool:
    """Whether most of the different cells have letters in them, so that they are neither grades nor dates."""
    texts = [text for text in column.values if text.strip()]
    return not is_numeric(column) and 2 * sum(bool(_LETTER.search(text)) for text in texts) > len(texts)
