"""Many-facet Rasch models: work of some ability meets raters of some severity, and levels are steps on the way up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from peerage.methods.item_reports import Indexes, ItemReports
from peerage.methods.method_contract import Floats, Solution, Solver
from peerage.methods.method_needs import ASSIGNMENTS, FEW_LEVELS, ONE_SCALE, Need
from peerage.methods.models.gibbs import run
from peerage.methods.models.rasch_sweep import FacetRows, Facets, RaschState, Rows, expected_levels, sweep

_GRID = np.arange(-5, 5.01, 0.25)
"""Where graders' mean levels are computed; between the points they are interpolated."""


@dataclass(frozen=True)
class ManyFacetRasch(Solver):
    """P(level k) ∝ exp(1.7 α_r [k (θ_u − β_i − β_r) − Σ_{m ≤ k} d_m]), for work u, component i and rater r.

    - θ ~ N(0, 1), β ~ N(0, 1), d ~ N(0, 1); components' difficulties β_i, and the steps d of a scale, add up to 0.
    - The plain model (MFRM) has α = 1 and one set of steps for all raters.
    - ``generalised`` (GMFRM, Uto and Ueno): α_r ~ LogNormal(0, 0.5), and steps d_r of each rater's own.
    - ``drift`` (Uto 2022): severities walk from assignment to assignment, β_rt ~ N(β_r,t−1, 0.3²); the width is ours.

    All parameters move by Metropolis steps, whose sizes adapt while the first sweeps are discarded. A grade is the
    *fair average*: the mean over raters of what each would give on average, so that nobody is better off for a generous
    rater. One ability stands for all components of a work. A rater's weight is α_r; the bias is how far the rater's
    mean report is from the fair average for work of ability N(0, 1).

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> ManyFacetRasch(name="rasch", sweeps=100).aggregate(book).iterations
    100
    """

    generalised: bool = False
    drift: bool = False
    sweeps: int = 1500

    citation: ClassVar[str] = "Linacre (1989), Many-facet Rasch measurement"
    needs: ClassVar[tuple[Need, ...]] = (FEW_LEVELS, ONE_SCALE)
    drift_sd: ClassVar[float] = 0.3
    burn_in: ClassVar[float] = 1 / 3

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:
        """The method itself."""
        sampler = Sampler.of(reports, generalised=self.generalised, drift=self.drift)
        number, discarded = 0, int(self.burn_in * self.sweeps)
        width = float(np.mean([ladder[-1] - ladder[0] for ladder in reports.ladder]))

        def one_sweep() -> tuple[Floats, Floats, Floats]:
            nonlocal number
            sampler.move(self.drift_sd, adapting=number < discarded, rng=rng)
            number += 1
            if number <= discarded:
                return np.zeros(reports.n_items), sampler.state.slope, np.zeros(reports.n_graders)
            levels = sampler.mean_levels()
            fair = levels.mean(axis=0)
            prior = np.exp(-0.5 * _GRID**2)
            bias = (levels - fair) @ (prior / prior.sum()) * width / sampler.state.steps.shape[1]
            return sampler.grades(reports, fair), sampler.state.slope, bias

        return run(reports, one_sweep, self.sweeps, self.burn_in)


@dataclass(frozen=True)
class GeneralisedRasch(ManyFacetRasch):
    """The many-facet Rasch model in which raters differ in how well they tell levels apart, and in their steps.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> GeneralisedRasch(name="gmfrm", sweeps=100).aggregate(book).iterations
    100
    """

    generalised: bool = True

    citation: ClassVar[str] = "Uto and Ueno (2020), A generalized many-facet Rasch model and its Bayesian estimation"


@dataclass(frozen=True)
class DriftingRasch(ManyFacetRasch):
    """The many-facet Rasch model in which severities drift from assignment to assignment.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=2, components=1)
    >>> DriftingRasch(name="rasch-drift", sweeps=100).aggregate(book).iterations
    100
    """

    drift: bool = True

    citation: ClassVar[str] = (
        "Uto (2022), A Bayesian many-facet Rasch model with Markov modeling for rater severity drift"
    )
    needs: ClassVar[tuple[Need, ...]] = (FEW_LEVELS, ONE_SCALE, ASSIGNMENTS)


class Sampler(NamedTuple):
    """A chain: the reports, where each parameter's are, all parameters and the sizes of their steps."""

    facets: Facets
    rows: FacetRows
    state: RaschState
    scales: RaschState
    generalised: bool
    groups: Indexes

    @classmethod
    def of(cls, reports: ItemReports, *, generalised: bool, drift: bool) -> Sampler:
        """A chain at its start: everybody in the middle."""
        components = len(reports.ladder)
        times = int(reports.assignment.max()) + 1 if drift else 1
        time = reports.assignment[reports.item] if drift else np.zeros(len(reports.item), np.int64)
        groups = np.arange(reports.n_graders) if generalised else np.zeros(reports.n_graders, np.int64)
        owners = (
            reports.item // components,
            reports.component[reports.item],
            reports.grader * times + time,
            reports.grader,
            groups[reports.grader],
        )
        work, component, severity, rater, group = owners
        n_groups = int(groups.max()) + 1
        sizes = (reports.n_items // components, components, reports.n_graders * times, reports.n_graders, n_groups)
        n_steps = len(reports.ladder[0]) - 1
        ability, difficulty, severities = (np.zeros(size) for size in sizes[:3])
        state = RaschState(ability, difficulty, severities, np.ones(reports.n_graders), np.zeros((n_groups, n_steps)))
        scales = RaschState(*(np.full(values.shape, 0.5) for values in state))
        rows = FacetRows(*(_rows(owner, size) for owner, size in zip(owners, sizes, strict=True)))
        facets = Facets(reports.level, work, component, rater, severity, group, times)
        return cls(facets, rows, state, scales, generalised, groups)

    def move(self, drift_sd: float, *, adapting: bool, rng: np.random.Generator) -> None:
        """Make one sweep."""
        sweep(self.facets, self.rows, self.state, self.scales, self.generalised, drift_sd**-2, adapting, rng)

    def mean_levels(self) -> Floats:
        """(raters, points) what each rater gives on average, at the rater's mean severity over time."""
        severity = self.state.severity.reshape(-1, self.facets.times).mean(axis=1)
        return expected_levels(_GRID, severity, self.state.slope, self.state.steps, self.groups)

    def grades(self, reports: ItemReports, fair: Floats) -> Floats:
        """(items,) the fair averages, on the method's scale."""
        components = len(reports.ladder)
        found = np.empty((reports.n_items // components, components))
        for index, ladder in enumerate(reports.ladder):
            level = np.interp(self.state.ability - self.state.difficulty[index], _GRID, fair)
            found[:, index] = np.interp(level, np.arange(len(ladder)), ladder)
        return found.ravel()


def _rows(owner: Indexes, size: int) -> Rows:
    start = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=size))]).astype(np.int64)
    return Rows(start, np.argsort(owner, kind="stable").astype(np.int64))
