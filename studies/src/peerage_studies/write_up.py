"""What is written of a study beside its table: a figure as PNG and SVG, and what it shows, as Markdown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from peerage.evaluation.figure_files import add_figure
from peerage.results import result_folder
from peerage.support.words.wording import counted
from peerage_studies.labels import PAPER, TITLES, letters
from peerage_studies.study_figure import draw
from peerage_studies.study_folder import findings_file
from peerage_studies.study_tables import claims_table, means_table, verdicts

RULES = (
    "Each number is the mean over replicates with its 95 % confidence interval. A number in the paper agrees if "
    "the interval contains a value that rounds to it. A rise, a fall or a bound holds if the whole interval is on "
    "the right side of it. “Little” and “nearly” mean that the whole interval is within 10 %; “most” means more "
    "than half. If the interval lies on both sides, the statement is undecided. The paper shows one class without "
    "saying which, so a number has to agree in at least one class; every other statement has to hold in all of "
    "them."
)
"""How verdicts come about."""


@dataclass(frozen=True)
class Run:
    """A study that was run: its table and how it came about."""

    name: str
    table: pd.DataFrame
    version: str
    quick: bool
    seed: int
    seconds: float

    @classmethod
    def read(cls, folder: Path, name: str) -> Run:
        """Read what :func:`~peerage_studies.running.run_study` has written."""
        record = json.loads((folder / f"{name}.json").read_text("utf-8"))
        table = pd.read_csv(folder / f"{name}.csv", keep_default_na=False, na_values={"result": ""})
        seconds = [json.loads(line)["seconds"] for line in (folder / findings_file(name)).read_bytes().splitlines()]
        return cls(name, table, record["peerage"], record["quick"], record["seed"], sum(seconds))

    def in_words(self) -> str:
        """What was run, in a sentence."""
        classes = sorted(self.table["class"].unique())
        which = f"Class{'es' if len(classes) > 1 else ''} {letters(classes)}"
        size = "small classes and few values, " if self.quick else ""
        replicates = counted(self.table["replicate"].nunique(), "replicate")
        return (
            f"{which}, {size}{replicates}, seed {self.seed}, peerage {self.version}; "
            f"its tasks took {self.seconds / 60:.0f} minutes in total."
        )


def write_up(folder: str | Path, name: str) -> list[str]:
    """Add the figure and the text to the folder in which a study was run, and return the names of all its files."""
    target = result_folder.find(folder)
    run = Run.read(target, name)
    names = add_figure(draw(name, run.table), target, name)
    result_folder.add(target, f"{name}.md", text(run))
    return [f"{name}.csv", *names, f"{name}.md"]


def text(run: Run) -> str:
    """What a study shows, as Markdown."""
    source = PAPER.get(run.name)
    parts = (
        f"# {TITLES[run.name]}",
        f"The study `{run.name}` repeats {source}." if source else f"The study `{run.name}` is not in the paper.",
        run.in_words(),
        f"![{TITLES[run.name]}]({run.name}.png)",
        claims_table(verdicts(run.name, run.table)),
        RULES,
        "## All means",
        means_table(run.table),
    )
    return "\n\n".join(parts) + "\n"
