"""The standard class (class (b)) by this version and by an earlier commit, whose sources are unpacked and run here.

Both run the same program, in turns, each in a process of its own on one core, with kernels that were compiled before.
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

from figures import HERE, report, use_cores

EARLIER = "0271bc27b99c"
"""The last commit whose sampler worked on grids."""

ROUNDS = 3

PROGRAM = """
import json, time
import peerage as pg

def timed(make):
    begun = time.process_time()
    made = make()
    return made, time.process_time() - begun

book, _ = pg.simulate(setting="b", seed=0)
found = {}
for name, model in (("paper", pg.Model(priors="paper")), ("default", pg.Model())):
    pg.fit(book, model, chains=1, draws=2, burn_in=0, seed=0, workers=1).leave_one_out
    few, many = (
        timed(lambda: pg.fit(book, model, chains=1, draws=draws, burn_in=0, seed=0, workers=1)) for draws in (20, 100)
    )
    found["ms a sweep, " + name + " priors"] = 1000 * (many[1] - few[1]) / 80
    found["leave-one-out, s, " + name + " priors"] = timed(lambda: many[0].leave_one_out)[1]
print(json.dumps(found))
"""


def unpacked(commit: str, folder: Path) -> Path:
    """The sources of a commit, in a folder."""
    archive = subprocess.run(["git", "archive", commit, "src"], cwd=HERE.parent, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return folder / "src"


def run(sources: Path) -> dict[str, float]:
    """What the program found with some sources."""
    environment = {**os.environ, "PYTHONPATH": str(sources)}
    child = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(child.stdout)
    return found


def measure() -> dict[str, Any]:
    """The medians over rounds of both versions, and the ratios."""
    use_cores(1)
    with tempfile.TemporaryDirectory() as folder:
        versions = {"now": HERE.parent / "src", "earlier": unpacked(EARLIER, Path(folder))}
        for sources in versions.values():
            run(sources)  # compiles
        rounds = [{name: run(sources) for name, sources in versions.items()} for _ in range(ROUNDS)]
    rows = {what: {name: median(one[name][what] for one in rounds) for name in versions} for what in rounds[0]["now"]}
    for what, taken in rows.items():
        print(f"{what:<36}{taken['earlier']:8.2f}{taken['now']:8.2f}{taken['earlier'] / taken['now']:8.1f} times")
    return {"commit": EARLIER, "rows": rows}


if __name__ == "__main__":
    report(measure)
