"""How long it takes to read a million grades with these sources, as a ratio to those of another checkout.

``python benchmarks/compare_reading.py EARLIER`` reads the same files with both in turn, five times. The least
processor time counts, so that other programs hardly matter. ``--only workbook`` reads one of the files.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from bench_reading import write_class
from figures import HERE

FORMS = ("long", "wide", "workbook")
ROUNDS = 5
WORKBOOK_GRADES = 100_000
"""A workbook takes a hundred times as long as text."""

_CHILD = """
import sys, time
import numpy, pandas, openpyxl
import peerage
peerage.read_grades
begun = time.process_time()
peerage.read_grades(sys.argv[1])
print(time.process_time() - begun)
"""


def seconds(sources: Path, path: Path) -> float:
    """The processor time that reading a file takes in a process of its own."""
    command = [sys.executable, "-c", _CHILD, str(path)]
    answer = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": str(sources / "src")}
    )
    return float(answer.stdout)


def main() -> None:
    """Print the ratio for a long table, a wide one and a workbook."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("earlier", type=Path)
    parser.add_argument("--only", choices=FORMS, nargs="+", default=FORMS)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        files = {form: Path(home) / f"{form}.csv" for form in ("long", "wide")}
        for form, path in files.items():
            write_class(path, wide=form == "wide")
        write_class(Path(home) / "small.csv", wide=True, grades=WORKBOOK_GRADES)
        files["workbook"] = Path(home) / "small.xlsx"
        pd.read_csv(Path(home) / "small.csv").to_excel(files["workbook"], index=False)
        for form in chosen.only:
            path = files[form]
            taken = [(seconds(HERE.parent, path), seconds(chosen.earlier, path)) for _ in range(ROUNDS)]
            now, before = (min(column) for column in zip(*taken, strict=True))
            print(f"{form}: {now:.2f} s, {now / before:.2f} times the earlier {before:.2f} s", flush=True)


if __name__ == "__main__":
    main()
