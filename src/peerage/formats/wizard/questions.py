"""Questions about a file that nobody has described: which column is what, and which grades are legal.

Every question has a default, guessed from the names and contents of the columns. The answers are a
:class:`~peerage.formats.wizard.questions.mapping.FileMapping`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from peerage.errors import InputError, Problem
from peerage.formats.rows.assemble import Duplicates
from peerage.formats.systems.extract import Table
from peerage.formats.systems.known_systems import TABLE, recognise
from peerage.formats.wizard import guessing
from peerage.formats.wizard.guessing import Guess
from peerage.formats.wizard.mapping import FileMapping
from peerage.gradebook.book import ROLES
from peerage.rubric import Component, Rubric
from peerage.support.words.wording import counted
from peerage.tables.column import Column
from peerage.tables.known_columns import FIELDS, fold
from peerage.tables.numbers import is_number, parse_number
from peerage.tables.reading_files import read_source
from peerage.tables.sheet import Sheet

Answer = TypeVar("Answer")

NONE = "none"
EXAMPLES = 3
MOST_WORDS = 25
"""A column with more different answers that are not numbers does not hold grades."""

_REQUIRED = {"submission": "What was reviewed?", "grader": "Who reviewed it?"}
_OPTIONAL = {
    "author": "Who wrote what was reviewed?",
    "assignment": "Which assignment was it?",
    "role": "Is the reviewer a student, a TA, an instructor or a machine?",
    "time": "When was it reviewed?",
}


class Asker(Protocol):
    """Whoever answers."""

    def say(self, text: str) -> None:
        """Show a line."""

    def ask(self, question: str, default: str, parse: Callable[[str], Answer]) -> Answer:
        """Ask until the answer can be parsed; :class:`ValueError` says what is wrong with one that cannot."""


def interview(path: Path, asker: Asker) -> FileMapping:
    """Find out by questions how to read a file."""
    source = read_source(path, path.name)
    for system in recognise([source])[0]:
        try:
            tables = system.read().tables
        except InputError as error:
            asker.say(f"{source.file} looks like {system.format.TITLE}, but cannot be read as that:")
            asker.say(str(error))
            break
        if tables:
            return Wizard(tables[0].sheet, Guess.of(tables[0]), asker).mapping(system.format.NAME)
        question = f"{source.file} looks like {system.format.TITLE}. Read it as that? (yes or no)"
        if asker.ask(question, "yes", _one_of("yes", "no")) == "yes":
            return FileMapping(system.format.NAME)
    return Wizard(source.sheet, Guess.of(Table(source.sheet)), asker).mapping(TABLE)


@dataclass(frozen=True)
class Wizard:
    """The questions about one sheet."""

    sheet: Sheet
    guess: Guess
    asker: Asker

    def mapping(self, format_name: str) -> FileMapping:
        """Ask everything."""
        self._show_columns()
        columns = {name: self._column(question, name, self._default(name)) for name, question in _REQUIRED.items()}
        graded = self._graded(columns)
        defaults = dict(self.guess.columns)
        if guessing.are_people(self.sheet, columns["submission"], columns["grader"]):
            defaults.setdefault("author", columns["submission"])
        for name, question in _OPTIONAL.items():
            column = self._column(question, name, defaults.get(name, NONE), optional=True)
            if column != NONE:
                columns[name] = column
        cells = [self.sheet.column(column) for column in graded.values() or [columns["grade"]]]
        values = {"grade": self._grade_words(cells), "role": self._role_words(columns)}
        mapping = FileMapping(format_name, columns, graded, {name: words for name, words in values.items() if words})
        rubric, snap = self._rubric(mapping)
        return replace(mapping, rubric=rubric, snap=snap, duplicates=self._duplicates(columns))

    def _show_columns(self) -> None:
        self.asker.say(f"{self.sheet.file} has {counted(len(self.sheet), 'row')} and these columns:")
        for number, (name, column) in enumerate(zip(self.sheet.header, self.sheet.columns, strict=True), start=1):
            examples = [text for text in column.values if text.strip()][:EXAMPLES]
            shown = ", ".join(map(_shown, examples)) or "(empty)"
            self.asker.say(f"  {number:>2}  {_shown(name)}: {shown}")
        self.asker.say("Answer with a column's number or name. Press Enter for the answer in brackets.")

    def _default(self, name: str) -> str:
        return self.guess.columns.get(name, self.sheet.header[0])

    def _column(self, question: str, name: str, default: str, *, optional: bool = False) -> str:
        return self.asker.ask(f"{question} ({name})", default, lambda text: self._parse_column(text, optional))

    def _parse_column(self, text: str, optional: bool) -> str:
        if optional and fold(text) == NONE:
            return NONE
        alike = [name for name in self.sheet.header if fold(name) == fold(text)]
        if alike:
            return alike[0]
        if text.isdecimal() and 1 <= int(text) <= len(self.sheet.header):
            return self.sheet.header[int(text) - 1]
        raise ValueError(f"there is no column {text!r}; give a number from 1 to {len(self.sheet.header)} or a name")

    def _graded(self, columns: dict[str, str]) -> dict[str, str]:
        """The column of each component; none where rows name their component, which then joins the columns."""
        question = "Does each component have its own column, or does each row name one component? (columns or rows)"
        if self.asker.ask(question, "rows" if self.guess.is_long else "columns", _one_of("columns", "rows")) == "rows":
            columns["component"] = self._column("Which component was graded?", "component", self._default("component"))
            columns["grade"] = self._column("What is the grade?", "grade", self._default("grade"))
            return {}
        free = [name for name in self.guess.graded if name not in columns.values()]
        default = ", ".join(str(self.sheet.header.index(name) + 1) for name in free) or str(len(self.sheet.header))
        chosen = self.asker.ask(
            "Which columns hold grades? (numbers, separated by commas)", default, self._parse_columns
        )
        taken: set[str] = set()
        graded = {}
        for column in chosen:
            name = self.asker.ask(f"What should {_shown(column)} be called?", _name_of(column), _new_name(taken))
            taken.add(fold(name))
            graded[name] = column
        return graded

    def _parse_columns(self, text: str) -> list[str]:
        return list(dict.fromkeys(self._parse_column(part.strip(), optional=False) for part in text.split(",")))

    def _grade_words(self, cells: Sequence[Column]) -> dict[str, str]:
        """What the answers stand for that are no numbers."""
        words = list(dict.fromkeys(text.strip() for column in cells for text in column.values if text.strip()))
        words = [word for word in words if not is_number(word)]
        if len(words) > MOST_WORDS:
            message = f"the columns of grades hold {len(words)} different answers that are not numbers"
            raise InputError(Problem(message, "choose columns of grades", self.sheet.file))
        question = f"Which grade is {{}}? (a number, or {NONE})"
        return {
            word: self.asker.ask(question.format(_shown(word)), guessing.number_of(word) or NONE, _number_or_none)
            for word in words
        }

    def _role_words(self, columns: Mapping[str, str]) -> dict[str, str]:
        if "role" not in columns:
            return {}
        words = [text.strip() for text in self.sheet.column(columns["role"]).values if text.strip()]
        unknown = [word for word in dict.fromkeys(words) if fold(word) not in ROLES][:MOST_WORDS]
        question = f"Which role is {{}}? ({', '.join(ROLES)})"
        return {word: self.asker.ask(question.format(_shown(word)), ROLES[0], _one_of(*ROLES)) for word in unknown}

    def _rubric(self, mapping: FileMapping) -> tuple[Rubric, bool]:
        """The legal grades of each component, and whether those that are not legal are to be moved."""
        components, off = [], 0
        for name, seen in guessing.grades_seen(mapping, self.sheet).items():
            default = guessing.scale_of(name, seen)
            question = f"Which grades can {_shown(name)} get? (0, 1, 2 or 0 to 3 by 0.5)"
            component = self.asker.ask(question, _legend(default), partial(_component, name))
            components.append(component)
            off += sum(not guessing.is_legal(component, grade) for grade in seen)
        if not off:
            return Rubric(tuple(components)), False
        other = counted(off, "other grade")
        question = f"The file has {other}. Move to the nearest of these? (yes or no)"
        return Rubric(tuple(components)), self.asker.ask(question, "no", _one_of("yes", "no")) == "yes"

    def _duplicates(self, columns: Mapping[str, str]) -> Duplicates:
        keys = [
            self.sheet.column(columns[name])
            for name in ("submission", "grader", "component", "assignment")
            if name in columns
        ]
        counts = Counter(zip(*(column.codes.tolist() for column in keys), strict=True))
        repeated = sum(count - 1 for count in counts.values())
        if not repeated:
            return "error"
        again = f"In {counted(repeated, 'row')} somebody reviews the same work again."
        answer = self.asker.ask(
            f"{again} Keep the last, or their mean? (last or mean)", "last", _one_of("last", "mean")
        )
        return "mean" if answer == "mean" else "last"


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if fold(text) not in words:
            raise ValueError(f"answer {' or '.join(words)}")
        return fold(text)

    return parse


def _new_name(taken: set[str]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if fold(text) in taken or (fold(text) in FIELDS and fold(text) != "grade"):
            raise ValueError(f"{text!r} is the name of something else")
        _component(text, "0, 1")
        return text

    return parse


def _number_or_none(text: str) -> str:
    if fold(text) == NONE:
        return ""
    if not is_number(text):
        raise ValueError(f"{text!r} is not a number")
    return text.strip()


def _component(name: str, text: str) -> Component:
    parts = [part for part in re.split(r"[,;\s]+", text.strip()) if part]
    grades = [parse_number(part) for part in parts] if all(map(is_number, parts)) else text
    try:
        return Rubric.from_dict({name: {"grades": grades}}).components[0]
    except InputError as error:
        raise ValueError(str(error)) from None


def _legend(component: Component) -> str:
    """The grades as an answer that means them."""
    legend = component.legend
    return ", ".join(f"{grade:g}" for grade in component.grades) if "grades" in legend else legend


def _name_of(column: str) -> str:
    """What a component may be called by default: its column's name, unless that means something else."""
    name = " ".join(column.split())
    return f"{name} grade" if fold(name) in FIELDS and fold(name) != "grade" else name


def _shown(text: str) -> str:
    """Text from a file in one short line, without anything that a terminal would obey."""
    line = "".join(character if character.isprintable() else " " for character in " ".join(text.split()))
    return f"{line[:37]}…" if len(line) > 38 else line
