"""The first screen of a class: a few figures, what needs attention, and what both are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from peerage.gradebook.book import ROLE_WORDS
from peerage.report.grader_rows import Grader, graders_of, in_need_of_practice, of_low_effort
from peerage.report.model_in_words import prediction_words, staff_words
from peerage.report.report_source import ReportSource
from peerage.report.submission_columns import Indexes, listed_submissions
from peerage.report.totals_before_after import TotalsBeforeAfter, marks_of
from peerage.results.schema import CHECKS
from peerage.results.summary import UNSURE, ComponentSpread, spread_of
from peerage.support.words.wording import counted

FIRST = 3
"""How many of a kind are named on the first screen."""

COARSE = 11
"""Up to so many legal grades, the probability of a single one says how sure a grade is."""


@dataclass(frozen=True)
class Figure:
    """A number on the first screen: what it is, and what it means in a sentence."""

    title: str
    value: str
    meaning: str


@dataclass(frozen=True)
class Mention:
    """Something named in a list; ``target`` is the row of the submission that a click opens, if it is one."""

    name: str
    target: int | None = None


@dataclass(frozen=True)
class Attention:
    """Something to look at: what it is, whom it concerns, how many more there are, and the section about it."""

    title: str
    detail: str
    mentions: tuple[Mention, ...]
    more: int
    section: str


@dataclass(frozen=True)
class SpotCheck:
    """A submission to check; ``target`` is the row of the submission."""

    rank: str
    submission: str
    target: int
    priority: str
    reason: str


@dataclass(frozen=True, eq=False)
class Screen:
    """The first screen of a class.

    Attributes
    ----------
    counts: how much there was to fit, in words
    figures, attention: what it shows
    marks, spreads, graders, spot_checks: what these are made of, which the sections below show in full; there are no
        spot checks in results without such a list
    listed: the submissions that the page lists
    """

    counts: str
    figures: tuple[Figure, ...]
    attention: tuple[Attention, ...]
    marks: TotalsBeforeAfter
    spreads: tuple[ComponentSpread, ...]
    graders: tuple[Grader, ...]
    spot_checks: tuple[SpotCheck, ...] | None
    listed: Indexes


def first_screen(source: ReportSource) -> Screen:
    """The first screen about a fit."""
    record, book, marks, graders = source.results.record, source.book, marks_of(source), graders_of(source)
    listed = listed_submissions(source, marks)
    place = {int(index): row for row, index in enumerate(listed)}
    spreads = tuple(spread_of(component, source.cells) for component in book.rubric.components)
    spot_checks = _spot_checks(source, place)
    return Screen(
        counts=_counts(record["counts"]),
        figures=tuple(_figures(source, marks, spreads)),
        attention=(
            *_attention(record, graders, spot_checks),
            *_largest_changes(marks, book.submissions, place),
        ),
        marks=marks,
        spreads=spreads,
        graders=graders,
        spot_checks=spot_checks,
        listed=listed,
    )


def _counts(counts: Mapping[str, Any]) -> str:
    graders = ", ".join(counted(number, ROLE_WORDS[role]) for role, number in counts["roles"].items() if number)
    assignments = f" in {counted(counts['assignments'], 'assignment')}" if counts["assignments"] else ""
    submissions = f"{counted(counts['submissions'], 'submission')}{assignments}"
    return f"{counted(counts['reviews'], 'review')} of {submissions} by {graders}"


def _figures(source: ReportSource, marks: TotalsBeforeAfter, spreads: Sequence[ComponentSpread]) -> Iterator[Figure]:
    known = ~np.isnan(marks.before)
    sign = "%" if marks.unit == "percent" else ""
    if known.any():
        before, after = marks.before[known].mean(), marks.after[known].mean()
        of = f"of {marks.high:g} points" if marks.unit == "points" else "of the points"
        yield Figure(
            "Mean total", f"{before:.1f}{sign} → {after:.1f}{sign}", f"{of}: the peers' mean, and the final grades"
        )
        changed, compared = (sum(getattr(spread, name) for spread in spreads) for name in ("n_changed", "n_compared"))
        differ = f"{changed:,} of {counted(compared, 'grade')} round to a different grade from the peers' mean"
        yield Figure("Grades changed", f"{changed / compared:.0%}", differ)
    yield Figure("Margin", f"± {marks.half_width:.1f}{sign}", _certainty(source, marks.unit))


def _certainty(source: ReportSource, unit: str) -> str:
    words = f"{unit if unit == 'points' else 'of the points'}: 90% interval of a typical total"
    if max(component.n_levels for component in source.book.rubric.components) > COARSE:
        return words
    confidence = source.cells["confidence"]
    unsure = int((confidence < UNSURE).sum())
    return f"{words}; {unsure:,} grades ({unsure / len(confidence):.0%}) are less than {UNSURE:.0%} certain"


def _attention(
    record: Mapping[str, Any], graders: Sequence[Grader], spot_checks: tuple[SpotCheck, ...] | None
) -> Iterator[Attention]:
    warnings = record["warnings"]
    if warnings:
        more = len(warnings) - 1
        yield Attention(counted(len(warnings), "warning"), _sentence(warnings[0]["message"]), (), more, "diagnostics")
    staff = tuple(staff_words(record))
    if staff:
        yield Attention("Compared with staff", " ".join(staff), (), 0, "model")
    held_out = record["prediction"]["held_out"]
    if held_out is not None and held_out["verdict"] != "better":
        yield Attention("No better than the mean", next(prediction_words(record)), (), 0, "model")
    if spot_checks:
        first = tuple(Mention(check.submission, check.target) for check in spot_checks[:FIRST])
        title = f"{counted(len(spot_checks), 'submission')} to check"
        yield Attention(title, "First:", first, len(spot_checks) - len(first), "spot-checks")
    idle = of_low_effort(graders)
    if idle:
        named = tuple(Mention(f"{grader.name} ({grader.effort.value:.0%})") for grader in idle[:FIRST])
        title = f"{counted(len(idle), 'student')} with little effort"
        yield Attention(title, "Share of reviews made with effort:", named, len(idle) - len(named), "graders")
    poor = in_need_of_practice(graders)
    if poor:
        named = tuple(Mention(grader.name) for grader in poor[:FIRST])
        title = f"{counted(len(poor), 'student')} in need of practice"
        yield Attention(title, "Their grades are the least dependable:", named, len(poor) - len(named), "graders")


def _largest_changes(
    marks: TotalsBeforeAfter, submissions: Sequence[str], place: Mapping[int, int]
) -> Iterator[Attention]:
    change = np.nan_to_num(np.abs(marks.after - marks.before))
    largest = [int(index) for index in np.argsort(-change, kind="stable")[:FIRST] if change[index] > 0]
    if largest:
        named = tuple(
            Mention(f"{submissions[index]} ({marks.before[index]:.3g} → {marks.after[index]:.3g})", place.get(index))
            for index in largest
        )
        yield Attention("Furthest from the peers' mean", "Be ready to explain:", named, 0, "submissions")


def _sentence(text: str) -> str:
    """A message as a sentence; those of earlier results may have a full stop already."""
    return text[:1].upper() + text[1:].removesuffix(".") + "."


def _spot_checks(source: ReportSource, listed: Mapping[int, int]) -> tuple[SpotCheck, ...] | None:
    table = source.table(CHECKS)
    if table is None:
        return None
    place = {name: index for index, name in enumerate(source.book.submissions)}
    columns = (table[name] for name in ("rank", "submission", "priority", "reason"))
    return tuple(
        SpotCheck(str(rank), submission, listed[place[submission]], f"{priority:.2f}", reason)
        for rank, submission, priority, reason in zip(*columns, strict=True)
    )
