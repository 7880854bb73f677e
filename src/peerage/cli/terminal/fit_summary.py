"""The summary of a fit, in words and small tables."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from rich.console import Console
from rich.table import Table

from peerage.cli.terminal.console import name_cell
from peerage.decisions.trust import PRACTICE, UNSUPERVISED
from peerage.gradebook.book import ROLE_WORDS, ROLES
from peerage.inference.posterior import Posterior
from peerage.inference.staff_in_words import staff_sentences
from peerage.model import Model
from peerage.results.schema import CHECKS, GRADERS
from peerage.results.summary import UNSURE, ComponentSpread, Summary, summarise, unreliable_predictions
from peerage.support.words.wording import counted

NARROWEST = 40
"""Characters of a line at least, whatever a terminal says of itself."""

SHOWN_CHECKS = 3
"""How many submissions to check are named."""

_LEARNED = {
    "effort": "effort in {:.0%} of reviews",
    "reliability": "a typical reliability of {:.1f}",
    "sigma_b": "biases with a standard deviation of {:.1f}",
}
_SHARED = {
    "merit": "{:.0%} of the variance of true grades is common to all components of a submission",
    "halo": "{:.0%} of the variance of errors is common to all components of a review",
    "scale": "graders' use of the scale differs by {:.0%} (standard deviation)",
    "drift": "biases move by {:.2f} from one assignment to the next (standard deviation)",
}
_SCALE = (
    "Dependability says how much a student's grades tell about the work. It is given as a reliability (1 / error "
    "variance, on a scale of 0 to 5): that of an unbiased, diligent grader whose grades would tell as much. In "
    "brackets: the 90% interval."
)


def show(posterior: Posterior, console: Console, given: Sequence[float] | None = None) -> None:
    """Print what a fit found; the grades given are the most likely ones unless others are."""
    summary = summarise(posterior, given)
    console.print(*_setting(posterior), sep="\n")
    console.print("", _spread_table(summary.spreads), "", sep="\n")
    console.print(*_certainty(summary), sep="\n")
    foundations = [_wrapped(sentence, console.width) for sentence in _foundations(posterior)]
    if foundations:
        console.print("", *foundations, sep="\n")
    if len(summary.most_dependable):
        console.print("", _grader_table(summary, posterior.model), _wrapped(_SCALE, console.width), sep="\n")


def attention(checks: pd.DataFrame, graders: pd.DataFrame) -> Iterator[str]:
    """What staff might do next, from the tables of spot checks and of graders."""
    if len(checks):
        first = ", ".join(_one_line(name) for name in checks["submission"].head(SHOWN_CHECKS))
        yield f"Check first: {first} ({CHECKS.file})."
    standing = graders["standing"].value_counts()
    practise, alone = (int(standing.get(name, 0)) for name in (PRACTICE, UNSUPERVISED))
    yield f"{counted(practise, 'student')} should practise, {alone:,} may grade unsupervised ({GRADERS.file})."


def _setting(posterior: Posterior) -> Iterator[str]:
    """What was fitted, and how."""
    book = posterior.book
    roles = ((int((book.roles == index).sum()), ROLE_WORDS[role]) for index, role in enumerate(ROLES))
    graders = ", ".join(counted(number, noun) for number, noun in roles if number)
    reviews, submissions = counted(book.n_reviews, "review"), counted(book.n_submissions, "submission")
    chains = f"{counted(posterior.n_chains, 'chain')} of {counted(posterior.n_draws, 'draw')}"
    yield f"{counted(book.n_grades, 'grade')} in {reviews} of {submissions} by {graders}."
    yield f"Fitted with {posterior.model.name}: {chains}, seed {posterior.seed}."
    if posterior.n_kept < posterior.n_draws:
        kept = f"{posterior.n_kept:,} of each chain's {counted(posterior.n_draws, 'draw')}"
        yield f"To save memory, {kept} were kept. Estimates and most intervals use all draws."


def _spread_table(spreads: Iterable[ComponentSpread]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("component", overflow="fold")
    table.add_column("legal grades")
    for heading in ("peers' mean (sd)", "expected (sd)", "differ"):
        table.add_column(heading, justify="right", no_wrap=True)
    for spread in spreads:
        table.add_row(_one_line(spread.component.name), spread.component.legend, *_spread_cells(spread))
    return table


def _spread_cells(spread: ComponentSpread) -> tuple[str, str, str]:
    if not spread.n_compared:
        return "", "", ""
    before = f"{spread.peer_mean:.2f} ({spread.peer_sd:.2f})"
    after = f"{spread.mean:.2f} ({spread.sd:.2f})"
    return before, after, f"{spread.n_changed / spread.n_compared:.0%}"


def _certainty(summary: Summary) -> Iterator[str]:
    if summary.n_compared:
        changed = _share(summary.n_changed, summary.n_compared)
        yield f"{changed} round to a different grade from the peers' mean."
    unsure = f"{summary.n_unsure:,} ({summary.n_unsure / summary.n_grades:.0%})"
    certain = f"On average, the most likely grade has a probability of {summary.confidence:.0%}"
    yield f"{certain}; for {unsure} of the grades, it is below {UNSURE:.0%}."


def _foundations(posterior: Posterior) -> Iterator[str]:
    """What was learned about the class as a whole, and how far the model can be relied on."""
    if posterior.model.learned:
        priors = posterior.priors().groupby("parameter")["value"].mean()
        learned, shared = (
            [words.format(priors[name]) for name, words in table.items() if name in priors]
            for table in (_LEARNED, _SHARED)
        )
        yield f"Learned from the class: {', '.join(learned)}." + (f" {', '.join(shared)}." if shared else "")
    number = int(posterior.has_floor.sum())
    if number:
        have = f"{counted(number, 'student')} {'has' if number == 1 else 'have'} a lowest grade"
        yield f"{have}, below which they never go; it is read as that grade or less."
    yield from staff_sentences(posterior)
    if posterior.held_out is not None:
        yield posterior.held_out.sentence
    untrusted = int(posterior.leave_one_out.untrusted.sum())
    if untrusted:
        yield unreliable_predictions(untrusted, posterior.book.n_reviews)
    if posterior.choice is not None:
        yield from posterior.choice.sentences


def _wrapped(sentence: str, width: int) -> str:
    """A sentence in lines; those that follow an indented one are indented further."""
    hanging = "    " if sentence.startswith(" ") else ""
    return textwrap.fill(sentence, max(width, NARROWEST), subsequent_indent=hanging, break_on_hyphens=False)


def _share(number: int, total: int) -> str:
    return f"{number:,} of {counted(total, 'grade')} ({number / total:.0%})"


def _grader_table(summary: Summary, model: Model) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    # The one column that may wrap is the one that rich narrows; its cells do not wrap either, but are cut.
    table.add_column("student", min_width=8)
    columns = ["dependability", *(name for name in ("bias", "effort") if getattr(model, name)), "reviews"]
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for title, graders in (
        ("most dependable", summary.most_dependable),
        ("least dependable", summary.least_dependable),
    ):
        for name, cells in _grader_cells(graders):
            table.add_row(title, name_cell(name), *(cells[column] for column in columns))
            title = ""
    return table


def _grader_cells(graders: pd.DataFrame) -> Iterator[tuple[str, Mapping[str, str]]]:
    row: dict[Any, Any]
    for row in graders.to_dict("records"):
        interval = f"{row['dependability_lower']:.2f} to {row['dependability_upper']:.2f}"
        yield (
            row["grader"],
            {
                "dependability": f"{row['dependability']:.2f} ({interval})",
                "bias": f"{row['bias']:+.2f}",
                "effort": f"{row['effort']:.0%}",
                "reviews": f"{row['n_graded']:,}",
            },
        )


def _one_line(name: str) -> str:
    return " ".join(name.split())
