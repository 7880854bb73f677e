"""The model and its priors in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from peerage.decisions.staff_grades import moved_to_their_level
from peerage.inference.checking.held_out import HeldOut
from peerage.inference.chosen_model import ModelChoice
from peerage.inference.priors_in_words import FIXED
from peerage.model import INSTRUCTOR_RELIABILITY
from peerage.results.provenance import excess_over_staff
from peerage.results.summary import unreliable_predictions
from peerage.support.words.wording import counted

_REPORTS = (
    "Every submission has a true grade on each component, and every grader a reliability: a grade given with effort is "
    "the true grade plus the grader's bias plus an error, and the more reliable the grader, the smaller the error."
)
_FEATURES = {
    "bias": (
        "Graders may be generous or severe. Each one's bias is estimated and taken into account.",
        "Biases were left out: nobody is assumed to be generous or severe.",
    ),
    "effort": (
        "A review may have been made without effort. Such a review says nothing about the submission. How likely this "
        "is was estimated for every grader and every review.",
        "Every review is assumed to have been made with effort.",
    ),
    "censoring": (
        "Graders can only report legal grades, so they round what they think and cannot go beyond the scale.",
        "Reports are treated as exact numbers, not as rounded ones.",
    ),
    "correlation": (
        "Authors of good work are assumed to be more reliable graders, so a student's grades depend on how the student "
        "grades others.",
        "A student's grades do not depend on how the student grades others.",
    ),
}
_SHARED = {
    "merit": "The components of a submission go together: {:.0%} of the variance of true grades is common to them.",
    "halo": "The errors of a review's components go together: typically {:.0%} of their variance is common to them, so "
    "the components of one review tell less than as many independent grades would.",
    "scale": "Some graders use more of the scale than others: two works that are one grade apart for most graders are "
    "further apart or closer together for some, by {:.0%} (standard deviation). The model corrects for this.",
    "drift": "Students' biases drift: from one assignment to the next they move by {:.2f} on a scale of 0 to 5 "
    "(standard deviation). A bias is the mean over all assignments.",
    "rounded_whole": "Graders round more coarsely than they must: {:.0%} of the grades to whole points.",
    "rounded_half": "{:.0%} of the grades are rounded to half points.",
    "rounded_quarter": "{:.0%} of the grades are rounded to quarters.",
    "rounded_ten": "Graders round more coarsely than they must: {:.0%} of the grades to tens.",
    "rounded_five": "{:.0%} of the grades are rounded to fives.",
    "rounded_one": "{:.0%} of the grades on long scales are rounded to whole points.",
}
_NEEDED_BY = {
    "bias": ("sigma_b",),
    "effort": ("alpha_e", "beta_e", "tau_l", "epsilon"),
    "correlation": ("sigma_tau", "lambda_tau"),
}


@dataclass(frozen=True)
class Prior:
    """A row of the table of priors, on the scale of 0 to 5: learned from the class if it has an interval, or fixed."""

    symbol: str
    words: str
    value: str
    component: str = ""
    interval: str = ""


def model_words(record: Mapping[str, Any]) -> Iterator[str]:
    """What the model assumes, a paragraph each."""
    yield _REPORTS
    for name, (present, absent) in _FEATURES.items():
        yield present if record["model"][name] else absent
    for row in record["learned"] or ():
        if row["parameter"] in _SHARED:
            yield _SHARED[row["parameter"]].format(row["value"])
    yield _staff(record["counts"]["roles"])
    if record["counts"]["roles"].get("machine"):
        yield _MACHINES
    if record["model"]["fixed"]:
        yield f"{len(record['model']['fixed']):,} values were set by staff and not estimated."


def prediction_words(record: Mapping[str, Any]) -> Iterator[str]:
    """How well the model predicts the class's own grades, a sentence each."""
    prediction = record["prediction"]
    if prediction["held_out"] is not None:
        yield HeldOut(**{entry.name: prediction["held_out"][entry.name] for entry in fields(HeldOut)}).sentence
    if prediction["untrusted_reviews"]:
        yield unreliable_predictions(prediction["untrusted_reviews"], record["counts"]["reviews"])
    since = (record.get("model_checks") or {}).get("grades_since", 0)
    if since:
        yield f"How well grades are predicted was found before the last {counted(since, 'grade')} came in or changed."
    yield from staff_words(record)


def staff_words(record: Mapping[str, Any]) -> Iterator[str]:
    """What staff's grades say of the peers' and of the estimates, a sentence each; earlier results lack it."""
    yield from record["prediction"].get("staff", {}).get("sentences", ())
    excess = excess_over_staff(record)
    if excess:
        yield moved_to_their_level(excess)


def choice_words(record: Mapping[str, Any]) -> Iterator[str]:
    """Which model was chosen and what the others would have changed, a sentence each; nothing if none was compared."""
    if record["choice"] is not None:
        yield from ModelChoice.from_rows(record["choice"]).sentences


def priors_of(record: Mapping[str, Any]) -> Iterator[Prior]:
    """The hyperparameters that were learned from the class, or the fixed ones that the model used."""
    if record["learned"] is not None:
        yield from map(_learned, record["learned"])
        return
    unused = {name for feature, names in _NEEDED_BY.items() if not record["model"][feature] for name in names}
    unused |= set() if record["counts"]["roles"]["ta"] else {"alpha_tau_ta", "beta_tau_ta"}
    for name, value in record["priors"].items():
        if name not in unused:
            yield Prior(*FIXED[name], _shown(value))


def _learned(row: Mapping[str, Any]) -> Prior:
    interval = f"{row['lower']:.2f} to {row['upper']:.2f}"
    return Prior(row["symbol"], row["meaning"], f"{row['value']:.2f}", row["component"], interval)


_MACHINES = (
    "A machine's reliability and bias are estimated like everybody's. It may have a large bias, which affects "
    "everything that it grades. Its grades are never final, and they do not define the general level."
)


def _staff(roles: Mapping[str, int]) -> str:
    if not roles["ta"] and not roles["instructor"]:
        return "No staff graded, so the general level of the grades is that of the peers."
    words = "TAs and instructors are assumed to always make an effort"
    return (
        f"{words}, and an instructor's reliability is {INSTRUCTOR_RELIABILITY:g}."
        if roles["instructor"]
        else f"{words}."
    )


def _shown(value: float | list[float]) -> str:
    return ", ".join(f"{entry:g}" for entry in value) if isinstance(value, list) else f"{value:g}"
