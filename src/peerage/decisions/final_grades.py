"""The grades that the class is given: what the posterior suggests, what was handed out before, what the staff set.

What the staff set comes first; then what was handed out before, if the class keeps it; then what the posterior
suggests, explained or most likely.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import pandas as pd

from peerage.decisions.explain import sentences
from peerage.decisions.explain.explanation import Explanation
from peerage.decisions.staff_grades import staff_grades
from peerage.gradebook.rulings import Override
from peerage.inference.posterior import Posterior
from peerage.rubric import Rubric

Cell = tuple[str, str]

COMPUTED, PUBLISHED, STAFF = "computed", "published", "staff"
"""Where a grade comes from."""


@dataclass(frozen=True, eq=False)
class HandedOut:
    """What students were told: the grades of submissions' components, the sentences, and the rows of weights.

    ``weights`` has a row for each grader of a submission, with the columns of ``weights.csv`` as text. ``named`` says
    that the sentences name graders.
    """

    grades: Mapping[Cell, float] = field(default_factory=dict)
    sentences: Mapping[Cell, str] = field(default_factory=dict)
    weights: pd.DataFrame = field(default_factory=pd.DataFrame)
    named: bool = False

    def after(self, earlier: HandedOut) -> HandedOut:
        """The same, and what was handed out before and not again."""
        frames = [self.weights, earlier.weights]
        if all(map(len, frames)):
            frames[1] = earlier.weights[~earlier.weights["submission"].isin(self.weights["submission"])]
        return HandedOut(
            {**earlier.grades, **self.grades},
            {**earlier.sentences, **self.sentences},
            pd.concat([frame for frame in frames if len(frame)] or [self.weights], ignore_index=True),
            self.named or earlier.named,
        )


@dataclass(frozen=True, eq=False)
class FinalGrades:
    """The grades that are given.

    Attributes
    ----------
    cells: the submission and component of each grade, in the order of ``posterior.submissions()``
    grades: the grades
    computed: what the posterior suggests
    status: for each grade :data:`COMPUTED`, :data:`PUBLISHED` or :data:`STAFF`
    sentences: submission, component, sentence; None if grades are not explained
    """

    cells: tuple[Cell, ...]
    grades: tuple[float, ...]
    computed: tuple[float, ...]
    status: tuple[str, ...]
    sentences: pd.DataFrame | None

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        explanation: Explanation | None = None,
        overrides: Iterable[Override] = (),
        handed_out: HandedOut | None = None,
        *,
        staff_final: bool = False,
    ) -> FinalGrades:
        """Settle every grade; without an explanation, staff's grades may stand where they graded."""
        told = HandedOut() if handed_out is None else handed_out
        table = posterior.submissions()
        cells = tuple(zip(table["submission"], table["component"], strict=True))
        suggested = table["most_likely"] if explanation is None else explanation.grades["grade"]
        by_staff = staff_grades(posterior) if staff_final and explanation is None else {}
        computed = tuple(by_staff.get(cell, float(grade)) for cell, grade in zip(cells, suggested, strict=True))
        set_by_staff = {override.cell: override.grade for override in overrides}
        settled = [
            (set_by_staff[cell], STAFF)
            if cell in set_by_staff
            else (told.grades[cell], PUBLISHED)
            if cell in told.grades
            else (grade, COMPUTED)
            for cell, grade in zip(cells, computed, strict=True)
        ]
        grades, status = zip(*settled, strict=True)
        final = cls(cells, grades, computed, status, None)
        if explanation is None:
            return final
        if told.named and not explanation.settings["name_graders"]:
            told = replace(told, sentences={})
        words = list(final._words(explanation.sentences["sentence"], told, posterior.book.rubric))
        return cls(cells, grades, computed, status, explanation.sentences.assign(sentence=words))

    def _words(self, explained: Iterable[str], told: HandedOut, rubric: Rubric) -> Iterator[str]:
        """What a student is told; why staff set a grade is for the staff alone."""
        for cell, grade, status, sentence in zip(self.cells, self.grades, self.status, explained, strict=True):
            component = rubric[cell[1]]
            if status == STAFF:
                yield sentences.fixed(component, grade)
            elif status == PUBLISHED:
                yield told.sentences.get(cell) or sentences.handed_out(component, grade)
            else:
                yield sentence
