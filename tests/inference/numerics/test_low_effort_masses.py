"""Equation (2) stands four times: for fixed priors, for draws of learned ones, and in two kernels. All agree."""

from __future__ import annotations

import numpy as np

import peerage as pg
from peerage.inference.censored.censored_engine import learning_of
from peerage.inference.censored.grid_masses import learned_low_effort_masses
from peerage.inference.latent import latent_engine
from peerage.inference.latent.latent_priors import fill_low_effort
from peerage.inference.layout import lay_out
from peerage.inference.numerics.hyperparameters import EPSILON, MU_L, TAU_L, draw_hyperprior, of_components
from peerage.inference.numerics.likelihood import low_effort_masses
from peerage.inference.sampling.draws import low_effort_masses_of_draws
from peerage.rubric import MODEL_MAXIMUM


def test_grades_without_effort_are_as_probable_in_kernels_in_tables_and_by_draw() -> None:
    book, _ = pg.simulate(students=8, weeks=1, components=2, seed=0)
    learning = learning_of(lay_out(book, pg.Model(correlation=True)))
    latent = latent_engine.prepare(lay_out(book, pg.Model()))
    rng, n_components = np.random.default_rng(1), len(book.rubric)
    for _ in range(20):
        theta = draw_hyperprior(n_components, rng, spread=0.5)
        precision = float(np.exp(theta[TAU_L]))
        for index, component in enumerate(book.rubric.components):
            centre = float(theta[of_components(MU_L, n_components)][index])
            in_kernel = np.zeros(component.n_levels)
            assert learned_low_effort_masses(index, learning, theta, in_kernel) == component.n_levels
            fill_low_effort(index, latent.levels, latent.beliefs.rounding, theta, latent.beliefs.low_effort)
            in_other_kernel = np.exp(latent.beliefs.low_effort[index, : component.n_levels])
            tabulated = low_effort_masses(component.cuts, centre, precision, EPSILON, MODEL_MAXIMUM)
            by_draw = low_effort_masses_of_draws(component.edges, centre, precision, EPSILON)
            for found in (in_kernel, in_other_kernel, by_draw):
                np.testing.assert_allclose(found, tabulated, rtol=1e-10, atol=1e-12)
            assert abs(tabulated.sum() - 1) < 1e-12
