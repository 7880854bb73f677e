"""Which panels the figure of each study has."""

from __future__ import annotations

from dataclasses import dataclass

LOGARITHMIC = ("graders", "students", "draws", "tau_l", "sigma_b", "sigma_s", "tau_mean", "tau_variance")
"""Settings whose axis is logarithmic."""


ORDER = (
    *("mean", "median", "PG1", "PG1 learned", "full", "full learned"),
    *("true", "learned", "wrong mu_s", "wrong sigma_s", "wrong sigma_b", "wrong tau_l"),
    *("no censoring", "no effort", "no bias", "correlation"),
)
"""The names of settings' values in the order in which they are shown."""


@dataclass(frozen=True)
class Panel:
    """A metric against a setting, a line for each class; or several metrics of one class, a line for each.

    Parameters
    ----------
    setting: what varies along one axis
    metrics: what is measured along the other
    only: the class, if a line is a metric
    levels: settings that are drawn as a level of all classes, such as the error of a TA
    """

    setting: str
    metrics: tuple[str, ...]
    only: str | None = None
    levels: tuple[str, ...] = ()

    @property
    def by(self) -> str:
        """The column of the table by which lines are told apart."""
        return "class" if self.only is None else "metric"


@dataclass(frozen=True)
class Layout:
    """The panels of a figure, row by row, and how many are in a row."""

    panels: tuple[Panel, ...]
    columns: int


GRADERS = ("reliability_spearman", "effort_spearman", "bias_mae")
GRADES = ("true_grade_mae", "true_grade_rmse", "true_grade_accuracy")
MAIN = ("true_grade_mae", "reliability_spearman", "effort_spearman", "bias_mae")
HYPERPARAMETERS = ("mu_s", "sigma_s", "tau_l", "sigma_b", "tau_mean", "tau_variance", "e_mean")


def _grid(settings: tuple[str, ...], metrics: tuple[str, ...], columns: int) -> Layout:
    panels = tuple(Panel(setting, (metric,)) for setting in settings for metric in metrics)
    return Layout(panels, columns)


_ESTIMATES = ("most_likely_mae", "explained_mae", "mean_mae")

LAYOUTS: dict[str, Layout] = {
    "recovery-weeks": _grid(("weeks",), (*GRADERS, *GRADES), 3),
    "recovery-graders": Layout(
        (
            Panel("graders", ("true_grade_mae",), levels=("ta", "ta_fitted")),
            *(Panel("graders", (metric,)) for metric in (*GRADES[1:], *GRADERS)),
        ),
        3,
    ),
    "recovery-students": _grid(("students",), (*GRADERS, *GRADES), 3),
    "misspecification": _grid(HYPERPARAMETERS, MAIN, 4),
    "explanations": Layout(
        (*(Panel("graders", _ESTIMATES, only=name) for name in "abc"), Panel("graders", ("most_likely_differs",))), 2
    ),
    "ablation": _grid(("model",), ("elpd_change", "significant", "grade_change"), 3),
    "convergence": _grid(("draws",), ("true_grade_error", "reliability_error", "effort_error", "rhat_max"), 2),
    "learned-priors": Layout(
        tuple(Panel(setting, (metric,)) for metric in MAIN for setting in ("priors", "priors_one_week")), 2
    ),
    "baselines": _grid(("estimator",), (*GRADES, *GRADERS), 3),
}
"""The panels of each study."""
