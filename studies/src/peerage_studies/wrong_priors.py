"""Priors that are wrong in one hyperparameter, below or above the value that a class was drawn with.

Seven are varied, as in the paper's section 5.2. Three of them are moments: the mean of the reliabilities' prior with
its variance held, its variance with its mean held, and the mean of the efforts' prior with its variance held.
"""

from __future__ import annotations

from dataclasses import replace

from peerage.model import Priors

VALUES: dict[str, tuple[float, ...]] = {
    "mu_s": (3.0, 3.5, 4.0, 4.5),
    "sigma_s": (0.4, 0.8, 1.6),
    "sigma_b": (0.02, 0.1, 1.0, 2.0),
    "tau_mean": (0.5, 1.0, 2.0),
    "tau_variance": (0.125, 0.5, 2.0),
    "e_mean": (0.5, 0.8, 0.9),
    "tau_l": (0.25, 1.0, 4.0, 16.0),
}
"""The values that are tried, the true ones among them, by hyperparameter."""


def moments(priors: Priors) -> dict[str, float]:
    """The values of the hyperparameters that are varied."""
    total = priors.alpha_e + priors.beta_e
    plain = {name: float(getattr(priors, name)) for name in ("mu_s", "sigma_s", "sigma_b", "tau_l")}
    return plain | {
        "tau_mean": priors.alpha_tau / priors.beta_tau,
        "tau_variance": priors.alpha_tau / priors.beta_tau**2,
        "e_mean": priors.alpha_e / total,
    }


def changed(priors: Priors, name: str, value: float) -> Priors:
    """The priors with one of the hyperparameters changed."""
    now = moments(priors)
    if name == "e_mean":
        total = priors.alpha_e + priors.beta_e
        variance = now["e_mean"] * (1 - now["e_mean"]) / (total + 1)
        wanted = value * (1 - value) / variance - 1
        return replace(priors, alpha_e=value * wanted, beta_e=(1 - value) * wanted)
    if name.startswith("tau_") and name != "tau_l":
        mean, variance = ((now | {name: value})[key] for key in ("tau_mean", "tau_variance"))
        return replace(priors, alpha_tau=mean**2 / variance, beta_tau=mean / variance)
    return replace(priors, **{name: value})
