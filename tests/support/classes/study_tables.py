"""Made-up tables of studies, in which every claim holds that can."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from peerage_studies.study_definition import COLUMNS
from peerage_studies.truths import true_value
from peerage_studies.wrong_priors import VALUES

RECOVERY = {
    "true_grade_mae": 0.44,
    "true_grade_rmse": 0.55,
    "true_grade_accuracy": 0.6,
    "bias_mae": 0.2,
    "reliability_spearman": 0.6,
    "effort_spearman": 0.3,
}
BETTER = {"true_grade_accuracy", "reliability_spearman", "effort_spearman"}
"""Metrics of which more is better."""

Cell = tuple[str, float | str, str, float]


def made_up(name: str, replicates: int = 15, seed: int = 0) -> pd.DataFrame:
    """The table of a study, with a little noise."""
    rng = np.random.default_rng(seed)
    rows = [
        (kind, setting, value, replicate, metric, result * (1 + rng.normal(0, 0.005)))
        for kind in "abc"
        for setting, value, metric, result in _CELLS[name](kind)
        for replicate in range(replicates)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _recovery(setting: str, value: float | str, **changes: float) -> Iterator[Cell]:
    for metric, result in RECOVERY.items():
        yield setting, value, metric, result + changes.get(metric, 0.0)


def _weeks(_: str) -> Iterator[Cell]:
    for weeks in range(1, 11):
        gain = np.log(weeks) / np.log(8)
        yield from _recovery(
            "weeks", weeks, reliability_spearman=0.3 * gain, effort_spearman=0.37 * gain, bias_mae=-0.1 * gain
        )


def _graders(_: str) -> Iterator[Cell]:
    for graders, error in {1: 0.52, 2: 0.46, 4: 0.41, 8: 0.33, 16: 0.25, 32: 0.18}.items():
        yield from _recovery("graders", graders, true_grade_mae=error - 0.44)
    yield "ta", 2, "true_grade_mae", 0.48
    yield "ta_fitted", 2, "true_grade_mae", 0.42


def _students(_: str) -> Iterator[Cell]:
    for students in (30, 60, 120, 240):
        yield from _recovery("students", students)


def _misspecification(kind: str) -> Iterator[Cell]:
    harm = {"mu_s": 0.09, "sigma_s": 0.09, "tau_l": 0.2, "sigma_b": 0.1}
    for setting, values in VALUES.items():
        for value in values:
            wrong = harm.get(setting, 0.0) * (value != true_value(setting, kind))
            changes = {metric: -wrong if metric in BETTER else wrong for metric in RECOVERY}
            yield from _recovery(setting, value, **changes)
            yield setting, value, "latent_mae", 0.44 + wrong


def _explanations(_: str) -> Iterator[Cell]:
    for graders in (1, 2, 3, 4, 5, 7, 10):
        likely = 0.55 - 0.1 * np.log(graders)
        yield "graders", graders, "most_likely_mae", likely
        yield "graders", graders, "explained_mae", likely + 0.2 / graders**2
        yield "graders", graders, "mean_mae", likely + 0.2
        yield "graders", graders, "most_likely_differs", 0.2 / graders


def _ablation(_: str) -> Iterator[Cell]:
    for model, change in {"no bias": -300, "no effort": -200, "no censoring": -500, "correlation": -2}.items():
        yield "model", model, "elpd_change", change
        yield "model", model, "p_value", 0.001 if change < -10 else 0.4
        yield "model", model, "grade_change", 0.1


def _convergence(_: str) -> Iterator[Cell]:
    for draws in (10, 30, 100, 300, 1000):
        for metric, error in {"true_grade_error": 0.01, "reliability_error": 0.03, "effort_error": 0.01}.items():
            yield "draws", draws, metric, error * np.sqrt(1000 / draws)
        yield "draws", draws, "rhat_max", 1 + 1 / draws


def _learned(_: str) -> Iterator[Cell]:
    wrong = ("wrong mu_s", "wrong sigma_s", "wrong sigma_b", "wrong tau_l")
    for setting in ("priors", "priors_one_week"):
        for value, harm in {"true": 0.0, "learned": 0.004, **dict.fromkeys(wrong, 0.05)}.items():
            yield from _recovery(setting, value, true_grade_mae=harm, bias_mae=harm, effort_spearman=-harm)


def _baselines(_: str) -> Iterator[Cell]:
    for value, harm in {"mean": 0.2, "median": 0.25, "PG1": 0.05, "full": 0.0}.items():
        yield from _recovery("estimator", value, true_grade_mae=harm)


_CELLS = {
    "recovery-weeks": _weeks,
    "recovery-graders": _graders,
    "recovery-students": _students,
    "misspecification": _misspecification,
    "explanations": _explanations,
    "ablation": _ablation,
    "convergence": _convergence,
    "learned-priors": _learned,
    "baselines": _baselines,
}
