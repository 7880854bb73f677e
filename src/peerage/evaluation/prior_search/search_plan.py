"""Which settings of a grid a search tries, and how it compares them."""

from __future__ import annotations

from dataclasses import dataclass

from peerage.errors import ModelError
from peerage.evaluation.evaluating import FOLDS
from peerage.evaluation.prior_search.prior_grids import PriorGrid, Setting
from peerage.model import Priors
from peerage.support.words.whole_numbers import at_least

KEEP = 5
"""The least number of settings to cross-validate."""


@dataclass(frozen=True)
class SearchPlan:
    """Which settings of a grid are tried, and how they are compared.

    Attributes
    ----------
    random: how many settings to draw at random, instead of trying all
    one_at_a_time: whether to try only settings that differ from the model's in one hyperparameter
    screening: whether to screen all settings by leave-one-out and cross-validate only those that may be the best
    keep: the least number of settings to cross-validate after screening
    folds: how many folds the reviews are divided into
    """

    random: int | None = None
    one_at_a_time: bool = False
    screening: bool = True
    keep: int = KEEP
    folds: int = FOLDS

    def __post_init__(self) -> None:
        at_least(2, folds=self.folds)
        at_least(1, keep=self.keep)
        if self.random is not None:
            at_least(1, random=self.random)
            if self.one_at_a_time:
                raise ModelError("settings are drawn at random or changed one at a time, not both")

    def settings(self, grid: PriorGrid, base: Priors, seed: int) -> list[Setting]:
        """The settings of a grid that are tried."""
        if self.one_at_a_time:
            return grid.one_at_a_time(base)
        return grid.all() if self.random is None else grid.random(self.random, seed)
