"""What is decided before a class is fitted: how to sample, which model, and what to make of the posterior."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, fields
from typing import Any

from peerage.decisions.choices import DecisionChoices
from peerage.errors import Problem
from peerage.gradebook.rulings import Override
from peerage.inference.sampling.kept_draws import MEMORY
from peerage.model import Fixed, Model
from peerage.support.tasks.progress import Listener


@dataclass(frozen=True)
class SamplingPlan:
    """How long to sample, and with what; as :func:`~peerage.inference.fitting.fit` takes it."""

    chains: int = 4
    draws: int | None = None
    target_ess: int | None = None
    burn_in: int | None = None
    seed: int | None = None
    workers: int | None = None
    memory: float = MEMORY
    progress: bool | Listener = False
    stop: threading.Event | None = None

    def settings(self) -> dict[str, Any]:
        """The same by name."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}


@dataclass(frozen=True)
class FitPlan:
    """How classes are fitted.

    Attributes
    ----------
    model: the model that is fitted or, if one is to be chosen, with which the others are made
    choose_model: whether models are compared, and the simplest that predicts well is fitted
    choices: what is made of the posterior
    sampling: how long to sample
    republish: whether grades that were handed out are replaced
    """

    model: Model = field(default_factory=Model)
    choose_model: bool = False
    choices: DecisionChoices = field(default_factory=DecisionChoices)
    sampling: SamplingPlan = field(default_factory=SamplingPlan)
    republish: bool = False


@dataclass(frozen=True)
class StaffInput:
    """What the staff say about a class: grades that they set, values that are known, and what is odd about these."""

    overrides: tuple[Override, ...] = ()
    fixed: Fixed | None = None
    notices: tuple[Problem, ...] = ()
