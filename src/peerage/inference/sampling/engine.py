"""What a sampler offers to chains, to leave-one-out and to whoever reads its draws: one contract for all of them.

A sampler is a module with the names of :class:`Engine`. Its arrays are named tuples of its own, which only its
kernels look into; what others read or write of them is named here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from peerage.inference.layout import Layout
from peerage.inference.numerics.arrays import F64, Sums
from peerage.inference.numerics.leave_one_out_kernels import Parts, Prediction, Scale


class Conditions(Protocol):
    """All that kernels condition on; a chain that learns its priors changes the beliefs of its own copy in place."""

    @property
    def beliefs(self) -> tuple[Any, ...]:
        """The priors as the kernels read them."""


class Standing(Protocol):
    """Where a chain stands: the value of everything that is drawn, which kernels change in place."""

    @property
    def reliability(self) -> NDArray[Any]:
        """(graders,) on the sampler's scale: numbers, or cells of a grid."""

    @property
    def bias(self) -> NDArray[Any]:
        """(graders,) likewise."""

    @property
    def _fields(self) -> tuple[str, ...]: ...

    def _asdict(self) -> dict[str, Any]: ...


C = TypeVar("C", bound=Conditions)
S = TypeVar("S", bound=Standing)
R = TypeVar("R")
W = TypeVar("W")


Kernel = Callable[[np.random.Generator, int, int, bool, bool, bool, C, S, Sums, R, W], None]
"""``(rng, sweeps, first, keep, has_effort, has_bias, given, state, sums, draws, work)``: makes so many sweeps in place.

If ``keep``, it adds to the sums and writes the draws from row ``first`` on.
"""


LeaveOut = Callable[[np.random.Generator, C, S, W, F64, F64, Scale, Parts, Prediction], None]
"""``(rng, given, state, work, reliability, bias, scale, parts, out)``: predicts reviews from the others in one draw.

``reliability`` and ``bias`` are the state's as numbers.
"""


class Engine(Protocol[C, S, R, W]):
    """A sampler, with its types of conditions, state, rows of draws and scratch memory."""

    ON_GRID: bool
    """Whether true grades, reliabilities and biases are drawn from the cells of grids, whose ends may hold mass."""

    SWEEPS_LOCALLY: bool
    """Whether kernels of ``latent`` can sweep some submissions by themselves, the graders held.

    Previews need that, and estimates without the staff's grades.
    """

    State: type[S]
    """The type of its states, to make one from stored arrays."""

    @property
    def sweep(self) -> Kernel[C, S, R, W]:
        """The kernel."""

    @property
    def leave_out(self) -> LeaveOut[C, S, W]:
        """The kernel that predicts reviews from all the others."""

    def prepare(self, layout: Layout) -> C:
        """Everything that the kernels condition on."""

    def initial_state(self, layout: Layout, given: C, rng: np.random.Generator, chain: int = 0) -> S:
        """Where a chain starts."""

    def new_draws(self, layout: Layout, count: int) -> R:
        """Room for so many draws."""

    def new_work(self, layout: Layout) -> W:
        """Scratch memory for one chain."""


AnyEngine = Engine[Any, Any, Any, Any]
"""One of the samplers; whoever holds it hands its own arrays back to it and does not look inside."""
