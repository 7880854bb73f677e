"""Posterior predictive checks: does the model reproduce how this class grades?

The reviews that were given are drawn anew from the fitted model, many times. A statistic of the given reports that lies
outside what the drawn ones show is a feature of the class that the model does not have.

A report's *deviation* is its difference, on the model's 0–5 scale, from the mean of all reports on that component of
that submission. The statistics are

- *agreement*: how often two graders give a submission's component the same grade;
- *same grade throughout*: the share of reviews whose components all have the same grade (where scales differ, the same
  place on the scale);
- *halo*: the correlation between a review's components of deviations, less each grader's average deviation;
- *severity*: the standard deviation of graders' average deviations;
- *grades*: the share of all grades that would have to change for each grade to be as frequent as the model expects.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.inference.layout import Layout
from peerage.inference.replicates import replicated_levels
from peerage.inference.sampler import VARIABLES, Samples

REPLICATES = 400
"""How often the reports are drawn anew."""

FALSE_ALARM = 0.05
"""The nominal probability that anything is said of a class that the model describes, shared among the statistics."""

LOWER, UPPER = 0.05, 0.95

Floats = NDArray[np.float64]
Levels = NDArray[np.int64]


@dataclass(frozen=True)
class Wording:
    """A statistic in words: what it is, and what follows when it is higher or lower than the model expects."""

    fact: str
    higher: str
    lower: str
    is_share: bool = True


WORDINGS = {
    "agreement": Wording(
        "Two graders give a submission's component the same grade in {} of cases",
        "Graders agree more than the model believes: they may know each other's grades, or be more reliable than "
        "its priors allow.",
        "Graders agree less than the model believes: intervals are too narrow.",
    ),
    "same grade throughout": Wording(
        "Reviews give all components the same grade in {} of cases",
        "Reviewers copy one grade across components: intervals are too narrow.",
        "Reviewers tell components apart more than the model believes.",
    ),
    "halo": Wording(
        "The errors of a review's components have a correlation of {}",
        "A review's components err together and are less evidence than they seem: intervals are too narrow.",
        "A review's components err less together than the model believes.",
        is_share=False,
    ),
    "severity": Wording(
        "Graders' average deviations from each other have a standard deviation of {} on the 0–5 scale",
        "Graders differ in severity more than the model allows: grades depend on who graded.",
        "Graders differ in severity less than the model believes.",
        is_share=False,
    ),
    "grades": Wording(
        "{component}: the grade {grade:g} is given in {} of cases",
        "The model does not reproduce how often each grade is given: its prior of true grades does not fit, or graders "
        "prefer certain grades.",
        "",
    ),
}


@dataclass(frozen=True, eq=False)
class Checks:
    """What the checks found.

    ``table`` has a row for each statistic that applies to the class: statistic, observed, expected, lower, upper and
    tail_probability. ``sentences`` say what the model does not reproduce.
    """

    table: pd.DataFrame
    sentences: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n".join([self.table.to_string(index=False, float_format="{:.3f}".format), *self.sentences])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences)
        return self.table.to_html(index=False, float_format="{:.3f}".format) + (f"<ul>{items}</ul>" if items else "")


def predictive_checks(layout: Layout, samples: Samples, seed: int) -> Checks:
    """Compare the given reports with reports drawn anew; ``seed`` is the fit's."""
    rng = np.random.default_rng([seed, len(VARIABLES)])
    statistics = Statistics(layout)
    replicates, frequencies = [], []
    for levels in replicated_levels(layout, samples, REPLICATES, seed, rng):
        replicates.append(statistics(levels))
        frequencies.append(statistics.frequencies(levels))
    given = layout.report_level
    comparisons = [
        Comparison(name, observed, np.array([replicate[name] for replicate in replicates]))
        for name, observed in statistics(given).items()
    ]
    shares, expected = statistics.frequencies(given), np.array(frequencies)
    comparisons.append(_distance(shares, expected))
    alarms = [entry for entry in comparisons if entry.tail_probability <= FALSE_ALARM / len(comparisons)]
    sentences = (_sentence(layout, entry, shares, expected) for entry in alarms)
    return Checks(pd.DataFrame([entry.row() for entry in comparisons]), tuple(sentences))


class Statistics:
    """The statistics of (reports,) levels, for one class."""

    def __init__(self, layout: Layout) -> None:
        components = layout.book.rubric.components
        self.component, self.review = layout.report_component, layout.report_review
        self.cell = layout.reports.report_cell.astype(np.int64)
        self.grader = layout.reports.review_grader[self.review]
        self.scaled = np.zeros((len(components), layout.max_levels))
        for index, component in enumerate(components):
            self.scaled[index, : component.n_levels] = component.scaled
        self.cell_sizes = np.bincount(self.cell)
        self.shared = np.flatnonzero(self.cell_sizes[self.cell] > 1)
        """Reports on what somebody else graded too: only they have a deviation."""
        sizes = np.diff(layout.reports.review_reports)
        self.several = np.flatnonzero(sizes[self.review] > 1)
        """Reports of reviews with several components."""
        self.several_starts = np.flatnonzero(np.diff(self.review[self.several], prepend=-1))
        self.shared_sizes = np.bincount(self.review[self.shared])

    def __call__(self, levels: Levels) -> dict[str, float]:
        """Every statistic that applies to the class, but for the frequencies of grades."""
        values = self.scaled[self.component, levels]
        results = {}
        if len(self.shared):
            results["agreement"] = self._agreement(levels)
        if len(self.several):
            results["same grade throughout"] = self._same_throughout(values)
        if len(self.shared):
            halo, severity = self._halo_and_severity(values)
            results |= {"halo": halo} if self.shared_sizes.max() > 1 else {}
            results["severity"] = severity
        return results

    def frequencies(self, levels: Levels) -> Floats:
        """(components, levels): the share that each component's each grade has in all grades."""
        n_components, n_levels = self.scaled.shape
        counts = np.bincount(self.component * n_levels + levels, minlength=n_components * n_levels)
        return counts.reshape(n_components, n_levels) / len(levels)

    def _agreement(self, levels: Levels) -> float:
        """Every submission's component counts the same, however many graders it has."""
        n_levels = self.scaled.shape[1]
        grades, counts = np.unique(self.cell[self.shared] * n_levels + levels[self.shared], return_counts=True)
        sizes = self.cell_sizes[grades // n_levels]
        agreeing = np.sum(counts * (counts - 1) / (sizes * (sizes - 1)))
        return float(agreeing / np.count_nonzero(self.cell_sizes > 1))

    def _same_throughout(self, values: Floats) -> float:
        highest = np.maximum.reduceat(values[self.several], self.several_starts)
        lowest = np.minimum.reduceat(values[self.several], self.several_starts)
        return float(np.mean(highest - lowest < 1e-9))

    def _halo_and_severity(self, values: Floats) -> tuple[float, float]:
        means = np.bincount(self.cell, values) / np.maximum(self.cell_sizes, 1)
        deviation = (values - means[self.cell])[self.shared]
        grader, review = self.grader[self.shared], self.review[self.shared]
        counts = np.bincount(grader)
        severity = np.bincount(grader, deviation) / np.maximum(counts, 1)
        rest = deviation - severity[grader]
        # With n components, the products of all pairs add up to (square of sum − sum of squares) / 2, and the means of
        # their squares to (n − 1) / 2 times the sum of squares.
        squares = np.bincount(review, rest**2)
        products = np.sum(np.bincount(review, rest) ** 2 - squares)
        scale = np.sum((self.shared_sizes - 1) * squares)
        spread = np.sqrt(np.average(severity**2, weights=counts))
        return float(products / scale) if scale > 0 else 0.0, float(spread)


@dataclass(frozen=True, eq=False)
class Comparison:
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

    def in_words(self, fact: str, as_share: bool) -> str:
        """What is observed and what was expected."""
        lower, upper = np.quantile(self.replicates, [LOWER, UPPER])
        numbers = [self.observed, float(np.mean(self.replicates)), float(lower), float(upper)]
        digits, unit = (2, "") if not as_share else (0, " %") if upper - lower > 0.01 else (1, " %")
        observed, expected, low, high = (f"{number * (100 if as_share else 1):.{digits}f}" for number in numbers)
        return f"{fact.format(observed + unit)}; the model expects {expected}{unit} ({low}–{high}{unit})."


def _distance(shares: Floats, replicates: Floats) -> Comparison:
    """How far the frequencies of grades are from those expected."""
    expected = replicates.mean(axis=0)
    distances = np.abs(replicates - expected).sum(axis=(1, 2)) / 2
    return Comparison("grades", float(np.abs(shares - expected).sum() / 2), distances, only_higher=True)


def _sentence(layout: Layout, entry: Comparison, shares: Floats, replicates: Floats) -> str:
    """What is observed, what the model expects, and what follows."""
    wording = WORDINGS[entry.name]
    follows = wording.higher if entry.is_higher else wording.lower
    if entry.name != "grades":
        return f"{entry.in_words(wording.fact, wording.is_share)} {follows}"
    difference = np.abs(shares - replicates.mean(axis=0))
    index, level = np.unravel_index(np.argmax(difference), difference.shape)
    component, in_component = layout.book.rubric.components[index], shares[index].sum()
    worst = Comparison("grade", shares[index, level] / in_component, replicates[:, index, level] / in_component)
    fact = f"{component.name}: the grade {component.grades[level]:g} is given in {{}} of cases"
    return f"{worst.in_words(fact, wording.is_share)} {follows}"
