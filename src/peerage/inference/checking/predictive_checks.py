"""Posterior predictive checks: whether the model reproduces how this class grades.

The reviews that were given are drawn anew from the fitted model, many times. A statistic of the given reports that lies
outside what the drawn ones show is a feature of the class that the model does not have.

The statistics, made from what :mod:`peerage.inference.checking.grading_statistics` measures:

- *agreement*: how often two graders give a submission's component the same grade;
- *same grade throughout*: the share of reviews whose components all have the same grade (where scales differ, the same
  place on the scale);
- *halo*: the correlation between a review's components of deviations, less each grader's average deviation and in units
  of each grader's own spread;
- *severity*: the standard deviation of graders' average deviations;
- *drift*: the same of a grader's average deviations by assignment, around the grader's own;
- *steadiest grader*: how much less than expected a grader's grades vary, in standard deviations, at most;
- *grades*: the share of all grades that would have to change for each grade to be as frequent as the model expects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.errors import Problem
from peerage.inference.checking.constant_or_copied_reviews import Row, copying_students, suspicions
from peerage.inference.checking.grading_statistics import Reviews, frequencies, habits, spreads
from peerage.inference.checking.others_view import OthersView
from peerage.inference.checking.reciprocity import mutual_favours
from peerage.inference.checking.replicates import replicated_levels
from peerage.inference.features.heaping import Coarser
from peerage.inference.layout import Layout
from peerage.inference.sampling.chains import VARIABLES, Samples
from peerage.model import Priors
from peerage.rubric import Rubric
from peerage.support.tasks.stop_requests import check_stopped
from peerage.support.words.wording import listed

REPLICATES = 300
"""How often the reports are drawn anew."""

FALSE_ALARM = 0.05
"""The nominal probability that anything is said of a class that the model describes, shared among the statistics."""

LOWER, UPPER = 0.05, 0.95

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Wording:
    """A statistic in words: what it is, and what follows when it is higher or lower than the model expects."""

    fact: str
    higher: str
    lower: str = ""
    is_share: bool = True


WORDINGS = {
    "agreement": Wording(
        "Two graders give a submission's component the same grade in {} of cases",
        "Graders agree more than the model expects: they may know each other's grades, or be more reliable than "
        "its priors allow.",
        "Graders agree less than the model expects: intervals are too narrow.",
    ),
    "same grade throughout": Wording(
        "Reviews give all components the same grade in {} of cases",
        "Reviewers copy one grade across components: intervals are too narrow.",
        "Reviewers tell components apart more than the model expects.",
    ),
    "halo": Wording(
        "The errors of a review's components have a correlation of {}",
        "A review's components err together and are less evidence than they seem: intervals are too narrow.",
        "A review's components err less together than the model expects.",
        is_share=False,
    ),
    "severity": Wording(
        "Graders' average deviations from each other have a standard deviation of {} on the scale of 0 to 5",
        "Graders differ in severity more than the model allows: grades depend on who graded.",
        "Graders differ in severity less than the model expects.",
        is_share=False,
    ),
    "drift": Wording(
        "From one assignment to another, graders' average deviations move by {} on the scale of 0 to 5",
        "Graders become more severe or more generous over time: an estimated bias is their average, and its interval "
        "is too narrow.",
        "Graders are steadier from one assignment to another than the model expects.",
        is_share=False,
    ),
    "steadiest grader": Wording(
        "Within a component, the grades of {grader} have a standard deviation of {} on the scale of 0 to 5",
        "A grader who gives everyone the same grade can look reliable: check the reviews of {graders}.",
        is_share=False,
    ),
    "grades": Wording(
        "{component}: the grade {grade:g} is given in {} of cases",
        "The model does not reproduce how often each grade is given: its prior of true grades does not fit, or graders "
        "prefer certain grades.",
    ),
}

LET_DRIFT = "with learned priors, biases can be allowed to drift from one assignment to the next"
"""What to do about biases that drift, where they are taken to stay."""


@dataclass(frozen=True, eq=False)
class Checks:
    """What the checks found.

    ``table`` has a row for each statistic that applies to the class: statistic, observed, expected, lower, upper and
    tail_probability. ``students`` are those whose reviews look as if they had not read the work, ``pairs`` those who
    favour each other; both have a sentence and the probability that an honest class has such a case. ``problems`` say
    what the model does not reproduce and, where a setting helps, which; then who is named.
    """

    table: pd.DataFrame
    students: pd.DataFrame
    pairs: pd.DataFrame
    problems: tuple[Problem, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The problems as sentences."""
        return tuple(f"{problem}." for problem in self.problems)

    def __repr__(self) -> str:
        return "\n".join([self.table.to_string(index=False, float_format="{:.3f}".format), *self.sentences])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences)
        return self.table.to_html(index=False, float_format="{:.3f}".format) + (f"<ul>{items}</ul>" if items else "")


def predictive_checks(
    layout: Layout,
    samples: Samples,
    priors: Priors,
    seed: int,
    coarser: Sequence[Sequence[Coarser]],
    constant: Sequence[Row],
) -> Checks:
    """Compare the given reports with reports drawn anew, and look for students who did not look at the work.

    ``priors`` are the class's, fixed or as learned on average, and ``coarser`` its coarser grids; ``seed`` is the
    fit's. ``constant`` are the students who give the same grades to everything.
    """
    rng = np.random.default_rng([seed, len(VARIABLES)])
    reviews, given = Reviews.of(layout), layout.report_level
    replicates, spread, shares = [], [], []
    for levels in replicated_levels(layout, samples, REPLICATES, seed, rng):
        check_stopped()
        replicates.append(habits(reviews, levels))
        spread.append(spreads(reviews, levels))
        shares.append(frequencies(reviews, levels))
    findings = [
        CheckFinding(
            CheckedStatistic(name, observed, np.array([replicate[name] for replicate in replicates])),
            let_drift=name == "drift" and not layout.model.drift,
        )
        for name, observed in habits(reviews, given).items()
        if not np.isnan(observed)
    ]
    findings += _steadiness(layout.book.graders, spreads(reviews, given), np.array(spread))
    findings.append(_usage(layout.book.rubric, frequencies(reviews, given), np.array(shares)))
    threshold = FALSE_ALARM / len(findings)
    alarms = [finding for finding in findings if finding.statistic.tail_probability <= threshold]
    table = pd.DataFrame([finding.statistic.row() for finding in findings])
    view = OthersView.of(layout.book, priors)
    students = suspicions([*constant, *copying_students(layout.book, priors, view, coarser)])
    pairs = mutual_favours(layout.book, view)
    named = [f"{row['grader']!r} {row['sentence']}" for row in students.to_dict("records")]
    named += [f"{row['first']!r} and {row['second']!r} {row['sentence']}" for row in pairs.to_dict("records")]
    return Checks(table, students, pairs, (*(finding.problem() for finding in alarms), *map(Problem, named)))


@dataclass(frozen=True, eq=False)
class CheckedStatistic:
    """A statistic of the given reports beside those of the replicates."""

    name: str
    observed: float
    replicates: Floats
    only_higher: bool = False

    @property
    def is_higher(self) -> bool:
        """Whether more is observed than expected."""
        return self.observed > float(np.mean(self.replicates))

    @property
    def tail_probability(self) -> float:
        """How often a replicate would be as extreme, on either side unless only high values are.

        The given reports are counted among the replicates, so that it is never 0.
        """
        above = 1 + np.count_nonzero(self.replicates >= self.observed)
        below = 1 + np.count_nonzero(self.replicates <= self.observed)
        tail = above if self.only_higher else min(2 * above, 2 * below)
        return min(tail / (len(self.replicates) + 1), 1.0)

    def row(self) -> dict[str, str | float]:
        """A row of the table."""
        lower, upper = np.quantile(self.replicates, [LOWER, UPPER])
        return {
            "statistic": self.name,
            "observed": self.observed,
            "expected": float(np.mean(self.replicates)),
            "lower": float(lower),
            "upper": float(upper),
            "tail_probability": self.tail_probability,
        }

    def in_words(self, as_share: bool) -> tuple[str, str]:
        """What is observed, and what was expected with its interval."""
        lower, upper = np.quantile(self.replicates, [LOWER, UPPER])
        factor, digits, unit = (100, 0, " %") if as_share else (1, 2, "")
        numbers = factor * np.array([self.observed, np.mean(self.replicates), lower, upper])
        rounded = np.round(numbers, digits)
        if rounded[2] <= rounded[0] <= rounded[3]:
            digits += 1  # else what lies outside the interval would seem to lie within
        observed, expected, low, high = (f"{number:.{digits}f}" for number in numbers)
        return f"{observed}{unit}", f"{expected}{unit} ({low}–{high}{unit})"


@dataclass(frozen=True, eq=False)
class CheckFinding:
    """A statistic and, where a part of it says more, that part and what it is called; whether drift can be allowed."""

    statistic: CheckedStatistic
    part: CheckedStatistic | None = None
    names: dict[str, str | float] = field(default_factory=dict)
    let_drift: bool = False

    def problem(self) -> Problem:
        """What is observed, what the model expects, what follows and, where a setting helps, what to do."""
        wording = WORDINGS[self.statistic.name]
        observed, expected = (self.part or self.statistic).in_words(wording.is_share)
        follows = wording.higher if self.statistic.is_higher else wording.lower
        fact = wording.fact.format(observed, **self.names)
        message = f"{fact}; the model expects {expected}. {follows.format(**self.names).removesuffix('.')}"
        helps = self.let_drift and self.statistic.is_higher
        return Problem(message, LET_DRIFT, setting="drift") if helps else Problem(message)


def _steadiness(graders: tuple[str, ...], observed: Floats, replicates: Floats) -> list[CheckFinding]:
    """The grader whose grades vary least, compared with what is expected of that grader, if any grade twice."""
    several = np.flatnonzero(~np.isnan(observed))
    if not len(several):
        return []
    observed, replicates = observed[several], replicates[:, several]
    mean, sd = replicates.mean(axis=0), np.maximum(replicates.std(axis=0), 1e-6)
    steadiness, expected = (mean - observed) / sd, ((mean - replicates) / sd).max(axis=1)
    order = np.argsort(-steadiness)
    names = [repr(graders[several[index]]) for index in order if steadiness[index] > expected.max()]
    first = order[0]
    return [
        CheckFinding(
            CheckedStatistic("steadiest grader", float(steadiness[first]), expected, only_higher=True),
            CheckedStatistic("spread", float(observed[first]), replicates[:, first]),
            {"grader": repr(graders[several[first]]), "graders": listed(names or [repr(graders[several[first]])])},
        )
    ]


def _usage(rubric: Rubric, observed: Floats, replicates: Floats) -> CheckFinding:
    """How far the (components, levels) shares of grades are from those expected, and the grade that is furthest."""
    expected = replicates.mean(axis=0)
    distances = np.abs(replicates - expected).sum(axis=(1, 2)) / 2
    difference = np.abs(observed - expected)
    index, level = map(int, np.unravel_index(np.argmax(difference), difference.shape))
    component, size = rubric.components[index], observed[index].sum()
    return CheckFinding(
        CheckedStatistic("grades", float(difference.sum() / 2), distances, only_higher=True),
        CheckedStatistic("share", float(observed[index, level] / size), replicates[:, index, level] / size),
        {"component": component.name, "grade": component.grades[level]},
    )
