"""Peerage's own models, under the contract of the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from peerage.gradebook import Gradebook
from peerage.methods.method_contract import Aggregate, Method
from peerage.model import Model

SETTLED = 1.1
"""The largest R-hat of a run that has converged; of the many quantities of a class, some are above 1.05 by chance."""


@dataclass(frozen=True)
class FittedMethod(Method):
    """A fit of one of Peerage's models, with as many draws as it takes unless a number is given.

    Grades are posterior means of the rubric grade, with their standard deviations; a grader's weight is dependability,
    effort times reliability.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> list(FittedMethod(name="peerage", chains=2, draws=50).aggregate(book).graders().columns)
    ['grader', 'weight', 'bias']
    """

    model: Model = field(default_factory=Model)
    chains: int = 4
    draws: int | None = None

    citation: ClassVar[str] = "Peerage; with the paper's priors, Better peer grading through Bayesian inference"

    def apply(self, book: Gradebook, rng: np.random.Generator) -> Aggregate:
        """Fit the class."""
        from peerage.inference.fitting import fit

        seed = int(rng.integers(2**32))
        posterior = fit(book, self.model, chains=self.chains, draws=self.draws, seed=seed, workers=1)
        cells, graders = posterior.submissions(), posterior.graders()
        scores, sd = (np.full(book.applicable.shape, np.nan) for _ in range(2))
        scores[book.applicable], sd[book.applicable] = cells["expected"], cells["sd"]
        worst = float(posterior.diagnostics()["r_hat"].max())
        return Aggregate(
            book=book,
            method=self.name,
            is_ranking=False,
            scores=scores,
            sd=sd,
            weight=graders["dependability"].to_numpy(float),
            bias=graders["bias"].to_numpy(float),
            converged=worst <= SETTLED,
            iterations=posterior.n_chains * posterior.n_draws,
            seconds=0.0,
        )
