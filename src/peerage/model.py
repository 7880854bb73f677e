"""What is believed before the grades are seen: the model's features, its priors, and what is held fixed.

Hyperparameters carry the paper's names and are on the scale of 0 to 5.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import tomli_w

from peerage.errors import InputError, ModelError, Problem
from peerage.support.files.textfile import parse_toml, read_text

LEARNED = "learned"
"""What stands for priors that are learned from the class."""

STUDENTS = "students"
"""What stands for biases that are drawn like the students'."""

SHARED = ("merit", "halo")
"""What components share: of the merit of a submission, and of the error of a review."""

WHERE_POSSIBLE = (*SHARED, "habits", "scale", "floors", "heaping")
"""Features that are on where they can be, unless they are set."""

INSTRUCTOR_RELIABILITY = 16.0
"""The reliability at which instructors' grades are clamped (the paper, section 4)."""

INSTRUCTOR_SPREAD = 0.1
"""How much instructors' biases differ (standard deviation) unless told otherwise."""

MACHINE_SPREAD = 1.0
"""How much machines' biases differ (standard deviation): whatever a machine misjudges, it misjudges everywhere."""


@dataclass(frozen=True)
class Priors:
    """Fixed hyperparameters of the paper's model.

    Attributes
    ----------
    mu_s, sigma_s: mean and standard deviation of true grades; one number, or one per component
    sigma_b: standard deviation of biases
    alpha_tau, beta_tau: shape and rate of the Gamma prior of students' reliabilities
    alpha_tau_ta, beta_tau_ta: the same for TAs
    alpha_e, beta_e: the Beta prior of efforts
    tau_l, epsilon: precision of low-effort reports around the mean grade, and the share that is uniform
    sigma_tau, lambda_tau: with correlation, 1/√β₀ and λ: a report has precision τ/λ
    """

    mu_s: float | tuple[float, ...] = 4.0
    sigma_s: float | tuple[float, ...] = 0.8
    sigma_b: float = 1.0
    alpha_tau: float = 2.0
    beta_tau: float = 2.0
    alpha_tau_ta: float = 4.0
    beta_tau_ta: float = 2.0
    alpha_e: float = 8.0
    beta_e: float = 2.0
    tau_l: float = 1.0
    epsilon: float = 0.05
    sigma_tau: float = 2.0
    lambda_tau: float = 2.0

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = _number_or_tuple(entry.name, getattr(self, entry.name))
            object.__setattr__(self, entry.name, value)
        for name in ("mu_s", "sigma_s", "sigma_b"):
            value = getattr(self, name)
            if max(map(abs, value if isinstance(value, tuple) else (value,))) > _LARGEST:
                raise ModelError(f"{name} is far outside the scale of 0 to 5; it can be at most {_LARGEST}")
        if not 0 <= self.epsilon <= 1:
            raise ModelError(f"epsilon is a probability between 0 and 1, not {self.epsilon:g}")
        if isinstance(self.mu_s, tuple) and isinstance(self.sigma_s, tuple) and len(self.mu_s) != len(self.sigma_s):
            raise ModelError(f"mu_s has {len(self.mu_s)} values but sigma_s has {len(self.sigma_s)}")

    @classmethod
    def paper(cls, **hyperparameters: float | tuple[float, ...]) -> Priors:
        """The paper's hyperparameters, any of them replaced by name.

        >>> Priors.paper(mu_s=3.5).sigma_s
        0.8
        """
        unknown = sorted(set(hyperparameters) - {entry.name for entry in fields(cls)})
        if unknown:
            known = ", ".join(entry.name for entry in fields(cls))
            raise ModelError(f"there is no hyperparameter {unknown[0]!r}; choose one of {known}")
        return cls(**hyperparameters)  # type: ignore[arg-type]

    def for_components(self, count: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """``mu_s`` and ``sigma_s`` with one entry for each of ``count`` components."""
        spread = []
        for name, value in (("mu_s", self.mu_s), ("sigma_s", self.sigma_s)):
            values = value if isinstance(value, tuple) else (value,) * count
            if len(values) != count:
                raise ModelError(f"{name} has {len(values)} values but the rubric has {count} components")
            spread.append(values)
        return spread[0], spread[1]

    def to_dict(self) -> dict[str, Any]:
        """The hyperparameters by name, ready for TOML or JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def to_toml(self) -> str:
        """The hyperparameters as TOML text."""
        return tomli_w.dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str, *, file: str = "") -> Priors:
        """Read hyperparameters from TOML text; those that are not named keep the paper's values."""
        try:
            return cls.paper(**parse_toml(text))
        except (ValueError, OverflowError, ModelError) as error:
            raise InputError(Problem(str(error), "correct the priors file", file)) from None

    @classmethod
    def read(cls, path: str | Path) -> Priors:
        """Read a priors file (TOML)."""
        path = Path(path)
        return cls.from_toml(read_text(path), file=path.name)


@dataclass(frozen=True)
class Fixed:
    """Values that are known and not to be inferred, by id.

    Reliability and bias are on the scale of 0 to 5; a true grade is in the rubric's units and fixes its bin.
    """

    effort: Mapping[str, float] = field(default_factory=dict)
    reliability: Mapping[str, float] = field(default_factory=dict)
    bias: Mapping[str, float] = field(default_factory=dict)
    true_grade: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for entry in fields(self):
            object.__setattr__(self, entry.name, dict(getattr(self, entry.name)))
        checks = (
            ("effort", "a probability between 0 and 1", lambda value: 0 <= value <= 1),
            ("reliability", "between 0.000001 and 1,000,000", lambda value: 1e-6 <= value <= 1e6),
            ("bias", "between -100 and 100", lambda value: abs(value) <= 100),
            ("true_grade", "a finite number", lambda _: True),
        )
        for variable, meaning, is_sound in checks:
            for key, value in getattr(self, variable).items():
                if not isinstance(value, int | float) or not _is_finite(value) or not is_sound(value):
                    name = " of ".join(reversed(key)) if isinstance(key, tuple) else key
                    raise ModelError(f"the fixed {variable} of {name!r} must be {meaning}, not {value!r}")

    def __bool__(self) -> bool:
        return bool(self.effort or self.reliability or self.bias or self.true_grade)

    def rows(self) -> list[tuple[str, str, str, float]]:
        """The values as rows of (variable, id, component, value), the layout of a file of fixed values."""
        rows = [
            (variable, key, "", float(value))
            for variable in ("effort", "reliability", "bias")
            for key, value in getattr(self, variable).items()
        ]
        return rows + [("true_grade", *key, float(value)) for key, value in self.true_grade.items()]

    @classmethod
    def from_rows(cls, rows: list[tuple[str, str, str, float]]) -> Fixed:
        """Build from rows of (variable, id, component, value)."""
        values: dict[str, dict[Any, float]] = {"effort": {}, "reliability": {}, "bias": {}, "true_grade": {}}
        for variable, key, component, value in rows:
            if variable not in values:
                raise ModelError(f"the variable {variable!r} cannot be fixed; use one of {', '.join(values)}")
            values[variable][(key, component) if variable == "true_grade" else key] = value
        return cls(**values)


@dataclass(frozen=True)
class Model:
    """Which features of the model are on, and what is believed or known beforehand.

    ``Model()`` has biases, effort and censoring, and learns its priors from the class; ``Model(priors="paper")`` has
    the paper's. ``Model(effort=False, censoring=False)`` is PG1.

    ``reliability=False`` makes all students equally reliable; it needs learned priors and no correlation.

    With learned priors staff define the level. ``ta_spread`` and ``instructor_spread`` say how much their biases differ
    (standard deviation, on the scale of 0 to 5): a number, ``"learned"`` (TAs only), or ``"students"``, if they are
    drawn like the students'.

    ``merit`` lets the true grades of a submission's components go together, ``halo`` the errors of a review's
    components, which may be larger in some components than in others; ``habits`` lets some graders give one grade
    whatever the work, ``scale`` lets graders use more or less of the scale than others, ``floors`` lets some never go
    below a grade of their own, and ``heaping`` lets grades of a fine scale be rounded to whole numbers, halves, fives
    or tens. Unless they are set, all of them are on where they can be: with learned priors and censoring, without
    correlation, habits with effort, scale with bias. ``drift``, off unless it is chosen, lets students' biases move.

    >>> Model(effort=False).name
    'bias + censoring'
    >>> Model(halo=False).name
    'bias + effort + censoring, without halo'
    """

    bias: bool = True
    effort: bool = True
    censoring: bool = True
    correlation: bool = False
    priors: Priors | str = LEARNED
    fixed: Fixed = field(default_factory=Fixed)
    grids: str = "wide"
    reliability: bool = True
    ta_spread: float | str = LEARNED
    instructor_spread: float | str = INSTRUCTOR_SPREAD
    merit: bool | None = None
    halo: bool | None = None
    habits: bool | None = None
    scale: bool | None = None
    floors: bool | None = None
    heaping: bool | None = None
    drift: bool = False

    def __post_init__(self) -> None:
        for name in (*_SWITCHES, "drift"):
            if not isinstance(getattr(self, name), bool):
                raise ModelError(f"{name} is either True or False, not {getattr(self, name)!r}")
        for name in WHERE_POSSIBLE:
            if not isinstance(getattr(self, name), bool | None):
                raise ModelError(f"{name} is True, False or None, not {getattr(self, name)!r}")
        if self.priors == "paper":
            object.__setattr__(self, "priors", Priors.paper())
        if not isinstance(self.priors, Priors) and self.priors != LEARNED:
            raise ModelError(f"priors are 'learned', 'paper' or Priors.paper(...), not {self.priors!r}")
        if self.grids not in ("wide", "paper"):
            raise ModelError(f"grids are 'wide' or 'paper', not {self.grids!r}")
        if self.learned and self.grids == "paper":
            raise ModelError("the paper's grids are for fixed priors; use grids='wide' or priors='paper'")
        if not self.reliability and (self.correlation or not self.learned):
            raise ModelError("equally reliable students need learned priors and a model without correlation")
        for name, words in (("ta_spread", (LEARNED, STUDENTS)), ("instructor_spread", (STUDENTS,))):
            object.__setattr__(self, name, _spread(name, getattr(self, name), words))
        if not self.learned and (self.ta_spread, self.instructor_spread) != (LEARNED, INSTRUCTOR_SPREAD):
            raise ModelError("how much biases of staff differ is a setting of learned priors; fixed ones have sigma_b")
        for name in (*SHARED, "floors", "heaping"):
            if getattr(self, name) and not self._can_share:
                raise ModelError(f"{name} needs learned priors and censoring, and does not work with correlation")
        if self.habits and not self._can_have_habits:
            raise ModelError("habits need learned priors, censoring and effort, and do not work with correlation")
        for name, can in (("scale", self._can_stretch), ("drift", self._can_share and self.bias)):
            if getattr(self, name) and not can:
                raise ModelError(f"{name} needs learned priors, censoring and bias, and does not work with correlation")

    @property
    def _can_share(self) -> bool:
        return self.learned and self.censoring and not self.correlation

    @property
    def _can_have_habits(self) -> bool:
        return self._can_share and self.effort

    @property
    def _can_stretch(self) -> bool:
        return self._can_share and self.bias and self.reliability

    @property
    def has_merit(self) -> bool:
        """Whether the true grades of a submission's components go together."""
        return self._can_share if self.merit is None else self.merit

    @property
    def has_halo(self) -> bool:
        """Whether the errors of a review's components go together."""
        return self._can_share if self.halo is None else self.halo

    @property
    def has_habits(self) -> bool:
        """Whether some graders may give one grade whatever the work."""
        return self._can_have_habits if self.habits is None else self.habits

    @property
    def has_scale(self) -> bool:
        """Whether graders may use more or less of the scale than others."""
        return self._can_stretch if self.scale is None else self.scale

    @property
    def has_floors(self) -> bool:
        """Whether some graders never go below a grade of their own."""
        return self._can_share if self.floors is None else self.floors

    @property
    def has_heaping(self) -> bool:
        """Whether grades of a fine scale may be rounded to whole numbers, halves, fives or tens."""
        return self._can_share if self.heaping is None else self.heaping

    @property
    def learned(self) -> bool:
        """Whether the priors are learned from the class."""
        return self.priors == LEARNED

    @property
    def hyperparameters(self) -> Priors:
        """The fixed priors."""
        if not isinstance(self.priors, Priors):
            raise ModelError("this model's priors are learned from a class; posterior.priors() has what was learned")
        return self.priors

    @property
    def name(self) -> str:
        """The features that are on, in words; of those that are on where they can be, which are off."""
        on = [name for name in ("bias", "effort", "censoring", "correlation", "drift") if getattr(self, name)]
        if not self.reliability:
            on.append("one reliability")
        can = dict.fromkeys(WHERE_POSSIBLE, self._can_share)
        can |= {"habits": self._can_have_habits, "scale": self._can_stretch}
        off = [name for name in WHERE_POSSIBLE if can[name] and not getattr(self, f"has_{name}")]
        without = " and ".join([part for part in (", ".join(off[:-1]), *off[-1:]) if part])
        return (" + ".join(on) if on else "reliability alone") + (f", without {without}" if off else "")

    def with_priors(self, **hyperparameters: float | tuple[float, ...]) -> Model:
        """The same model with some hyperparameters replaced; the others are the paper's if they were learned."""
        fixed = {} if self.learned else asdict(self.hyperparameters)
        paper = Priors.paper(**(fixed | hyperparameters))
        unset: dict[str, Any] = dict.fromkeys(WHERE_POSSIBLE)
        return replace(self, priors=paper, drift=False, **unset)

    def to_dict(self) -> dict[str, Any]:
        """The model as nested plain values, ready for TOML or JSON."""
        return {
            **{name: getattr(self, name) for name in _ALWAYS_SAVED},
            "priors": LEARNED if self.learned else self.hyperparameters.to_dict(),
            "fixed": [dict(zip(FIXED_COLUMNS, row, strict=True)) for row in self.fixed.rows()],
            **{name: getattr(self, name) for name in WHERE_POSSIBLE if getattr(self, name) is not None},
            **({"drift": True} if self.drift else {}),
        }

    @classmethod
    def from_dict(cls, entries: Mapping[str, Any]) -> Model:
        """Build from what :meth:`to_dict` gives."""
        entries = dict(entries)
        priors = entries.pop("priors", LEARNED)
        fixed = [tuple(row[name] for name in FIXED_COLUMNS) for row in entries.pop("fixed", [])]
        unknown = sorted(set(entries) - {entry.name for entry in fields(cls)})
        if unknown:
            raise ModelError(f"a model has no setting {unknown[0]!r}")
        resolved = Priors.paper(**priors) if isinstance(priors, Mapping) else priors
        return cls(**entries, priors=resolved, fixed=Fixed.from_rows(fixed))

    def to_toml(self) -> str:
        """The model as TOML text."""
        return tomli_w.dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str) -> Model:
        """Read a model from TOML text."""
        try:
            return cls.from_dict(parse_toml(text))
        except (ValueError, OverflowError) as error:
            raise InputError(f"not valid TOML: {error}") from None


_SWITCHES = ("bias", "effort", "censoring", "correlation", "reliability")
_ALWAYS_SAVED = (*_SWITCHES, "grids", "ta_spread", "instructor_spread")

FIXED_COLUMNS = ("variable", "id", "component", "value")
"""The columns of a file of fixed values."""

_LARGEST = 50
_MAY_BE_ZERO = {"mu_s", "sigma_b", "epsilon"}
_MAY_BE_NEGATIVE = {"mu_s"}
_MAY_VARY_BY_COMPONENT = {"mu_s", "sigma_s"}


def _number_or_tuple(name: str, value: Any) -> float | tuple[float, ...]:
    if isinstance(value, list | tuple):
        if name not in _MAY_VARY_BY_COMPONENT or not value:
            raise ModelError(f"{name} must be one number, not {value!r}")
        return tuple(_number(name, entry) for entry in value)
    return _number(name, value)


def _spread(name: str, value: Any, words: tuple[str, ...]) -> float | str:
    """How much biases of staff differ: one of the words, or a number of which a bias of 0 is not the only one."""
    if isinstance(value, str):
        if value not in words:
            raise ModelError(f"{name} is {' or '.join(map(repr, words))} or a number, not {value!r}")
        return value
    return _number(name, value)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        raise ModelError(f"{name} must be a finite number, not {value!r}")
    if (value < 0 and name not in _MAY_BE_NEGATIVE) or (value == 0 and name not in _MAY_BE_ZERO):
        raise ModelError(f"{name} must be positive, not {value:g}")
    return float(value)


def _is_finite(value: float) -> bool:
    """Whether a number is one that a float can be; whole numbers can be larger."""
    return abs(value) <= sys.float_info.max
