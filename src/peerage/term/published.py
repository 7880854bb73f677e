"""Grades that were handed out: they stay, and what today's posterior would change is listed, never done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from peerage.decisions.final_grades import COMPUTED, PUBLISHED, Cell, FinalGrades, HandedOut
from peerage.errors import InputError, Problem
from peerage.gradebook.book import Gradebook
from peerage.results.results import Results
from peerage.results.schema import CHANGES, EXPLANATIONS, GRADES, PROPOSALS, WEIGHTS
from peerage.results.table_values import require_in_rows
from peerage.support.words.wording import counted, quoted
from peerage.term.change_reasons import ChangeReasons, Reason
from peerage.term.changes import changes_between, changes_table
from peerage.term.compared_results import Side

ROUNDED = ("explained", "most-likely")
"""The forms of final grades that are legal grades."""

SURE = 0.9
"""The certainty from which a proposed change counts as sure."""


REPUBLISHED = "republished"
"""The entry of a record that says that published grades were replaced on purpose."""


@dataclass(frozen=True, eq=False)
class Published:
    """Results whose grades were handed out.

    Attributes
    ----------
    results: the latest
    kept_alone: whether only those grades count that they themselves kept
    earlier: results that were handed out before, the latest first; they count for what is in none after them
    """

    results: Results
    kept_alone: bool = False
    earlier: tuple[Results, ...] = ()

    @classmethod
    def of_rows(
        cls, grades: pd.DataFrame, weights: pd.DataFrame | None = None, *, names_graders: bool = False
    ) -> Published:
        """Grades that were handed out, as rows: submission, component, grade and, if students were told one, sentence.

        ``weights`` has a row for each review: submission, grader, weight. ``names_graders`` says that the sentences do.
        """
        require_in_rows(GRADES, grades, "submission", "component", "grade")
        tables = {GRADES: grades.drop(columns="sentence", errors="ignore")}
        if "sentence" in grades:
            tables[EXPLANATIONS] = grades[list(EXPLANATIONS.names)]
        if weights is not None:
            require_in_rows(WEIGHTS, weights, "submission", "grader", "weight")
            tables[WEIGHTS] = weights
        return cls(Results.from_rows(tables, {"explanations": {"name_graders": names_graders}}))

    @cached_property
    def side(self) -> Side:
        """The results, ready to be compared."""
        return Side.of(self.results)

    @cached_property
    def handed_out(self) -> HandedOut:
        """What students were told."""
        status = self.side.status
        grades = {
            cell: grade
            for cell, grade in self.results.grades.items()
            if not self.kept_alone or status[cell] == PUBLISHED
        }
        told = _told(self.results, grades)
        for results in self.earlier:
            told = told.after(_told(results, results.grades))
        return told

    def check(self, book: Gradebook) -> None:
        """Refuse grades that today's rubric does not have; averages may lie between its grades."""
        rounded = self._rounded
        for (submission, name), grade in self.handed_out.grades.items():
            if name not in book.rubric.names:
                continue
            legal = book.rubric[name].grades
            if not (grade in legal if (submission, name) in rounded else legal[0] <= grade <= legal[-1]):
                message = f"the published grade {grade:g} of {submission!r} in {name!r} is not on today's rubric"
                remedy = "use the earlier rubric, or replace published grades with today's"
                raise InputError(Problem(message, remedy, setting="republish"))

    @property
    def _rounded(self) -> set[Cell]:
        """What was handed out as legal grades: the results that computed a grade say so, not those that kept it."""
        made_by: dict[Cell, Results] = {}
        for results in (self.results, *self.earlier):
            made_by |= {
                cell: results
                for cell, status in Side.of(results).status.items()
                if status == COMPUTED and cell not in made_by
            }
        return {cell for cell, results in made_by.items() if results.record.get("final") in ROUNDED}

    def notices(self, book: Gradebook) -> Iterator[Problem]:
        """Published grades that have no place in today's class, and reviews that came after they were handed out."""
        submissions = {submission for submission, _ in self.handed_out.grades}
        known_today = set(book.submissions)
        lost = [name for name in dict.fromkeys(name for name, _ in self.handed_out.grades) if name not in known_today]
        if lost:
            number = counted(len(lost), "submission")
            yield Problem(f"left out {number} with published grades but no reviews today: {quoted(lost)}")
        if not self.side.has_reviews:
            return
        known = {(name, grader) for name, reviews in self.side.reviews.items() for grader in reviews}
        pairs = zip(book.review_submission, book.review_grader, strict=True)
        today = ((book.submissions[submission], book.graders[grader]) for submission, grader in pairs)
        late = [pair for pair in today if pair[0] in submissions and pair not in known]
        if late:
            words = quoted(dict.fromkeys(grader for _, grader in late))
            yield Problem(f"{counted(len(late), 'late review')} of submissions with published grades, by {words}")

    def proposed(self, results: Results) -> Results:
        """Results that were just made, with a table of what the posterior would change of what they keep."""
        assert results.final is not None
        table = self._proposals(results, results.final)
        kept = sum(status == PUBLISHED for status in results.final.status)
        record = {"kept": kept, "proposed": len(table), "sure": int((table["certainty"] >= SURE).sum())}
        return results.with_table(PROPOSALS, table, published=record)

    def republished(self, results: Results) -> Results:
        """The results with a table of what changed since the grades were handed out."""
        table = changes_table(changes_between(self.side, Side.of(results)))
        return results.with_table(CHANGES, table, **{REPUBLISHED: True})

    def _proposals(self, results: Results, final: FinalGrades) -> pd.DataFrame:
        reasons = ChangeReasons(self.side.unkept, Side.suggested(results, final))
        mass, rubric = results.posterior.level_masses, results.posterior.book.rubric
        # The last decimal of an average changes with the random numbers of a fit.
        noise = 10.0**-results.choices.decimals + 1e-9 if results.record["final"] not in ROUNDED else 0.0
        rows = []
        for index, (cell, grade, computed) in enumerate(zip(final.cells, final.grades, final.computed, strict=True)):
            if final.status[index] != PUBLISHED or abs(computed - grade) <= noise:
                continue
            legal = rubric[cell[1]].values
            beyond = mass[index, : len(legal)][legal > grade if computed > grade else legal < grade]
            why = self._why(cell, computed, reasons)
            difference = round(computed - grade, 10)
            rows.append((*cell, grade, computed, difference, round(float(beyond.sum()), 4), why))
        return pd.DataFrame(rows, columns=list(PROPOSALS.names)).astype({"certainty": float})

    def _why(self, cell: Cell, computed: float, reasons: ChangeReasons) -> str:
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


def contradicted_by_staff(results: Results) -> pd.DataFrame:
    """Proposals about grades that stay as published although staff gave something else, as after a spot check.

    There are none where staff's grades are not final.
    """
    proposals = results.table(PROPOSALS, *PROPOSALS.names)
    if proposals.empty or not results.choices.staff_final:
        return proposals.head(0)
    by_staff = results.tables[GRADES].dropna(subset="staff_mean")
    return proposals.merge(by_staff[["submission", "component", "staff_mean"]])


def _told(results: Results, grades: Mapping[Cell, float]) -> HandedOut:
    """Some of the grades of results, with what students were told about them."""
    weights = results.table(WEIGHTS, "submission", "grader", "weight")
    weights = weights[weights["submission"].isin({submission for submission, _ in grades})]
    return HandedOut(grades, results.by_cell(EXPLANATIONS, "sentence"), weights, results.names_graders)
