"""Ablations: a base model, and the models that differ from it in one feature."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from peerage.gradebook.book import Gradebook
from peerage.inference.choose_model import graders_wrote
from peerage.model import SHARED, Model

FEATURES = ("bias", "effort", "censoring", "correlation")


def ablations(book: Gradebook, base: Model) -> list[Model]:
    """The base model, then those with one feature switched off, or on where the base lacks it.

    Correlation is switched on only where graders wrote what others graded, and effort is not switched off where efforts
    are fixed.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=5, weeks=1)
    >>> [model.name for model in ablations(book, pg.Model(effort=False))][1:3]
    ['censoring', 'bias + effort + censoring']
    """
    return [base, *(switched(base, name) for name in FEATURES if _can_switch(book, base, name))]


def switched(base: Model, feature: str) -> Model:
    """The model with a feature off that was on, or on that was off."""
    change: dict[str, Any] = {feature: not getattr(base, feature)}
    if feature in ("censoring", "correlation"):  # without the one or with the other, components share nothing
        change |= dict.fromkeys(SHARED)
    if feature != "effort":  # nor do biases drift, or where there are none
        change["drift"] = False
    return replace(base, **change)


def difference(base: Model, other: Model) -> tuple[str, bool] | None:
    """The one feature in which a model differs from the base, and whether it is on there; None if it is not just one.

    >>> difference(Model(), Model(effort=False))
    ('effort', False)
    """
    for feature in FEATURES:
        if other == switched(base, feature):
            return feature, bool(getattr(other, feature))
    return None


def _can_switch(book: Gradebook, base: Model, feature: str) -> bool:
    if feature == "correlation":
        return base.correlation or graders_wrote(book)
    return not (feature == "effort" and base.effort and base.fixed.effort)
