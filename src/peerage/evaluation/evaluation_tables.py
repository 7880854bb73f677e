"""What an evaluation found, as tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from peerage.evaluation.ablations import FEATURES
from peerage.evaluation.scoring import Sampling, Score
from peerage.gradebook.book import Gradebook
from peerage.inference.choose_model import compare
from peerage.model import Model, Priors

COLUMNS = (
    "model",
    *FEATURES,
    "priors",
    "elpd",
    "elpd_se",
    "delta",
    "delta_se",
    "p_value",
    "grade_change",
    "seconds",
)
"""The columns of the table of models."""

REVIEW_COLUMNS = ("submission", "grader", "fold")
"""The columns of the table of reviews before those of models."""

UNITS = ("submissions", "reviews")
"""What paired tests are made over. Reviews of a submission err together, so that tests over submissions are honest."""

Floats = NDArray[np.float64]


class Test(NamedTuple):
    """A paired t-test: the sum of all differences, its standard error, and how many differences there are."""

    delta: float
    delta_se: float
    n: int

    @property
    def p_value(self) -> float:
        """The two-sided p-value; NaN if nothing differs."""
        if self.n < 2 or self.delta_se == 0:
            return np.nan
        return float(2 * stats.t(self.n - 1).sf(abs(self.delta / self.delta_se)))


def paired(one: Floats, other: Floats, owner: NDArray[np.integer]) -> Test:
    """Compare two models' log probabilities of the same reviews, summed by owner."""
    return Test(*compare(one, other, owner), len(np.unique(owner)))


@dataclass(frozen=True, eq=False)
class EvaluationTables:
    """The reviews of a class as models and baselines predict them, in tables; see :class:`~peerage.Evaluation`."""

    book: Gradebook
    models: dict[str, Model]
    scores: dict[str, Score]
    folds: NDArray[np.int64] | None
    sampling: Sampling

    @property
    def base(self) -> str:
        """The name of the model with which the others are compared."""
        return next(iter(self.models))

    def table(self) -> pd.DataFrame:
        """A row for each model and baseline.

        ``elpd`` is the log probability of all reviews, ``delta`` how much larger it is than the base model's, both with
        standard errors from sums by submission; ``p_value`` is that of a paired t-test over submissions.
        ``grade_change`` is the mean distance of grades from the base model's, on the scale of 0 to 5, ``seconds`` the
        time that all fits took. A baseline has no features.
        """
        rows = []
        for name, score in self.scores.items():
            elpd, elpd_se = compare(score.log_mass, np.zeros(self.book.n_reviews), self.book.review_submission)
            test = self.test(name)
            change = float(np.abs(score.expected - self.scores[self.base].expected).mean())
            figures = (elpd, elpd_se, test.delta, test.delta_se, test.p_value, change, score.seconds)
            rows.append((name, *self._settings(name), *figures))
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def reviews(self) -> pd.DataFrame:
        """Each review's log probability under each model and baseline."""
        book = self.book
        columns: dict[str, NDArray[Any]] = {
            "submission": np.array(book.submissions, dtype=object)[book.review_submission],
            "grader": np.array(book.graders, dtype=object)[book.review_grader],
        }
        if self.folds is not None:
            columns["fold"] = self.folds + 1
        return pd.DataFrame(columns | {name: score.log_mass for name, score in self.scores.items()})

    def tests(self) -> pd.DataFrame:
        """Paired t-tests of each model and baseline against the base model, over submissions and over reviews."""
        rows = [
            {"model": name, "over": unit, "n": test.n, "t": test.delta / test.delta_se, "p_value": test.p_value}
            for name in self.scores
            for unit in UNITS
            if (test := self.test(name, unit)).delta_se > 0
        ]
        return pd.DataFrame(rows, columns=["model", "over", "n", "t", "p_value"])

    def test(self, name: str, unit: str = "submissions") -> Test:
        """Compare a model or baseline with the base model."""
        owner = np.asarray(self.book.review_submission) if unit == "submissions" else np.arange(self.book.n_reviews)
        return paired(self.scores[name].log_mass, self.scores[self.base].log_mass, owner)

    def _settings(self, name: str) -> tuple[bool | str | None, ...]:
        """The features and the kind of priors of a model, or that a baseline has none."""
        model = self.models.get(name)
        if model is None:
            return (None,) * (len(FEATURES) + 1)
        return (*(getattr(model, feature) for feature in FEATURES), priors_name(model))


def priors_name(model: Model) -> str:
    """``learned``, ``paper``, or ``fixed`` for others."""
    return "learned" if model.learned else "paper" if model.priors == Priors.paper() else "fixed"
