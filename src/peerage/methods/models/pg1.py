"""PG1 (Piech et al. 2013): graders with biases and reliabilities, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from peerage.methods.models.peerage import FittedMethod
from peerage.model import Model


@dataclass(frozen=True)
class PG1(FittedMethod):
    """True grade s_u ~ N(μ, σ²), bias b_v ~ N(0, σ_b²), reliability τ_v ~ Gamma(α, β), report g ~ N(s_u + b_v, 1/τ_v).

    It is Peerage's model without effort and censoring. The constants are the paper's for the scale of 0 to 5, or
    learned from the class.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> PG1(name="pg1", chains=2, draws=50).aggregate(book).iterations
    100
    """

    model: Model = field(default_factory=lambda: Model(effort=False, censoring=False, priors="paper"))

    citation: ClassVar[str] = "Piech et al. (2013), Tuned models of peer assessment in MOOCs, model PG1"
