"""What the columns of an undescribed sheet seem to be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from peerage.errors import InputError
from peerage.formats.rows.columns.column_roles import is_numeric
from peerage.formats.rows.inferred_scale import infer_rubric, levels_of, up_to
from peerage.formats.rows.lone_grades import impossible
from peerage.formats.rows.times import times_of
from peerage.formats.systems.extract import Table
from peerage.formats.systems.surveys import forms
from peerage.formats.systems.surveys.responses import is_labelled, leading_number
from peerage.formats.wizard.mapping import FileMapping
from peerage.rubric import LARGEST_GRADE, Component
from peerage.tables.column import Column
from peerage.tables.grade_notation import LETTERS, LETTERS_WITH_E, letter_of, out_of
from peerage.tables.known_columns import field_of, fold, names_work
from peerage.tables.numbers import is_number, parse_number
from peerage.tables.sheet import Sheet


@dataclass(frozen=True)
class Guess:
    """The column of each field, as far as it can be told, and the columns that may hold grades."""

    columns: Mapping[str, str]
    graded: tuple[str, ...]

    @property
    def is_long(self) -> bool:
        """Whether each row seems to name one component."""
        return {"component", "grade"} <= self.columns.keys()

    @classmethod
    def of(cls, table: Table) -> Guess:
        """Guess by names, by what a form asks, and by what the columns hold."""
        sheet = table.sheet
        columns = {**forms.guesses(sheet), **_by_name(sheet), **table.columns}
        free = [name for name in sheet.header if name not in columns.values()]
        times = (name for name in free if _holds_times(sheet.column(name)))
        people = (name for name in free if "grader" in columns and are_people(sheet, name, columns["grader"]))
        found = {"time": next(times, None), "submission": next(people, None)}
        columns = {**{field: name for field, name in found.items() if name is not None}, **columns}
        graded = [name for name in free if name not in columns.values() and _may_be_graded(sheet, name)]
        if "component" in columns and graded:
            columns = {"grade": graded[0], **columns}
        return cls(columns, tuple(graded))


def are_people(sheet: Sheet, reviewed: str, grader: str) -> bool:
    """Whether most of what a column says was reviewed is called like somebody who reviewed."""
    names, reviewers = ({fold(text) for text in sheet.column(name).values} for name in (reviewed, grader))
    return 2 * len(names & reviewers) > len(names)


def _by_name(sheet: Sheet) -> dict[str, str]:
    """The first column for each field whose name says so; a kind of work with numbers is something graded."""
    found: dict[str, str] = {}
    for name in sheet.header:
        field = field_of(name)
        if field is not None and not (names_work(name) and is_numeric(sheet.column(name))):
            found.setdefault(field, name)
    if "component" not in found:
        # Without a column of components the form is wide, and a column called "Score" is a component like any other.
        found.pop("grade", None)
    return found


def _holds_times(column: Column) -> bool:
    """Whether all that a column holds is dates or times, which a lone number is not."""
    texts = [text.strip() for text in column.values if text.strip()]
    return bool(texts) and not any(map(is_number, texts)) and not np.isnat(times_of(texts)).any()


def _may_be_graded(sheet: Sheet, name: str) -> bool:
    is_other = field_of(name) not in (None, "grade") and not names_work(name)
    return not is_other and (is_numeric(sheet.column(name)) or is_labelled(sheet.column(name)))


def grades_seen(mapping: FileMapping, sheet: Sheet) -> dict[str, list[float]]:
    """The numbers that a sheet holds for each component, with words translated."""
    table = mapping.table(sheet).sheet
    if mapping.components:
        return {
            name: _numbers(list(map(table.column(name).__getitem__, range(len(table))))) for name in mapping.components
        }
    names, grades = (table.column(mapping.given[name]) for name in ("component", "grade"))
    seen: dict[str, list[str]] = {}
    for row in range(len(table)):
        if names[row].strip():
            seen.setdefault(names[row].strip(), []).append(grades[row])
    return {name: _numbers(texts) for name, texts in seen.items()}


def scale_of(name: str, seen: list[float]) -> Component:
    """The legal grades that those seen suggest, also where there are too few to tell; none is far from all others."""
    seen = [grade for grade in seen if abs(grade) <= LARGEST_GRADE]
    seen = np.array(seen)[~impossible(np.array(seen)).lone].tolist()
    try:
        return infer_rubric({name: np.array(seen)})[0].components[0] if seen else Component(name, (0.0, 1.0))
    except InputError:
        return up_to(name, max(1.0, seen[0]), seen)


def number_of(word: str) -> str:
    """The number that a grade in words seems to stand for; empty if it seems to stand for none."""
    number, letter = leading_number(word), letter_of(word)
    if is_number(number):
        return number
    grade = LETTERS.get(letter, LETTERS_WITH_E.get(letter, out_of(word)[0]))
    return "" if math.isnan(grade) else f"{grade:g}"


def is_legal(component: Component, grade: float) -> bool:
    """Whether a component can have a grade."""
    return bool(levels_of(component, np.array([grade]))[1][0])


def _numbers(texts: list[str]) -> list[float]:
    numbers = (parse_number(text) for text in texts)
    return [number for number in numbers if number == number]
