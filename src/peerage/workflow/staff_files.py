"""What the staff say about classes, from the files that they keep beside the grades."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from peerage.formats.staff.fixed_file import read_fixed
from peerage.formats.staff.overrides import overrides_beside, read_overrides
from peerage.gradebook.book import Gradebook
from peerage.workflow.fit_plan import StaffInput


def read_staff_files(
    books: Mapping[str, Gradebook],
    grades: Sequence[Path] = (),
    *,
    override: Path | None = None,
    fixed: Path | None = None,
) -> dict[str, StaffInput]:
    """What files say about each class: the grades that staff set, and values that are known.

    Without an ``override``, the one beside the files of grades is read, if there is any. The files are about all
    classes; a row that is about none of them is refused.
    """
    ids = {name: {*book.submissions, *book.graders} for name, book in books.items()}
    everybody = set().union(*ids.values())
    return {name: _read(book, everybody - ids[name], grades, override, fixed) for name, book in books.items()}


def _read(
    book: Gradebook, elsewhere: Collection[str], grades: Sequence[Path], override: Path | None, fixed: Path | None
) -> StaffInput:
    """What is said about a class; rows about ids ``elsewhere``, in other classes, are passed over."""
    values, notices = (None, ()) if fixed is None else read_fixed(fixed, book, elsewhere)
    if override is None:
        overrides, more = overrides_beside(grades, book, elsewhere)
    else:
        overrides, more = read_overrides(override, book, elsewhere)
    return StaffInput(overrides, values, (*notices, *more))
