"""The standard class (class (b)) by this version and by an early one, whose sources are unpacked and run here.

Both run the same program on the same file, in turns, each in a process of its own on one core, with kernels that were
compiled before. Times are core-seconds. Effective draws are those of the median entry, with learned priors, in one
chain of 150 + 1,000 sweeps.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import peerage as pg
from figures import HERE, report, use_cores

EARLIER = "a7f8e4dcc045"
"""The commit of the early version."""

ROUNDS = 3

PROGRAM = """
import json, sys, time
import peerage as pg

def timed(make):
    begun = time.process_time()
    made = make()
    return made, time.process_time() - begun

def fitted(model, draws):
    return timed(lambda: pg.fit(book, model, chains=1, draws=draws, burn_in=0, seed=0, workers=1))

book = pg.read_grades(sys.argv[1], rubric=sys.argv[2])
few = int(sys.argv[3])
found = {}
for name, model in (("the paper's priors", pg.Model(priors="paper")), ("learned priors", pg.Model())):
    fitted(model, 2)
    short, long = fitted(model, few), fitted(model, 5 * few)
    found["a sweep, " + name + ", ms"] = 1000 * (long[1] - short[1]) / (4 * few)
found["leave-one-out, learned priors, s"] = timed(lambda: long[0].leave_one_out)[1]
print(json.dumps(found))
"""

EFFECTIVE = """
import json, sys, time
import peerage as pg

book = pg.read_grades(sys.argv[1], rubric=sys.argv[2])
begun = time.process_time()
posterior = pg.fit(book, chains=1, draws=1000, burn_in=150, seed=0, workers=1)
taken = time.process_time() - begun
found = posterior.diagnostics().set_index("variable")["ess_bulk_median"] / taken
print(json.dumps({name.replace("_", " "): found[name] for name in ("true_grade", "reliability", "bias", "effort")}))
"""

WHOLE = """
import json, sys, time
import peerage as pg

book = pg.read_grades(sys.argv[1], rubric=sys.argv[2])
begun = time.process_time()
pg.fit(book, seed=0, workers=1)
print(json.dumps({"a fit with default settings, s": time.process_time() - begun}))
"""


def unpacked(commit: str, folder: Path) -> Path:
    """The sources of a commit, in a folder."""
    archive = subprocess.run(["git", "archive", commit, "src"], cwd=HERE.parent, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return folder / "src"


def run(program: str, sources: Path, *arguments: str | int | Path) -> dict[str, float]:
    """What a program finds with some sources."""
    command, environment = [sys.executable, "-c", program, *map(str, arguments)], {**os.environ}
    environment["PYTHONPATH"] = str(sources)
    child = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(child.stdout)
    return found


def measure() -> dict[str, Any]:
    """The medians over rounds of both versions, and one fit of each."""
    use_cores(1)
    book, _ = pg.simulate(setting="b", seed=0)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        book.write(folder / "grades.csv", rubric=True)
        files = folder / "grades.csv", folder / "rubric.toml"
        versions = {"earlier": unpacked(EARLIER, folder), "now": HERE.parent / "src"}
        for sources in versions.values():
            run(PROGRAM, sources, *files, 1)  # compiles
        rounds = [{name: run(PROGRAM, at, *files, 10) for name, at in versions.items()} for _ in range(ROUNDS)]
        fits = {name: run(WHOLE, sources, *files) for name, sources in versions.items()}
        draws = {name: run(EFFECTIVE, sources, *files) for name, sources in versions.items()}
    rows = {what: {name: median(one[name][what] for one in rounds) for name in versions} for what in rounds[0]["now"]}
    rows |= {what: {name: fits[name][what] for name in versions} for what in fits["now"]}
    for what, taken in rows.items():
        print(f"{what:<40}{taken['earlier']:8.2f}{taken['now']:8.2f}{taken['earlier'] / taken['now']:8.1f} times")
    effective = {what: {name: draws[name][what] for name in versions} for what in draws["now"]}
    for what, made in effective.items():
        print(f"effective draws a core-second, {what:<14}{made['earlier']:8.1f}{made['now']:8.1f}")
    return {"commit": EARLIER, "rows": rows, "effective": effective}


if __name__ == "__main__":
    report(measure)
