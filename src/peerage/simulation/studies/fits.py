"""The fits of the studies: long enough that chance in sampling is small beside that between classes."""

from __future__ import annotations

from peerage.fitting import fit
from peerage.gradebook import Gradebook
from peerage.inference.posterior import Posterior
from peerage.model import Model
from peerage.simulation.studies.measures import Measures
from peerage.simulation.studies.study import Course, Row

CHAINS, DRAWS = 2, 150
BURN_IN, LEARNED_BURN_IN = 50, 200
"""Sweeps that are discarded with fixed priors, from which chains start well, and with those that are learned."""


def fitted(course: Course, seed: int, book: Gradebook, model: Model) -> Posterior:
    """Fit a course's class on one processor, since many are fitted at once."""
    burn_in = LEARNED_BURN_IN if model.learned else BURN_IN
    return fit(book, model, chains=CHAINS, draws=DRAWS, burn_in=burn_in, seed=course.fit_seed(seed), workers=1)


def rows(setting: str, value: str | float, measures: Measures) -> list[Row]:
    """A row for each measure."""
    return [Row(setting, value, metric, result) for metric, result in measures.items()]
