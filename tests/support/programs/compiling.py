"""Compile the kernels before tests begin: each once, side by side, for all processes that the tests start.

Without this, each worker of the tests, and each command that they start, compiles what it finds missing in the cache.
"""

from __future__ import annotations

import subprocess
import sys

_BEGIN = """
import peerage as pg
book, _ = pg.simulate(students=8, weeks=2, tas=2, components=2, seed=0)
def fitted(**features):
    return pg.fit(book, pg.Model(**features), chains=2, draws=50, burn_in=5, seed=0)
"""

_LATENT = """
posterior = fitted()
posterior.diagnostics(), posterior.submissions(), posterior.loo(), posterior.check(), posterior.log_likelihood()
posterior.preview(book), posterior.staff_check()
pg.explain(posterior), pg.explain(posterior, form="average")
"""

_OTHERS = """
for features in ({"correlation": True}, {"grids": "paper", "priors": "paper"}, {"censoring": False}):
    posterior = fitted(**features)
    posterior.diagnostics(), posterior.submissions(), posterior.loo(), posterior.check(), posterior.log_likelihood()
book, _ = pg.simulate(students=8, weeks=2, components=1, seed=0)
for method in ("pg2", "pg3", "pg4", "pg5", "rasch"):
    pg.aggregate(book, method)
"""

_PARTS = (_LATENT, _OTHERS)
"""Programs that compile disjoint kernels, but for the few that all samplers share, in about the same time."""


def compile_kernels() -> None:
    """Fill the cache; a part that fails is left to the tests, which say more."""
    children = [subprocess.Popen([sys.executable, "-c", _BEGIN + part]) for part in _PARTS]
    for child in children:
        child.wait()


if __name__ == "__main__":
    compile_kernels()
