"""How results came about, as plain values: what they come from, how they were sampled, and what may be wrong."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import pandas as pd

from peerage.decisions.choices import DecisionChoices
from peerage.decisions.explain.explanation import Explanation
from peerage.errors import Problem
from peerage.gradebook.book import Gradebook
from peerage.gradebook.input_files import InputFile
from peerage.gradebook.rulings import Override
from peerage.gradebook.structure import totals
from peerage.inference.posterior import Posterior
from peerage.inference.staff_in_words import staff_sentences
from peerage.results.run_record import problem
from peerage.results.table_values import significant
from peerage.rubric import Rubric, tidy
from peerage.support.words.wording import counted
from peerage.version import __version__

FEW = 0.01
"""The share of a class's grades that may be new before the model is judged anew."""


def provenance(book: Gradebook, inputs: Iterable[InputFile] | None = None) -> dict[str, Any]:
    """What results come from: the program's version, the files, what they hold and what was left out.

    The files are those that the gradebook was read from, unless ``inputs`` names others.
    """
    return {
        "version": __version__,
        "input": [asdict(file) for file in (book.inputs if inputs is None else inputs)],
        "counts": {**totals(book), "assignments": len(set(filter(None, book.assignments)))},
        "exclusions": [exclusion.to_dict() for exclusion in book.exclusions],
        "rubric": _rubric(book.rubric),
    }


def record_of(
    posterior: Posterior,
    inputs: Iterable[InputFile] | None,
    choices: DecisionChoices,
    explanation: Explanation | None,
    overrides: Sequence[Override],
    warnings: Iterable[Problem],
) -> dict[str, Any]:
    """What ``run.json`` holds about a fit, but for how well it predicts."""
    book, model = posterior.book, posterior.model.to_dict()
    model["priors"] = "learned" if posterior.model.learned else "fixed"
    return provenance(book, inputs) | {
        "priors": posterior.hyperparameters.to_dict(),
        "learned": _rows(posterior.priors()) if posterior.model.learned else None,
        "model": model,
        "choice": None if posterior.choice is None else posterior.choice.to_rows(),
        "seed": posterior.seed,
        "chains": posterior.n_chains,
        "draws": posterior.n_draws,
        "kept_draws": posterior.n_kept,
        "burn_in": posterior.burn_in,
        "diagnostics": _rows(posterior.diagnostics()),
        "timings": {name: round(seconds, 3) for name, seconds in posterior.timings.items()},
        "warnings": [asdict(warning) for warning in warnings],
        "notices": [asdict(notice) for notice in book.notices],
        "choices": choices.to_dict(),
        **_final(explanation),
        "overrides": [override.to_dict() for override in overrides],
    }


def judged(posterior: Posterior) -> dict[str, Any]:
    """How well the model describes the class.

    That is how well reviews are predicted from all others, beside the other graders' mean and median, and what the
    model does not reproduce.
    """
    loo, held_out = posterior.leave_one_out, posterior.held_out
    prediction = {
        "elpd": _plain(float(loo.log_mass.sum())),
        "untrusted_reviews": int(loo.untrusted.sum()),
        "held_out": None if held_out is None else asdict(held_out) | {"verdict": held_out.verdict},
    }
    checks = posterior.check()
    told = {"sentences": list(checks.sentences), "problems": [asdict(one) for one in checks.problems]}
    return {"prediction": prediction, "model_checks": {**told, "grades_since": 0}}


def still_judged(record: Mapping[str, Any], n_grades: int) -> dict[str, Any] | None:
    """What a record says of the model, if that holds after so many more grades have come in or changed; else None."""
    checks = record.get("model_checks")
    if not checks or not record.get("prediction"):
        return None
    since = checks["grades_since"] + n_grades
    if since > FEW * record["counts"].get("grades", 0):
        return None
    return {"prediction": record["prediction"], "model_checks": {**checks, "grades_since": since}}


def found_by_checks(known: Mapping[str, Any]) -> Iterator[Problem]:
    """What the model does not reproduce, and since when that was not looked at anew."""
    checks = known["model_checks"]
    since = checks["grades_since"]
    when = f" (found before the last {counted(since, 'grade')} came in or changed)" if since else ""
    told = checks.get("problems")
    # Earlier results have sentences only.
    said = [Problem(text.removesuffix(".")) for text in checks["sentences"]] if told is None else map(problem, told)
    return (replace(one, message=f"{one.message}{when}") for one in said)


def compared_with_staff(posterior: Posterior) -> dict[str, Any]:
    """What staff's grades say of the peers' and of the estimates: the errors, and the sentences of the summary."""
    check = posterior.staff_check()
    return {"check": None if check is None else check.to_dict(), "sentences": list(staff_sentences(posterior))}


def excess_over_staff(record: Mapping[str, Any]) -> float:
    """How much more students give than staff, by a record, if final grades are moved by that; 0 if they are not."""
    excess = (record.get("explanations") or {}).get("excess_over_staff")
    return float(excess) if isinstance(excess, int | float) else 0.0


def _final(explanation: Explanation | None) -> dict[str, Any]:
    """What the final grades are and, if they are made of reports, how."""
    if explanation is None:
        return {"final": "most-likely"}
    return {
        "final": explanation.settings["form"],
        "explanations": {
            **explanation.settings,
            "different": explanation.n_different,
            "relaxed": _rows(explanation.relaxed),
            "unproven": list(explanation.unproven),
        },
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
    """A table as rows of plain values."""
    return [
        {str(name): _plain(value) if isinstance(value, float) else value for name, value in row.items()}
        for row in table.to_dict("records")
    ]


def _plain(value: float) -> int | float | None:
    """A number with a few digits; what is not finite, which JSON cannot hold, becomes null."""
    return tidy(significant(value)) if math.isfinite(value) else None
