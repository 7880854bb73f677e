"""Methods for crowds who label: the grades of a scale are labels, and each item has one true label.

They are Crowd-Kit's, an extra (``pip install 'peerage[crowd]'``). Each component is labelled by itself. What they know
of order is added afterwards: a grade is the mean of the levels, weighted by the probabilities of the labels.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from peerage.errors import MissingExtraError
from peerage.methods.item_reports import ItemReports, ratio, sums
from peerage.methods.method_contract import Solution, Solver
from peerage.methods.method_needs import FEW_LEVELS, Need
from peerage.support.tasks.ignored_warnings import ignoring_warnings_of


@dataclass(frozen=True)
class CrowdLabels(Solver):
    """A method of Crowd-Kit."""

    rounds: int = 100

    needs: ClassVar[tuple[Need, ...]] = (FEW_LEVELS,)

    @abstractmethod
    def labeller(self, crowdkit: Any, seed: int) -> Any:
        """Crowd-Kit's method."""

    @abstractmethod
    def skills(self, labeller: Any, workers: Any) -> pd.Series[float]:
        """By grader, how well each labels, as the method has it; ``workers`` is the order of the table."""

    def solve(self, reports: ItemReports, rng: np.random.Generator) -> Solution:
        """Label each component, and average over labels and components."""
        try:
            crowdkit = import_module("crowdkit.aggregation")
        except ImportError:
            raise MissingExtraError(self.name, "crowd") from None
        value, sd = np.full(reports.n_items, np.nan), np.full(reports.n_items, np.nan)
        skill, seen = np.zeros(reports.n_graders), np.zeros(reports.n_graders)
        for place, ladder in enumerate(reports.ladder):
            mine = reports.component[reports.item] == place
            if not mine.any():
                continue
            table = pd.DataFrame(
                {"task": reports.item[mine], "worker": reports.grader[mine], "label": reports.level[mine]}
            )
            labeller = self.labeller(crowdkit, int(rng.integers(2**31)))
            masses, skills = self._fit(labeller, table)
            levels = ladder[masses.columns.to_numpy(int)]
            mean = masses.to_numpy() @ levels
            value[masses.index] = mean
            sd[masses.index] = np.sqrt(np.maximum(masses.to_numpy() @ levels**2 - mean**2, 0))
            made = sums(reports.grader[mine], reports.n_graders)[skills.index]
            skill[skills.index] += made * skills.to_numpy(float)
            seen[skills.index] += made
        return Solution(value, sd, ratio(skill, seen), iterations=self.rounds)

    def _fit(self, labeller: Any, table: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series[float]]:
        """(items × labels) probabilities, and graders' skills; where there is one label alone, it is certain."""
        if (table["label"] == table["label"].iloc[0]).all():
            certain = pd.DataFrame({table["label"].iloc[0]: 1.0}, index=pd.unique(table["task"]))
            return certain, pd.Series(1.0, index=pd.unique(table["worker"]))
        # Crowd-Kit calls what newer versions of pandas are going to take away.
        with ignoring_warnings_of("crowdkit"):
            masses = labeller.fit_predict_proba(table)
            return masses.fillna(0.0), self.skills(labeller, pd.unique(table["worker"]))


@dataclass(frozen=True)
class DawidSkene(CrowdLabels):
    """Dawid and Skene (1979): each grader confuses true labels with others in a way of the grader's own, by EM.

    P(report k | true label j) = e_v[j, k]; prior shares of labels and all confusions are the likeliest. A grader's
    weight is the mean probability of the right label. With few reports by each grader it has far more to estimate than
    there is to estimate it from.
    """

    citation: ClassVar[str] = "Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates; Crowd-Kit"

    def labeller(self, crowdkit: Any, seed: int) -> Any:  # noqa: ARG002
        """Crowd-Kit's method."""
        return crowdkit.DawidSkene(n_iter=self.rounds)

    def skills(self, labeller: Any, workers: Any) -> pd.Series[float]:
        """The mean of the diagonal of each grader's confusions."""
        errors = labeller.errors_.fillna(0.0)
        right = [errors.xs(label, level=1)[label] for label in errors.columns if label in errors.index.levels[1]]
        found = pd.concat(right).groupby(level=0).sum() / errors.shape[1]
        return pd.Series(found.reindex(workers, fill_value=0.0), dtype=float)


@dataclass(frozen=True)
class Glad(CrowdLabels):
    """GLAD (Whitehill et al. 2009): P(right) = 1 / (1 + exp(−α_v β_u)), with skills α and easinesses β, by EM.

    Wrong labels are equally likely. A grader's weight is α.
    """

    rounds: int = 50

    citation: ClassVar[str] = "Whitehill et al. (2009), Whose vote should count more; Crowd-Kit"

    def labeller(self, crowdkit: Any, seed: int) -> Any:  # noqa: ARG002
        """Crowd-Kit's method."""
        return crowdkit.GLAD(n_iter=self.rounds, silent=True)

    def skills(self, labeller: Any, workers: Any) -> pd.Series[float]:
        """Graders' α."""
        return pd.Series(labeller.alphas_, dtype=float).reindex(workers)


@dataclass(frozen=True)
class Mace(CrowdLabels):
    """MACE (Hovy et al. 2013): a grader copies the true label or spams from a distribution of the grader's own.

    Variational Bayes from several random starts. A grader's weight is the probability of not spamming.
    """

    rounds: int = 50
    restarts: int = 10

    citation: ClassVar[str] = "Hovy et al. (2013), Learning whom to trust with MACE; Crowd-Kit"

    def labeller(self, crowdkit: Any, seed: int) -> Any:
        """Crowd-Kit's method."""
        return crowdkit.MACE(n_restarts=self.restarts, n_iter=self.rounds, random_state=seed)

    def skills(self, labeller: Any, workers: Any) -> pd.Series[float]:
        """The probability of not spamming."""
        spamming = np.asarray(labeller.spamming_, dtype=float)
        spamming = spamming / spamming.sum(axis=1, keepdims=True)
        return pd.Series(1 - spamming[:, 0], index=workers)
