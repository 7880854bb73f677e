"""How long it takes to read and check a million grades, against pandas reading the same file, and in what memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from figures import HERE, Cost, report

GRADES = 1_000_000
COMPONENTS = ("Structure", "Evidence", "Style", "Code")
REVIEWS_PER_GRADER = 4

_PANDAS = "import pandas; pandas.read_csv({path!r}, keep_default_na=False)"
_PEERAGE = "from peerage import read_grades; class_summary(read_grades({path!r}))"
_CHILD = """
import json, sys, time
sys.path.insert(0, {benchmarks!r})
from figures import used
import pandas, peerage.formats
from peerage.gradebook.class_summary import class_summary
start = time.perf_counter()
{program}
print(json.dumps({{"seconds": time.perf_counter() - start}} | used()))
"""


def write_class(path: Path, *, wide: bool, grades: int = GRADES) -> None:
    """Write a class of so many grades in which every grader reviews the submissions of the next few."""
    rng = np.random.default_rng(0)
    reviews = grades // len(COMPONENTS)
    graders = reviews // REVIEWS_PER_GRADER
    grader = np.arange(reviews) % graders
    submission = (grader + 1 + np.arange(reviews) // graders) % graders
    ids = np.array([f"id{index}" for index in range(graders)])
    table = pd.DataFrame({"submission": ids[submission], "grader": ids[grader]})
    for component in COMPONENTS:
        table[component] = rng.integers(0, 6, reviews)
    if not wide:
        table = table.melt(["submission", "grader"], var_name="component", value_name="grade")
    table.to_csv(path, index=False)


def cost(program: str, path: Path) -> Cost:
    """Run a program on a file in a process of its own; imports are not part of the time."""
    child = _CHILD.format(benchmarks=str(HERE), program=program.format(path=str(path)))
    answer = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True).stdout
    return Cost(**json.loads(answer))


def compare(*, wide: bool, grades: int = GRADES) -> tuple[Cost, Cost]:
    """What it costs to read and check a class with peerage, and to read it with pandas."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grades.csv"
        write_class(path, wide=wide, grades=grades)
        return cost(_PEERAGE, path), cost(_PANDAS, path)


def measure() -> dict[str, Any]:
    """The costs for the long and the wide form."""
    found = {}
    for wide in (False, True):
        ours, theirs = compare(wide=wide)
        form = "wide" if wide else "long"
        print(
            f"{GRADES:,} grades, {form}: {ours.seconds:.2f} s to read and check, "
            f"{ours.seconds / theirs.seconds:.1f} times pandas.read_csv ({theirs.seconds:.2f} s); "
            f"peak memory {ours.peak_bytes / 1e9:.2f} GB, pandas {theirs.peak_bytes / 1e9:.2f} GB"
        )
        found[form] = {"ours": asdict(ours), "pandas": asdict(theirs)}
    return found


if __name__ == "__main__":
    report(measure)
