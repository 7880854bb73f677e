"""The benchmarks in one run, each in a process of its own.

python benchmarks/run.py             those in SECTIONS; their figures go to results.json, and to docs/performance.md
python benchmarks/run.py NAME …      some of them, whose figures alone are renewed, or others: bench_NAME.py
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tables
from figures import HERE, RESULTS
from peerage import __version__

SECTIONS = (
    "nuts",
    "sampler",
    "earlier",
    "first",
    "protocol",
    "rest",
    "seeds",
    "look",
    "update",
    "department",
    "scale",
    "reading",
    "simulate",
)
"""What is published; the others take longer, and their figures are in the pages about what they measure."""


def run(name: str) -> dict[str, Any]:
    """Run a benchmark: its figures, and what it took."""
    script = HERE / f"bench_{name}.py"
    print(f"\n== {script.name}", flush=True)
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        subprocess.run([sys.executable, script, "--json", file], check=True)
        figures: dict[str, Any] = json.loads(file.read_text("utf-8"))
    seconds = time.perf_counter() - begun
    print(f"({seconds:.0f} s)", flush=True)
    return {"took_seconds": seconds} | figures


def machine() -> dict[str, Any]:
    """What this machine is, and how busy it was in the last minutes."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text("utf-8").splitlines() if information.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": named[0] if named else platform.processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load_before": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def rounded(value: Any) -> Any:
    """The same with four significant digits, which is more than runs agree in."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    return [rounded(entry) for entry in value] if isinstance(value, list) else value


def renewed(results: Mapping[str, Any], found: Mapping[str, Any], header: Mapping[str, Any]) -> dict[str, Any]:
    """The results with what was found in the place of what was there, and with when and where that was measured."""
    measured = dict(results["measured"]) | {name: dict(header) for name in found}
    return {**results, **rounded(dict(found)), "measured": measured}


def main() -> None:
    """Run what was asked for."""
    header = {"date": datetime.now(UTC).date().isoformat(), "version": __version__, "machine": machine()}
    found = {name: run(name) for name in sys.argv[1:] or SECTIONS}
    published = {name: figures for name, figures in found.items() if name in SECTIONS}
    if published:
        results = renewed(json.loads(RESULTS.read_text("utf-8")), published, rounded(header))
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
        tables.refresh(results)
        print(f"\nWritten to {RESULTS.name} and {tables.PAGE.name}")


if __name__ == "__main__":
    main()
