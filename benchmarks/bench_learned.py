"""What learning the priors costs: a learned fit of the standard class (class (b)) beside one with the true priors.

Prints processor seconds of sampling, diagnostics and, for the learned fit, leave-one-out, and the ratio of the sums.
The fits take turns, so that whatever else the machine does slows both.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pandas as pd

import peerage as pg
from figures import report

ROUNDS = 3


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds, of all threads, that some work takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def parts(book: pg.Gradebook, model: pg.Model, draws: int = 1000) -> dict[str, float]:
    """Processor seconds of a fit and of what every fit reports."""
    begun = time.process_time()
    posterior = pg.fit(book, model, draws=draws, seed=0)
    taken = {"sampling": time.process_time() - begun}
    if model.learned:
        taken["leave-one-out"] = seconds(lambda: posterior.leave_one_out)
    return taken | {"diagnostics": seconds(posterior.diagnostics)}


def measure() -> dict[str, Any]:
    """The medians of all parts, and the ratio of their sums."""
    book, truth = pg.simulate(setting="b", seed=0)
    models = {"learned": pg.Model(ta_spread="students"), "true priors": truth.model}
    for model in models.values():
        parts(book, model, draws=10)
    rows = [{"priors": name} | parts(book, model) for _ in range(ROUNDS) for name, model in models.items()]
    table = pd.DataFrame(rows).groupby("priors", sort=False).median().fillna(0.0)
    table["sum"] = table.sum(axis=1)
    ratio = float(table["sum"]["learned"] / table["sum"]["true priors"])
    print(table.round(1).to_string())
    print(f"a learned fit takes {ratio:.2f} times a fit with known priors")
    return {"seconds": table.to_dict("index"), "ratio": ratio}


if __name__ == "__main__":
    report(measure)
