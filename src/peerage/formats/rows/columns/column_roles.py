"""What each column of a sheet means: long or wide, which column is the grader's, which are components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from peerage.errors import InputError, Problem
from peerage.formats.rows.columns import no_grades
from peerage.tables.column import Column
from peerage.tables.grade_notation import is_grade, is_not_graded, letter_of
from peerage.tables.known_columns import FIELDS, field_of, fold, names_work
from peerage.tables.sheet import Sheet

REQUIRED = ("submission", "grader")
COMMENT = "comment"


@dataclass(frozen=True)
class ColumnLayout:
    """Which column of a sheet holds what.

    Attributes
    ----------
    fields: the column of each field that was found
    components: in the wide form, the column of each component; empty in the long form
    notices: columns that were recognised by another name, or left out
    by: the column that tells several classes apart, if it is asked for and there is one
    """

    fields: Mapping[str, str]
    components: Mapping[str, str]
    notices: tuple[Problem, ...] = ()
    by: str | None = None


def understand(
    sheet: Sheet, components: Sequence[str] | None, mapping: Mapping[str, str], by: str | None = None
) -> ColumnLayout:
    """Find out what each column means, from the user's mapping, our names, the components' names and synonyms.

    The column that tells classes apart is no component. Where components are not named, columns of numbers are, unless
    they seem to be something else.
    """
    fields = _mapped(sheet, mapping)
    _add_own_names(sheet, fields)
    _add_synonyms(sheet, fields, components or ())
    _require(sheet, fields, REQUIRED)
    by = None if by is None else class_column(sheet, fields, by)
    if "component" in fields:
        _require(sheet, fields, ("grade",))
        found: dict[str, str] = {}
        others: dict[str, str] = {}
    else:
        found, others = _wide(sheet, fields, components, "grade" in mapping, by)
    used = {*fields.values(), *found.values(), *others, by or ""}
    notices = (*_notices(sheet, fields, mapping, used), *no_grades.notices(sheet, others))
    return ColumnLayout(fields, found, notices, by)


def class_column(sheet: Sheet, fields: Mapping[str, str], name: str) -> str | None:
    """The column of a name, by which classes are told apart, if any; of our fields only the assignment can do that."""
    alike = [column for column in sheet.header if fold(column) == fold(name)]
    column = name if name in alike else next(iter(alike), fields.get(fold(name)))
    meant = next((field for field, used in fields.items() if used == column and field != "assignment"), None)
    if meant is not None:
        message = f"the column {column!r} holds the {meant}, so it cannot tell classes apart"
        raise InputError(Problem(message, "name a column such as the section or the course", sheet.file, setting="by"))
    return column


def no_class_column(sheet: Sheet, name: str) -> Problem:
    """The problem that classes cannot be told apart by a column of this name."""
    return Problem(f"has no column {name!r} to tell classes apart", _offer(sheet), sheet.file)


def _mapped(sheet: Sheet, mapping: Mapping[str, str]) -> dict[str, str]:
    problems = []
    fields = {}
    for field, wanted in mapping.items():
        alike = [name for name in sheet.header if fold(name) == fold(wanted)]
        column = wanted if wanted in alike else next(iter(alike), None)
        if column is None:
            problems.append(Problem(f"has no column {wanted!r} for the {field}", _offer(sheet), sheet.file))
        else:
            fields[field] = column
    if problems:
        raise InputError(problems)
    return fields


def _add_own_names(sheet: Sheet, fields: dict[str, str]) -> None:
    mapped = set(fields)
    for name in sheet.header:
        field = fold(name)
        if field not in FIELDS or name in fields.values() or _is_no_comment(sheet, name, field):
            continue
        if field in fields and field not in mapped:
            raise InputError(_either(sheet, field, [fields[field], name]))
        fields.setdefault(field, name)


def _add_synonyms(sheet: Sheet, fields: dict[str, str], components: Iterable[str]) -> None:
    """Recognise other names for fields that are still missing, unless the rubric has a component of that name."""
    taken = {fold(name) for name in components} | {fold(name) for name in fields.values()}
    candidates: dict[str, list[str]] = {}
    for name in sheet.header:
        field = field_of(name)
        if field and field not in fields and fold(name) not in taken and not _is_no_comment(sheet, name, field):
            candidates.setdefault(field, []).append(name)
    if "component" not in candidates.keys() | fields.keys():
        # Without a component column the form is wide, and a column called "Score" is a component like any other.
        candidates.pop("grade", None)
        _leave_grades(sheet, fields, candidates)
    problems = []
    for field, names in candidates.items():
        fields[field] = names[0]
        if len(names) > 1 and field != COMMENT:
            problems.append(_either(sheet, field, names))
    if problems:
        raise InputError(problems)


def _is_no_comment(sheet: Sheet, name: str, field: str) -> bool:
    """Whether a column that is called like comments holds grades, such as those of a component ``Feedback``."""
    return field == COMMENT and is_numeric(sheet.column(name))


def _leave_grades(sheet: Sheet, fields: Mapping[str, str], candidates: dict[str, list[str]]) -> None:
    """Do not take a column of grades called ``Project`` for the assignment, on which all reviews of a work agree."""
    submission = fields.get("submission") or next(iter(candidates.get("submission", ())), None)
    if submission is None or "assignment" not in candidates:
        return
    works = sheet.column(submission)
    left = [name for name in candidates["assignment"] if not (names_work(name) and _disagrees(sheet, name, works))]
    candidates["assignment"] = left
    if not left:
        del candidates["assignment"]


def _disagrees(sheet: Sheet, name: str, works: Column) -> bool:
    """Whether a column of numbers differs between rows of one submission."""
    column = sheet.column(name)
    if not is_numeric(column):
        return False
    filled = ~column.blank
    pairs = works.codes[filled].astype(np.int64) * len(column.values) + column.codes[filled]
    return len(pd.unique(pairs)) > len(pd.unique(works.codes[filled]))


def _either(sheet: Sheet, field: str, names: Sequence[str]) -> Problem:
    message = f"{' and '.join(map(repr, names))} could each be the {field}"
    return Problem(message, f"say which, for example {field}={names[0]}", sheet.file, setting="columns")


def _require(sheet: Sheet, fields: Mapping[str, str], names: Sequence[str]) -> None:
    missing = [name for name in names if name not in fields]
    if missing:
        example = ",".join(f"{name}=COLUMN" for name in missing)
        remedy = f"{_offer(sheet)}; say which it is, as in {example}"
        raise InputError(
            [Problem(f"has no column for the {name}", remedy, sheet.file, setting="columns") for name in missing]
        )


def _wide(
    sheet: Sheet, fields: dict[str, str], components: Sequence[str] | None, grade_is_mapped: bool, by: str | None
) -> tuple[dict[str, str], dict[str, str]]:
    """The component columns of the wide form, and why others are none; a lone column ``grade`` is the one component."""
    free = [name for name in sheet.header if name not in fields.values() and name != by]
    grade = fields.pop("grade", None)
    others: dict[str, str] = {}
    if components is None:
        graded = [grade] if grade else [name for name in free if _looks_graded(sheet, name)]
        others = {} if grade else no_grades.left_out(sheet, fields["grader"], graded)
        found = {name: name for name in graded if name not in others}
    else:
        found = _named(free if grade is None else [*free, grade], components)
        if grade is not None and (grade_is_mapped or not found) and len(components) == 1:
            found = {components[0]: grade}
    if not found and not len(sheet):
        raise InputError(Problem("has a header but no rows", "give a file with grades", sheet.file))
    if not found:
        wanted = "has no column of grades" if components is None else "has no column for any component of the rubric"
        remedy = f"add a column for each component, or the columns component and grade ({_offer(sheet)})"
        raise InputError([Problem(wanted, remedy, sheet.file), *no_grades.notices(sheet, others)])
    return found, others


def _named(columns: Iterable[str], components: Sequence[str]) -> dict[str, str]:
    """The column of each component: of the very name, or else the same but for capitals."""
    columns = list(columns)
    exact = {name: name for name in components if name in columns}
    folded = {fold(column): column for column in columns if column not in exact}
    return {name: exact.get(name) or folded[fold(name)] for name in components if name in exact or fold(name) in folded}


def _looks_graded(sheet: Sheet, name: str) -> bool:
    """Can the column be a component, although no rubric says so? Another name for a field that has a column is none."""
    return (field_of(name) in (None, "grade", COMMENT) or names_work(name)) and is_numeric(sheet.column(name))


def is_numeric(column: Column) -> bool:
    """Are at least half of the cells numbers? A column of comments is no component; a typing error is a problem.

    Percentages and shares such as ``4/5`` are numbers too, as are letters if there is nothing else.
    """
    filled = np.count_nonzero(~column.blank & ~column.where(is_not_graded))
    numbers = np.count_nonzero(column.where(is_grade))
    letters = numbers == 0 and np.count_nonzero(column.where(lambda text: letter_of(text) != ""))
    return bool(filled > 0 and (numbers * 2 >= filled or letters == filled))


def _notices(sheet: Sheet, fields: Mapping[str, str], mapping: Mapping[str, str], used: set[str]) -> Iterable[Problem]:
    renamed = [
        f"{name!r} as the {field}" for field, name in fields.items() if field not in mapping and fold(name) != field
    ]
    if renamed:
        remedy = "if that is wrong, say which column is which"
        yield Problem(f"read {', '.join(renamed)}", remedy, sheet.file, setting="columns")
    yield from sheet.left_out(used)


def _offer(sheet: Sheet) -> str:
    return f"the columns are {', '.join(sheet.header)}"
