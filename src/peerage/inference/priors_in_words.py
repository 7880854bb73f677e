"""What was learned about the priors: a table for the reader, and the priors of a typical draw."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.gradebook.book import STUDENT, TA
from peerage.inference.features.heaping import ROUNDED_NAMES, rounded_names
from peerage.inference.layout import Layout
from peerage.inference.numerics.hyperparameters import (
    CLASSWIDE,
    LEARNED_SPREAD,
    LIKE_STUDENTS,
    N_CLASSWIDE,
    TA_SHAPE,
    coordinates,
    natural,
)
from peerage.model import Priors

COLUMNS = ("parameter", "symbol", "component", "value", "lower", "upper", "meaning")

FIXED = {
    "mu_s": ("μ_s", "the mean true grade"),
    "sigma_s": ("σ_s", "how much true grades differ (standard deviation)"),
    "sigma_b": ("σ_b", "how much graders' biases differ (standard deviation)"),
    "alpha_tau": ("α_τ", "students' reliability: shape of its Gamma distribution"),
    "beta_tau": ("β_τ", "students' reliability: rate; the mean is shape / rate"),
    "alpha_tau_ta": ("α_τ of TAs", "TAs' reliability: shape of its Gamma distribution"),
    "beta_tau_ta": ("β_τ of TAs", "TAs' reliability: rate; the mean is shape / rate"),
    "alpha_e": ("α_e", "effort: first parameter of its Beta distribution"),
    "beta_e": ("β_e", "effort: second parameter; the mean is first / (first + second)"),
    "tau_l": ("τ_ℓ", "how closely reports without effort gather around the mean grade (precision)"),
    "epsilon": ("ε", "the share of reports without effort that may be anything"),
    "sigma_tau": ("1/√β₀", "how far reliability is from what own grades suggest (standard deviation)"),
    "lambda_tau": ("λ", "the own true grade that goes with a reliability of 1"),
}
"""The symbol and the meaning of each fixed hyperparameter."""


def in_use(layout: Layout) -> NDArray[np.bool_]:
    """(coordinates,) whether a hyperparameter has a part in the model of this class."""
    model, group = layout.model, layout.group
    tas, like_students = (group == TA).any(), layout.bias_spread[group] == LIKE_STUDENTS
    used = {
        "sigma_b": layout.has_bias and bool(like_students.any()),
        "sigma_ta": layout.has_bias and bool(tas) and layout.bias_spread[TA] == LEARNED_SPREAD,
        "mean_bias": layout.has_bias and layout.has_staff,
        "reliability": bool((group == STUDENT).any()),
        "reliability_shape": model.reliability and bool((group == STUDENT).any()),
        "reliability_ta": bool(tas),
        "effort": model.effort,
        "effort_concentration": model.effort,
        "tau_l": model.effort,
        "mu_l": model.effort,
        "sigma_tau": model.correlation,
        "lambda_tau": model.correlation,
        "merit": layout.has_merit,
        "halo": layout.has_halo,
        "component_halo": layout.has_halo,
        "component_error": layout.has_halo,
        "habit": layout.n_habits > 0,
        "scale": bool(layout.may_stretch.any()),
        "drift": layout.walks.on,
        **dict.fromkeys(ROUNDED_NAMES, False),
        **dict.fromkeys(rounded_names(layout.roundings), True),
    }
    return np.array([used.get(entry.name, True) for entry, _ in coordinates(len(layout.book.rubric))])


def coordinate_names(layout: Layout) -> list[str]:
    """The names of all coordinates, with the component where there is one."""
    names = layout.book.rubric.names
    entries = coordinates(len(names))
    return [entry.name if index is None else f"{entry.name} of {names[index]}" for entry, index in entries]


def priors_table(layout: Layout, hyper: NDArray[np.float64], quantiles: tuple[float, float]) -> pd.DataFrame:
    """The hyperparameters: learned ones with an interval, or fixed ones."""
    names = layout.book.rubric.names
    rows: list[tuple[Any, ...]] = []
    if not layout.model.learned:
        for name, value in layout.priors.to_dict().items():
            by_component = dict(zip(names, value, strict=True)) if isinstance(value, list) else {"": value}
            symbol, meaning = FIXED[name]
            rows += [(name, symbol, shown, entry, np.nan, np.nan, meaning) for shown, entry in by_component.items()]
        return pd.DataFrame(rows, columns=list(COLUMNS))
    values = natural(hyper.reshape(-1, hyper.shape[2]), len(names))
    lower, upper = np.quantile(values, quantiles, axis=0)
    used = in_use(layout)
    for place, (entry, component) in enumerate(coordinates(len(names))):
        if used[place]:
            shown = "" if component is None else names[component]
            mean = float(values[:, place].mean())
            rows.append((entry.name, entry.symbol, shown, mean, lower[place], upper[place], entry.meaning))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def typical_priors(layout: Layout, hyper: NDArray[np.float64]) -> Priors:
    """The fixed priors, or those of the learned hyperparameters' posterior means, by the paper's names."""
    if not layout.model.learned:
        return layout.priors
    n_components = len(layout.book.rubric)
    mean = natural(hyper.reshape(-1, hyper.shape[2]).mean(axis=0), n_components)
    by_name = {entry.name: float(mean[place]) for place, entry in enumerate(CLASSWIDE)}
    per_component = mean[N_CLASSWIDE:].reshape(-1, n_components)
    shape, total = by_name["reliability_shape"], by_name["effort_concentration"]
    return Priors.paper(
        mu_s=tuple(map(float, per_component[0])),
        sigma_s=tuple(map(float, per_component[1])),
        sigma_b=by_name["sigma_b"],
        alpha_tau=shape,
        beta_tau=shape / by_name["reliability"],
        alpha_tau_ta=TA_SHAPE,
        beta_tau_ta=TA_SHAPE / by_name["reliability_ta"],
        alpha_e=total * by_name["effort"],
        beta_e=total * (1 - by_name["effort"]),
        tau_l=by_name["tau_l"],
        epsilon=layout.epsilon,
        sigma_tau=by_name["sigma_tau"],
        lambda_tau=by_name["lambda_tau"],
    )
