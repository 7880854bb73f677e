"""Results after grades were added or corrected, without fitting the class anew."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from peerage.decisions.choices import DecisionChoices
from peerage.decisions.explain.kept_weights import KeptWeights, Share, unconcerned
from peerage.decisions.explain.weight_problem import WeightLimits
from peerage.decisions.final_grades import Cell, HandedOut
from peerage.errors import InputError, Problem, ResultsError
from peerage.formats import read_classes
from peerage.formats.reading_choices import Reading
from peerage.gradebook.book import Gradebook
from peerage.gradebook.input_files import InputFile
from peerage.gradebook.merging import n_changed
from peerage.inference.new_grades.updating import UPDATED
from peerage.inference.posterior import Posterior
from peerage.results.provenance import excess_over_staff, still_judged
from peerage.results.results import Results
from peerage.results.schema import GRADES, WEIGHTS
from peerage.rubric import tidy
from peerage.support.tasks.progress import Listener
from peerage.support.tasks.stop_requests import stoppable
from peerage.support.words.wording import quoted
from peerage.term.published import Published


class UpdatedGrade(NamedTuple):
    """A grade that is not what it was; a submission that is new had none."""

    submission: str
    component: str
    before: float | None
    after: float
    has_new_grades: bool


@dataclass(frozen=True, eq=False)
class Updated:
    """What became of results.

    Attributes
    ----------
    results: the new ones
    changes: the grades that changed
    notices: what was surprising about the new grades
    level: how much more students give than staff, before and after, as far as final grades are moved by that
    """

    results: Results
    changes: tuple[UpdatedGrade, ...]
    notices: tuple[Problem, ...]
    level: tuple[float, float]


def update_class(
    earlier: Results,
    new_grades: Gradebook,
    *,
    inputs: Iterable[InputFile] | None = None,
    published: Published | None = None,
    draws: int | None = None,
    burn_in: int | None = None,
    workers: int | None = None,
    progress: bool | Listener = False,
    stop: threading.Event | None = None,
) -> Updated:
    """Add grades to a fitted class, or correct them; grades that were handed out stay.

    These are the ones that are ``published`` or, unless that is given, those that the earlier results kept.
    The other settings are those of :meth:`~peerage.inference.posterior.Posterior.update`; ``stop`` is heard to the end.
    """
    _refuse_made_up_names(earlier)
    choices, before = earlier.choices, earlier.posterior
    with stoppable(stop):
        after = before.update(new_grades, draws=draws, burn_in=burn_in, workers=workers, progress=progress, stop=stop)
        known = still_judged(earlier.record, n_changed(before.book, after.book))
        results = _results(earlier, after, choices, inputs, published, known)
    known_before = [notice for notice in before.book.notices if notice not in UPDATED]
    notices = tuple(notice for notice in after.book.notices if notice not in known_before)
    changes = tuple(_changes(earlier.grades, results, set(new_grades.submissions)))
    return Updated(results, changes, notices, (excess_over_staff(earlier.record), excess_over_staff(results.record)))


def read_new_grades(
    earlier: Results, files: Sequence[Path], reading: Reading | None = None
) -> tuple[Gradebook, tuple[Problem, ...]]:
    """Read grades for an update, and say what was left out; what the fit excluded stays so.

    Of files that tell classes apart as the earlier results do, only the grades of the same class are read.
    """
    _refuse_made_up_names(earlier)
    book, own = earlier.posterior.book, earlier.record.get("class")
    by, name = (None, "") if own is None else (own["by"], own["name"])
    reading = replace(Reading() if reading is None else reading, exclude=book.exclusions)
    classes = read_classes(files, book.rubric, by=by, by_optional=True, reading=reading)
    if "" in classes:
        return classes[""], ()
    if name not in classes:
        message = f"there are no grades of {by} {name!r}, which these results are about"
        raise InputError(Problem(message, "name the results of another class, or other grades"))
    others = [other for other in classes if other != name]
    message = f"grades of {by} {quoted(others)} left out, because these results are about {name!r}"
    return classes[name], (Problem(message),) if others else ()


def _refuse_made_up_names(results: Results) -> None:
    if results.record.get("pseudonyms"):
        message = f"{results.name}: " if results.name else ""
        message += "these results hold made-up names; fit all grades again, with the same key to the names"
        raise ResultsError(message, setting="pseudonyms")


def _results(
    earlier: Results,
    after: Posterior,
    choices: DecisionChoices,
    inputs: Iterable[InputFile] | None,
    published: Published | None,
    known: Mapping[str, Any] | None,
) -> Results:
    """The results of an updated posterior, made as the earlier ones were."""
    keeps = published is not None or bool(earlier.record.get("published"))
    published = Published(earlier, kept_alone=True) if published is None else published
    kept = _kept_weights(earlier, after, published.handed_out)
    results = Results.of(
        after, inputs, choices, overrides=earlier.overrides, handed_out=published.handed_out, known=known, kept=kept
    )
    if keeps:
        results = published.proposed(results)
    return replace(results, record=_continued(earlier.record, results.record))


def _kept_weights(earlier: Results, after: Posterior, handed_out: HandedOut) -> KeptWeights | None:
    """The weights of submissions about which the new grades say nothing, if final grades are made of reports.

    The weights of grades that were handed out are of that day: what today's would be is found anew.
    """
    told = earlier.record.get("explanations")
    if told is None:
        return None
    columns = ("submission", "grader", *Share._fields)
    frame = earlier.table(WEIGHTS, *columns)
    names = np.array(after.book.submissions, dtype=object)[unconcerned(earlier.posterior, after)]
    of_then = {submission for submission, _ in handed_out.grades}
    frame = frame[frame["submission"].isin(names) & ~frame["submission"].isin(of_then)]
    shares: dict[str, dict[str, Share]] = {}
    for submission, grader, *share in zip(*(frame[name].tolist() for name in columns), strict=True):
        shares.setdefault(submission, {})[grader] = Share(*share)
    limits = {
        row["submission"]: WeightLimits.of(row["largest_shift"], row["least_weight"]) for row in told.get("relaxed", ())
    }
    settings = {name: value for name, value in told.items() if name not in ("different", "relaxed", "unproven")}
    return KeptWeights(shares, settings, limits, frozenset(told.get("unproven", ())))


def _continued(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """A record that names the earlier grades too, and the class that these are about."""
    earlier = [entry for entry in before.get("input", []) if entry not in after["input"]]
    own = {"class": before["class"]} if "class" in before else {}
    return {**after, **own, "input": [*earlier, *after["input"]]}


def _changes(before: Mapping[Cell, float], results: Results, named: set[str]) -> Iterator[UpdatedGrade]:
    """The grades that differ from the earlier ones or are new, those of submissions with new grades first."""
    after = results.by_cell(GRADES, "grade")
    for has_new in (True, False):
        for (submission, component), grade in after.items():
            was = before.get((submission, component))
            if (submission in named) == has_new and was != grade:
                now = tidy(grade)
                yield UpdatedGrade(submission, component, None if was is None else tidy(was), now, has_new)
