"""From entries to a gradebook: every problem found, every surprise noted."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.formats.rows import cell_checks
from peerage.formats.rows.entries import Entries
from peerage.formats.rows.findings import Findings, NothingLeftError
from peerage.formats.rows.placing import inferred_rubric, place
from peerage.formats.rows.repeated_facts import Claims
from peerage.formats.rows.repeated_grades import RepeatedReports, average, keep_last, repeated
from peerage.formats.rows.written_grades import as_numbers
from peerage.gradebook.book import MISSING, ROLES, Gradebook
from peerage.gradebook.rulings import SelfGrade
from peerage.gradebook.structure import surprises
from peerage.rubric import Rubric
from peerage.support.words.wording import counted, listed, quoted
from peerage.tables.numbers import has_decimal_comma, parse_number

Duplicates = Literal["error", "last", "mean"]
Indexes = NDArray[np.integer[Any]]
Values = NDArray[np.float64]


def assemble(
    entries: Entries, rubric: Rubric | None, found: Findings, *, snap: bool, duplicates: Duplicates
) -> Gradebook:
    """Check the entries and build the gradebook; raise :class:`InputError` with every problem that there is."""
    entries, known = as_numbers(entries, found)
    claims = Claims.of(entries)
    numbers = np.array([parse_number(text) for text in entries.grade.values])[entries.grade.codes]
    found.problems += cell_checks.id_problems(entries)
    found.problems += cell_checks.grade_problems(entries, numbers)
    found.problems += claims.problems()
    cells = _graded_cells(entries, claims, numbers, found)
    loose: Collection[str] = rubric.names if rubric and snap else ()
    if rubric is None:
        rubric, loose, cells = inferred_rubric(entries, numbers, cells, known, found)
    reports = place(entries, rubric, numbers, cells, loose, found)
    reports = _without_repeats(entries, reports, rubric, duplicates, found)
    found.refuse()
    _note_left_out(entries, claims, reports, found)
    _note_shared(entries, found)
    book = _build(entries, claims, rubric, reports)
    own = tuple(_self_grades(entries, claims, numbers, book))
    return replace(book, self_grades=own, notices=(*found.notices, *surprises(book)))


def _graded_cells(entries: Entries, claims: Claims, numbers: Values, found: Findings) -> Indexes:
    """The cells that hold a usable grade of another's work."""
    sound = cell_checks.sound_cells(entries, numbers)
    cells = np.flatnonzero(sound & ~claims.own_work[entries.row_of])
    if not len(cells):
        reason = "every review is of the grader's own work" if sound.any() else "no usable grade was found"
        problem = Problem(f"there is nothing to fit: {reason}", "add grades", ", ".join(filter(None, entries.files)))
        if not found.problems:
            raise NothingLeftError(problem)
        raise InputError([*found.problems, problem])
    commas = np.flatnonzero(entries.grade.where(has_decimal_comma))
    if len(commas):
        example = entries.grade[int(commas[0])].strip()
        found.note(
            f"{counted(len(commas), 'grade')} with a decimal comma: {example} is read as {parse_number(example):g}"
        )
    return cells


def _without_repeats(
    entries: Entries, reports: RepeatedReports, rubric: Rubric, duplicates: Duplicates, found: Findings
) -> RepeatedReports:
    """One report for each submission, grader and component."""
    later, first = repeated(reports)
    if not len(later):
        return reports
    rows, places = np.unique(reports.row_of[later], return_index=True)
    if duplicates == "error":
        for row, before in zip(rows, reports.row_of[first[places]], strict=True):
            found.problems.append(_repeat(entries, row, before))
        return reports
    done = "the last was kept" if duplicates == "last" else "the legal grade nearest to the mean was used"
    examples = listed(f"{entries.grader[row]!r} on {entries.submission[row]!r}" for row in rows)
    found.note(f"{counted(len(later), 'repeated grade')}: {done} ({examples})")
    return keep_last(reports) if duplicates == "last" else average(reports, rubric)


def _repeat(entries: Entries, row: np.intp, before: np.intp) -> Problem:
    earlier = entries.place(before, seen_from=row)
    message = f"grader {entries.grader[row]!r} already graded submission {entries.submission[row]!r} in {earlier}"
    return entries.problem(row, message, "remove one, or keep the last or the mean of each", setting="duplicates")


def _note_left_out(entries: Entries, claims: Claims, reports: RepeatedReports, found: Findings) -> None:
    """Note reviews of own work, reviews without any grade, and submissions that lost all of theirs."""
    own = np.flatnonzero(claims.own_work)
    graders = [entries.grader.values[code] for code in pd.unique(entries.grader.codes[own])]
    pairs = _pairs(entries, own)
    if pairs:
        found.note(f"dropped {counted(pairs, 'review')} of the grader's own work, by {quoted(graders)}")
    ungraded = ~np.isin(entries.submission.codes, reports.submission)
    lost = [entries.submission.values[code] for code in pd.unique(entries.submission.codes[ungraded])]
    if lost:
        found.note(f"left out {counted(len(lost), 'submission')} without any grade: {quoted(lost)}")
    empty = _pairs(entries, np.flatnonzero(~claims.own_work)) - len(np.unique(reports.pairs))
    if empty:
        found.note(f"left out {counted(empty, 'review')} without any grade")


def _note_shared(entries: Entries, found: Findings) -> None:
    """Note submissions that several files name: late reviews, or different work under one id."""
    pairs = pd.DataFrame({"file": entries.file, "submission": entries.submission.codes}).drop_duplicates()
    codes = pairs["submission"][pairs["submission"].duplicated()].unique()
    if len(codes):
        names = quoted(entries.submission.values[code] for code in codes)
        found.note(
            f"{counted(len(codes), 'submission')} in more than one file: {names}",
            "if these are different pieces of work, give each its own id",
        )


def _pairs(entries: Entries, rows: Indexes) -> int:
    """How many pairs of a submission and a grader some rows name."""
    pairs = entries.submission.codes[rows].astype(np.int64) * len(entries.grader.values) + entries.grader.codes[rows]
    return len(pd.unique(pairs))


def _build(entries: Entries, claims: Claims, rubric: Rubric, reports: RepeatedReports) -> Gradebook:
    # In the order of the reviews, so that a gradebook that is written and read again is the same.
    submission_codes, grader_codes = pd.unique(reports.submission), pd.unique(reports.grader)
    review, pairs = pd.factorize(reports.pairs)
    first = np.zeros(len(pairs), dtype=np.intp)
    first[review[::-1]] = np.arange(len(reports))[::-1]
    levels = np.full((len(pairs), len(rubric)), MISSING, dtype=np.int16)
    levels[review, reports.component] = reports.level
    times = np.full(len(pairs), np.datetime64("NaT", "us"))
    np.fmax.at(times, review, reports.time)
    roles = np.array([ROLES.index(role) if role else 0 for role in claims.role.values])
    return Gradebook(
        rubric=rubric,
        submissions=tuple(entries.submission.values[code] for code in submission_codes),
        graders=tuple(entries.grader.values[code] for code in grader_codes),
        roles=roles[grader_codes],
        authors=tuple(claims.authors[code] for code in submission_codes),
        assignments=tuple(claims.assignment.values[code] for code in submission_codes),
        review_submission=_places(submission_codes)[reports.submission[first]],
        review_grader=_places(grader_codes)[reports.grader[first]],
        levels=levels,
        times=times,
        comments=_comments(entries, reports, review, len(pairs)),
    )


def _comments(entries: Entries, reports: RepeatedReports, review: Indexes, count: int) -> tuple[str, ...]:
    """What was written with each review; different comments in its rows are put below each other."""
    texts = [_printable(text) for text in entries.comment.values]
    if not any(texts):
        return ()
    said = entries.comment.codes[reports.row_of]
    found: list[dict[str, None]] = [{} for _ in range(count)]
    for index in np.flatnonzero(np.array(list(map(bool, texts)))[said]):
        found[review[index]][texts[said[index]]] = None
    return tuple("\n".join(comments) for comments in found)


def _self_grades(entries: Entries, claims: Claims, numbers: Values, book: Gradebook) -> Iterator[SelfGrade]:
    """What authors gave their own work, as far as others graded it too."""
    own = cell_checks.sound_cells(entries, numbers) & claims.own_work[entries.row_of]
    submissions = set(book.submissions)
    for cell in np.flatnonzero(own):
        row, component = entries.row_of[cell], entries.component[int(cell)].strip()
        submission = entries.submission[row]
        if submission in submissions and component in book.rubric.names:
            yield SelfGrade(submission, entries.grader[row], component, float(numbers[cell]))


def _printable(text: str) -> str:
    """A comment without control characters but ends of lines."""
    return "\n".join("".join(filter(str.isprintable, line)).strip() for line in text.splitlines()).strip()


def _places(codes: Indexes) -> NDArray[np.int32]:
    """Where each code stands among some codes."""
    places = np.zeros(int(codes.max()) + 1, dtype=np.int32)
    places[codes] = np.arange(len(codes))
    return places
