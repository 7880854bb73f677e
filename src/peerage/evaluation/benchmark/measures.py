"""What is measured of a method on a class whose truth is known; on the scale of 0 to 5 where that has a meaning."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from peerage.evaluation.benchmark.known_classes import KnownClass

Floats = NDArray[np.float64]

MEASURES = {
    "rmse": "root mean squared error",
    "mae": "mean absolute error",
    "bias": "mean error",
    "spread": "standard deviation of the error",
    "mapped_rmse": "root mean squared error after the best linear map to the truth",
    "tau": "Kendall's τ-b within assignments and components",
    "pairs": "share of pairs in the right order, ties counting half",
    "coverage": "share of truths within ± 1.645 standard deviations",
    "held_out": "log probability of a held-out review",
    "harm": "mean change of others' grades when one grader gives the lowest grade to all",
    "gain": "mean change of that grader's own grades",
    "seconds": "time",
    "unfinished": "share of runs that did not converge",
}
"""What each measure means."""

_WITHIN = 1.6449


def errors(known: KnownClass, scores: Floats) -> Floats:
    """(submissions, components) errors of grades; NaN where the truth is unknown."""
    return np.asarray(scores - known.truth)


def mapped_errors(known: KnownClass, scores: Floats) -> Floats:
    """(submissions, components) errors after each component's scores are mapped linearly to its truth."""
    found = np.full(scores.shape, np.nan)
    for place in range(scores.shape[1]):
        rows = np.flatnonzero(~np.isnan(known.truth[:, place]))
        if len(rows):
            score, truth = scores[rows, place], known.truth[rows, place]
            centred = score - score.mean()
            slope = float(centred @ truth) / max(float(centred @ centred), 1e-12)
            found[rows, place] = truth.mean() + slope * centred - truth
    return found


def in_order(known: KnownClass, scores: Floats) -> tuple[float, float]:
    """Kendall's τ-b and the share of pairs in order, averaged over assignments and components."""
    assignments = np.array(known.book.assignments, dtype=object)
    taus, shares, weights = [], [], []
    for name in dict.fromkeys(known.book.assignments):
        for place in range(scores.shape[1]):
            rows = np.flatnonzero((assignments == name) & ~np.isnan(known.truth[:, place]))
            score, truth = scores[rows, place], known.truth[rows, place]
            one, other = np.triu_indices(len(rows), 1)
            apart = truth[one] != truth[other]
            if not apart.any():
                continue
            agreement = np.sign(score[one] - score[other]) * np.sign(truth[one] - truth[other])
            tau = kendalltau(score, truth).statistic
            taus.append(0.0 if np.isnan(tau) else float(tau))
            shares.append(float((1 + agreement[apart]).mean() / 2))
            weights.append(len(rows))
    if not weights:
        return np.nan, np.nan
    return float(np.average(taus, weights=weights)), float(np.average(shares, weights=weights))


def measure(known: KnownClass, scores: Floats, sd: Floats, *, is_ranking: bool) -> dict[str, float]:
    """All measures of grades or scores, but for those that need further runs."""
    error, mapped = errors(known, scores), mapped_errors(known, scores)
    tau, pairs = in_order(known, scores)
    found = {"mapped_rmse": _root(mapped[~np.isnan(mapped)]), "tau": tau, "pairs": pairs}
    plain = error[~np.isnan(error)]
    if len(plain) and known.on_scale and not is_ranking:
        inside = np.abs(error) <= _WITHIN * sd
        judged = ~np.isnan(error) & ~np.isnan(sd)
        found |= {"rmse": _root(plain), "mae": float(np.abs(plain).mean()), "bias": float(plain.mean())}
        found |= {"spread": float(plain.std()), "coverage": float(inside[judged].mean()) if judged.any() else np.nan}
    return {name: found.get(name, np.nan) for name in MEASURES}


def _root(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2))) if len(values) else np.nan
