"""The class's reports drawn anew from the fitted model: the same reviews, other grades."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from peerage.inference.draws import Draws
from peerage.inference.layout import Layout
from peerage.inference.sampler import VARIABLES, Samples
from peerage.rubric import MODEL_MAXIMUM


def replicated_levels(
    layout: Layout, samples: Samples, count: int, seed: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Draw the (reports,) levels of all reports ``count`` times, from draws spread evenly over the chains.

    Each time the decisions about effort are made anew with the draw's efforts. ``seed`` is the fit's, which places
    draws within the cells of their grids.
    """
    draws = _thinned(layout, samples, count, seed)
    true_grade, reliability, bias, effort = (draws.on_model_scale(name)[0] for name in VARIABLES)
    reports, review, component = layout.reports, layout.report_review, layout.report_component
    grader, low_effort_mean = reports.review_grader[review], layout.true_grade_prior[0][component]
    priors = layout.model.hyperparameters
    of_component = [np.flatnonzero(component == index) for index in range(len(layout.book.rubric))]
    for draw in range(count):
        effortful = (rng.random(layout.book.n_reviews) < effort[draw, reports.review_grader])[review]
        centre = np.where(effortful, true_grade[draw, reports.report_cell] + bias[draw, grader], low_effort_mean)
        sd = np.where(effortful, reliability[draw, grader] ** -0.5, priors.tau_l**-0.5)
        value = centre + sd * rng.standard_normal(len(review))
        uniform = np.flatnonzero(~effortful & (rng.random(len(review)) < priors.epsilon))
        value[uniform] = rng.uniform(0.0, MODEL_MAXIMUM, len(uniform))
        levels = np.empty(len(review), np.int64)
        for mine, entry in zip(of_component, layout.book.rubric.components, strict=True):
            levels[mine] = np.searchsorted(entry.cuts, value[mine], side="right")
        yield levels


def _thinned(layout: Layout, samples: Samples, count: int, seed: int) -> Draws:
    """``count`` draws spread evenly over all chains, as one chain; some repeatedly where there are fewer."""
    kept = np.linspace(0, samples.n_chains * samples.n_draws - 1, count).round().astype(np.int64)
    chosen = {name: values.reshape(-1, values.shape[2])[kept][None] for name, values in samples.draws.items()}
    return Draws(layout, replace(samples, draws=chosen), seed)
