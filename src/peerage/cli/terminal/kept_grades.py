"""What was kept of the files that grades were read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage.cli.setting_flags import as_line
from peerage.cli.terminal.console import output
from peerage.support.words.wording import counted

if TYPE_CHECKING:
    from peerage.gradebook.book import Gradebook


def show_kept(book: Gradebook) -> None:
    """Print what was kept, and everything that was noticed."""
    from peerage.gradebook.book import ROLES

    console = output()
    for notice in book.notices:
        console.print(f"note: {as_line(notice)}", soft_wrap=True)
    roles = ((int((book.roles == index).sum()), role) for index, role in enumerate(ROLES))
    graders = ", ".join(counted(number, role) for number, role in roles if number)
    kept = f"{counted(book.n_grades, 'grade')} in {counted(book.n_reviews, 'review')}"
    console.print(f"Kept {kept} of {counted(book.n_submissions, 'submission')} by {graders}.", soft_wrap=True)
    for component in book.rubric.components:
        console.print(f"  {component.name}: {component.legend}", soft_wrap=True)
