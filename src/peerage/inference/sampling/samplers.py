"""The samplers that there are, and which of them a model takes: the one place that chooses."""

from __future__ import annotations

from peerage.inference.censored import censored_arrays, censored_engine
from peerage.inference.latent import latent_arrays, latent_engine
from peerage.inference.layout import Layout
from peerage.inference.numerics.arrays import DrawRows
from peerage.inference.sampling.engine import AnyEngine, Engine
from peerage.inference.uncensored import uncensored_arrays, uncensored_engine

# With their own types, so that mypy sees that what each prepares is what its kernels take.
LATENT: Engine[latent_arrays.Given, latent_arrays.State, DrawRows, latent_arrays.Work] = latent_engine
CENSORED: Engine[censored_arrays.Given, censored_arrays.State, DrawRows, censored_arrays.Work] = censored_engine
UNCENSORED: Engine[uncensored_arrays.Given, uncensored_arrays.State, DrawRows, uncensored_arrays.Work] = (
    uncensored_engine
)


def engine_of(layout: Layout) -> AnyEngine:
    """The sampler of such a model."""
    if layout.draws_latent_reports:
        return LATENT
    return CENSORED if layout.model.censoring else UNCENSORED
