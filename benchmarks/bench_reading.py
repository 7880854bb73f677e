"""How long it takes to read and check a million grades, against pandas reading the same file, and in what memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

GRADES = 1_000_000
COMPONENTS = ("Structure", "Evidence", "Style", "Code")
REVIEWS_PER_GRADER = 4

_PANDAS = "import pandas; pandas.read_csv({path!r}, keep_default_na=False)"
_PEERAGE = "import peerage; from peerage.cli import check; check.summarise(peerage.read_grades({path!r}))"
_CHILD = """
import resource, sys, time
from pathlib import Path
{warm_up}
start = time.perf_counter()
{program}
seconds = time.perf_counter() - start
if sys.platform == "linux":
    # What getrusage says counts the parent's memory too, from before the child became a program of its own.
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(seconds, peak)
"""


@dataclass(frozen=True)
class Cost:
    """What running a program took."""

    seconds: float
    peak_bytes: int


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


def measure(program: str, path: Path) -> Cost:
    """Run a program on a file in a process of its own; imports are not part of the time."""
    warm_up = "import pandas, peerage.formats, peerage.structure"
    child = _CHILD.format(warm_up=warm_up, program=program.format(path=str(path)))
    answer = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True).stdout.split()
    return Cost(float(answer[0]), int(answer[1]))


def compare(*, wide: bool, grades: int = GRADES) -> tuple[Cost, Cost]:
    """What it costs to read and check a class with peerage, and to read it with pandas."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grades.csv"
        write_class(path, wide=wide, grades=grades)
        return measure(_PEERAGE, path), measure(_PANDAS, path)


def main() -> None:
    """Print the costs for the long and the wide form."""
    for wide in (False, True):
        ours, theirs = compare(wide=wide)
        print(
            f"{GRADES:,} grades, {'wide' if wide else 'long'}: {ours.seconds:.2f} s to read and check, "
            f"{ours.seconds / theirs.seconds:.1f} times pandas.read_csv ({theirs.seconds:.2f} s); "
            f"peak memory {ours.peak_bytes / 1e9:.2f} GB, pandas {theirs.peak_bytes / 1e9:.2f} GB"
        )


if __name__ == "__main__":
    main()
