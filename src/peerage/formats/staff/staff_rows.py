"""The rows of a file in which staff decide something, and where such a file lies if it is not named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from peerage.errors import InputError, Problem
from peerage.rubric import FORBIDDEN
from peerage.support.words.spelling import Known
from peerage.tables.column import is_blank
from peerage.tables.known_columns import fold
from peerage.tables.sheet import Sheet


@dataclass(frozen=True)
class StaffRow:
    """A row's text by column, and its number as a spreadsheet shows it. Ids keep their spaces, other text does not."""

    cells: dict[str, str]
    number: int

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

    def with_id(self, column: str, known: Known) -> StaffRow:
        """The row with an id as it is spelt where it is known."""
        return StaffRow(self.cells | {column: known.spelling(self[column])}, self.number)


def rows_of(sheet: Sheet, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[StaffRow]:
    """The rows of a sheet, which must have all columns but the optional ones."""
    found = _found(sheet, columns)
    missing = [field for field in columns if field not in found and field not in optional]
    if missing:
        remedy = f"its first row has to name the columns {', '.join(columns)}"
        raise InputError([Problem(f"has no column {field!r}", remedy, sheet.file) for field in missing])
    for place, number in enumerate(sheet.rows.tolist()):
        texts = {field: sheet.column(name)[place] for field, name in found.items()}
        yield StaffRow({field: "" if is_blank(text) else text for field, text in texts.items()}, number)


def reason_problems(row: StaffRow) -> Iterator[tuple[str, str]]:
    """What is wrong with the reason for a decision, and a remedy."""
    if not row["reason"]:
        yield "the reason is empty", "give a reason; the report shows it to the staff"
    elif FORBIDDEN.search(row["reason"]):
        yield f"the reason {row['reason']!r} holds a control character", "remove it"


def extra_columns(sheet: Sheet, columns: Sequence[str]) -> list[Problem]:
    """A notice of the columns that are not used."""
    return sheet.left_out(_found(sheet, columns).values())


def beside(files: Sequence[Path], name: str, setting: str) -> Path | None:
    """The file of a name in the folder of the grades, if there is one."""
    present = sorted({file.parent / name for file in files if (file.parent / name).is_file()})
    if len(present) > 1:
        message = f"there are several files called {name} beside the grades: {', '.join(map(str, present))}"
        raise InputError(Problem(message, "say which to use", setting=setting))
    return present[0] if present else None


def _found(sheet: Sheet, columns: Sequence[str]) -> dict[str, str]:
    """The sheet's name of each of our columns that it has."""
    return {field: name for name in sheet.header for field in columns if fold(name) == field}
