"""The page's charts, as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from peerage.gradebook.book import ROLES, STUDENT
from peerage.report.grader_rows import Estimate, Grader
from peerage.report.report_source import Floats
from peerage.report.svg import Axis, Chart, nice_step, ticks
from peerage.report.totals_before_after import TotalsBeforeAfter

NAMED = 4
"""How many graders are named at each end of a chart."""

MANY = 200
"""Of more graders than this, intervals would cover one another: only those who are named have theirs drawn."""


def before_and_after(marks: TotalsBeforeAfter) -> Markup:
    """How the totals are distributed: the peers' means as a line, the grades given as bars."""
    width = max(nice_step(max(marks.high - marks.low, marks.step), 24), marks.step)
    # Bars are centred on multiples of their width, where whole grades lie.
    first, last = math.floor(marks.low / width + 0.5), math.floor(marks.high / width + 0.5)
    known = marks.before[~np.isnan(marks.before)]
    # What nobody gets is left out at the low end, but for one bar.
    first = max(first, math.floor(float(np.append(known, marks.after).min()) / width + 0.5) - 1)
    edges: Floats = np.array([(place - 0.5) * width for place in range(first, last + 2)])
    before, after = (np.histogram(values, edges)[0] for values in (known, marks.after))
    chart = Chart(280, _distribution_words(known, marks))
    top = max(int(after.max()), int(before.max()), 1)
    x = chart.across(float(edges[0]), float(edges[-1]), ticks(float(edges[0]), float(edges[-1]), 8))
    y = chart.up(0, top * 1.02, ticks(0, top, min(top, 5)))
    chart.frame(x, y, f"total of a submission, in {marks.unit}", "submissions")
    for left, right, number in zip(edges[:-1], edges[1:], after.tolist(), strict=True):
        if number:
            title = f"{(left + right) / 2:g} {marks.unit}: {number:,} submissions"
            chart.add(
                "rect",
                "after",
                title,
                x=x(left) + 1,
                y=y(number),
                width=x(right) - x(left) - 2,
                height=y.start - y(number),
            )
    if len(known):
        chart.add("path", "before", d=_steps(edges, before, x, y))
    return chart.markup()


def _distribution_words(before: Floats, marks: TotalsBeforeAfter) -> str:
    words = f"Distribution of totals in {marks.unit}: final grades average {marks.after.mean():.3g}"
    return f"{words}, the peers' means {before.mean():.3g}." if len(before) else f"{words}."


def _steps(edges: Floats, counts: Floats, x: Axis, y: Axis) -> str:
    points = [(edges[0], 0.0)]
    for left, right, number in zip(edges[:-1], edges[1:], counts, strict=True):
        points += [(left, number), (right, number)]
    points.append((edges[-1], 0.0))
    return "M" + "L".join(f"{x(across):.1f} {y(up):.1f}" for across, up in points)


def reliability_and_effort(graders: Sequence[Grader]) -> Markup:
    """Each grader's reliability against effort, with intervals; the least reliable and least diligent are named."""
    chart = Chart(340, "Each grader's effort against reliability; the table below has the numbers.")
    low = min(grader.reliability.lower for grader in graders)
    high = max(grader.reliability.upper for grader in graders)
    marks = [mark for mark in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50) if low <= mark <= high]
    x = chart.across(low / 1.1, high * 1.1, marks or ticks(low, high, 3), logarithmic=True)
    least = min(math.floor(4 * min(grader.effort.lower for grader in graders)), 3) / 4
    y = chart.up(least, 1 + 0.03 * (1 - least), (*np.arange(least, 1, 0.25).tolist(), 1), "{:.0%}".format)
    chart.frame(x, y, "reliability (1: off by about 1 of 5; 4: by about ½)", "reviews made with effort")
    places = {grader.name: (x(grader.reliability.value), y(grader.effort.value)) for grader in graders}
    students = [grader for grader in graders if grader.role == ROLES[STUDENT]]
    idle = sorted(students, key=lambda grader: grader.effort.value)[:NAMED]
    poor = sorted(students, key=lambda grader: grader.reliability.value)[:NAMED]
    outstanding = list(dict.fromkeys([*idle, *poor]))
    for grader in graders if len(graders) <= MANY else outstanding:
        (across, up), reliability, effort = places[grader.name], grader.reliability, grader.effort
        chart.intervals([(x(reliability.lower), up, x(reliability.upper), up)])
        chart.intervals([(across, y(effort.lower), across, y(effort.upper))])
    for grader in graders:
        chart.point(grader.role, grader.words, *places[grader.name], 3.5)
    for grader in outstanding:
        chart.name(*places[grader.name], grader.name)
    return chart.markup()


def in_order(graders: Sequence[Grader], variable: str, words: str, zero: bool) -> Markup:
    """One quantity of all graders in ascending order, with intervals; the first and the last are named."""
    chart = Chart(340, f"All graders in the order of their {variable}; the table below has the numbers.")
    ordered = sorted(graders, key=lambda grader: grader.estimate(variable).value)
    estimates = [grader.estimate(variable) for grader in ordered]
    low, high = _ends(estimates, zero)
    x, y = chart.across(-1, len(ordered), ()), chart.up(low, high, ticks(low, high))
    chart.frame(x, y, f"{len(ordered):,} graders, in order", words)
    if zero:
        chart.add("line", "axis", x1=x.start, x2=x.end, y1=y(0), y2=y(0))
    chart.intervals((x(place), y(entry.lower), x(place), y(entry.upper)) for place, entry in enumerate(estimates))
    for place, (grader, estimate) in enumerate(zip(ordered, estimates, strict=True)):
        chart.point(grader.role, grader.words, x(place), y(estimate.value), 2.5 if len(ordered) <= MANY else 1)
    for place in (*range(min(NAMED, len(ordered))), *range(max(len(ordered) - NAMED, NAMED), len(ordered))):
        chart.name(x(place), y(estimates[place].value), ordered[place].name)
    return chart.markup()


def _ends(estimates: Sequence[Estimate], zero: bool) -> tuple[float, float]:
    """What an axis has to show, a little more than the intervals and never of no length."""
    low, high = min(estimate.lower for estimate in estimates), max(estimate.upper for estimate in estimates)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    margin = 0.04 * (high - low) or 0.5
    return low - margin, high + margin
