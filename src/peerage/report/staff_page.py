"""What the staff's page shows, as typed values: the template decides nothing but how they look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from peerage.report import charts
from peerage.report.first_screen import Attention, Figure, SpotCheck, first_screen
from peerage.report.grader_rows import Grader
from peerage.report.graders_over_time import change_of, graders_over_time, over_time_charts
from peerage.report.model_in_words import Prior, choice_words, model_words, prediction_words, priors_of
from peerage.report.report_source import ReportSource
from peerage.report.submission_columns import SubmissionData, submission_data
from peerage.report.term_section import Term, term_of
from peerage.results.schema import EXPLANATIONS, GRADERS
from peerage.results.summary import ComponentSpread
from peerage.support.words.wording import counted


@dataclass(frozen=True)
class StaffPage:
    """The whole page.

    Attributes
    ----------
    title: the names of the files of grades, and which of their classes this is if there are several
    counts: how much there was to fit, in words
    unit: that of totals: points or percent
    figures, attention: the first screen, beside ``distribution``, a chart of totals before and after
    spreads: each component before and after
    data, unlisted: the submissions, for the script, and how many of a large class are left out
    explained: whether grades are explained; if not, there are neither weights nor sentences
    graders, grader_charts: all graders, and charts of them with their captions
    over_time: for each grader of several assignments a chart of bias and error, and how much the bias changed
    standing, credit: whether it is known who may grade alone, and whether graders have marks
    spot_checks: what a TA should grade next; None in results without such a list
    term: what the staff decided, and what became of grades that were handed out before
    model, priors: what was assumed, in words, and the priors, which were fixed or ``learned``
    prediction, choice: how well the model predicts, and which model was chosen of those compared, if any were
    diagnostics, warnings, notices, facts: whether the fit is to be trusted, and how it came about
    """

    title: str
    counts: str
    unit: str
    figures: tuple[Figure, ...]
    attention: tuple[Attention, ...]
    distribution: Markup
    spreads: tuple[ComponentSpread, ...]
    data: SubmissionData
    unlisted: int
    explained: bool
    graders: tuple[Grader, ...]
    grader_charts: tuple[tuple[Markup, str], ...]
    over_time: Mapping[str, tuple[Markup, float]]
    standing: bool
    credit: bool
    spot_checks: tuple[SpotCheck, ...] | None
    term: Term
    model: tuple[str, ...]
    priors: tuple[Prior, ...]
    learned: bool
    prediction: tuple[str, ...]
    choice: tuple[str, ...]
    diagnostics: tuple[Mapping[str, Any], ...]
    warnings: tuple[Mapping[str, str], ...]
    notices: tuple[Mapping[str, str], ...]
    facts: tuple[tuple[str, str], ...]


def staff_page(source: ReportSource) -> StaffPage:
    """The page about a fit."""
    record, screen = source.results.record, first_screen(source)
    return StaffPage(
        title=_title(record),
        counts=screen.counts,
        unit=screen.marks.unit,
        figures=screen.figures,
        attention=screen.attention,
        distribution=charts.before_and_after(screen.marks),
        spreads=screen.spreads,
        data=submission_data(source, screen.marks, screen.listed),
        unlisted=source.book.n_submissions - len(screen.listed),
        explained=EXPLANATIONS in source.results.tables,
        graders=screen.graders,
        grader_charts=tuple(_grader_charts(screen.graders, record["model"])),
        over_time=_over_time(source),
        standing="standing" in source.results.tables[GRADERS],
        credit="credit" in source.results.tables[GRADERS],
        spot_checks=screen.spot_checks,
        term=term_of(source),
        model=tuple(model_words(record)),
        priors=tuple(priors_of(record)),
        learned=record["learned"] is not None,
        prediction=tuple(prediction_words(record)),
        choice=tuple(choice_words(record)),
        diagnostics=tuple(record["diagnostics"]),
        warnings=tuple(record["warnings"]),
        notices=tuple(record["notices"]),
        facts=tuple(_facts(record)),
    )


def _title(record: Mapping[str, Any]) -> str:
    files = ", ".join(entry["name"] for entry in record["input"])
    own = record.get("class")
    return files if own is None else f"{files}, {own['by']} {own['name']}"


def _grader_charts(graders: Sequence[Grader], model: Mapping[str, Any]) -> Iterator[tuple[Markup, str]]:
    estimated = [grader for grader in graders if not grader.reliability.is_fixed]
    if estimated and model["effort"]:
        caption = "Who grades well: diligent graders are at the top, reliable ones on the right."
        yield charts.reliability_and_effort(estimated), caption
    elif estimated:
        words = "reliability (1: off by about 1 of 5; 4: by about ½)"
        yield charts.in_order(estimated, "reliability", words, zero=False), "Who grades well."
    if model["bias"]:
        words = "bias, on the scale of 0 to 5"
        caption = "Who is severe (below 0) and who is generous (above). A severe grader can be reliable."
        yield charts.in_order(graders, "bias", words, zero=True), caption


def _over_time(source: ReportSource) -> dict[str, tuple[Markup, float]]:
    found = graders_over_time(source)
    return {name: (chart, change_of(found[name])) for name, chart in over_time_charts(found).items()}


_FINAL = {
    "average": "weighted averages of the reports, as near to the expected grades as they can be",
    "mean": "plain means of the reports",
    "most-likely": "the most likely ones",
}


def _final(record: Mapping[str, Any]) -> str:
    if record["final"] in _FINAL:
        return _FINAL[record["final"]]
    different = record["explanations"]["different"]
    return f"rounded weighted averages of the reports; {different:,} of them are not the most likely grades"


def _facts(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for entry in record["input"]:
        yield entry["name"], f"SHA-256 {entry['sha256']}"
    chains = f"{counted(record['chains'], 'chain')} of {counted(record['draws'], 'draw')}"
    yield "sampled", f"{chains} after {record['burn_in']:,} discarded, seed {record['seed']}"
    yield "final grades", _final(record)
    yield "made by", f"peerage {record['version']}"
