"""Columns that are made of others: the sum of the components, their mean, or a weighted sum."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from peerage.support.words.wording import listed
from peerage.tables.column import Column
from peerage.tables.grade_notation import out_of
from peerage.tables.numbers import parse_number

Values = NDArray[np.float64]

LOOKED_AT = 1000
"""In how many rows one looks at what a column holds."""

LEAST_ROWS = 4
"""In as many rows, with different totals, must a column be a sum, if its name does not say so."""

LEAST_WEIGHT = 0.01
"""A column with a smaller share of the largest weight is no part of a sum."""

EXACT = 1e-6
"""By how much computed sums may differ."""

MOST_PARTS = 50
"""Of more columns than these, nobody looks for a weighted sum: for hundreds it takes minutes."""

LARGEST = 1e12
"""No total of grades is larger."""

_CALLED_TOTAL = re.compile(r"(.*\b)?(total|sum|subtotal|grand total)(\b.*)?", re.IGNORECASE)
_MAY_BE_TOTAL = re.compile(
    r"(.*\b)?(total|sum|subtotal|overall|average|avg|mean|final|score|result|percent(age)?|grade|points)(\b.*)?",
    re.IGNORECASE,
)


def totals(columns: Mapping[str, Column]) -> dict[str, str]:
    """Why a column is no component, for each that is made of others."""
    values = {name: _numbers(column) for name, column in columns.items()}
    found: dict[str, str] = {}
    for name in sorted(columns, key=lambda name: not _CALLED_TOTAL.fullmatch(name)):
        others = [other for other in columns if other != name and other not in found]
        reason = _made_of(name, values[name], {other: values[other] for other in others})
        if reason:
            found[name] = reason
    return {name: found[name] for name in columns if name in found}


def _made_of(name: str, total: Values, others: Mapping[str, Values]) -> str:
    if len(others) < 2:
        return "seems to be a total" if others and _CALLED_TOTAL.fullmatch(name) else ""
    parts = np.column_stack(list(others.values()))
    whole = np.isfinite(total) & np.isfinite(parts).all(axis=1)
    total, parts = total[whole], parts[whole]
    named = _MAY_BE_TOTAL.fullmatch(name) is not None
    if len(np.unique(total)) >= (2 if named else LEAST_ROWS):
        slack = _slack(total)
        if np.abs(parts.sum(axis=1) - total).max() <= EXACT:
            return f"is the sum of {_listed(others)}"
        if np.abs(parts.mean(axis=1) - total).max() <= slack:
            return f"is the mean of {_listed(others)}"
        weights = _weights(parts, total, slack)
        if weights is not None:
            used = [f"{weight:.3g} × {other!r}" for other, weight in zip(others, weights, strict=True) if weight > 0]
            return f"is {' + '.join(used)}"
    return "seems to be a total" if _CALLED_TOTAL.fullmatch(name) else ""


def _weights(parts: Values, total: Values, slack: float) -> Values | None:
    """Positive weights of two columns or more whose weighted sum is the total, if there are any."""
    if parts.shape[1] > MOST_PARTS or len(np.unique(parts, axis=0)) < 2 * parts.shape[1] + 2:
        return None
    weights, _, rank, _ = np.linalg.lstsq(parts, total)
    used = np.abs(weights) > LEAST_WEIGHT * np.abs(weights).max()
    if rank < parts.shape[1] or np.count_nonzero(used) < 2:
        return None
    weights = np.zeros(len(used))
    weights[used] = np.linalg.lstsq(parts[:, used], total)[0]
    # The fit to rounded totals is off by somewhat more than the rounding.
    fits = np.abs(parts @ weights - total).max() <= 2 * slack
    return weights if fits and (weights >= 0).all() else None


def _slack(total: Values) -> float:
    """Half of a total's last decimal, by which it may be rounded; nothing if it is whole."""
    for decimals in (1, 2):
        if np.abs(np.round(total, decimals) - total).max() < 1e-9:
            return EXACT if (total % 1 == 0).all() else 0.5 * 10**-decimals + EXACT
    return EXACT


def _numbers(column: Column) -> Values:
    """The numbers of the first rows; not a number where a cell holds none, or one that sums cannot be formed of."""
    codes = column.codes[:LOOKED_AT]
    numbers = np.full(len(column.values), np.nan)
    for code in np.unique(codes):
        number = parse_number(column.values[code])
        numbers[code] = out_of(column.values[code])[0] if np.isnan(number) else number
    numbers[np.abs(numbers) > LARGEST] = np.nan
    return numbers[codes]


def _listed(names: Mapping[str, Values]) -> str:
    *first, last = map(repr, names)
    return f"{listed(first)} and {last}"
