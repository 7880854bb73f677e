"""What is true in the paper's simulated classes, as the settings of studies name it."""

from __future__ import annotations

from peerage.model import Priors
from peerage.simulation.simulated_class import SETTINGS
from peerage_studies.wrong_priors import moments


def true_value(setting: str, name: str) -> float:
    """The value of a hyperparameter that a class is drawn with.

    >>> true_value("mu_s", "a"), true_value("sigma_b", "a"), true_value("e_mean", "b")
    (4.0, 0.1, 0.8)
    """
    return moments(Priors.paper(**SETTINGS[name]))[setting]
