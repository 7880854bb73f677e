"""Marks for Canvas: whose row, and which column, in a gradebook that Canvas imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from peerage.errors import InputError, Problem
from peerage.exports import canvas_gradebook_csv
from peerage.exports.canvas_column_choice import chosen_columns
from peerage.exports.canvas_gradebook_csv import STUDENT_COLUMNS, CanvasGradebook
from peerage.exports.export_options import Options, Prepared
from peerage.exports.roster import Match, Roster
from peerage.exports.student_marks import StudentMarks, everyone
from peerage.results.results import Results
from peerage.support.words.wording import counted, quoted
from peerage.tables.known_columns import fold

NAME = "canvas-gradebook"
TITLE = canvas_gradebook_csv.TITLE
ENDING = "-canvas.csv"
USES: tuple[str, ...] = ("roster", "match", "id_column", "assignment_ids", "credit_id", "only")

ID_COLUMNS = ("ID", "SIS User ID", "SIS Login ID")
"""By what Canvas knows people."""

EXCUSED = "EX"

write, read = canvas_gradebook_csv.write, canvas_gradebook_csv.read

Who = tuple[str, ...]


@dataclass(frozen=True)
class _Enrolled:
    """Who the students are in Canvas, and what its gradebook has about each of them, by assignment's id."""

    who: Mapping[str, Who]
    has: Mapping[str, Mapping[str, str]]
    notices: tuple[Problem, ...] = ()


def prepare(results: Results, options: Options) -> Prepared:
    """The marks of a class, in the columns and rows that Canvas knows."""
    roster, known = options.roster, None
    if isinstance(roster, Path):
        known = canvas_gradebook_csv.read(roster) if canvas_gradebook_csv.recognises(roster) else None
        roster = Roster.read(roster) if known is None else _names_in_order(known, roster.name)
    elif roster is not None and canvas_gradebook_csv.is_header(roster.header):
        remedy = "give the file that Canvas exported; what Canvas excused and marked is read from there"
        raise InputError(Problem("the roster is Canvas's own gradebook as a table in memory", remedy, setting="roster"))
    chosen = StudentMarks.of(results).of_assignments(options.only)
    marks, columns, column_notices = chosen_columns(chosen, options, known)
    enrolled = _enrolled(list(marks.values), options, roster, known)
    notices = [*marks.notices, *column_notices, *enrolled.notices]
    students, excused, empty = [], [], []
    for student, who in enrolled.who.items():
        has = enrolled.has.get(student, {})
        cells = [
            _cell(mark, has.get(column.id, "")) for mark, column in zip(marks.values[student], columns, strict=True)
        ]
        excused += [student] if EXCUSED in cells else []
        empty += [student] if "" in cells else []
        students.append((who, tuple(cells)))
    notices += _cell_notices(excused, empty if known is None else ())
    summary = f"{counted(len(students), 'student')}; columns: {', '.join(column.title for column in columns)}"
    return Prepared(CanvasGradebook(columns, tuple(students)), summary, tuple(notices))


def _cell(mark: float | None, has: str) -> str:
    """The mark with Canvas's two decimals; what Canvas has where there is no mark, and where a student is excused."""
    if mark is None or has == EXCUSED:
        return has
    return str(Decimal(repr(mark)).quantize(Decimal("0.01"), ROUND_HALF_UP))


def _cell_notices(excused: Sequence[str], empty: Sequence[str]) -> Iterator[Problem]:
    if excused:
        yield Problem(f"stay excused in Canvas: {everyone(excused)}")
    if empty:
        message = f"a cell is empty, and Canvas would remove any mark there: {everyone(empty)}"
        yield Problem(message, "to keep such marks, give Canvas's own gradebook as the roster", setting="roster")


def _enrolled(
    students: Sequence[str], options: Options, roster: Roster | None, known: CanvasGradebook | None
) -> _Enrolled:
    if roster is None:
        return _by_id(students, options.id_column or ID_COLUMNS[0])
    if options.id_column is not None:
        message = "a column of ids cannot be used together with a roster"
        raise InputError(Problem(message, "name the roster's column to match by instead", setting="match"))
    match = roster.match(students, options.match)
    if not match.rows:
        raise InputError([*match.notices(), Problem("nobody is left to write", "check the roster")])
    who = {student: _who(roster, row) for student, row in match.rows.items()}
    nameless = [
        student for student, row in who.items() if not any(row[STUDENT_COLUMNS.index(name)] for name in ID_COLUMNS)
    ]
    if nameless:
        message = f"has no {', '.join(ID_COLUMNS[:-1])} or {ID_COLUMNS[-1]} of {quoted(nameless)}"
        raise InputError(Problem(message, "give a gradebook that Canvas has exported", roster.file))
    _check_ids(row[STUDENT_COLUMNS.index("ID")] for row in who.values())
    return _Enrolled(who, _has(known, match) if known else {}, tuple(match.notices()))


def _has(known: CanvasGradebook, match: Match) -> dict[str, dict[str, str]]:
    """What a gradebook has about each student."""
    titles = [column.id for column in known.columns]
    return {student: dict(zip(titles, known.students[row][1], strict=True)) for student, row in match.rows.items()}


def _by_id(students: Sequence[str], column: str) -> _Enrolled:
    """Students whose ids are Canvas's own."""
    place = next((STUDENT_COLUMNS.index(name) for name in ID_COLUMNS if fold(name) == fold(column)), None)
    if place is None:
        remedy = f"use {', '.join(ID_COLUMNS)}"
        raise InputError(Problem(f"Canvas has no column {column!r}", remedy, setting="id_column"))
    if STUDENT_COLUMNS[place] == "ID":
        _check_ids(students)
    blank = ("",) * len(STUDENT_COLUMNS)
    return _Enrolled({student: (*blank[:place], student, *blank[place + 1 :]) for student in students}, {})


def _check_ids(names: Iterable[str]) -> None:
    """Refuse what is no number: Canvas reads the digits at the beginning alone, and 12b would be the student 12."""
    wrong = [name for name in names if name and not (name.isascii() and name.isdigit())]
    if wrong:
        remedy = "give Canvas's own gradebook as the roster, or say which column these ids belong to"
        message = f"students are called {quoted(wrong)}, which is not a Canvas ID"
        raise InputError(Problem(message, remedy, setting="id_column"))


def _names_in_order(known: CanvasGradebook, file: str) -> Roster:
    """The students of a gradebook as a roster; names count as Canvas writes them and with the first name first."""
    people = []
    for who, _ in known.students:
        last, comma, first = who[0].partition(", ")
        people.append((*(cell.strip() for cell in who), f"{first} {last}" if comma else who[0].strip()))
    return Roster(file, (*STUDENT_COLUMNS, "Student, first name first"), tuple(people))


def _who(roster: Roster, row: int) -> Who:
    places = [roster.place((name,)) for name in STUDENT_COLUMNS]
    return tuple("" if place is None else roster.people[row][place] for place in places)
