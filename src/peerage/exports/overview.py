"""The first sheet of the staff's workbook: what was fitted, where to look, and two charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openpyxl.chart import BarChart, Reference, ScatterChart, Series
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from peerage.exports.sheets import FONT, fit_to_page, put
from peerage.results.results import Results
from peerage.results.schema import GRADERS, RECORD
from peerage.support.words.wording import counted

BINS = 10
CHARTS = "Charts"
_MEANING = {
    "Students": "a row for each author: the grades and points of all assignments, and the mark for peer grading",
    "Totals": "each author's points, and where they lie with a probability of 90 %",
    "Grades": "the grade of each component, and how certain it is",
    "Weights": "how much each report counts",
    "Sentences": "how each grade follows from the reports, in words",
    "Graders": "how well each person grades, and the mark for peer grading",
    "Comments": "what the graders wrote, and whom that names",
    "Spot checks": "what staff should grade next, and why",
    CHARTS: "the figures that the charts show",
}
_WIDTH, _HEIGHT = 16.0, 8.5
_BLUE = "2F5597"


@dataclass(frozen=True)
class Overview:
    """What the first sheet says and shows.

    Attributes
    ----------
    facts: what was fitted, in words
    shares: for each submission, the points as a share of the most that can be had
    graders: for each student, reliability and effort
    """

    facts: tuple[tuple[str, str], ...] = ()
    shares: tuple[float, ...] = ()
    graders: tuple[tuple[float, float], ...] = ()

    @classmethod
    def of(cls, results: Results) -> Overview:
        """The overview of some results."""
        most, totals = results.most_points, {total.submission: total for total in results.totals}
        shares = tuple(total.total / most[total.assignment] for total in totals.values() if most[total.assignment] > 0)
        table = results.table(GRADERS, "role", "reliability", "effort")
        known = table[table["role"] == "student"].dropna(subset=["reliability", "effort"])
        graders = tuple(zip(known["reliability"].tolist(), known["effort"].tolist(), strict=True))
        return cls(tuple(_facts(results)), shares, graders)

    def bins(self) -> list[int]:
        """How many submissions have each tenth of the points; full points belong to the last."""
        counts = [0] * BINS
        for share in self.shares:
            counts[min(max(int(share * BINS + 1e-9), 0), BINS - 1)] += 1
        return counts


def add_overview(book: Any, overview: Overview, titles: Sequence[str]) -> None:
    """Add the first sheet, and the sheet of figures that its charts are drawn from."""
    sheet, figures = book.create_sheet("Overview"), book.create_sheet(CHARTS)
    put(sheet, 1, 1, "Grades from peer reviews: for staff only")
    sheet["A1"].font = Font(name=FONT, bold=True, size=16)
    lines = [*overview.facts, ("", ""), *((title, _MEANING[title]) for title in (*titles, CHARTS))]
    for row, (name, text) in enumerate(lines, start=3):
        put(sheet, row, 1, name)
        put(sheet, row, 2, text)
        sheet.cell(row, 1).font = Font(name=FONT, bold=True)
    sheet.column_dimensions["A"].width, sheet.column_dimensions["B"].width = 16, 76
    sheet.sheet_view.showGridLines = False
    fit_to_page(sheet)
    _add_figures(figures, overview)
    sheet.add_chart(_histogram(figures), "C1")
    if overview.graders:
        sheet.add_chart(_scatter(figures, len(overview.graders)), "C19")


def _add_figures(sheet: Any, overview: Overview) -> None:
    for column, name in enumerate(("points in %", "submissions", "", "reliability", "effort"), start=1):
        put(sheet, 1, column, name)
        sheet.cell(1, column).font = Font(name=FONT, bold=True)
        sheet.column_dimensions[get_column_letter(column)].width = 14
    for index, count in enumerate(overview.bins()):
        put(sheet, index + 2, 1, f"{100 * index // BINS}–{100 * (index + 1) // BINS}")
        put(sheet, index + 2, 2, count)
    for row, (reliability, effort) in enumerate(overview.graders, start=2):
        put(sheet, row, 4, reliability)
        put(sheet, row, 5, effort)
    sheet.freeze_panes = "A2"


def _histogram(figures: Any) -> BarChart:
    chart = BarChart()
    chart.add_data(Reference(figures, min_col=2, min_row=1, max_row=BINS + 1), titles_from_data=True)
    chart.set_categories(Reference(figures, min_col=1, min_row=2, max_row=BINS + 1))
    chart.gapWidth = 10
    chart.series[0].graphicalProperties.solidFill = _BLUE
    _label(chart, "Final grades", "points, in % of the maximum", "submissions")
    chart.y_axis.number_format = "0"
    return chart


def _scatter(figures: Any, n_graders: int) -> ScatterChart:
    chart = ScatterChart()
    across = Reference(figures, min_col=4, min_row=2, max_row=n_graders + 1)
    series = Series(Reference(figures, min_col=5, min_row=2, max_row=n_graders + 1), across, title="students")
    series.marker.symbol, series.marker.size = "circle", 6
    series.marker.graphicalProperties.solidFill = _BLUE
    series.graphicalProperties.line.noFill = True
    chart.series.append(series)
    chart.scatterStyle = "lineMarker"
    chart.y_axis.scaling.min, chart.y_axis.scaling.max = 0, 1
    chart.x_axis.scaling.min = 0
    chart.x_axis.majorGridlines = None
    chart.y_axis.number_format, chart.x_axis.number_format = "0%", "0.0"
    _label(chart, "Students as graders", "reliability (1 / error variance, scale of 0 to 5)", "effort")
    return chart


def _label(chart: Any, title: str, across: str, up: str) -> None:
    chart.title, chart.x_axis.title, chart.y_axis.title = title, across, up
    chart.legend = None
    chart.width, chart.height = _WIDTH, _HEIGHT
    # Without this, some spreadsheets hide the axes.
    chart.x_axis.delete, chart.y_axis.delete = False, False


def _facts(results: Results) -> list[tuple[str, str]]:
    record = results.record
    counts = (f"{record['counts'].get(name, 0)} {name}" for name in ("grades", "reviews", "submissions", "graders"))
    return [
        ("From", ", ".join(str(entry.get("name")) for entry in record["input"] if isinstance(entry, dict))),
        ("Class", ", ".join(counts)),
        ("Grades are", record["final"]),
        ("Fit", f"{counted(len(record['warnings']), 'warning')} in {RECORD}"),
        ("Made with", f"peerage {record.get('version')}, seed {record.get('seed')}"),
    ]
