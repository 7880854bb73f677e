"""Grades that were handed out: they stay, and what today's posterior would change is listed, never done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from peerage.decisions.final import PUBLISHED, Cell, HandedOut
from peerage.errors import InputError, Problem
from peerage.gradebook.book import Gradebook
from peerage.results.outputs import CHANGES, PROPOSALS, Outputs
from peerage.results.saved_results import Result
from peerage.rubric import tidy
from peerage.support.wording import counted, quoted
from peerage.term.change_reasons import Reason, Reasons
from peerage.term.changes import changes_between, changes_table
from peerage.term.compared_results import Side

SURE = 0.9
"""The certainty from which a proposed change counts as sure."""

_COLUMNS = ["submission", "component", "published", "proposed", "difference", "certainty", "why"]


@dataclass(frozen=True, eq=False)
class Published:
    """Results whose grades were handed out; with ``kept_alone``, those only that they themselves kept."""

    result: Result
    kept_alone: bool = False

    @classmethod
    def read(cls, path: Path) -> Published:
        """The results in a folder, whose grades were all handed out."""
        return cls(Result.read(path))

    @cached_property
    def side(self) -> Side:
        """The results, ready to be compared."""
        return Side.read(self.result.folder)

    @cached_property
    def handed_out(self) -> HandedOut:
        """What students were told."""
        rows = self.result.rows("grades.csv")
        kept = {
            (row["submission"], row["component"])
            for row in rows
            if not self.kept_alone or row.get("status") == PUBLISHED
        }
        sentences = {
            (row["submission"], row["component"]): row["sentence"] for row in self.result.rows("explanations.csv")
        }
        submissions = {submission for submission, _ in kept}
        weights = [row for row in self.result.rows("weights.csv") if row["submission"] in submissions]
        grades = {cell: grade for cell, grade in self.result.grades.items() if cell in kept}
        return HandedOut(grades, sentences, pd.DataFrame(weights), self.result.names_graders)

    def check(self, book: Gradebook) -> None:
        """Refuse grades that today's rubric does not have."""
        for (submission, name), grade in self.handed_out.grades.items():
            if name in book.rubric.names and grade not in book.rubric[name].grades:
                message = f"the published grade {grade:g} of {submission!r} in {name!r} is not on today's rubric"
                raise InputError(Problem(message, "use the rubric of then, or --republish"))

    def notices(self, book: Gradebook) -> Iterator[Problem]:
        """Published grades that have no place in today's class, and reviews that came after they were handed out."""
        submissions = {submission for submission, _ in self.handed_out.grades}
        known_today = set(book.submissions)
        lost = [name for name in dict.fromkeys(name for name, _ in self.handed_out.grades) if name not in known_today]
        if lost:
            number = counted(len(lost), "submission")
            yield Problem(f"{number} with published grades and without reviews today left out: {quoted(lost)}")
        known = {(name, grader) for name, reviews in self.side.reviews.items() for grader in reviews}
        pairs = zip(book.review_submission, book.review_grader, strict=True)
        today = ((book.submissions[submission], book.graders[grader]) for submission, grader in pairs)
        late = [pair for pair in today if pair[0] in submissions and pair not in known]
        if late:
            words = quoted(dict.fromkeys(grader for _, grader in late))
            yield Problem(f"{counted(len(late), 'late review')} of submissions with published grades, by {words}")

    def proposed(self, outputs: Outputs) -> Outputs:
        """The outputs with a table of what the posterior would change of what they keep."""
        table = self._proposals(outputs)
        kept = sum(status == PUBLISHED for status in outputs.final.status)
        record = {"kept": kept, "proposed": len(table), "sure": int((table["certainty"] >= SURE).sum())}
        return replace(
            outputs, tables=outputs.tables | {PROPOSALS: table}, record=outputs.record | {"published": record}
        )

    def republished(self, outputs: Outputs) -> Outputs:
        """The outputs with a table of what changed since the grades were handed out."""
        table = changes_table(changes_between(self.side, Side.of(outputs)))
        return replace(outputs, tables=outputs.tables | {CHANGES: table})

    def _proposals(self, outputs: Outputs) -> pd.DataFrame:
        final, reasons = outputs.final, Reasons(self.side.unkept, Side.of(outputs, kept=False))
        mass = outputs.posterior.samples.level_mass
        rows = []
        for index, (cell, grade, computed) in enumerate(zip(final.cells, final.grades, final.computed, strict=True)):
            if final.status[index] != PUBLISHED or grade == computed:
                continue
            level = outputs.posterior.book.rubric[cell[1]].grades.index(grade)
            beyond = mass[index, level + 1 :] if computed > grade else mass[index, :level]
            why = self._why(cell, computed, reasons)
            difference = tidy(round(computed - grade, 10))
            rows.append((*cell, tidy(grade), tidy(computed), difference, round(float(beyond.sum()), 4), why))
        # Objects, so that whole numbers are written without decimals.
        return pd.DataFrame(rows, columns=_COLUMNS, dtype=object).astype({"certainty": float})

    def _why(self, cell: Cell, computed: float, reasons: Reasons) -> str:
        """Why the grade would be another: what was said when it was first proposed, and what happened since.

        Without an earlier proposal the posterior of then suggested what was handed out.
        """
        earlier = self.side.proposals.get(cell)
        if earlier is None:
            since = reasons.of(cell)
        elif earlier.grade != computed:
            since = [Reason("earlier", earlier.why), *reasons.of(cell)]
        else:
            since = [Reason("earlier", earlier.why), *reasons.own_reviews(cell[0])]
        return "; ".join(dict.fromkeys(reason.words for reason in since))
