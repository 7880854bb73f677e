"""Damage files of every kind that is read, and see that each is read or refused in a sentence.

``python benchmarks/fuzz.py 100000`` takes about half an hour. What is found is printed, and the files are kept in
``fuzz-findings/``. ``--seed`` makes other files. An input may take 10 seconds of the processor and 1 GB of memory.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.faults.fuzzing import Finding, fuzz, targets

GIGABYTE = 2**30
FINDINGS = Path("fuzz-findings")


def main() -> int:
    """Fuzz, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", type=int, nargs="?", default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="go on from this input, after a run that was stopped")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="the names of some readers")
    chosen = parser.parse_args()
    # A warning that a user would see counts like any other fault.
    warnings.simplefilter("error")
    begun = time.monotonic()
    with TemporaryDirectory() as home:
        readers = [target for target in targets(Path(home)) if not chosen.only or target.name in chosen.only]
        _limit_memory()
        found: Counter[str] = Counter()
        for number, finding in enumerate(
            fuzz(readers, chosen.inputs, Path(home), chosen.seed, chosen.first), start=chosen.first + 1
        ):
            if finding is not None:
                found[_kind(finding)] += 1
                if found[_kind(finding)] == 1:
                    _keep(finding)
            if number % 1000 == 0:
                print(
                    f"{number:,} inputs, {sum(found.values()):,} findings, {time.monotonic() - begun:,.0f} s",
                    flush=True,
                )
    count = chosen.inputs - chosen.first
    print(f"{count:,} inputs to {len(readers)} readers, seed {chosen.seed}: {sum(found.values()):,} findings")
    return 1 if found else 0


def _limit_memory() -> None:
    """Let this process have 1 GB more than it has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + GIGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _kind(finding: Finding) -> str:
    return f"{finding.target}: {finding.what.strip().splitlines()[-1][:80]}"


def _keep(finding: Finding) -> None:
    FINDINGS.mkdir(exist_ok=True)
    name = f"{finding.target.replace(' ', '-')}-{finding.number}-{Path(finding.file).name}"
    (FINDINGS / name).write_bytes(finding.data)
    print(f"--- {FINDINGS / name}\n{finding.what}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
