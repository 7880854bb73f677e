"""What the commands that fit print of the results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from peerage.cli.options import staff_options
from peerage.cli.setting_flags import as_line, with_flag
from peerage.cli.terminal.console import output, say
from peerage.support.words.wording import counted

if TYPE_CHECKING:
    from peerage.results.results import Results


def show(results: Results, out: Path) -> None:
    """Print the summary of a fit and where its files are."""
    from peerage.cli.terminal import fit_summary
    from peerage.decisions.staff_grades import moved_to_their_level
    from peerage.results.provenance import excess_over_staff
    from peerage.results.schema import CHECKS, GRADERS, REPORT, SELF_REVIEWS
    from peerage.workflow.save_results import files_of

    console = output()
    fit_summary.show(results.posterior, console, list(results.grades.values()))
    explained = results.record.get("explanations")
    if explained is not None and results.record["final"] == "explained":
        different, total = explained["different"], len(results.grades)
        share = f"{different:,} of {counted(total, 'explained grade')} ({different / total:.0%})"
        console.print(f"\n{share} differ from the most likely ones.")
    excess = excess_over_staff(results.record)
    if excess:
        console.print(with_flag(moved_to_their_level(excess), "staff_level"))
    console.print(*fit_summary.attention(results.tables[CHECKS], results.tables[GRADERS]), sep="\n")
    own = results.tables.get(SELF_REVIEWS)
    if own is not None and len(own):
        more, authors = own["difference"].mean(), counted(own["grader"].nunique(), "author")
        words = f"{abs(more):.2f} {'above' if more > 0 else 'below'} their grades on average"
        console.print(f"{authors} graded their own work, {words}; these grades do not count ({SELF_REVIEWS.file}).")
    staff_options.show(results, console)
    console.print(f"\nWritten to {out}: {', '.join(files_of(results))}", soft_wrap=True)
    console.print(f"To look at the results, open {out / REPORT} in a browser.", soft_wrap=True)


def say_warnings(results: Results, where: str = "") -> None:
    """Write to standard error what may be wrong with a fit, and of which class, if there are several."""
    for warning in results.warnings:
        say(f"warning: {where}{as_line(warning)}")
