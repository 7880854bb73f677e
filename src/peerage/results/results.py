"""Results: all that is known about a fitted class, in memory or in a folder.

Made from a posterior (:meth:`Results.of`), from rows (:meth:`Results.from_rows`) or from a folder
(:meth:`Results.read`); reports, exports and comparisons take them, wherever they come from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from peerage.decisions.choices import DecisionChoices
from peerage.decisions.credit_marks import CreditScale, idle_authors
from peerage.decisions.explain.kept_weights import KeptWeights
from peerage.decisions.final_grades import Cell, FinalGrades, HandedOut
from peerage.errors import InputError, Problem, ResultsError
from peerage.gradebook.input_files import InputFile
from peerage.gradebook.named_people import named_people
from peerage.gradebook.rulings import Override
from peerage.inference.load_posterior import load
from peerage.inference.posterior import Posterior
from peerage.results import result_folder, table_values, verifying
from peerage.results.fit_tables import (
    comments_table,
    graders_table,
    grades_table,
    held_back,
    self_reviews_table,
    totals_table,
    weights_table,
)
from peerage.results.marker import Marker, new_secret
from peerage.results.provenance import compared_with_staff, found_by_checks, judged, record_of
from peerage.results.run_record import complete, problem, read_record, write_record
from peerage.results.schema import (
    BIASES,
    CHECKS,
    COMMENTS,
    EXPLANATIONS,
    GRADERS,
    GRADES,
    NEEDED,
    POSTERIOR,
    RECORD,
    SELF_REVIEWS,
    TABLES,
    TOTALS,
    WEIGHTS,
    ResultTable,
)
from peerage.results.table_values import REMEDY
from peerage.rubric import Rubric
from peerage.support.tasks.made_together import made_together
from peerage.support.tasks.stop_requests import check_stopped
from peerage.support.words.wording import listed
from peerage.tables.reading_files import read_sheet
from peerage.tables.writing_tables import write_table

_MANY_GRADES = 200_000
"""A class of more grades is decided about in one step after another, which takes less memory."""


class AuthorTotal(NamedTuple):
    """The points of a submission, once for each of its authors; the author is empty if unknown."""

    submission: str
    assignment: str
    author: str
    total: float


class GraderMark(NamedTuple):
    """A grader's dependability as it is believed to be, the mark for peer grading if there is one, and a note on it."""

    grader: str
    role: str
    lower: float
    dependability: float
    upper: float
    credit: float | None
    note: str


@dataclass(frozen=True, eq=False)
class Results:
    """The tables of a fitted class, how they came about, and the posterior behind them.

    Attributes
    ----------
    tables: those of :mod:`~peerage.results.schema`; a fit has some only if it was asked for them
    record: what ``run.json`` holds, as plain values
    draws: gives the posterior, which a folder holds in a large file; None if there is none
    final: how the grades were settled; None unless the results were made from a posterior
    name: what messages call the results, if they lie in a folder
    folder: where they were read from, if they were
    secret: what nobody can guess who does not have the results; names of students' pages are made with it
    """

    tables: Mapping[ResultTable, pd.DataFrame]
    record: Mapping[str, Any]
    draws: Callable[[], Posterior] | None = None
    final: FinalGrades | None = None
    name: str = ""
    folder: Path | None = None
    secret: str = field(default_factory=new_secret)

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        inputs: Iterable[InputFile] | None = None,
        choices: DecisionChoices | None = None,
        *,
        overrides: Sequence[Override] = (),
        handed_out: HandedOut | None = None,
        known: Mapping[str, Any] | None = None,
        kept: KeptWeights | None = None,
    ) -> Results:
        """The results of a fit, with grades that staff set or that are not to change.

        They come from the files that the class was read from, unless ``inputs`` names others. What is ``known`` of how
        well the model describes the class (:func:`~peerage.results.provenance.still_judged`) is not found anew, and
        neither are ``kept`` weights. Inside :func:`~peerage.support.tasks.stop_requests.stoppable`, the work can be
        stopped between its steps.
        """
        choices = DecisionChoices() if choices is None else choices
        # Of a large class this takes the most memory: it comes first, while little else is held.
        known = judged(posterior) if known is None else known
        workers = posterior.threads if posterior.book.n_grades <= _MANY_GRADES else 1
        explanation, checks, compared, _ = made_together(
            workers,
            posterior,
            partial(choices.explain, kept=kept),
            choices.propose,
            compared_with_staff,
            Posterior.totals,
        )
        check_stopped()
        prediction = {**known["prediction"], "staff": compared}
        marks = choices.credit(posterior)
        check_stopped()
        final = FinalGrades.of(posterior, explanation, overrides, handed_out, staff_final=choices.staff_final)
        warnings = (*posterior.warnings, *found_by_checks(known), *idle_authors(marks))
        check_stopped()
        tables = {
            GRADES: grades_table(posterior, final),
            TOTALS: totals_table(posterior, final, choices),
            GRADERS: graders_table(posterior, marks),
            CHECKS: table_values.kept(CHECKS, checks),
        }
        if explanation is not None and final.sentences is not None:
            warnings += explanation.warnings
            tables[WEIGHTS] = weights_table(explanation, handed_out)
            tables[EXPLANATIONS] = table_values.kept(EXPLANATIONS, final.sentences)
        if posterior.book.comments:
            people = named_people(posterior.book)
            tables[COMMENTS] = comments_table(posterior.book, people)
            warnings += tuple(held_back(posterior.book, people))
        if posterior.has_drift:
            tables[BIASES] = table_values.kept(BIASES, posterior.biases())
        if posterior.book.self_grades:
            tables[SELF_REVIEWS] = self_reviews_table(posterior.book, final)
        check_stopped()
        record = record_of(posterior, inputs, choices, explanation, overrides, warnings)
        return cls(tables, {**record, **known, "prediction": prediction}, lambda: posterior, final)

    @classmethod
    def from_rows(cls, tables: Mapping[ResultTable, pd.DataFrame], record: Mapping[str, Any] | None = None) -> Results:
        """Results from rows of some tables, such as grades that a database holds; there may be no record of the fit."""
        found = {table: table_values.from_rows(table, rows) for table, rows in tables.items()}
        return cls(found, {"choices": {}, **(record or {})})

    @classmethod
    def read(cls, path: str | Path) -> Results:
        """The results in a folder; tables that not every fit writes may be missing."""
        folder = result_folder.find(path)
        missing = [table.file for table in NEEDED if not (folder / table.file).exists()]
        if missing:
            raise InputError(Problem("is missing or damaged", REMEDY, missing[0]))
        record = read_record(folder)
        if "classes" in record:
            names = listed(str(folder / entry["folder"]) for entry in record["classes"])
            raise ResultsError(f"{folder}: holds the results of several classes; name one of them: {names}")
        found = [table for table in TABLES if (folder / table.file).exists()]
        tables = {table: table_values.read(table, read_sheet(folder / table.file, table.file)) for table in found}
        draws = cache(partial(load, folder / POSTERIOR))
        marker = Marker.read(folder)
        secret = marker.secret if marker is not None and marker.secret else new_secret()
        return cls(tables, complete(record), draws, name=str(path), folder=folder, secret=secret)

    def write(self, folder: Path) -> None:
        """Write every table, the record and the posterior into a folder."""
        for table, frame in self.tables.items():
            write_table(table_values.written(table, frame), folder / table.file)
        if self.draws is not None:
            self.posterior.save(folder / POSTERIOR)
        write_record(self.record, folder)

    def with_table(self, table: ResultTable, frame: pd.DataFrame, **record: Any) -> Results:
        """The results with one more table and more in their record."""
        tables = {**self.tables, table: table_values.kept(table, frame)}
        return replace(self, tables=tables, record={**self.record, **record})

    @cached_property
    def posterior(self) -> Posterior:
        """What was estimated."""
        if self.draws is None:
            raise ResultsError(f"{self._where}these results hold no posterior; fit the class again")
        return self.draws()

    def table(self, table: ResultTable, *columns: str) -> pd.DataFrame:
        """A table that has some columns; one without rows if the results lack the table."""
        if table not in self.tables:
            return pd.DataFrame({name: [] for name in columns}, dtype=object)
        table_values.require(table, self.tables[table], *columns)
        return self.tables[table]

    @property
    def choices(self) -> DecisionChoices:
        """What the class chose to do with its posterior."""
        if not self.record["choices"]:
            raise ResultsError(f"{self._where}these results do not say how they were made; fit the class again")
        return DecisionChoices.from_dict(self.record["choices"])

    @property
    def _where(self) -> str:
        return f"{self.name}: " if self.name else ""

    @property
    def overrides(self) -> tuple[Override, ...]:
        """The grades that staff set."""
        return tuple(map(Override.from_dict, self.record.get("overrides", ())))

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What may be wrong with the fit, and what the model does not reproduce."""
        return tuple(map(problem, self.record["warnings"]))

    @property
    def notices(self) -> tuple[Problem, ...]:
        """What was surprising about the input."""
        return tuple(map(problem, self.record.get("notices") or ()))

    @cached_property
    def changed(self) -> tuple[Problem, ...]:
        """Which files were changed or removed after they were written, if the results were read from a folder."""
        return () if self.folder is None else verifying.changed_files(self.folder)

    @property
    def names_graders(self) -> bool:
        """Whether there are sentences that name graders; where the record does not say, they may."""
        return EXPLANATIONS in self.tables and bool(self.record.get("explanations", {}).get("name_graders", True))

    @cached_property
    def rubric(self) -> Rubric:
        """The rubric of the fit."""
        return Rubric.from_dict(self.record["rubric"], file=RECORD)

    @cached_property
    def grades(self) -> dict[Cell, float]:
        """The final grade of each submission's components."""
        return self.by_cell(GRADES, "grade")

    def by_cell(self, table: ResultTable, column: str) -> dict[Cell, Any]:
        """A column of a table about submissions' components, by these."""
        frame = self.table(table, "submission", "component", column)
        cells = zip(frame["submission"], frame["component"], strict=True)
        return dict(zip(cells, frame[column].tolist(), strict=True))

    @cached_property
    def totals(self) -> list[AuthorTotal]:
        """The points of each author's submissions."""
        frame = self.table(TOTALS, *AuthorTotal._fields)
        return list(map(AuthorTotal, *(frame[name].tolist() for name in AuthorTotal._fields)))

    @cached_property
    def grader_marks(self) -> list[GraderMark]:
        """What is believed of each grader."""
        needed = ("grader", "role", "dependability_lower", "dependability", "dependability_upper")
        frame = self.table(GRADERS, *needed)
        columns = [frame[name].tolist() for name in needed]
        credit = frame["credit"].tolist() if self.has_credit else [math.nan] * len(frame)
        notes = frame.get("credit_note", pd.Series("", frame.index)).tolist()
        return list(map(GraderMark, *columns, (None if math.isnan(mark) else mark for mark in credit), notes))

    @property
    def has_credit(self) -> bool:
        """Whether the fit marked peer grading."""
        return "credit" in self.tables[GRADERS]

    @cached_property
    def credit(self) -> dict[str, float]:
        """The mark for peer grading of each student who has one; authors who owed reviews and did none have 0."""
        marks = {entry.grader: entry.credit for entry in self.grader_marks if entry.credit is not None}
        if self.record["choices"].get("required_reviews"):
            graders = {entry.grader for entry in self.grader_marks}
            marks |= {total.author: 0.0 for total in self.totals if total.author and total.author not in graders}
        return marks

    @cached_property
    def most_credit(self) -> float:
        """The highest mark for peer grading on the scale that the fit used."""
        scale = self.record["choices"].get("credit_scale")
        return (CreditScale() if scale is None else CreditScale.parse(str(scale))).points[-1][1]

    @cached_property
    def spot_checks(self) -> list[str]:
        """The submissions that staff should grade, the first one first."""
        frame = self.table(CHECKS, "rank", "submission").sort_values("rank", kind="stable")
        return list(map(str, frame["submission"]))

    @cached_property
    def weights(self) -> dict[str, list[tuple[str, float]]]:
        """The graders of each submission and how much each counts."""
        frame = self.table(WEIGHTS, "submission", "grader", "weight")
        found: dict[str, list[tuple[str, float]]] = {}
        for submission, grader, weight in zip(
            frame["submission"], frame["grader"], frame["weight"].tolist(), strict=True
        ):
            found.setdefault(submission, []).append((grader, weight))
        return found

    @cached_property
    def most_points(self) -> dict[str, float]:
        """The points that a submission of each assignment can get at most."""
        assignments: dict[str, set[str]] = {}
        for total in self.totals:
            assignments.setdefault(total.submission, set()).add(total.assignment)
        graded: dict[str, set[str]] = {total.assignment: set() for total in self.totals}
        frame = self.table(GRADES, "submission", "component")
        for submission, component in zip(frame["submission"], frame["component"], strict=True):
            for assignment in assignments.get(submission, ()):
                graded[assignment].add(component)
        return {
            assignment: sum(max(component.worth) for component in self.rubric.components if component.name in names)
            for assignment, names in graded.items()
        }
