"""Bugs that tests must catch: copies of the kernels in which one piece of text is wrong.

Compiling a sampler takes long. So all bugs of a sampler are in one copy of it, in which each function that a bug is
planted in has a right and a wrong version, and a number that is read while it runs decides between them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

from peerage.inference.censored import censored_sweep, collapsed_graders
from peerage.inference.latent import latent_sweep
from peerage.inference.latent.given_reports import (
    grade_updates,
    latent_drift,
    latent_halos,
    latent_slopes,
    learning_latent_graders,
)
from peerage.inference.latent.grader_by_grader import (
    efforts_and_reports_before_rounding,
    latent_habits,
    latent_heaping,
)
from peerage.inference.uncensored import uncensored_learning, uncensored_sweep
from peerage.model import Model
from support.faults.planted_copies import Replacement, broken_module, load_copy, replaced, source_of, with_a_choice
from support.faults.planted_switch import choose_bug


class Bug(NamedTuple):
    """Where the bug is, a model that has it, and the right and the wrong text."""

    module: ModuleType
    model: Model
    right: str
    wrong: str


PLANTED: dict[str, Bug] = {
    "efforts ignored by the bias": Bug(
        uncensored_sweep,
        Model(censoring=False, priors="paper"),
        """    weighted = 0.0
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        if state.effortful[review]:""",
        """    weighted = 0.0
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        if True:""",
    ),
    "a wrong sign": Bug(
        uncensored_sweep,
        Model(censoring=False, priors="paper"),
        "gap = given.value[report] - state.bias[grader] -",
        "gap = given.value[report] + state.bias[grader] -",
    ),
    "bias counted once a submission": Bug(
        uncensored_sweep,
        Model(effort=False, censoring=False, priors="paper"),
        "                precision += reliability\n",
        "            precision += reliability\n",
    ),
    "shape counted once a review": Bug(
        uncensored_sweep,
        Model(effort=False, censoring=False, priors="paper"),
        "                count += 1\n",
        "            count += 1\n",
    ),
    "low effort on the wrong side of the odds": Bug(
        collapsed_graders,
        Model(priors="paper", correlation=True),
        "careless += given.beliefs.log_low_effort[report]",
        "careless -= given.beliefs.log_low_effort[report]",
    ),
    "efforts drawn by the wrong odds": Bug(
        efforts_and_reports_before_rounding,
        Model(priors="paper"),
        "probability = chance_of_effort(state.effort[grader], careful, careless)",
        "probability = chance_of_effort(state.effort[grader], careless, careful)",
    ),
    "a precision taken for a standard deviation": Bug(
        grade_updates,
        Model(priors="paper"),
        "sd = 1.0 / math.sqrt(cells.precision[cell])",
        "sd = 1.0 / cells.precision[cell]",
    ),
    "half a shape for each report": Bug(
        learning_latent_graders,
        Model(priors="paper", effort=False),
        "shape = prior[group[grader], 0] + 0.5 * sums[grader, _COUNT]",
        "shape = prior[group[grader], 0] + 0.25 * sums[grader, _COUNT]",
    ),
}

LEARNING_BUG = "the mean bias's own term is forgotten"
SHARED_BUGS = {
    "biases and reliabilities forget the halos": Replacement(
        learning_latent_graders, "errors.own[report], errors.loading[report]", "errors.own[report], 0.0"
    ),
    "noises are turned without their mean": Replacement(grade_updates, " - cells.weighted[cell] / root", ""),
    "shares of halo are weighed without a determinant": Replacement(latent_halos, "(logs - math.log(whole))", "logs"),
    "the spread of slopes forgets how well they are known": Replacement(
        latent_slopes, "variance = sd * sd + 1.0 / weight", "variance = sd * sd"
    ),
    "the share of habits counts those who have none": Replacement(
        latent_habits, "with_one += habit[grader] > 0", "with_one += habit[grader] == 0"
    ),
}
HEAPING_BUGS = {
    "low effort is taken to be rounded to the finest grade": Replacement(
        latent_heaping, "weights[coarse.share[place] - own] = all_weights[coarse.share[place]] * mass", "pass"
    ),
    "a bin counts wherever the report before rounding lies": Replacement(
        latent_heaping, "if place == last or coarse.low[place] <= value < coarse.high[place]:", "if True:"
    ),
}
DRIFT_BUGS = {
    "biases that drift forget the halos": Replacement(
        latent_drift, "errors.own[report], errors.loading[report]", "errors.own[report], 0.0"
    ),
}

_BUGS: dict[str, Replacement] = {
    **{name: Replacement(bug.module, bug.right, bug.wrong) for name, bug in PLANTED.items()},
    LEARNING_BUG: Replacement(uncensored_learning, " - prior * mean**2)", ")"),
    **SHARED_BUGS,
    **HEAPING_BUGS,
    **DRIFT_BUGS,
}
_NUMBERS = {name: number for number, name in enumerate(_BUGS, start=1)}

_SWEEPS = {
    collapsed_graders: censored_sweep,
    **dict.fromkeys((uncensored_sweep, uncensored_learning), uncensored_sweep),
}
"""The sweeps that use the modules in which bugs are planted; all others are used by the latent ones."""


def broken(name: str) -> Callable[..., None]:
    """A sweep with the bug of this name."""
    return _choosing(name, _NUMBERS[name])


def without_bug(name: str) -> Callable[..., None]:
    """The same sweep, but without the bug."""
    return _choosing(name, 0)


def _choosing(name: str, number: int) -> Callable[..., None]:
    sweep = _with_all_bugs(_SWEEPS.get(_BUGS[name].module, latent_sweep)).sweep

    def chosen(*arguments: Any) -> None:
        choose_bug(number)
        sweep(*arguments)

    return chosen


def broken_part(name: str) -> Any:
    """A copy of the module with the bug of this name."""
    return broken_module(_BUGS[name])


@cache
def _with_all_bugs(sampler: ModuleType) -> Any:
    """A copy of a module with sweeps, and of the modules with bugs that it uses, in which all bugs can be chosen."""
    bugs: dict[ModuleType, dict[int, Replacement]] = defaultdict(dict)
    for name, bug in _BUGS.items():
        if _SWEEPS.get(bug.module, latent_sweep) is sampler:
            bugs[bug.module][_NUMBERS[name]] = bug
    text = source_of(sampler)
    if sampler in bugs:
        text = with_a_choice(text, bugs.pop(sampler))
    for module, planted in bugs.items():
        copy = load_copy(module, with_a_choice(source_of(module), planted))
        text = replaced(text, f"from {module.__name__} import", f"from {copy.__name__} import")
    return load_copy(sampler, text)
