"""What compilation adds to the first fit after installation: core-seconds of a small default fit, and of a second one.

Both are ``peerage fit`` from its start to files written, on one core; the first one with an empty cache of kernels.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import peerage as pg
from figures import peerage, report, use_cores


def measure() -> dict[str, Any]:
    """Core-seconds of both, and their difference."""
    use_cores(1)
    book, _ = pg.simulate(students=12, weeks=2, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = str(Path(folder) / "kernels")
        file = Path(folder) / "grades.csv"
        book.write(file, rubric=True)
        first, second = (
            peerage("fit", file, "-o", Path(folder) / name, "--draws", 50, "-q").core_seconds for name in ("1", "2")
        )
    print(f"the first fit takes {first:.1f} core-seconds, a second one {second:.1f}: compilation {first - second:.1f}")
    return {"first": first, "second": second, "compilation": first - second}


if __name__ == "__main__":
    report(measure)
