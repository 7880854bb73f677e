"""Made-up names in place of people's and submissions' ids, and the key that tells which is which.

The key is a file that only its owner may read, apart from the results. A person keeps the made-up name for as long as
the key exists, so that the results of several weeks can be compared. Names are drawn at random and everything is put
into their order: neither a name nor its place says who it is.

Names are in the file before anything is fitted with them. Whoever draws some waits for others who do, and finds theirs.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import InputError, Problem, ResultsError
from peerage.formats.staff.staff_rows import rows_of
from peerage.gradebook.book import Gradebook
from peerage.gradebook.rulings import Override
from peerage.model import Fixed
from peerage.support.files.atomic_writes import PRIVATE, locked, replacing
from peerage.support.files.system_errors import reason
from peerage.tables.reading_files import read_sheet
from peerage.tables.writing_tables import csv_text

_COLUMNS = ("kind", "id", "pseudonym")
_PERSON, _SUBMISSION = "person", "submission"
_WITHHELD = "withheld"


@dataclass
class Key:
    """Which made-up name stands for which id; ids that have none get one when it is asked for."""

    people: dict[str, str] = field(default_factory=dict)
    submissions: dict[str, str] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def kept(cls, path: Path) -> Iterator[Key]:
        """The key in a file, or an empty one; names that it gets in the block are in the file when the block ends."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with locked(path.with_name(f".{path.name}.peerage-lock")):
                key = cls.read(path)
                known = len(key.people), len(key.submissions)
                yield key
                if (len(key.people), len(key.submissions)) != known:
                    key.write(path)
        except OSError as error:
            raise ResultsError(f"{path}: the key cannot be written ({reason(error)}); name another file") from error

    @classmethod
    def read(cls, path: Path) -> Key:
        """The key in a file; an empty one if there is no file yet."""
        key = cls()
        if not path.exists():
            return key
        sheet = read_sheet(path, path.name)
        for row in rows_of(sheet, _COLUMNS):
            if row["kind"] not in (_PERSON, _SUBMISSION) or not row["id"] or not row["pseudonym"]:
                message = "is not a row of a key"
                raise InputError(Problem(message, "restore the file as peerage wrote it", sheet.file, row.number))
            names = key.people if row["kind"] == _PERSON else key.submissions
            names[row["id"]] = row["pseudonym"]
        return key

    def write(self, path: Path) -> None:
        """Write the key so that only its owner can read it."""
        kinds = ((_PERSON, self.people), (_SUBMISSION, self.submissions))
        rows = [(kind, name, pseudonym) for kind, names in kinds for name, pseudonym in names.items()]
        content = csv_text(pd.DataFrame(rows, columns=list(_COLUMNS))).encode()
        with replacing(path, mode=PRIVATE) as part:
            part.write_bytes(content)

    def hide(self, book: Gradebook) -> Gradebook:
        """The class with made-up names, in their order; what was noticed about it names people and is left out."""
        people = dict.fromkeys((*book.graders, *(name for names in book.authors for name in names)))
        _extend(self.people, people, _PERSON)
        _extend(self.submissions, book.submissions, _SUBMISSION)
        graders, grader_place = _renamed(book.graders, self.people)
        submissions, submission_place = _renamed(book.submissions, self.submissions)
        review_submission = np.argsort(submission_place)[book.review_submission]
        review_grader = np.argsort(grader_place)[book.review_grader]
        order = np.lexsort((review_grader, review_submission))
        notices = [Problem("notes about the data name people; they were printed when the class was fitted")]
        return Gradebook(
            rubric=book.rubric,
            submissions=submissions,
            graders=graders,
            roles=book.roles[grader_place],
            authors=tuple(
                tuple(sorted(self.people[name] for name in book.authors[place])) for place in submission_place
            ),
            assignments=tuple(book.assignments[place] for place in submission_place),
            review_submission=review_submission[order].astype(np.int32),
            review_grader=review_grader[order].astype(np.int32),
            levels=book.levels[order],
            times=None if book.times is None else book.times[order],
            notices=tuple(notices if book.notices else ()),
            exclusions=tuple(
                replace(
                    rule,
                    grader=self._name(rule.grader, self.people, _PERSON),
                    submission=self._name(rule.submission, self.submissions, _SUBMISSION),
                    reason=_WITHHELD,
                )
                for rule in book.exclusions
            ),
            also_applicable=book.applicable[submission_place],
            inputs=book.inputs,
        )

    def hide_overrides(self, overrides: Iterable[Override]) -> tuple[Override, ...]:
        """The grades that staff set, without the reasons."""
        return tuple(
            replace(override, submission=self.submissions[override.submission], reason=_WITHHELD)
            for override in overrides
        )

    def hide_fixed(self, fixed: Fixed) -> Fixed:
        """What is held fixed."""
        rows = []
        for variable, name, component, value in fixed.rows():
            names = self.submissions if variable == "true_grade" else self.people
            rows.append((variable, names[name], component, value))
        return Fixed.from_rows(rows)

    def _name(self, name: str, names: dict[str, str], kind: str) -> str:
        if name:
            _extend(names, [name], kind)
        return names.get(name, "")


def _extend(names: dict[str, str], ids: Iterable[str], kind: str) -> None:
    """Draw a name for every id that has none."""
    taken = set(names.values())
    for name in ids:
        while name not in names:
            drawn = f"{kind}-{secrets.token_hex(4)}"
            if drawn not in taken:
                names[name] = drawn
                taken.add(drawn)


def _renamed(ids: tuple[str, ...], names: Mapping[str, str]) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """The made-up names in order, and the place that each had before."""
    places = sorted(range(len(ids)), key=lambda place: names[ids[place]])
    return tuple(names[ids[place]] for place in places), np.array(places, dtype=np.intp)
