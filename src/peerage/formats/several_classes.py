"""Several classes in the same files, told apart by a column: each becomes a gradebook of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from peerage.errors import InputError, Problem
from peerage.formats.rows.cell_checks import name_problems
from peerage.formats.rows.entries import Entries
from peerage.formats.rows.findings import Findings, NothingLeftError
from peerage.gradebook.book import Gradebook
from peerage.support.words.wording import counted, quoted
from peerage.tables.column import Column
from peerage.tables.known_columns import fold

Build = Callable[[Entries, Findings], Gradebook]


def split(entries: Entries, classes: Column, by: str, found: Findings) -> dict[str, Entries]:
    """What the files say about each class, in their order; a submission belongs to one class alone."""
    found.problems += name_problems(entries, by, classes, "say which class the row belongs to")
    found.problems += _torn(entries, classes, by)
    found.refuse()
    found.notices += _notices(entries, classes, by)
    return {value: entries.select(classes.codes == code) for code, value in enumerate(classes.values)}


def books_of(parts: Mapping[str, Entries], by: str, found: Findings, build: Build) -> dict[str, Gradebook]:
    """The gradebook of each class; a class of which nothing is left to fit is left out, and said.

    What was found about the files as a whole is noted in each of them.
    """
    books, empty = {}, []
    for value, part in parts.items():
        try:
            books[value] = build(part, Findings())
        except NothingLeftError as error:
            empty += [_in_class(problem, by, value) for problem in error.problems]
        except InputError as error:
            found.problems += (_in_class(problem, by, value) for problem in error.problems)
    found.refuse()
    if not books:
        raise InputError(empty)
    found.notices += (replace(problem, message=f"left out {problem.message}", remedy="") for problem in empty)
    found.notices += _differing_scales(books)
    return {value: replace(book, notices=(*found.notices, *book.notices)) for value, book in books.items()}


def _torn(entries: Entries, classes: Column, by: str) -> Iterator[Problem]:
    """A problem for each submission that rows put into different classes, at the first row that disagrees."""
    rows = pd.DataFrame({"submission": entries.submission.codes, "class": classes.codes})
    rows = rows[~(classes.blank | entries.submission.blank)]
    first = rows.reset_index(names="row").groupby("submission", sort=False)["row"].first()
    known = classes.codes[first.loc[rows["submission"]].to_numpy()]
    torn = rows[rows["class"].to_numpy() != known].drop_duplicates("submission")
    for row, submission in zip(torn.index, torn["submission"], strict=True):
        before = int(first.loc[submission])
        here, there, place = classes[row], classes[before], entries.place(before, seen_from=row)
        message = f"the {by} of submission {entries.submission[row]!r} is {here!r} here but {there!r} in {place}"
        yield entries.problem(
            row, message, "give the work of each class its own ids, or tell classes apart by a column about the work"
        )


def _notices(entries: Entries, classes: Column, by: str) -> Iterator[Problem]:
    pairs = pd.DataFrame({"grader": entries.grader.codes, "class": classes.codes}).drop_duplicates()
    codes = pairs["grader"][pairs["grader"].duplicated()].unique()
    if len(codes):
        names = quoted(entries.grader.values[code] for code in codes)
        yield Problem(f"{counted(len(codes), 'grader')} in more than one {by}, estimated separately in each: {names}")
    alike: dict[str, list[str]] = {}
    for value in classes.values:
        alike.setdefault(fold(value), []).append(value)
    for values in alike.values():
        if len(values) > 1:
            message = f"{' and '.join(map(repr, values))} are treated as different classes"
            yield Problem(message, f"if they are the same, write the {by} the same way everywhere")


def _differing_scales(books: Mapping[str, Gradebook]) -> Iterator[Problem]:
    """A notice of each component whose grades were inferred differently in different classes."""
    legends: dict[str, dict[str, str]] = {}
    for value, book in books.items():
        for component in book.rubric.components:
            legends.setdefault(component.name, {}).setdefault(component.legend, value)
    for name, first in legends.items():
        if len(first) > 1:
            words = "; ".join(f"{legend} in {value!r}" for legend, value in first.items())
            yield Problem(f"classes differ in the grades of {name!r}: {words}", "if that is wrong, give a rubric")


def _in_class(problem: Problem, by: str, value: str) -> Problem:
    """The problem, with the class in which it was found unless its row says that."""
    return problem if problem.row is not None else replace(problem, message=f"{by} {value!r}: {problem.message}")


def common_notices(notices: Iterable[Sequence[Problem]]) -> tuple[Problem, ...]:
    """What is noted of every class."""
    first, *others = notices
    return tuple(notice for notice in first if all(notice in other for other in others))
