"""How severe and how reliable a grader was in each assignment, and a small chart of it.

Each report is compared with the expected grade of its component, on the model's scale of 0 to 5. A review says how much
more than expected the grader gave (the mean over its components) and how far off it was otherwise (the mean square of
its components, once the grader's usual bias is taken off). With few reviews in an assignment, intervals need to borrow:
the spread of a grader's reviews is steadied by that of the class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from scipy.special import gammaincinv, ndtri

from peerage.gradebook.report_means import scaled_values
from peerage.report.grader_rows import Estimate
from peerage.report.report_source import Floats, ReportSource
from peerage.report.svg import Axis, Chart
from peerage.support.words.wording import counted

STEADYING = 4.0
"""How many reviews the spread of all graders in the class counts for beside a grader's own."""

DRAWN = 1000
"""Of more graders than this, the page would become too large for a browser: there are no charts."""

WIDTH, LANE, GAP, MARGIN = 132.0, 26.0, 6.0, 3.0
"""The size of a chart, of each of its two lanes, and what is left free between and around them."""


SHOWN = 0.95
"""The share of values that the scale of the charts has to show; the rest are drawn at its ends."""

Indexes = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Occasion:
    """A grader in an assignment.

    Attributes
    ----------
    assignment, place: its name, and where it stands among all assignments
    n_reviews: how many reviews the grader made
    bias: how much more than the expected grades the grader gave
    error: how far off the reports were once the grader's usual bias is taken off, steadied by all the grader's reviews
    """

    assignment: str
    place: int
    n_reviews: int
    bias: Estimate
    error: Estimate

    @property
    def words(self) -> str:
        """The occasion in a line."""
        bias, error = self.bias, self.error
        return (
            f"{self.assignment}, {counted(self.n_reviews, 'review')}: "
            f"bias {bias.value:+.2f} ({bias.lower:+.2f} to {bias.upper:+.2f}), "
            f"off by {error.value:.2f} ({error.lower:.2f} to {error.upper:.2f})"
        )


def graders_over_time(source: ReportSource) -> dict[str, tuple[Occasion, ...]]:
    """For each grader of at least two assignments what happened in each, in the order of the file."""
    book = source.book
    names = list(dict.fromkeys(filter(None, book.assignments)))
    if len(names) < 2 or book.n_graders > DRAWN:
        return {}
    place = {name: index for index, name in enumerate(names)}
    where = np.array([place.get(name, -1) for name in book.assignments])[book.review_submission]
    residuals = _residuals(source)
    used = ~np.isnan(residuals).all(axis=1) & (where >= 0)
    found: dict[str, list[Occasion]] = {}
    for grader, assignment, number, bias, error in occasions_of(residuals[used], book.review_grader[used], where[used]):
        occasion = Occasion(names[assignment], assignment, number, bias, error)
        found.setdefault(book.graders[grader], []).append(occasion)
    return {name: tuple(occasions) for name, occasions in found.items() if len(occasions) > 1}


def _residuals(source: ReportSource) -> Floats:
    """(reviews, components) the reports less the expected grades, NaN where there is no report."""
    book = source.book
    expected = np.full((book.n_submissions, len(book.rubric)), np.nan)
    for index, component in enumerate(book.rubric.components):
        cells = source.cell_component == index
        expected[source.cell_submission[cells], index] = component.to_model(source.cells["expected"].to_numpy()[cells])
    return np.asarray(scaled_values(book) - expected[book.review_submission])


def occasions_of(
    residuals: Floats, grader: Indexes, where: Indexes
) -> Iterator[tuple[int, int, int, Estimate, Estimate]]:
    """The grader, assignment, number of reviews, bias and error of each occasion that some reviews make up."""
    means, components = np.nanmean(residuals, axis=1), residuals.shape[1]
    counts = np.bincount(grader)
    usual = np.bincount(grader, means) / np.maximum(counts, 1)
    spread = np.sqrt(_steadied((means - usual[grader]) ** 2, grader, counts - 1))
    squares = np.nanmean((residuals - usual[grader, None]) ** 2, axis=1)
    usual_square, freedom = _steadied(squares, grader, counts), _freedom(squares, components)
    pairs, place = np.unique(np.column_stack([grader, where]), axis=0, return_inverse=True)
    number, bias, total = (np.bincount(place, weights) for weights in (None, means, squares))
    half = ndtri(0.95) * spread[pairs[:, 0]] / np.sqrt(number)
    square, known = (total + usual_square[pairs[:, 0]]) / (number + 1), freedom * (number + 1)
    # Quantiles of χ² with as many degrees of freedom; scipy.stats has them too, and takes a third of a second to load.
    ends = [np.sqrt(square * known / (2 * gammaincinv(known / 2, end))) for end in (0.95, 0.05)]
    for row, (who, assignment) in enumerate(pairs.tolist()):
        middle = float(bias[row] / number[row])
        severity = Estimate(middle, middle - float(half[row]), middle + float(half[row]))
        error = Estimate(float(np.sqrt(square[row])), float(ends[0][row]), float(ends[1][row]))
        yield who, assignment, int(number[row]), severity, error


def _steadied(squares: Floats, grader: Indexes, counts: Indexes) -> Floats:
    """(graders,) the mean of the squares of a grader's reviews, steadied by that of all graders."""
    sums, known = np.bincount(grader, squares), np.maximum(counts, 0)
    everybody = sums.sum() / max(known.sum(), 1)
    return np.asarray((sums + STEADYING * everybody) / (known + STEADYING))


def _freedom(squares: Floats, components: int) -> float:
    """How many independent reports a review is worth: as many as let its mean square vary as much as it does."""
    varies, mean = float(squares.var()), float(squares.mean())
    return float(np.clip(2 * mean**2 / varies, 1, components)) if varies > 0 else 1.0


def over_time_charts(found: Mapping[str, Sequence[Occasion]]) -> dict[str, Markup]:
    """A small chart for each grader, all on the same scale: biases above, errors below."""
    everything = [occasion for occasions in found.values() for occasion in occasions]
    if not everything:
        return {}
    last = max(occasion.place for occasion in everything)
    farthest = float(np.quantile([abs(occasion.bias.value) for occasion in everything], SHOWN))
    largest = float(np.quantile([occasion.error.value for occasion in everything], SHOWN))
    x = Axis(0, last, MARGIN, WIDTH - MARGIN, ())
    bias = Axis(-max(farthest, 1), max(farthest, 1), MARGIN + LANE, MARGIN, ())
    error = Axis(0, 1.5 * max(largest, 0.5), MARGIN + 2 * LANE + GAP, MARGIN + LANE + GAP, ())
    return {name: _chart(name, occasions, x, bias, error) for name, occasions in found.items()}


def _chart(name: str, occasions: Sequence[Occasion], x: Axis, bias: Axis, error: Axis) -> Markup:
    chart = Chart(2 * MARGIN + 2 * LANE + GAP, f"Bias and error of {name} in {len(occasions)} assignments", WIDTH)
    for axis in (bias, error):
        chart.add("line", "axis", x1=x.start, x2=x.end, y1=axis(0), y2=axis(0))
    for axis, variable in ((bias, "bias"), (error, "error")):
        values = [(x(occasion.place), getattr(occasion, variable)) for occasion in occasions]
        chart.intervals((place, axis(value.lower), place, axis(value.upper)) for place, value in values)
        line = "L".join(f"{place:.1f} {axis(value.value):.1f}" for place, value in values)
        chart.add("path", f"course {variable}", d=f"M{line}")
    for occasion in occasions:
        place = x(occasion.place)
        for axis, value in ((bias, occasion.bias.value), (error, occasion.error.value)):
            chart.add("circle", "point", occasion.words, cx=place, cy=axis(value), r=2)
    return chart.markup()


def change_of(occasions: Sequence[Occasion]) -> float:
    """How much more the grader gave in the second half of the assignments than in the first."""
    half = len(occasions) // 2
    early, late = ([occasion.bias.value for occasion in part] for part in (occasions[:half], occasions[-half:]))
    return float(np.mean(late) - np.mean(early))
