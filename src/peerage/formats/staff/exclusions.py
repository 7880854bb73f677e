"""Reviews that do not count, from a file with the columns grader, submission and reason.

They are taken out of what the files say before anything is made of it, so that the class is what it would be if nobody
had ever written them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, Problem
from peerage.formats.rows.entries import Entries
from peerage.formats.rows.findings import Findings, NothingLeftError
from peerage.formats.staff.staff_rows import StaffRow, beside, extra_columns, reason_problems, rows_of
from peerage.gradebook.excluding import exclusion_notices
from peerage.gradebook.rulings import Exclusion
from peerage.support.words.spelling import Known
from peerage.tables.reading_files import read_sheet

EXCLUDE_NAME = "exclude.csv"
_COLUMNS = ("grader", "submission", "reason")
_REMEDY = "write the ids as the grades do, or remove the row"


@dataclass(frozen=True)
class Exclusions:
    """Rules, and, if they come from a file, its name and the row of each; such a rule has to exclude something."""

    rules: tuple[Exclusion, ...] = ()
    file: str = ""
    rows: tuple[int, ...] = ()
    notices: tuple[Problem, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Exclusions:
        """Read a file of exclusions."""
        sheet = read_sheet(path, path.name)
        rows = list(rows_of(sheet, _COLUMNS, optional=_COLUMNS[:2]))
        problems = [Problem(*found, sheet.file, row.number) for row in rows for found in _row_problems(row)]
        if problems:
            raise InputError(problems)
        rules = tuple(Exclusion(row["grader"], row["submission"], row["reason"].strip()) for row in rows)
        notices = [*sheet.notices, *extra_columns(sheet, _COLUMNS)]
        if not rules:
            notices.append(Problem("excludes nothing: it has only a header row", "", sheet.file))
        return cls(rules, sheet.file, tuple(row.number for row in rows), tuple(notices))

    @classmethod
    def beside(cls, files: Sequence[Path]) -> Exclusions:
        """Those that lie beside the grades, if any."""
        path = beside(files, EXCLUDE_NAME, "exclude")
        if path is None:
            return cls()
        said = Problem(f"using {EXCLUDE_NAME}, found beside the grades, to exclude reviews", setting="exclude")
        found = cls.read(path)
        return replace(found, notices=(said, *found.notices))

    def check(self, entries: Entries) -> None:
        """Refuse rules of a file that exclude nothing."""
        problems = [
            Problem(f"nothing to exclude: the grades do not hold {rule.what}", _REMEDY, self.file, row)
            for rule, row in zip(self.rules, self.rows, strict=False)
            if not _hits(entries, rule).any()
        ]
        if problems:
            raise InputError(problems)

    def respelt(self, entries: Entries) -> Exclusions:
        """The rules with names as the entries spell them."""
        if not self.rules:
            return self
        graders, submissions = Known(entries.grader.values), Known(entries.submission.values)
        rules = (
            replace(rule, grader=graders.spelling(rule.grader), submission=submissions.spelling(rule.submission))
            for rule in self.rules
        )
        return replace(self, rules=tuple(rules))

    def within(self, entries: Entries) -> Exclusions:
        """The rules that exclude something."""
        return replace(self, rules=tuple(rule for rule in self.rules if _hits(entries, rule).any()), rows=())

    def apply(self, entries: Entries, found: Findings) -> tuple[Entries, tuple[Exclusion, ...]]:
        """What is left, and each rule with the number of reviews that it takes out."""
        if not self.rules:
            found.notices += self.notices
            return entries, ()
        hits = [_hits(entries, rule) for rule in self.rules]
        kept = ~np.logical_or.reduce(hits)
        if not kept.any():
            problem = Problem("there is nothing to fit: every review is excluded", "remove a row", self.file)
            raise NothingLeftError(problem)
        applied = tuple(
            replace(rule, n_reviews=entries.n_reviews(hit)) for rule, hit in zip(self.rules, hits, strict=True)
        )
        lost = (
            [column.values[code] for code in np.setdiff1d(column.codes[~kept], column.codes[kept])]
            for column in (entries.submission, entries.grader)
        )
        found.notices += (*self.notices, *exclusion_notices(entries.n_reviews(~kept), *lost))
        return entries.select(kept), applied


def _row_problems(row: StaffRow) -> Iterator[tuple[str, str]]:
    if not row["grader"] and not row["submission"]:
        yield "names neither a grader nor a submission", "name the grader, the submission, or both"
    yield from reason_problems(row)


def _hits(entries: Entries, rule: Exclusion) -> NDArray[np.bool_]:
    """The rows that a rule takes out."""
    by = entries.grader.where(lambda name: rule.grader in ("", name))
    return by & entries.submission.where(lambda name: rule.submission in ("", name))
