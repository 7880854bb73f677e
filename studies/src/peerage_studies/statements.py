"""What the paper states about each experiment, and what we expect of our own, as claims to be judged.

The paper's text shows one of its three classes, without saying which, and says that the others lead to the same
conclusions. So a number has to be met in one of them, and a direction in all.
"""

from __future__ import annotations

from functools import partial

from peerage_studies.claims import Claim, Judge, Measured
from peerage_studies.judges import Robust, Worse
from peerage_studies.quantities import (
    Above,
    At,
    Below,
    Change,
    Highest,
    NotAbove,
    Place,
    Quantity,
    Rounded,
    Small,
    Within,
)

RELIABILITY, EFFORT, BIAS, GRADES = "reliability_spearman", "effort_spearman", "bias_mae", "true_grade_mae"

_number = partial(Claim, everywhere=False)
"""A claim about a number."""

_expected = partial(Claim, ours=True)
"""A claim of our own."""

Value = float | str | Place


def _from(metric: str, setting: str, first: Value, last: Value) -> Quantity:
    """How a metric changes from one value of a setting to another."""
    return Change(At(metric, setting, last), At(metric, setting, first))


def _little(metric: str, setting: str, first: Value, last: Value) -> Judge:
    """That a metric changes by a small share of itself from one value of a setting to another."""
    return Measured(Change(At(metric, setting, last), At(metric, setting, first), relative=True), Small(), percent=True)


def _hurts(metric: str, setting: str, value: Place) -> Judge:
    """That a wrong value of a hyperparameter raises an error, or lowers a correlation."""
    return Measured(_from(metric, setting, Place.TRUE, value), Below() if metric in (RELIABILITY, EFFORT) else Above())


_WEEKS = (
    _number("reliability: correlation 0.6 after 1 week", Measured(At(RELIABILITY, "weeks", 1), Rounded(0.6, 0.1))),
    _number("reliability: correlation 0.9 after 8 weeks", Measured(At(RELIABILITY, "weeks", 8), Rounded(0.9, 0.1))),
    _number("effort: correlation 0.3 after 1 week", Measured(At(EFFORT, "weeks", 1), Rounded(0.3, 0.1))),
    _number("effort: correlation 0.7 in later weeks (here: 10)", Measured(At(EFFORT, "weeks", 10), Rounded(0.7, 0.1))),
    Claim("reliability improves over the weeks (1 to 8)", Measured(_from(RELIABILITY, "weeks", 1, 8), Above())),
    Claim("effort improves over the weeks (1 to 8)", Measured(_from(EFFORT, "weeks", 1, 8), Above())),
    Claim("the error of bias falls over the weeks (1 to 8)", Measured(_from(BIAS, "weeks", 1, 8), Below())),
    Claim("the error of true grades improves very little (1 to 8 weeks)", _little(GRADES, "weeks", 1, 8)),
)

_TA = At(GRADES, "ta", 2)
_TEN_STUDENTS = (
    "with one grader per submission, a class has only ten students, with no other reports to compare theirs with"
)
_GRADERS = (
    _number("MAE of true grades 0.52 with 1 grader", Measured(At(GRADES, "graders", 1), Rounded(0.52))),
    _number("MAE of true grades 0.41 with 4 graders", Measured(At(GRADES, "graders", 4), Rounded(0.41))),
    _number("MAE of true grades below 0.2 with 32 graders", Measured(At(GRADES, "graders", 32), Below(0.2))),
    _number("MAE of a TA of reliability 2: 0.48", Measured(_TA, Rounded(0.48))),
    _number("4 graders are better than the TA", Measured(Change(At(GRADES, "graders", 4), _TA), Below())),
    Claim(
        "the error of true grades falls with more graders (1 to 32)", Measured(_from(GRADES, "graders", 1, 32), Below())
    ),
    Claim(
        "more graders have little effect on reliability (1 to 32)",
        _little(RELIABILITY, "graders", 1, 32),
        why=_TEN_STUDENTS,
    ),
    Claim(
        "more graders have little effect on effort (1 to 32)",
        _little(EFFORT, "graders", 1, 32),
        why="where low-effort reports are spread as widely as others (τ_ℓ = 1), they stand out only by their distance "
        "from the submission's other reports, and a single grader has none",
    ),
    Claim("more graders have little effect on bias (1 to 32)", _little(BIAS, "graders", 1, 32), why=_TEN_STUDENTS),
)

_SIZES = (Place.LOWEST, Place.HIGHEST)
_STUDENTS = (
    Claim("class size has little effect on true grades", _little(GRADES, "students", *_SIZES)),
    Claim("class size has little effect on reliability", _little(RELIABILITY, "students", *_SIZES)),
    Claim("class size has little effect on effort", _little(EFFORT, "students", *_SIZES)),
    Claim("class size has little effect on bias", _little(BIAS, "students", *_SIZES)),
)

_ROBUST = ("tau_mean", "tau_variance", "e_mean")
_METRICS = (GRADES, RELIABILITY, EFFORT, BIAS)
_MISSPECIFICATION = (
    _number(
        "MAE of true grades 0.44 with the right priors",
        Measured(At(GRADES, "mu_s", Place.TRUE), Rounded(0.44)),
        why="with the same number of graders and no TAs, the paper itself has 0.41; this may be another kind of error: "
        "see below",
    ),
    _number(
        "our reading: 0.44 is the error of latent grades, which may lie beyond the ends of the rubric",
        Measured(At("latent_mae", "mu_s", Place.TRUE), Rounded(0.44)),
        ours=True,
    ),
    _number(
        "as high as 0.53 with a wrong μ_s or σ_s",
        Measured(Highest(GRADES, ("mu_s", "sigma_s")), Rounded(0.53)),
        why="this depends on how wrong the priors are, which the paper does not say; here μ_s is wrong by up to 1",
    ),
    Claim("μ_s too low hurts true grades", _hurts(GRADES, "mu_s", Place.LOWEST)),
    Claim("μ_s too high hurts true grades", _hurts(GRADES, "mu_s", Place.HIGHEST)),
    Claim("σ_s too low hurts true grades", _hurts(GRADES, "sigma_s", Place.LOWEST)),
    Claim("σ_s too high hurts true grades", _hurts(GRADES, "sigma_s", Place.HIGHEST)),
    Claim("τ_ℓ too low hurts effort", _hurts(EFFORT, "tau_l", Place.LOWEST)),
    Claim("τ_ℓ too high hurts effort", _hurts(EFFORT, "tau_l", Place.HIGHEST)),
    Claim("σ_b far below the truth hurts bias", _hurts(BIAS, "sigma_b", Place.LOWEST), classes="bc"),
    Claim(
        "most changes caused by wrong priors for reliability and effort are small",
        Robust(_ROBUST, _METRICS, small=True),
    ),
    Claim("most of these changes are insignificant", Robust(_ROBUST, _METRICS, small=False)),
)

_EXPLAINED, _MOST_LIKELY = "explained_mae", "most_likely_mae"


def _gap(graders: float, *, relative: bool = False) -> Change:
    """By how much explained grades are worse than the most likely ones."""
    return Change(At(_EXPLAINED, "graders", graders), At(_MOST_LIKELY, "graders", graders), relative)


_EXPLANATIONS = (
    Claim("explained grades are worse than the most likely ones with 1 grader", Measured(_gap(1), Above())),
    Claim("the gap closes as graders are added (1 to 7)", Measured(Change(_gap(7), _gap(1)), Below())),
    Claim(
        "the MAEs are nearly equal with 7 graders",
        Measured(_gap(7, relative=True), Small(), percent=True),
        why=dict.fromkeys("bc", "where biases are large (σ_b = 1), averages of reports are biased too"),
    ),
    _number(
        "3 to 6 % of grades differ (real classes with 4 to 5 peers; here: 4 graders)",
        Measured(At("most_likely_differs", "graders", 4), Within(0.03, 0.06), percent=True),
        why="the real classes also had grades by staff, and a fifth peer for many submissions: each further grader "
        "allows more averages",
    ),
    _number(
        "our reading: these 3 to 6 % are those of submissions with 5 peers",
        Measured(At("most_likely_differs", "graders", 5), Within(0.03, 0.06), percent=True),
        ours=True,
    ),
)

_CHANGE, _MODEL = "grade_change", "model"
_ABLATION = (
    Claim("without censoring held-out likelihood drops significantly in every class", Worse("no censoring")),
    Claim("without effort it drops significantly in half of the classes (two of four)", Worse("no effort", share=0.5)),
    Claim(
        "without bias it drops significantly in every class",
        Worse("no bias"),
        why={
            "a": "biases of 0.1 are small compared with the noise of a report; in a real class, the bias may also "
            "absorb other misfits"
        },
    ),
    Claim("correlation does not help", Measured(At("elpd_change", _MODEL, "correlation"), NotAbove(), decimals=1)),
    Claim(
        "without censoring grades change by 0.05 to 0.15",
        Measured(At(_CHANGE, _MODEL, "no censoring"), Within(0.05, 0.15)),
    ),
    Claim(
        "without effort grades change by 0.05 to 0.15", Measured(At(_CHANGE, _MODEL, "no effort"), Within(0.05, 0.15))
    ),
)

_CONVERGENCE = tuple(
    _number(
        f"4 × 1,000 draws: {words} are off by {stated:.0%}".replace("%", " %"),
        Measured(At(f"{name}_error", "draws", 1000), Rounded(stated), percent=True, decimals=4),
        why="our draws are less correlated, so the same number of them is more precise",
    )
    for name, words, stated in (
        ("true_grade", "true grades", 0.01),
        ("reliability", "reliabilities", 0.03),
        ("effort", "efforts", 0.01),
    )
)


def _learned(setting: str, bound: float) -> Judge:
    """That learned priors cost less than a share of the error with true ones."""
    change = Change(At(GRADES, setting, "learned"), At(GRADES, setting, "true"), relative=True)
    return Measured(change, Below(bound), percent=True)


_LEARNED = (
    _expected(
        "learned priors: the error of true grades is less than 3 % larger than with true ones", _learned("priors", 0.03)
    ),
    _expected("after one week: less than 5 % larger", _learned("priors_one_week", 0.05)),
    *(
        _expected(
            f"learned priors: the error of true grades is smaller than with a wrong {symbol}",
            Measured(_from(GRADES, "priors", f"wrong {name}", "learned"), Below()),
            why=why,
        )
        for name, symbol, why in (
            ("mu_s", "μ_s", ""),
            ("sigma_s", "σ_s", ""),
            ("sigma_b", "σ_b", {"a": "after ten weeks, a σ_b that is too large hardly affects true grades"}),
            ("tau_l", "τ_ℓ", "a wrong τ_ℓ hardly affects true grades; it affects efforts"),
        )
    ),
    _expected(
        "learned priors: the error of biases is smaller than with a wrong σ_b",
        Measured(_from(BIAS, "priors", "wrong sigma_b", "learned"), Below()),
    ),
    _expected(
        "learned priors: efforts are ranked better than with a wrong τ_ℓ",
        Measured(_from(EFFORT, "priors", "wrong tau_l", "learned"), Above()),
    ),
)

_BASELINES = tuple(
    _expected(
        f"the full model's error of true grades is smaller than that of {words}",
        Measured(_from(GRADES, "estimator", name, "full"), Below()),
    )
    for name, words in (("mean", "the mean"), ("median", "the median"), ("PG1", "PG1"))
)

CLAIMS: dict[str, tuple[Claim, ...]] = {
    "recovery-weeks": _WEEKS,
    "recovery-graders": _GRADERS,
    "recovery-students": _STUDENTS,
    "misspecification": _MISSPECIFICATION,
    "explanations": _EXPLANATIONS,
    "ablation": _ABLATION,
    "convergence": _CONVERGENCE,
    "learned-priors": _LEARNED,
    "baselines": _BASELINES,
}
"""The claims about each study, in the paper's order."""
