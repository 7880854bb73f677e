"""Dependability: how much each grader's reports tell about the work, draw by draw.

It is the information of a report (:mod:`~peerage.inference.summaries.information`) times what is left of it in the
light of the grader's use of the scale (:mod:`~peerage.inference.summaries.scale_use`). Students who give the same
grades to everything have none. With fixed priors, or without censoring, it is effort × reliability.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peerage.inference.fitted import Fitted
from peerage.inference.summaries.information import GradedComponent, Traits, equivalents
from peerage.inference.summaries.scale_use import scale_use


def dependability_draws(fitted: Fitted) -> NDArray[np.floating]:
    """(chain, draw, grader): the reliability of an unbiased grader with full effort whose reports tell as much."""
    book, model, draws, priors = fitted.book, fitted.model, fitted.draws, fitted.hyperparameters
    reliability, bias, effort = (draws[name] for name in ("reliability", "bias", "effort"))
    constant = np.isin(np.array(book.graders, dtype=object), fitted.constant["grader"])
    if not (model.learned and model.censoring):
        return np.where(constant, 0.0, reliability * effort)
    components = book.rubric.components
    low = draws.low_effort_masses(heaped=False).mean(axis=(0, 1))
    of_components = (components, *priors.for_components(len(components)), fitted.layout.mean_reports, low)
    works = [GradedComponent.of(*parts) for parts in zip(*of_components, strict=True)]
    told, expected = equivalents(works, Traits.of(reliability, bias, draws.slopes(), effort))
    told[..., constant] = 0.0
    flat = expected.reshape(-1, book.n_graders)
    use = scale_use(book, priors, told.mean(axis=(0, 1)), fitted.margins.means("bias"), flat)
    return np.asarray(told * use.reshape(told.shape))
