"""Draws as an analyst wants them: labelled by variable, as numbers, entries in the gradebook's order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from peerage.inference.features.heaping import weights_of
from peerage.inference.latent.grader_by_grader.latent_habits import MISSED
from peerage.inference.layout import Layout
from peerage.inference.numerics.by_reference import by_reference
from peerage.inference.numerics.hyperparameters import ERROR, HALO_HERE, MU_L, TAU_L, of_components
from peerage.inference.numerics.likelihood import Grid
from peerage.inference.report_bins import floors, floors_on
from peerage.inference.sampling.chains import VARIABLES, Samples
from peerage.rubric import MODEL_MAXIMUM


@by_reference
class ErrorParts(NamedTuple):
    """What errors are made of: the variance of a component's own times the reliability, and the loading of halos.

    The last two axes are graders without a halo and others, and components; ``kind`` says which each grader is.
    """

    own_variance: NDArray[np.float64]
    loading: NDArray[np.float64]
    kind: NDArray[np.int64]


@by_reference
class ChainDraws(NamedTuple):
    """What one chain drew of all that careful reviews are made of, on the model's scale.

    Rows are draws; columns are cells of true grades, entries of drifts, and else graders.
    """

    true_grade: NDArray[np.float32]
    reliability: NDArray[np.float32]
    bias: NDArray[np.float32]
    drift: NDArray[np.float32]
    slope: NDArray[np.float32]
    effort: NDArray[np.float32]
    parts: ErrorParts


class Draws(Mapping[str, NDArray[np.float32]]):
    """Arrays by variable: ``true_grade`` (chain, draw, submission, component), the others (chain, draw, grader).

    True grades are latent grades in the rubric's units, NaN for a component that is not part of the submission's
    assignment. Reliability and bias are on the scale of 0 to 5. Draws on a grid are spread evenly over their cells.
    Arrays are made when first asked for, and kept.
    """

    def __init__(self, layout: Layout, samples: Samples, seed: int) -> None:
        self._layout, self._samples, self._seed = layout, samples, seed
        self._made: dict[str, NDArray[np.float32]] = {}

    def __getitem__(self, variable: str) -> NDArray[np.float32]:
        if variable not in self._made:
            if variable not in VARIABLES:
                raise KeyError(f"{variable!r} is not drawn; choose one of {', '.join(VARIABLES)}")
            values = self.on_model_scale(variable)
            made = self._by_submission(values) if variable == "true_grade" else values.view()
            made.setflags(write=False)
            self._made[variable] = made
        return self._made[variable]

    def __iter__(self) -> Iterator[str]:
        return iter(VARIABLES)

    def __len__(self) -> int:
        return len(VARIABLES)

    def __repr__(self) -> str:
        chains, draws = self._samples.n_chains, self._samples.n_kept
        return f"Draws({', '.join(VARIABLES)}; {chains} chains of {draws:,} draws)"

    def low_effort(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(chain, draw, component) the centre of low-effort reports, and (chain, draw) their precision."""
        layout, hyper = self._layout, self._samples.kept_hyper
        if layout.model.learned:
            n_components = len(layout.book.rubric)
            return hyper[..., of_components(MU_L, n_components)], np.exp(hyper[..., TAU_L])
        shape = hyper.shape[:2]
        centre = np.tile(layout.true_grade_prior[0], (*shape, 1))
        return centre, np.full(shape, layout.priors.tau_l)

    def habits(self) -> NDArray[np.uint8]:
        """(chain, draw, grader) the habit of each grader, a row of ``Layout.favourite``; 0 for none."""
        return self._samples.draws["habit"]

    def slopes(self) -> NDArray[np.float32]:
        """(chain, draw, grader) how far each grader stretches the scale around the usual report; 1 is as others do."""
        return self._samples.draws["slope"]

    def drifts(self) -> NDArray[np.float32]:
        """(chain, draw, entry) how far biases are from their mean in each assignment, as ``Layout.walks`` has them."""
        return self._samples.draws["drift"]

    def bias_on(self, graders: NDArray[np.integer], submissions: NDArray[np.integer]) -> NDArray[np.float32]:
        """(chain, draw, pair) the biases of some graders, each as it is in the assignment of a submission."""
        drifts = self.drifts()[:, :, self._layout.walks.entries(graders, submissions)]
        return np.asarray(self["bias"][:, :, graders] + drifts)

    def low_effort_of(
        self, graders: NDArray[np.integer], components: NDArray[np.integer], levels: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """(chain, draw, report) the probability of some reports, each of a grader, if no effort is made.

        A report of the grader's own lowest grade says "this or less".
        """
        every, place = self.low_effort_masses(), (slice(None), slice(None), components, levels)
        masses = np.where(self._are_lowest(graders, components, levels), every.cumsum(axis=-1)[place], every[place])
        code = self.habits()[:, :, graders]
        kept = self._layout.favourite[code, components] == levels
        return np.where(code > 0, MISSED * masses + (1 - MISSED) * kept, masses)

    def _are_lowest(
        self, graders: NDArray[np.integer], components: NDArray[np.integer], levels: NDArray[np.integer]
    ) -> NDArray[np.bool_]:
        """(report,) whether reports are the lowest grade of their grader's own."""
        values = np.empty(len(levels))
        for index, component in enumerate(self._layout.book.rubric.components):
            values[components == index] = component.scaled[levels[components == index]]
        return np.asarray(values == floors_on(self._layout, floors(self._layout)[graders], components))

    def low_effort_masses(self, *, heaped: bool = True) -> NDArray[np.float64]:
        """(chain, draw, component, level) the probability of each grade if no effort is made, without a habit.

        If it is not to be ``heaped``, as if nobody rounded more coarsely than the scale.
        """
        layout = self._layout
        centre, precision = self.low_effort()
        out, weights = np.zeros((*centre.shape, layout.max_levels)), self.rounding()
        if not heaped:
            weights = np.eye(1, weights.shape[-1]) * np.ones_like(weights)
        for index, rounding in enumerate(layout.roundings):
            for grid, (levels, edges) in enumerate(zip(rounding.grids, rounding.edges, strict=True)):
                masses = low_effort_masses_of_draws(edges, centre[..., index], precision, layout.epsilon)
                out[..., index, levels] += weights[..., index, grid, None] * masses
        return out

    def rounding(self) -> NDArray[np.float64]:
        """(chain, draw, component, grid) how probable it is that a grade is rounded at each of ``Rounding.grids``."""
        return weights_of(self._layout.roundings, self._samples.kept_hyper)

    def error_parts(self) -> ErrorParts:
        """(chain, draw, kind, component) what errors are made of, for graders without a halo and for others."""
        hyper, n_components = self._samples.kept_hyper, len(self._layout.book.rubric)
        kind = (np.isnan(self._layout.known.reliability) & self._layout.has_halo).astype(np.int64)
        own, loading = np.ones((*hyper.shape[:2], 2, n_components)), np.zeros((*hyper.shape[:2], 2, n_components))
        if self._layout.has_halo:
            share = 1 / (1 + np.exp(-hyper[..., of_components(HALO_HERE, n_components)]))
            size = np.exp(hyper[..., of_components(ERROR, n_components)])
            own[:, :, 1], loading[:, :, 1] = size**2 * (1 - share), size * np.sqrt(share)
        return ErrorParts(own, loading, kind)

    def by_chain(self) -> list[ChainDraws]:
        """What reviews are made of, for each chain."""
        true_grade, parts = self.on_model_scale("true_grade"), self.error_parts()
        return [
            ChainDraws(
                true_grade[chain],
                self["reliability"][chain],
                self["bias"][chain],
                self.drifts()[chain],
                self.slopes()[chain],
                self["effort"][chain],
                ErrorParts(parts.own_variance[chain], parts.loading[chain], parts.kind),
            )
            for chain in range(len(true_grade))
        ]

    def on_model_scale(self, variable: str) -> NDArray[np.float32]:
        """(chain, draw, cell or grader): values on the model's scale."""
        layout, stored = self._layout, self._samples.draws[variable]
        if variable == "true_grade":
            return self._clipped_to_fixed_bins(self._decoded(stored, layout.grids.true_grade, 0))
        if variable == "reliability":
            return self._with_known(self._decoded(stored, layout.grids.reliability, 1), layout.known.reliability)
        if variable == "bias":
            return self._with_known(self._decoded(stored, layout.grids.bias, 2), layout.known.bias)
        return stored

    def _decoded(self, stored: NDArray[Any], grid: Grid, stream: int) -> NDArray[np.float32]:
        if stored.dtype.kind == "f":
            return stored
        codes = np.minimum(stored, len(grid) - 1)  # a fixed bias has a code past the grid's end
        return grid.jittered(codes, np.random.default_rng([self._seed, 1 + stream]))

    def _with_known(self, values: NDArray[np.float32], known: NDArray[np.float64]) -> NDArray[np.float32]:
        fixed = np.flatnonzero(~np.isnan(known))
        if len(fixed):
            values = values.copy()
            values[:, :, fixed] = known[fixed]
        return values

    def _clipped_to_fixed_bins(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        fixed = np.flatnonzero(self._layout.fixed_level >= 0)
        values = values.copy() if len(fixed) else values
        for cell in fixed:
            low, high = self._layout.bin_of(cell)
            values[:, :, cell] = np.clip(values[:, :, cell], low, np.nextafter(np.float32(high), np.float32(low)))
        return values

    def _by_submission(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        book, layout = self._layout.book, self._layout
        shape = (*values.shape[:2], book.n_submissions, len(book.rubric))
        out = np.full(shape, np.nan, np.float32)
        for index, component in enumerate(book.rubric.components):
            mine = np.flatnonzero(layout.reports.cell_component == index)
            out[:, :, layout.cell_submission[mine], index] = component.from_model(values[:, :, mine])
        return out


def low_effort_masses_of_draws(
    edges: NDArray[np.float64],
    centre: NDArray[np.float64] | float,
    precision: NDArray[np.float64] | float,
    epsilon: float,
) -> NDArray[np.float64]:
    """(…, bin) the probability of each bin without effort, by centre and precision: equation (2) of docs/model.md."""
    bounds = (edges - np.asarray(centre)[..., None]) * np.sqrt(precision)[..., None]
    uniform = np.diff(np.clip(edges, 0.0, MODEL_MAXIMUM)) / MODEL_MAXIMUM
    return np.asarray((1 - epsilon) * np.diff(ndtr(bounds), axis=-1) + epsilon * uniform)
