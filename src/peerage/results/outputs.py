"""The files of a fit: its tables, its posterior, and a record of how it came about."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from peerage.decisions.choices import Choices
from peerage.decisions.credit import credit_columns, idle_authors
from peerage.decisions.explain.explanation import Explanation
from peerage.decisions.final import Final, HandedOut
from peerage.decisions.trust import trust
from peerage.errors import Problem
from peerage.gradebook.book import ROLES, Gradebook
from peerage.gradebook.rulings import Override
from peerage.inference.posterior import Posterior
from peerage.report.pages import REPORT, fitted_html
from peerage.report.report_source import Fitted
from peerage.rubric import Rubric, tidy
from peerage.tables.writing_tables import write_table
from peerage.version import __version__

DIGITS = 5
"""How many significant digits of an estimate are written."""

POSTERIOR, RECORD = "posterior.npz", "run.json"
CHECKS, GRADERS = "spotchecks.csv", "graders.csv"
PROPOSALS, CHANGES = "proposals.csv", "changes.csv"
FILES = (REPORT, "grades.csv", "totals.csv", GRADERS, CHECKS, "weights.csv", "explanations.csv", POSTERIOR, RECORD)
"""The names of the files, in the order in which a reader may want them; without explanations there are two fewer."""

OPTIONAL = (PROPOSALS, CHANGES)
"""Files about grades that were handed out before."""


@dataclass(frozen=True, eq=False)
class Outputs:
    """All that is written about a fit.

    Attributes
    ----------
    posterior: the fit
    choices: what the class wants to be made of it
    explanation: how the suggested grades follow from the reports; None if they are the most likely ones
    final: the grades that are given
    tables: by file name
    record: what ``run.json`` holds, as plain values
    warnings: what may be wrong with the fit, and what the model does not reproduce
    """

    posterior: Posterior
    choices: Choices
    explanation: Explanation | None
    final: Final
    tables: dict[str, pd.DataFrame]
    record: dict[str, Any]
    warnings: tuple[Problem, ...]

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        inputs: Iterable[Path],
        choices: Choices | None = None,
        *,
        overrides: Sequence[Override] = (),
        handed_out: HandedOut | None = None,
    ) -> Outputs:
        """The outputs of a fit to the grades in some files, with grades that staff set or that are not to change."""
        choices = Choices() if choices is None else choices
        explanation, marks = choices.explain(posterior), choices.credit(posterior)
        final = Final.of(posterior, explanation, overrides, handed_out)
        sentences = posterior.check().sentences
        warnings = (*posterior.warnings, *(Problem(sentence) for sentence in sentences), *idle_authors(marks))
        tables = {
            "grades.csv": grades_table(posterior, final),
            "totals.csv": totals_table(posterior, final),
            GRADERS: graders_table(posterior, marks),
            CHECKS: _readable(choices.propose(posterior)),
        }
        if explanation is not None and final.sentences is not None:
            warnings += explanation.warnings
            weights = with_handed_out(weights_table(explanation), handed_out)
            tables |= {"weights.csv": weights, "explanations.csv": final.sentences}
        record = _record(posterior, inputs, warnings) | {"choices": choices.to_dict()} | _final(explanation)
        record["overrides"] = [override.to_dict() for override in overrides]
        return cls(posterior, choices, explanation, final, tables, record, warnings)

    @property
    def files(self) -> list[str]:
        """The names of the files that are written."""
        return [name for name in (*FILES, *OPTIONAL) if name in self.tables or name in (POSTERIOR, RECORD, REPORT)]

    def write(self, folder: Path) -> None:
        """Write every file into a folder."""
        for name, table in self.tables.items():
            write_table(table, folder / name)
        self.posterior.save(folder / POSTERIOR)
        (folder / RECORD).write_text(json.dumps(self.record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        fitted = Fitted.of(self.posterior, self.tables, self.record)
        (folder / REPORT).write_bytes(fitted_html(fitted).encode())


def grades_table(posterior: Posterior, final: Final | None = None) -> pd.DataFrame:
    """``posterior.submissions()`` with the grade that the class is given, by default the most likely one."""
    final = Final.of(posterior) if final is None else final
    table = posterior.submissions().assign(status=final.status)
    table.insert(2, "grade", pd.Series(final.grades, dtype=float))
    return _readable(table, exact=("grade", "most_likely"))


def totals_table(posterior: Posterior, final: Final | None = None) -> pd.DataFrame:
    """``posterior.totals()`` with a row for each author; a submission whose author is unknown has one row.

    The total is that of the grades in :func:`grades_table`.
    """
    table = posterior.totals()
    table["total"] = _points(Final.of(posterior) if final is None else final, posterior.book)
    table.insert(2, "author", [list(names) or [""] for names in posterior.book.authors])
    return _readable(table.explode("author", ignore_index=True), exact=("total",))


def graders_table(posterior: Posterior, marks: pd.DataFrame) -> pd.DataFrame:
    """``posterior.graders()`` with each grader's standing and mark, and why there is none."""
    standing = trust(posterior)[["standing"]]
    return _readable(pd.concat([posterior.graders(), standing, credit_columns(posterior, marks)], axis=1))


def weights_table(explanation: Explanation) -> pd.DataFrame:
    """``explanation.weights``, each weight with two decimals."""
    table = _readable(explanation.weights, exact=("desired_weight", "bias"))
    return table.assign(weight=[f"{weight:.2f}" for weight in explanation.weights["weight"]])


def with_handed_out(weights: pd.DataFrame, handed_out: HandedOut | None) -> pd.DataFrame:
    """The weights, but those of submissions whose grades were handed out as they were then."""
    if handed_out is None or handed_out.weights.empty:
        return weights
    then = handed_out.weights
    kept = then[then["submission"].isin(weights["submission"])].reindex(columns=weights.columns, fill_value="")
    today = weights[~weights["submission"].isin(kept["submission"])]
    rows = pd.concat([part for part in (today, kept) if len(part)], ignore_index=True)
    place = {name: index for index, name in enumerate(weights["submission"].unique())}
    order = np.argsort([place[name] for name in rows["submission"]], kind="stable")
    return rows.iloc[order].reset_index(drop=True)


def _points(final: Final, book: Gradebook) -> list[float]:
    """What the grades of each submission are worth together, rounded as far as sums are inexact."""
    worth = {
        component.name: dict(zip(component.grades, component.worth, strict=True))
        for component in book.rubric.components
    }
    totals = dict.fromkeys(book.submissions, 0.0)
    for (submission, name), grade in zip(final.cells, final.grades, strict=True):
        totals[submission] += worth[name][grade]
    return [round(total, 10) for total in totals.values()]


def _readable(table: pd.DataFrame, exact: Iterable[str] = ()) -> pd.DataFrame:
    """Round estimates to a few digits; ``exact`` columns hold grades and totals, which stay as they are."""
    shown = table.copy()
    for name in table.columns:
        if pd.api.types.is_float_dtype(table[name].dtype):
            rounded = _exact if name in exact else _significant
            # Objects, so that whole numbers are written without decimals.
            shown[name] = pd.Series([rounded(value) for value in table[name]], index=table.index, dtype=object)
    return shown


def _exact(value: float) -> int | float | None:
    return tidy(value) if math.isfinite(value) else None


def _significant(value: float) -> int | float | None:
    return tidy(float(f"{value:.{DIGITS}g}")) if math.isfinite(value) else None


def provenance(book: Gradebook, inputs: Iterable[Path]) -> dict[str, Any]:
    """What results come from: the program's version, the files, what they hold and what was left out."""
    return {
        "version": __version__,
        "input": [{"name": path.name, "sha256": _sha256(path)} for path in inputs],
        "counts": _counts(book),
        "exclusions": [exclusion.to_dict() for exclusion in book.exclusions],
        "rubric": _rubric(book.rubric),
    }


def _record(posterior: Posterior, inputs: Iterable[Path], warnings: Iterable[Problem]) -> dict[str, Any]:
    book, samples = posterior.book, posterior.samples
    model = posterior.model.to_dict()
    model["priors"] = "learned" if posterior.model.learned else "fixed"
    return provenance(book, inputs) | {
        "priors": posterior.hyperparameters.to_dict(),
        "learned": _rows(posterior.priors()) if posterior.model.learned else None,
        "model": model,
        "prediction": _prediction(posterior),
        "choice": None if posterior.choice is None else posterior.choice.to_rows(),
        "seed": posterior.seed,
        "chains": samples.n_chains,
        "draws": samples.n_draws,
        "kept_draws": samples.n_kept,
        "burn_in": posterior.burn_in,
        "diagnostics": _rows(posterior.diagnostics()),
        "timings": {name: round(seconds, 3) for name, seconds in posterior.timings.items()},
        "warnings": [asdict(warning) for warning in warnings],
        "notices": [asdict(notice) for notice in book.notices],
    }


def _prediction(posterior: Posterior) -> dict[str, Any]:
    """How well reviews are predicted from all others, beside the other graders' mean and median."""
    loo, held_out = posterior.leave_one_out, posterior.held_out
    return {
        "elpd": _significant(float(loo.log_mass.sum())),
        "untrusted_reviews": int(loo.untrusted.sum()),
        "held_out": None if held_out is None else asdict(held_out) | {"verdict": held_out.verdict},
    }


def _final(explanation: Explanation | None) -> dict[str, Any]:
    """What the final grades are and, if they are explained, how."""
    if explanation is None:
        return {"final": "most-likely"}
    return {
        "final": "explained",
        "explanations": {
            **explanation.settings,
            "different": explanation.n_different,
            "relaxed": _rows(explanation.relaxed),
            "unproven": list(explanation.unproven),
        },
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _counts(book: Gradebook) -> dict[str, Any]:
    return {
        "grades": book.n_grades,
        "reviews": book.n_reviews,
        "submissions": book.n_submissions,
        "graders": book.n_graders,
        "roles": {role: int((book.roles == index).sum()) for index, role in enumerate(ROLES)},
        "assignments": len(set(filter(None, book.assignments))),
    }


def _rubric(rubric: Rubric) -> dict[str, Any]:
    """The components, as a rubric file has them."""
    return {
        component.name: {
            "grades": [tidy(grade) for grade in component.grades],
            "points": None if component.points is None else [tidy(points) for points in component.points],
        }
        for component in rubric.components
    }


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """A table as rows of plain values; what is not finite, which JSON cannot hold, becomes null."""
    return [
        {str(name): _significant(value) if isinstance(value, float) else value for name, value in row.items()}
        for row in table.to_dict("records")
    ]
