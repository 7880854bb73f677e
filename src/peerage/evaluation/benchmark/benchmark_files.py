"""The files of a benchmark: a table, a page and a figure."""

from __future__ import annotations

from pathlib import Path

from peerage.evaluation.benchmark.benchmark_figure import draw
from peerage.evaluation.benchmark.page import page
from peerage.evaluation.benchmark.standings import Benchmark
from peerage.evaluation.figure_files import add_figure
from peerage.results import result_folder
from peerage.tables.writing_tables import csv_text

_STEM = "benchmark"


def add_files(found: Benchmark, out: Path) -> list[str]:
    """Put the files beside the findings, and return their names."""
    table, text = f"{_STEM}.csv", f"{_STEM}.md"
    result_folder.add(out, table, csv_text(found.table().round(5)))
    result_folder.add(out, text, page(found))
    return [text, table, *add_figure(draw(found), out, _STEM)]
