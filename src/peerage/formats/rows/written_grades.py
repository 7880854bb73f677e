"""From grades as people write them to plain numbers: percentages, shares, letters, and words for no grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.formats.rows.entries import Entries
from peerage.formats.rows.findings import Findings
from peerage.formats.rows.inferred_scale import Legal
from peerage.support.words.wording import counted, listed, quoted
from peerage.tables.column import Column
from peerage.tables.grade_notation import LETTERS, LETTERS_WITH_E, PERCENT, is_not_graded, letter_of, out_of
from peerage.tables.numbers import is_number, parse_number


@dataclass(frozen=True)
class Written:
    """How the grades of a component are written, if not as plain numbers.

    Attributes
    ----------
    plain: the number that each text stands for, as text
    said: what was understood
    legal: the highest grade, where ``4/5`` or ``85%`` says it, or all grades that letters stand for
    """

    plain: dict[str, str]
    said: str
    legal: Legal


def as_numbers(entries: Entries, found: Findings) -> tuple[Entries, dict[str, Legal]]:
    """The entries with grades in plain numbers, as far as they are understood, and what that tells of the rubric."""
    if all(map(is_number, entries.grade.values)):
        return entries, {}
    entries = _without_words_for_none(entries, found)
    texts: dict[str, list[str]] = {}
    for component, grade in _pairs(entries)[1]:
        texts.setdefault(entries.component.values[component], []).append(entries.grade.values[grade])
    written = {name: how for name, seen in texts.items() if (how := _how(seen)) is not None}
    if not written:
        return entries, {}
    said: dict[str, list[str]] = {}
    for name, how in written.items():
        said.setdefault(how.said, []).append(name)
    for words, names in said.items():
        found.note(f"the grades of {quoted(names)} are {words}", "if that is wrong, write them as plain numbers")
    return replace(entries, grade=_translated(entries, written)), {name: how.legal for name, how in written.items()}


def _without_words_for_none(entries: Entries, found: Findings) -> Entries:
    """The entries without the cells that say that nothing was graded."""
    empty = entries.grade.where(is_not_graded)
    if not empty.any():
        return entries
    words = quoted(dict.fromkeys(entries.grade[cell].strip() for cell in np.flatnonzero(empty)))
    found.note(f"{counted(int(np.count_nonzero(empty)), 'cell')} taken for not graded: {words}")
    return entries.only_cells(~empty)


def _how(texts: Sequence[str]) -> Written | None:
    """How a component's grades are written; None if as plain numbers, or in ways that do not go together."""
    plain = [parse_number(text) for text in texts if is_number(text)]
    odd = [text for text in texts if not is_number(text)]
    shares = {text: (grade, top) for text in odd for grade, top in (out_of(text),) if top == top and grade == grade}
    letters = {text: letter for text in odd if (letter := letter_of(text))}
    tops = {top for _, top in shares.values()}
    if len(tops) == 1:
        (top,) = tops
        # Plain numbers among shares mean the same only if they come near the same top.
        if top / 2 < max(plain, default=top) <= top:
            return _shares(shares, top)
    if letters and not plain and not shares:
        return _letters(letters)
    return None


def _shares(shares: dict[str, tuple[float, float]], top: float) -> Written:
    plain = {text: f"{grade!r}" for text, (grade, _) in shares.items()}
    if top == PERCENT and any("%" in text for text in shares):
        return Written(plain, "percentages", top)
    text, (grade, _) = next(iter(shares.items()))
    return Written(plain, f"read out of {top:g}: {text.strip()!r} as {grade:g}", top)


def _letters(letters: dict[str, str]) -> Written | None:
    scale = LETTERS_WITH_E if "E" in letters.values() else LETTERS
    if not set(letters.values()) <= scale.keys():
        return None
    shown = listed(f"{letter} = {scale[letter]:g}" for letter in scale if letter in letters.values())
    plain = {text: f"{scale[letter]:g}" for text, letter in letters.items()}
    return Written(plain, f"letters, read as {shown}", _steps(scale, set(letters.values())))


def _steps(scale: Mapping[str, float], seen: set[str]) -> tuple[float, ...]:
    """The grades that letters can stand for: those with plus and minus if any is, but for what lies beyond A."""
    signed = any(len(letter) > 1 for letter in seen)
    return tuple(
        sorted(
            grade for letter, grade in scale.items() if letter in seen or (letter != "A+" and signed >= len(letter) - 1)
        )
    )


def _translated(entries: Entries, written: dict[str, Written]) -> Column:
    """The grades with each component's own words replaced."""
    places, pairs = _pairs(entries)
    texts = []
    for component, grade in pairs:
        how, text = written.get(entries.component.values[component]), entries.grade.values[grade]
        texts.append(text if how is None else how.plain.get(text, text))
    return Column.merged(places, texts)


def _pairs(entries: Entries) -> tuple[NDArray[np.intp], list[tuple[int, int]]]:
    """The distinct pairs of a component's and a grade's code, and for each cell which of them it has."""
    n_values = len(entries.grade.values)
    places, distinct = pd.factorize(entries.component.codes.astype(np.int64) * n_values + entries.grade.codes)
    return places, [divmod(int(pair), n_values) for pair in distinct]
