"""What an evaluation found, as tables, in words and as a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from peerage.evaluation.evaluation_figure import draw
from peerage.evaluation.evaluation_in_words import sentences
from peerage.evaluation.evaluation_tables import EvaluationTables

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Evaluation(EvaluationTables):
    """How well models and baselines predict the reviews of a class that they have not seen.

    Attributes
    ----------
    book: the class
    models: the models by name, the base first
    scores: by name, models first and then baselines; ``log_mass`` has all reviews in the gradebook's order
    folds: (reviews,) the fold in which each review was held out; None if each was left out by itself
    sampling: how long each fit sampled, and the seed
    """

    @property
    def sentences(self) -> list[str]:
        """What was found, in words."""
        return sentences(self)

    def figure(self) -> Figure:
        """Differences from the base model in log probability and in grades, as a matplotlib figure."""
        return draw(self)

    def __repr__(self) -> str:
        how = "leave-one-out" if self.folds is None else f"{self.folds.max() + 1} folds"
        return f"Evaluation({len(self.models)} models, {how}; {self.book!r})"

    def _repr_html_(self) -> str:
        return self.table().to_html(index=False, float_format="{:.4g}".format, na_rep="")
