"""Priors that are learned from the class: what they are, what is believed of them beforehand, how they are updated.

Each hyperparameter has a coordinate θ on the whole line (a logarithm, a logit, or itself) with a normal hyperprior.
A sweep moves every coordinate by a random walk. Wherever that is cheap, the variables
whose prior it is are summed out: reliabilities, biases and efforts are, which spares the chain the slow climb between a
spread and what it spreads. Step sizes adapt during burn-in and are constant from then on.

What a learned model adds to the paper's: the low-effort report has a centre of its own, so that shirkers do not tell
the model where the class's mean is; TAs have their own mean reliability; and where staff graded, they define the scale:
their biases have a narrow prior around 0, and the students' a mean of their own. The share of uniform reports, ε, is
not learned. Equations are those of docs/model.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peerage.inference.numerics.arrays import F64, I64
from peerage.inference.numerics.jit import jit
from peerage.inference.numerics.vectors import sum_of

EPSILON = 0.05
"""The share of low-effort reports that is uniform."""

STUDENTS, TAS, MACHINES, AUTHORS = 0, 1, 3, 4
"""Groups of graders whose priors differ; authors are, with correlation, the students who wrote something."""

LIKE_STUDENTS, LEARNED_SPREAD = 0.0, -1.0
"""What stands for the spread of a group's biases where it is the students', or learned for the group."""

LARGEST_TAU_L = np.log(8.0)
"""The bound of log τ_ℓ where neighbouring grades are one apart or less, on the model's scale."""

LARGEST_EXACT_TAU_L = np.log(4.0)
"""The bound for reports that are taken as exact numbers: the density of many that are equal has no bound."""

MEAN_BIAS_SPREAD = 1.0
"""The spread of the hyperprior of the students' mean bias."""

ALIKE = np.log(400.0)
"""The coordinate of the shape of students' reliabilities where all are alike, up to a standard deviation of 5 %."""

TA_SHAPE = 4.0
"""The shape of the Gamma prior of TAs' reliabilities: a class has too few TAs to learn it."""


MACHINE_SHAPE = 2.0
"""The shape of the Gamma prior of machines' reliabilities, whose mean is 1: a class has too few to learn either."""


OFF = -40.0
"""The coordinate of a share that is not part of the model: as a number it is nothing beside 1."""


class Hyperparameter(NamedTuple):
    """A hyperparameter, centre and spread of the hyperprior of its coordinate, and what it says of a class.

    A spread of 0 stands for a hyperprior of its own (:mod:`peerage.inference.latent`).
    """

    name: str
    symbol: str
    coordinate: str
    centre: float
    spread: float
    meaning: str


CLASSWIDE = (
    Hyperparameter("sigma_b", "σ_b", "log", np.log(0.5), 0.8, "how much graders' generosity differs (sd)"),
    Hyperparameter("mean_bias", "μ_b", "", 0.0, MEAN_BIAS_SPREAD, "how much more generous students are than staff"),
    Hyperparameter("reliability", "α_τ/β_τ", "log", 0.0, 0.7, "a typical student's reliability when trying"),
    Hyperparameter("reliability_shape", "α_τ", "log", np.log(2), 0.5, "how alike students' reliabilities are"),
    Hyperparameter("reliability_ta", "α_τ/β_τ of TAs", "log", np.log(2), 0.5, "a typical TA's reliability"),
    Hyperparameter("effort", "α_e/(α_e+β_e)", "logit", 0.83, 0.96, "the share of reviews done with effort"),
    Hyperparameter("effort_concentration", "α_e+β_e", "log", np.log(6), 0.7, "how alike students' efforts are"),
    Hyperparameter("tau_l", "τ_ℓ", "log", np.log(2), 0.6, "how much low-effort reports keep to one grade"),
    Hyperparameter("sigma_tau", "1/√β₀", "log", np.log(2), 0.5, "how far reliability is from what own grades suggest"),
    Hyperparameter("lambda_tau", "λ", "log", np.log(2), 0.5, "the own true grade that goes with a reliability of 1"),
    Hyperparameter("sigma_ta", "σ_b of TAs", "log", np.log(0.2), 0.5, "how much TAs' generosity differs (sd)"),
    Hyperparameter("merit", "q", "logit", OFF, 0.0, "the part of true grades' variance that components share"),
    Hyperparameter("halo", "h", "logit", OFF, 0.0, "the part of errors' variance that a review's components share"),
    Hyperparameter("habit", "ρ", "logit", OFF, 0.0, "the share of students who give one grade whatever the work"),
    Hyperparameter("scale", "ω", "log", np.log(0.2), 0.5, "how much students' use of the scale differs (sd)"),
    Hyperparameter("rounded_whole", "ζ₁", "logit", OFF, 0.0, "the share of grades that are rounded to whole points"),
    Hyperparameter("rounded_half", "ζ_½", "logit", OFF, 0.0, "the share of grades that are rounded to half points"),
    Hyperparameter("rounded_quarter", "ζ_¼", "logit", OFF, 0.0, "the share of grades that are rounded to quarters"),
    Hyperparameter("rounded_ten", "ζ₁₀", "logit", OFF, 0.0, "the share of grades that are rounded to tens"),
    Hyperparameter("rounded_five", "ζ₅", "logit", OFF, 0.0, "the share of grades that are rounded to fives"),
    Hyperparameter("rounded_one", "ζ₁", "logit", OFF, 0.0, "the share of long-scale grades rounded to whole points"),
    Hyperparameter("drift", "σ_d", "log", np.log(0.2), 0.8, "how far biases move from one assignment to the next (sd)"),
)
"""Of the whole class. The hyperprior of TAs' reliability is centred at twice the students'."""

PER_COMPONENT = (
    Hyperparameter("mu_s", "μ_s", "", 3.5, 1.5, "the mean true grade"),
    Hyperparameter("sigma_s", "σ_s", "log", np.log(0.8), 0.5, "how much true grades differ (sd)"),
    Hyperparameter("mu_l", "μ_ℓ", "", 0.0, 0.5, "where low-effort reports are centred"),
    Hyperparameter("component_halo", "h_c", "logit", OFF, 0.7, "the part of its errors' variance that is shared"),
    Hyperparameter("component_error", "δ_c", "log", 0.0, 0.25, "how large its errors are beside other components'"),
)
"""Of each component. The hyperprior of μ_ℓ is centred at the component's mean report, that of h_c at h.

What is believed of μ_s is believed of its average over the components, and likewise of their differences from it: many
components are to say no more about the level of the class than one. The logarithms of the δ_c add up to 0.
"""

(
    SIGMA_B,
    MEAN_BIAS,
    RELIABILITY,
    SHAPE,
    RELIABILITY_TA,
    EFFORT,
    CONCENTRATION,
    TAU_L,
    SIGMA_TAU,
    LAMBDA_TAU,
    SIGMA_TA,
    MERIT,
    HALO,
    HABIT,
    SCALE,
    ROUNDED,
) = range(16)
SIGMA_S, MU_L, HALO_HERE, ERROR = 1, 2, 3, 4
"""Places among ``PER_COMPONENT``."""

N_CLASSWIDE = len(CLASSWIDE)
DRIFT = N_CLASSWIDE - 1
N_UNITS = 3
"""How many units a kind of scale has; their shares stand from ``ROUNDED`` on, a short scale's and a long one's."""

_CENTRE = np.array([entry.centre for entry in CLASSWIDE])
_SPREAD = np.array([entry.spread for entry in CLASSWIDE])
MEAN_CENTRE, _LOG_SD_CENTRE = (entry.centre for entry in PER_COMPONENT[:2])
MEAN_SPREAD, _LOG_SD_SPREAD, _CENTRE_SPREAD, HALO_SPREAD, ERROR_SPREAD = (entry.spread for entry in PER_COMPONENT)
N_PER_COMPONENT = len(PER_COMPONENT)
REPEATS = 3
"""How often a sweep moves those hyperparameters whose moves cost next to nothing."""
_TARGET, _GAIN = 0.44, 0.15
"""The acceptance rate at which a random walk in one dimension is most efficient, and the speed of adaptation."""


def coordinates(n_components: int) -> list[tuple[Hyperparameter, int | None]]:
    """The entries of θ in order, each with its component, if it has one."""
    entries: list[tuple[Hyperparameter, int | None]] = [(entry, None) for entry in CLASSWIDE]
    return entries + [(entry, component) for entry in PER_COMPONENT for component in range(n_components)]


def of_components(index: int, n_components: int) -> slice:
    """Where in θ the values of one of ``PER_COMPONENT`` stand."""
    return slice(N_CLASSWIDE + index * n_components, N_CLASSWIDE + (index + 1) * n_components)


def natural(theta: F64, n_components: int) -> F64:
    """Values of hyperparameters from their coordinates, along the last axis."""
    values = np.array(theta, dtype=np.float64)
    for index, (entry, _) in enumerate(coordinates(n_components)):
        if entry.coordinate == "log":
            values[..., index] = np.exp(values[..., index])
        elif entry.coordinate == "logit":
            values[..., index] = 1 / (1 + np.exp(-values[..., index]))
    return values


def draw_hyperprior(n_components: int, rng: np.random.Generator, spread: float = 1.0) -> F64:
    """θ drawn from the hyperprior, its standard deviations multiplied by ``spread``; μ_ℓ around 0.

    Shares have hyperpriors of their own, and what is off unless it is chosen stays at its centre.
    """
    theta = np.zeros(N_CLASSWIDE + N_PER_COMPONENT * n_components)
    theta[:N_CLASSWIDE] = _CENTRE
    theta[:ROUNDED] += spread * _SPREAD[:ROUNDED] * rng.standard_normal(ROUNDED)
    theta[RELIABILITY_TA] += theta[RELIABILITY]
    for index, entry in enumerate(PER_COMPONENT):
        part = of_components(index, n_components)
        theta[part] = entry.centre
        if index < HALO_HERE:
            theta[part] += spread * entry.spread * rng.standard_normal(n_components)
    means = theta[N_CLASSWIDE : N_CLASSWIDE + n_components]
    means += MEAN_CENTRE + spread * MEAN_SPREAD * rng.standard_normal() - means.mean()
    return theta


def draw_shared_errors(n_components: int, rng: np.random.Generator, theta: F64) -> None:
    """Put into θ what components of reviews share of their errors, drawn from the hyperprior given h."""
    centre = theta[HALO] + HALO_SPREAD * rng.standard_normal(n_components)
    theta[of_components(HALO_HERE, n_components)] = centre
    errors = ERROR_SPREAD * rng.standard_normal(n_components)
    theta[of_components(ERROR, n_components)] = errors - errors.mean()


@jit
def place_of(theta: F64, index: int, component: int) -> int:
    """Where in θ a component's value of one of ``PER_COMPONENT`` stands."""
    return int(N_CLASSWIDE + index * ((len(theta) - N_CLASSWIDE) // N_PER_COMPONENT) + component)


@jit
def mu_s(theta: F64, component: int) -> float:
    """The mean true grade of a component, μ of equation (1)."""
    return float(theta[N_CLASSWIDE + component])


@jit
def mean_of_means(theta: F64) -> float:
    """The mean true grade, averaged over the components."""
    n_components = (len(theta) - N_CLASSWIDE) // N_PER_COMPONENT
    return sum_of(theta[N_CLASSWIDE : N_CLASSWIDE + n_components]) / n_components


@jit
def sigma_s(theta: F64, component: int) -> float:
    """The standard deviation of a component's true grades, σ of equation (1)."""
    return float(np.exp(theta[place_of(theta, SIGMA_S, component)]))


@jit
def mu_l(theta: F64, component: int) -> float:
    """The centre of a component's low-effort reports, μ_ℓ of equation (2)."""
    return float(theta[place_of(theta, MU_L, component)])


@jit
def bias_prior(group: int, has_staff: bool, spreads: F64, theta: F64) -> tuple[float, float]:
    """Mean and standard deviation of a group's biases, equation (1), from the spread that is set for the group."""
    if spreads[group] > 0.0:
        return 0.0, float(spreads[group])
    if spreads[group] == LEARNED_SPREAD:
        return 0.0, float(np.exp(theta[SIGMA_TA]))
    return (float(theta[MEAN_BIAS]) if has_staff else 0.0), float(np.exp(theta[SIGMA_B]))


@jit
def is_idle(index: int, has_staff: bool, spreads: F64) -> bool:
    """Whether a hyperparameter of biases is not learned: the mean without staff, or the spread of TAs that is set."""
    return bool((index == MEAN_BIAS and not has_staff) or (index == SIGMA_TA and spreads[TAS] != LEARNED_SPREAD))


def largest_tau_l(steps: F64, censoring: bool) -> float:
    """The bound of log τ_ℓ, from the distances of neighbouring grades.

    Low-effort reports are not to become a spike that stands for the grade that most give: where grades are further
    apart, a wider distribution would be one.
    """
    if not censoring:
        return float(LARGEST_EXACT_TAU_L)
    return float(LARGEST_TAU_L - 2.0 * np.log(max(steps.max(), 1.0)))


@jit
def effort_prior(theta: F64) -> tuple[float, float]:
    """The two parameters of the Beta prior of efforts, equation (1)."""
    mean = 1.0 / (1.0 + np.exp(-theta[EFFORT]))
    total = np.exp(theta[CONCENTRATION])
    return float(total * mean), float(total * (1.0 - mean))


@jit
def log_hyperprior(theta: F64) -> float:
    """Log density of θ but for μ_ℓ, whose hyperprior depends on the reports, up to a constant.

    It is the table of learned priors in docs/model.md. Shares have hyperpriors of their own.
    """
    total = 0.0
    for index in range(N_CLASSWIDE):
        if _SPREAD[index] == 0.0:
            continue
        centre = _CENTRE[index]
        if index == RELIABILITY_TA:
            centre += theta[RELIABILITY]
        total -= 0.5 * ((theta[index] - centre) / _SPREAD[index]) ** 2
    n_components = (len(theta) - N_CLASSWIDE) // N_PER_COMPONENT
    average = mean_of_means(theta)
    total -= 0.5 * ((average - MEAN_CENTRE) / MEAN_SPREAD) ** 2
    for component in range(n_components):
        mean = theta[N_CLASSWIDE + component]
        log_sd = theta[N_CLASSWIDE + n_components + component]
        total -= 0.5 * ((mean - average) / MEAN_SPREAD) ** 2
        total -= 0.5 * ((log_sd - _LOG_SD_CENTRE) / _LOG_SD_SPREAD) ** 2
    return total


@jit
def log_centre(theta: F64, component: int, mean_report: float) -> float:
    """Log density, up to a constant, of the centre of a component's low-effort reports."""
    return float(-0.5 * ((mu_l(theta, component) - mean_report) / _CENTRE_SPREAD) ** 2)


@jit
def propose(rng: np.random.Generator, theta: F64, width: F64, index: int) -> tuple[float, float]:
    """Move one coordinate; returns its old value and the hyperprior's old log density."""
    old, before = theta[index], log_hyperprior(theta)
    theta[index] = old + width[index] * rng.standard_normal()
    return float(old), before


@jit
def settle(rng: np.random.Generator, theta: F64, width: F64, index: int, old: float, gain: float, adapt: bool) -> bool:
    """Accept a move whose log posterior ratio is ``gain``, or take it back; adapt the width of the next one."""
    accepted = bool(np.log(rng.random()) < gain)
    if not accepted:
        theta[index] = old
    if adapt:
        width[index] *= np.exp(_GAIN * ((1.0 if accepted else 0.0) - _TARGET))
    return accepted


@jit
def learn_effort(rng: np.random.Generator, adapt: bool, theta: F64, width: F64, exceeding: I64) -> None:
    """Move the effort prior's two hyperparameters, efforts summed out, by the first factor of equation (15).

    ``exceeding`` has, for k = 0, 1, …, how many graders have more than k effortful, low-effort and any reviews.
    """
    current = _log_beta_binomial(theta, exceeding)
    for _ in range(REPEATS):
        for index in (EFFORT, CONCENTRATION):
            old, before = propose(rng, theta, width, index)
            proposed = _log_beta_binomial(theta, exceeding)
            if settle(rng, theta, width, index, old, proposed - current + log_hyperprior(theta) - before, adapt):
                current = proposed


@jit
def _log_beta_binomial(theta: F64, exceeding: I64) -> float:
    """Log of the first factor of equation (15): ratios of Beta functions, as products.

    Graders share most of their factors, so that a pass over the numbers of reviews does, instead of one over graders.
    """
    alpha, beta = effort_prior(theta)
    total = 0.0
    for k in range(exceeding.shape[1]):
        if exceeding[2, k] == 0:
            break
        total -= exceeding[2, k] * np.log(alpha + beta + k)
        if exceeding[0, k]:
            total += exceeding[0, k] * np.log(alpha + k)
        if exceeding[1, k]:
            total += exceeding[1, k] * np.log(beta + k)
    return total


@jit
def add_to_exceeding(made: int, count: int, exceeding: I64) -> None:
    """Count one more grader, who made an effort in ``made`` of ``count`` reviews, for equation (15).

    In a loop: along with sums over slices, numba compiles error messages for shapes that do not match.
    """
    for k in range(count):
        exceeding[0, k] += k < made
        exceeding[1, k] += k < count - made
        exceeding[2, k] += 1


@jit
def count_efforts(grader_reviews: I64, effortful: I64, apart: np.ndarray, exceeding: I64) -> None:
    """Fill ``exceeding`` from the number of effortful reviews of each grader whose effort has the class's prior.

    This is what suffices for the first factor of equation (15).
    """
    exceeding[:] = 0
    for grader in range(len(effortful)):
        if not apart[grader]:
            count = grader_reviews[grader + 1] - grader_reviews[grader]
            add_to_exceeding(effortful[grader], count, exceeding)
