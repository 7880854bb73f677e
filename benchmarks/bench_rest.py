"""What a default fit of the standard class (class (b)) spends on all but sampling, as a share of its sampling.

Everything is measured in core-seconds of one process, with kernels that have been compiled: the fit, then what tables,
checks, decisions and pages take, each part once, in the order in which ``peerage fit`` comes to it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import peerage as pg
from figures import report
from peerage.results.results import Results
from peerage.workflow.save_results import write_results


def parts_of(posterior: pg.Posterior, folder: Path) -> dict[str, float]:
    """Core-seconds of each part; what later parts make use of was made before."""
    taken = {}

    def timed(name: str, make: Callable[[], Any]) -> Any:
        begun = time.process_time()
        made = make()
        taken[name] = time.process_time() - begun
        return made

    timed("dependability", lambda: posterior.dependability)
    timed("leave-one-out", lambda: posterior.leave_one_out)
    timed("the staff's check", posterior.staff_check)
    results = timed("checks, decisions and tables", lambda: Results.of(posterior))
    timed("report and files", lambda: write_results(results, folder))
    return taken


def measure() -> dict[str, Any]:
    """The core-seconds of the fit and of the parts of the rest, and the share."""
    small, _ = pg.simulate(students=12, weeks=2, seed=0)
    book, _ = pg.simulate(setting="b", seed=0)
    with tempfile.TemporaryDirectory() as folder:
        parts_of(pg.fit(small, draws=50, seed=0, workers=1), Path(folder) / "small")  # compiles
        begun = time.process_time()
        posterior = pg.fit(book, seed=0, workers=1)
        sampling = time.process_time() - begun
        parts = parts_of(posterior, Path(folder) / "standard")
    rest = sum(parts.values())
    print(f"a default fit of {posterior.burn_in} + {posterior.n_draws} sweeps: {sampling:.1f} core-seconds")
    for name, seconds in parts.items():
        print(f"{name:<30}{seconds:6.2f}{seconds / sampling:8.3f}")
    print(f"{'together':<30}{rest:6.2f}{rest / sampling:8.3f}")
    sweeps = {"burn_in": posterior.burn_in, "draws": posterior.n_draws}
    return {"sampling": sampling, "parts": parts, "rest": rest, "share": rest / sampling, **sweeps}


if __name__ == "__main__":
    report(measure)
