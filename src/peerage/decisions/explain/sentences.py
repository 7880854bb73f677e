"""What a student is told about a grade: the reports, what each counted and why, and their average."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import floor, lcm

from peerage.decisions.explain.corrections import Correction
from peerage.decisions.explain.weight_problem import DECIMALS, PERCENT, WHOLE, exactly, tenth_of
from peerage.gradebook.book import ROLE_WORDS
from peerage.rubric import Component
from peerage.support.words.wording import counted

LISTED = 8
"""Up to so many reports of a component are listed one by one; more are counted by their grade."""

NO_EFFORT = "because little effort seems to have gone into this review"
UNRELIABLE = "because this reviewer's grades seem less reliable than those that count"
OUTWEIGHED = "because the average without it agrees better with what is known about the submission"
"""Why a review counts nothing; the last says nothing against it."""

_WHY_CORRECTED: dict[Correction, str] = {
    "bias": "With these weights, the reviewers tend to give {} than others",
    "level": "Students in this class give {} than the course staff would",
}
"""Why the average of corrected reports is another than that of the reports; the gap takes how much more or less."""

_ROLE = re.compile(rf"(?:an? )?(?:{'|'.join(set(ROLE_WORDS.values()) - {'student'})})(?: \d+)?(?: gave |$)")
"""How a member of staff or a machine is called who is not named: "a TA", or "TA 2" of several."""

SMALL = 10
"""The percents below half of which a desired weight counts as low where there is no least weight."""

UNLIKELY = 0.5
"""The probability of effort below which a review that counts nothing is said to lack effort."""


@dataclass(frozen=True)
class Voice:
    """One review of a submission, as its student is told of it.

    Attributes
    ----------
    name: how the reviewer is called
    weight: in percents
    reason: why the weight is zero, if it is
    evidence: what the reason rests on, if that can be said
    levels: for each component the level of the reported grade, or -1
    subtracted: what is subtracted from the reports, in tenths on the model's scale
    """

    name: str
    weight: int
    reason: str
    levels: tuple[int, ...]
    subtracted: int = 0
    evidence: str = ""

    def report(self, component: Component, index: int) -> Fraction:
        """The reported grade."""
        return exactly(component.grades[self.levels[index]])

    def value(self, component: Component, index: int) -> Fraction:
        """What enters the average: the reported grade, corrected."""
        report = self.report(component, index)
        return report - self.subtracted * tenth_of(component.grades) if self.subtracted else report


@dataclass(frozen=True)
class GivenGrade:
    """A grade that an average became: the number, how it is written, and its level if it is a legal grade."""

    value: float
    exact: Fraction
    decimals: int | None = None
    level: int | None = None

    @property
    def text(self) -> str:
        """The grade as it is written."""
        return decimal(self.exact)


def legal(component: Component, mean: Fraction) -> GivenGrade:
    """The legal grade that is nearest to an average; half rounds up."""
    level = sum(mean >= _cut(component, level) for level in range(1, component.n_levels))
    grade = component.grades[level]
    return GivenGrade(grade, exactly(grade), level=level)


def with_decimals(mean: Fraction, decimals: int) -> GivenGrade:
    """An average with so many decimals; half rounds up."""
    exact = Fraction(floor(mean * 10**decimals + Fraction(1, 2)), 10**decimals)
    return GivenGrade(float(exact), exact, decimals=decimals)


def within(component: Component, mean: Fraction) -> Fraction:
    """The nearest value on the scale: an average of corrected reports may lie beyond its ends."""
    return min(max(mean, exactly(component.grades[0])), exactly(component.grades[-1]))


def reason_for_zero(desired: int, least_counting: int, effort_probability: float, least: int) -> str:
    """Why a review counts nothing, from its desired weight and the least desired weight of those that count.

    Only a low desired weight speaks against a reviewer: nearer to zero than to the least weight, and below half of that
    of any review that counts. Any other zero is a choice between reviews of similar standing.
    """
    if desired < (least or SMALL) * PERCENT / 2 and desired < least_counting / 2:
        return NO_EFFORT if effort_probability < UNLIKELY else UNRELIABLE
    if desired < least * PERCENT:
        return f"because it would have counted less than {least}%, and so small a share hardly changes a grade"
    return OUTWEIGHED


def evidence_of(distance: float, number: int) -> str:
    """How far a reviewer's grades are from other reviewers', on how many other submissions; nothing if on none."""
    if not number:
        return ""
    submissions = counted(number, "other submission")
    size = f"{distance:.1f} on average, on a scale of 0 to 5"
    return f": on {submissions} they differ from other reviewers' grades by {size}"


def averaged(
    component: Component,
    index: int,
    grade: GivenGrade,
    voices: Sequence[Voice],
    n_replaced: int = 0,
    correction: Correction = "none",
) -> str:
    """The explanation of a grade that is an average of corrected reports; staff's may have replaced others'."""
    graders = [voice for voice in voices if voice.levels[index] >= 0]
    counting = [voice for voice in graders if voice.weight]
    listing = _one_by_one if len(graders) <= LISTED else _by_grade
    parts = [
        f"The grade for {name_of(component)} is {grade.text}.",
        *listing(component, index, graders),
        *_others(component, len(voices) - len(graders), n_replaced, counting),
        _conclusion(component, index, grade, counting, correction),
    ]
    return " ".join(parts)


def ungraded(component: Component, grade: float) -> str:
    """The explanation of a grade that no report supports."""
    return (
        f"The grade for {name_of(component)} is {shown(grade)}. Nobody graded this component of the submission; "
        "this is the most likely grade given the rest of the class."
    )


def crowded(component: Component, grade: float) -> str:
    """The explanation of a grade whose reports cannot be weighed together with those of all other components."""
    return (
        f"The grade for {name_of(component)} is {shown(grade)}. So many reviewers graded different components that "
        "they cannot all count; this is the most likely grade given all reports."
    )


def fixed(component: Component, grade: float) -> str:
    """The explanation of a grade that was given and not estimated."""
    return f"The grade for {name_of(component)} is {shown(grade)}. It was set by the course staff."


def handed_out(component: Component, grade: float) -> str:
    """The words for a grade that was handed out before, without words, and stays."""
    return f"The grade for {name_of(component)} is {shown(grade)}. It was published earlier and stays the same."


def name_of(component: Component) -> str:
    """A component's name in one line."""
    return " ".join(component.name.split())


def shown(grade: float) -> str:
    """A grade as it is written."""
    return decimal(exactly(grade))


def decimal(value: Fraction, digits: int = DECIMALS + 2) -> str:
    """A number with so many decimals at most; grades less biases have two more than grades."""
    return _decimal(value.numerator, value.denominator, digits)


@lru_cache(maxsize=4096)
def _decimal(numerator: int, denominator: int, digits: int) -> str:
    """The same of a quotient. As a key, two numbers are found much sooner than a fraction."""
    whole, part = divmod(abs(round(Fraction(numerator * 10**digits, denominator))), 10**digits)
    text = f"{whole}.{part:0{digits}}".rstrip("0").rstrip(".")
    return f"-{text}" if numerator < 0 and text != "0" else text


def average(component: Component, index: int, voices: Sequence[Voice]) -> Fraction:
    """The weighted average of those who graded a component, less their biases."""
    graders = [voice for voice in voices if voice.levels[index] >= 0 and voice.weight]
    return _weighted((voice.value(component, index), voice.weight) for voice in graders)


def _weighted(values: Iterable[tuple[Fraction, int]]) -> Fraction:
    """The weighted average of some values; over a common denominator, for sums of fractions take long."""
    pairs = list(values)
    common = lcm(*(value.denominator for value, _ in pairs))
    total = sum(weight * value.numerator * (common // value.denominator) for value, weight in pairs)
    return Fraction(total, common * sum(weight for _, weight in pairs))


def _one_by_one(component: Component, index: int, graders: Sequence[Voice]) -> Iterator[str]:
    equal = _equally(graders)
    counts = [
        f"{voice.name} gave {decimal(voice.report(component, index))}"
        + ("" if equal else f", which counts {voice.weight}%")
        for voice in graders
        if voice.weight
    ]
    yield _beginning("; ".join(counts)) + "."
    for voice in graders:
        if not voice.weight:
            gave = f"{_beginning(voice.name)} gave {decimal(voice.report(component, index))}"
            yield f"{gave}, which does not count, {voice.reason}{voice.evidence}."


def _beginning(words: str) -> str:
    """Words that begin a sentence, with a capital if they name somebody by a role; ids stay as they are."""
    return words[0].upper() + words[1:] if _ROLE.match(words) else words


def _equally(graders: Sequence[Voice]) -> bool:
    """Whether everybody counts as one, as in a plain mean."""
    return all(voice.weight == 1 for voice in graders)


def _by_grade(component: Component, index: int, graders: Sequence[Voice]) -> Iterator[str]:
    numbers = Counter(voice.report(component, index) for voice in graders if voice.weight)
    equal = _equally(graders)
    counts = [
        f"{counted(numbers[value], 'report')} of {decimal(value)}"
        + ("" if equal else f", which {_count(numbers[value], weight)}")
        for value, weight in _weight_by_report(component, index, graders).items()
    ]
    yield f"It is based on {_joined(counts)}."
    for reason, number in Counter(voice.reason for voice in graders if not voice.weight).items():
        yield f"{counted(number, 'report')} {'does' if number == 1 else 'do'} not count, {_plural(reason, number)}."


def _others(component: Component, n_absent: int, n_replaced: int, counting: Sequence[Voice]) -> Iterator[str]:
    """Who does not take part: everybody else where staff graded, and those who did not grade the component."""
    equal, share = _equally(counting), sum(voice.weight for voice in counting)
    if n_replaced:
        partly = share < WHOLE and not equal
        theirs = f"; staff count {share}% together, and the average is over their reports" if partly else ""
        reports = f"{counted(n_replaced, 'other report')} {'does' if n_replaced == 1 else 'do'} not count"
        yield f"The course staff graded {name_of(component)}, so {reports}{theirs}."
    elif n_absent:
        others = "" if equal else f"the others count {share}% together, and "
        whose = "the others'" if equal else "their"
        absent = f"{counted(n_absent, 'reviewer')} did not grade {name_of(component)}"
        yield f"{absent}; {others}the average is over {whose} reports."


def _conclusion(
    component: Component, index: int, grade: GivenGrade, counting: Sequence[Voice], correction: Correction
) -> str:
    weights = _weight_by_report(component, index, counting)
    plain = _weighted(weights.items())
    mean = average(component, index, counting) if any(voice.subtracted for voice in counting) else plain
    rounding = _rounding(component, grade, mean)
    if mean != plain:
        rounding = f".{_corrected(component, grade, mean, plain, correction)}{rounding}"
    if len(weights) == 1:
        return f"So the average is {decimal(plain)}{rounding}"
    equal = _equally(counting)
    terms = [
        decimal(value) if equal and weight == 1 else f"{weight} × {decimal(value)}" for value, weight in weights.items()
    ]
    sign, text = _readable(component, grade, mean) if mean == plain else _short(plain)
    return f"The average is ({' + '.join(terms)}) / {sum(weights.values())} {sign} {text}{rounding}"


def _corrected(component: Component, grade: GivenGrade, mean: Fraction, plain: Fraction, correction: Correction) -> str:
    """What is subtracted for all reviewers together. One by one, their biases would tell who wrote which review."""
    about, text = _readable(component, grade, mean)
    (sign, amount), lower = _short(abs(plain - mean)), mean < plain
    size = f"{'about ' if sign == '≈' else ''}{amount} {'more' if lower else 'less'}"
    return (
        f" {_WHY_CORRECTED[correction].format(size)}, so the average becomes {'about ' if about == '≈' else ''}{text}"
    )


def _short(value: Fraction) -> tuple[str, str]:
    """A number in two decimals, or the first that is not zero, and whether that is exact."""
    text = next((text for digits in range(2, 9) if (text := decimal(value, digits)) != "0"), "0")
    return ("=" if Fraction(text) == value else "≈"), text


def _rounded(value: Fraction, digits: int) -> Fraction:
    """A number with so many decimals, half to even."""
    return Fraction(round(value * 10**digits), 10**digits)


def _rounding(component: Component, grade: GivenGrade, mean: Fraction) -> str:
    if mean == grade.exact:
        return ", which is the grade."
    if grade.level is None:
        if within(component, mean) != mean:
            end = "highest" if mean > grade.exact else "lowest"
            return f", beyond the {end} grade, so the grade is {grade.text}."
        return f", which rounds to {grade.text}."
    if grade.level and mean == _cut(component, grade.level):
        lower = shown(component.grades[grade.level - 1])
        return f", halfway between {lower} and {grade.text}, which is rounded up to {grade.text}."
    return f"; the nearest grade is {grade.text}."


def _readable(component: Component, grade: GivenGrade, mean: Fraction) -> tuple[str, str]:
    """An average in as few digits as do not change the grade, and whether that is exact."""
    for digits in range(max(2, (grade.decimals or 0) + 1), 10):
        short = _rounded(mean, digits)
        if short == mean:
            return "=", decimal(mean, digits)
        if _same_grade(component, grade, short):
            return "≈", decimal(mean, digits)
    return "≈", decimal(mean)


def _same_grade(component: Component, grade: GivenGrade, short: Fraction) -> bool:
    """Whether a shortened average leads to the same grade, and not only because half is rounded up."""
    if grade.level is None:
        step = Fraction(1, 10 ** (grade.decimals or 0))
        return abs(within(component, short) - grade.exact) < step / 2
    beyond_low = grade.level == 0 or short > _cut(component, grade.level)
    return beyond_low and (grade.level == component.n_levels - 1 or short < _cut(component, grade.level + 1))


def _cut(component: Component, level: int) -> Fraction:
    """The cut-point below a level."""
    return _middle(component.grades[level - 1], component.grades[level])


@lru_cache(maxsize=4096)
def _middle(lower: float, upper: float) -> Fraction:
    return (exactly(lower) + exactly(upper)) / 2


def _weight_by_report(component: Component, index: int, voices: Sequence[Voice]) -> dict[Fraction, int]:
    """The weight of each reported grade, the highest first."""
    weights: Counter[int] = Counter()
    for voice in voices:
        weights[voice.levels[index]] += voice.weight
    levels = sorted(weights, reverse=True)
    return {exactly(component.grades[level]): weights[level] for level in levels if weights[level]}


def _count(number: int, weight: int) -> str:
    return f"counts {weight}%" if number == 1 else f"count {weight}% together"


def _plural(reason: str, number: int) -> str:
    if number == 1:
        return reason
    words = {"this reviewer's": "these reviewers'", "this review": "these reviews", "it would": "each would"}
    for one, many in words.items():
        reason = reason.replace(one, many)
    return reason


def _joined(things: Sequence[str]) -> str:
    return things[0] if len(things) == 1 else f"{', '.join(things[:-1])}, and {things[-1]}"
