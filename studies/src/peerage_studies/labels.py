"""How figures and tables call what varies and what is measured."""

from __future__ import annotations

from collections.abc import Iterable

TITLES = {
    "recovery-weeks": "How estimates improve over the weeks",
    "recovery-graders": "How estimates improve with more graders per submission",
    "recovery-students": "Whether class size matters",
    "misspecification": "What wrong priors do",
    "explanations": "Explained grades compared with the most likely ones",
    "ablation": "What each feature of the model contributes",
    "convergence": "How many draws are enough",
    "learned-priors": "Learned priors compared with true and wrong ones",
    "baselines": "The model compared with simple estimates",
}
"""The heading of each study."""

PAPER = {
    "recovery-weeks": "the figure on data size (a, b) and its appendix",
    "recovery-graders": "the figure on data size (c) and its appendix",
    "recovery-students": "a remark in section 5.1",
    "misspecification": "the figure on misspecification (d to g) and its appendix",
    "explanations": "the figure on MIP stability",
    "ablation": "the figures on ablations, on simulated classes instead of real ones",
    "convergence": "the sampling protocol of section 4",
}
"""What each study repeats of the paper; the others are our own."""

METRICS = {
    "true_grade_mae": "true grades:\nmean absolute error (of 5)",
    "latent_mae": "latent true grades:\nmean absolute error (of 5)",
    "true_grade_rmse": "true grades:\nroot mean square error (of 5)",
    "true_grade_accuracy": "true grades:\nshare of most likely ones right",
    "bias_mae": "biases:\nmean absolute error (of 5)",
    "reliability_spearman": "reliabilities:\nrank correlation (Spearman)",
    "effort_spearman": "efforts:\nrank correlation (Spearman)",
    "most_likely_mae": "most likely grades",
    "explained_mae": "explained grades",
    "mean_mae": "rounded mean of reports",
    "most_likely_differs": "share of grades where\nexplained differs from most likely",
    "elpd_change": "change of the log probability\nof all reviews",
    "significant": "share of classes\nwith p < 0.05",
    "grade_change": "mean change of grades (of 5)",
    "true_grade_error": "true grades: average error",
    "reliability_error": "reliabilities: average error",
    "effort_error": "efforts: average error",
    "rhat_max": "largest R-hat",
}
"""What is measured, in words and with its unit."""

SEVERAL = "grades:\nmean absolute error (of 5)"
"""The label of an axis with several metrics."""

SETTINGS = {
    "weeks": "weeks",
    "graders": "graders per submission",
    "students": "students",
    "draws": "draws of each of four chains",
    "ta": "a TA's own grades",
    "ta_fitted": "a TA's grades, fitted",
    "mu_s": "assumed mean grade μ_s",
    "sigma_s": "assumed sd of grades σ_s",
    "sigma_b": "assumed sd of biases σ_b",
    "tau_l": "assumed precision τ_ℓ",
    "tau_mean": "assumed mean reliability",
    "tau_variance": "assumed var. of reliability",
    "e_mean": "assumed mean effort",
    "model": "model",
    "priors": "priors, ten weeks",
    "priors_one_week": "priors, one week",
    "estimator": "estimate",
}
"""What varies, in words."""

VALUES = {
    f"wrong {name}": f"wrong {symbol}"
    for name, symbol in zip(("mu_s", "sigma_s", "sigma_b", "tau_l"), ("μ_s", "σ_s", "σ_b", "τ_ℓ"), strict=True)
}
"""What some values of settings are called."""


def letters(classes: Iterable[str]) -> str:
    """Classes by their letters.

    >>> letters("abc"), letters("b")
    ('(a), (b) and (c)', '(b)')
    """
    *others, last = (f"({name})" for name in classes)
    return f"{', '.join(others)} and {last}" if others else last


def flat(metric: str) -> str:
    """A metric in words, on one line."""
    return METRICS.get(metric, metric).replace("\n", " ")
