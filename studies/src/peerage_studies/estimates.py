"""Means over replicates, with 95 % confidence intervals."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import stdtrit

CONFIDENCE, SIGNIFICANT = 0.95, 0.05
KEYS = ["class", "setting", "value", "metric"]


class Estimate(NamedTuple):
    """A mean over replicates, half the width of its confidence interval (nan for one replicate), and their number."""

    mean: float
    half: float
    replicates: int

    @property
    def lower(self) -> float:
        """Where the interval begins."""
        return self.mean - self.half

    @property
    def upper(self) -> float:
        """Where the interval ends."""
        return self.mean + self.half


def estimate(results: ArrayLike) -> Estimate:
    """The mean of some replicates' results and Student's interval for it.

    >>> mean, half, count = estimate([1.0, 2.0, 3.0])
    >>> mean, round(half, 3), count
    (2.0, 2.484, 3)
    """
    values = np.asarray(results, dtype=float)
    count = len(values)
    if count < 2:
        return Estimate(float(values.mean()), float("nan"), count)
    error = values.std(ddof=1) / np.sqrt(count)
    return Estimate(float(values.mean()), float(error * stdtrit(count - 1, (1 + CONFIDENCE) / 2)), count)


def estimates(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each class, setting, value and metric of a study's table, in its order: mean, half and replicates.

    A mean of p-values means nothing; in place of them is the share that is significant, without an interval.
    """
    is_p = table["metric"] == "p_value"
    significant = (table["result"] < SIGNIFICANT).astype(float)
    table = table.assign(
        metric=table["metric"].mask(is_p, "significant"), result=table["result"].mask(is_p, significant)
    )
    rows: list[dict[str, Any]] = []
    for key, results in table.groupby(KEYS, sort=False)["result"]:
        rows.append(dict(zip(KEYS, key, strict=True)) | estimate(results.dropna())._asdict())
    found = pd.DataFrame(rows, columns=[*KEYS, *Estimate._fields])
    return found.assign(half=found["half"].mask(found["metric"] == "significant"))
