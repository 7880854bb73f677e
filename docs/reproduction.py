"""Write docs/reproduction.md and what it shows from the folder, or the folders, of a full run of all studies.

.venv/bin/peerage study all -o studies
.venv/bin/python docs/reproduction.py studies

Studies that are missing from the folder are named on the page.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from peerage.evaluation.figure_files import save_figure
from peerage_studies import NAMES
from peerage_studies.claims import Verdict
from peerage_studies.labels import PAPER, TITLES
from peerage_studies.study_figure import draw
from peerage_studies.study_tables import agreement, claims_table, markdown, measured, reason, verdicts
from peerage_studies.write_up import RULES, Run, text

PAGE = Path(__file__).with_suffix(".md")
PARTS = Path(__file__).with_suffix("")
"""The folder of the figures and of the tables of all means."""

COLOURS = 32
"""Colours of a figure: as many as it needs to look the same, and no more, since it is kept with the code."""


def main(folders: Sequence[Path]) -> int:
    """Write the page, and a figure and a table of all means for each study in the first of the folders that has it."""
    places = {name: [folder for folder in folders if (folder / f"{name}.csv").exists()] for name in NAMES}
    runs = [Run.read(place[0], name) for name, place in places.items() if place]
    if not runs:
        sys.stderr.write(f"{folders[0]}: there is no table of a study here; run: peerage study all -o {folders[0]}\n")
        return 2
    PARTS.mkdir(exist_ok=True)
    for run in runs:
        (PARTS / f"{run.name}.md").write_text(text(run), "utf-8")
        draw_small(run, PARTS / f"{run.name}.png")
    PAGE.write_text("\n\n".join(page(runs)) + "\n", "utf-8")
    return 0


def draw_small(run: Run, path: Path) -> None:
    """Draw the figure of a study with few colours."""
    with TemporaryDirectory() as folder:
        save_figure(draw(run.name, run.table), Path(folder), run.name)
        with Image.open(Path(folder) / f"{run.name}.png") as image:
            image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def page(runs: Sequence[Run]) -> Iterator[str]:
    """The parts of the page."""
    found = {run.name: verdicts(run.name, run.table) for run in runs}
    yield "# The paper's numbers and ours"
    yield from introduction(runs)
    yield from summary(found)
    for run in runs:
        yield f"## {TITLES[run.name]}"
        source = PAPER.get(run.name)
        yield f"`peerage study {run.name}`" + (f" repeats {source}." if source else " is not in the paper.")
        yield f"![{TITLES[run.name]}]({PARTS.name}/{run.name}.png)"
        yield claims_table(found[run.name])
        yield f"{run.in_words()} [All means]({PARTS.name}/{run.name}.md)."


def introduction(runs: Sequence[Run]) -> Iterator[str]:
    """What was run, and how to read it."""
    yield (
        "[`peerage study all`](studies.md) repeats the paper's experiments on simulated classes. "
        "`python docs/reproduction.py` makes this page from its results."
    )
    hours = sum(run.seconds for run in runs) / 3600
    versions = " and ".join(sorted({run.version for run in runs}))
    yield (
        f"With peerage {versions}, the tasks of these studies took {hours:.1f} hours in total. Several ran at the same "
        "time, on a machine that was also doing other work."
    )
    missing = [f"`{name}`" for name in NAMES if name not in {run.name for run in runs}]
    if missing:
        yield f"Not run yet: {', '.join(missing)}."
    yield RULES


def summary(found: dict[str, list[Verdict]]) -> Iterator[str]:
    """Which claims hold, and which do not and why."""
    yield "## What holds, and what does not"
    for ours, words in ((False, "statements in the paper"), (True, "expectations of ours")):
        judged = [
            (name, one) for name, rows in found.items() for one in rows if one.claim.ours == ours and one.findings
        ]
        exceptions = [(name, one) for name, one in judged if one.holds is not True]
        if judged:
            counts = {holds: sum(one.holds is holds for _, one in judged) for holds in (True, False, None)}
            does, is_ = ("does" if counts[False] == 1 else "do"), ("is" if counts[None] == 1 else "are")
            held = f"{counts[True]} hold, {counts[False]} {does} not, and {counts[None]} {is_} undecided"
            yield f"Of {len(judged)} {words}, {held}."
        if exceptions:
            header = ["study", "expected" if ours else "the paper says", "measured", "agree", "likely reason"]
            yield markdown(header, [[f"`{name}`", *cells(one)] for name, one in exceptions])


def cells(verdict: Verdict) -> list[str]:
    """What is said of a claim that does not hold."""
    return [verdict.claim.says, measured(verdict), agreement(verdict), reason(verdict)]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python docs/reproduction.py DIR..., where DIR is that of peerage study all -o DIR")
    sys.exit(main([Path(folder) for folder in sys.argv[1:]]))
