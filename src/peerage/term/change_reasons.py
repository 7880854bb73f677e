"""Why a grade is not what it was: only what can be read off the two results, the nearest cause first.

What the staff set or kept leaves no other cause. Otherwise a grade can change because the submission's own reviews did,
because other settings were used, or, through what is believed of its graders, because reviews elsewhere did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from peerage.decisions.final_grades import PUBLISHED, STAFF, Cell
from peerage.gradebook.book import ROLES, STUDENT
from peerage.model import WHERE_POSSIBLE
from peerage.support.words.wording import counted, quoted
from peerage.term.compared_results import Review, Side

NOTABLE = 0.1
"""How far an estimate has to move, in its own standard deviations, before it is called re-estimated."""

LEVEL = 0.1
"""How far the class as a whole has to move, on the scale of 0 to 5, for that to be the reason."""

STUDENT_ROLE = ROLES[STUDENT]

_WIDTH = 3.29
"""Standard deviations between the 5 % and the 95 % quantile of a normal distribution."""

_ESTIMATES = ("reliability", "bias", "effort")
_RUN = ("version", "seed", "chains", "draws", "final", "rubric")
_CHOICES = ("adjust_bias", "staff_final", "staff_level")
_WORDS = {True: "on", False: "off", None: "where it is needed"}
_MODEL = ("bias", "effort", "censoring", "correlation", *WHERE_POSSIBLE, "drift", "priors", "grids", "fixed")


class Reason(NamedTuple):
    """The kind of a reason, by which changes are counted, and the reason in words."""

    kind: str
    words: str


@dataclass(frozen=True, eq=False)
class ChangeReasons:
    """Why grades of ``new`` differ from those of ``old``."""

    old: Side
    new: Side

    def of(self, cell: Cell) -> list[Reason]:
        """Every reason for the change of a grade that at least one of the two has."""
        if cell not in self.old.grades:
            return [Reason("new", "not graded before")]
        if cell not in self.new.grades:
            return list(self._gone(cell[0]))
        if self.new.status[cell] == STAFF:
            return [Reason("set by staff", f"set by the staff: {self.new.overrides.get(cell, '')}")]
        if self.new.status[cell] == PUBLISHED:
            return [Reason("published", "kept as published")]
        found = [*self._released(cell), *self.own_reviews(cell[0])]
        if not self.old.has_reviews:
            return found or [Reason("unknown", "the reviews behind the earlier grade are not known")]
        if not found and self.elsewhere:
            found.append(self._re_estimated(cell[0]))
        found += self.settings
        return found or [Reason("sampled again", "the same reviews and settings, sampled again")]

    def _gone(self, submission: str) -> Iterator[Reason]:
        reviewers = self.old.reviews[submission] if self.old.has_reviews else ()
        rules = self.new.book.exclusions
        excluded = [rule.reason for rule in rules if any(rule.covers(submission, name) for name in reviewers)]
        if excluded:
            yield Reason("excluded", f"its reviews are excluded: {'; '.join(dict.fromkeys(excluded))}")
        else:
            yield Reason("gone", "no longer graded by anybody")

    def _released(self, cell: Cell) -> Iterator[Reason]:
        """What held the earlier grade and holds it no more."""
        if self.old.status[cell] == STAFF:
            yield Reason("set by staff", "no longer set by the staff")
        if self.old.status[cell] == PUBLISHED:
            earlier = self.old.proposals.get(cell)
            because = f": {earlier.why}" if earlier else ""
            yield Reason("published", f"no longer kept as published{because}")

    def own_reviews(self, submission: str) -> Iterator[Reason]:
        """What happened to the reviews of the submission itself."""
        if not self.old.has_reviews:
            return
        old, new = self.old.reviews[submission], self.new.reviews[submission]
        added = [name for name in new if name not in old]
        if added:
            yield Reason("new review", f"{counted(len(added), 'new review')}, by {quoted(added)}")
        for name in old:
            if name not in new:
                yield self._withdrawn(submission, name)
            elif old[name] != new[name]:
                yield Reason("correction", f"{name!r} corrected {_corrections(old[name], new[name])}")
        for name in old:
            if name in new and self.old.roles[name] != self.new.roles[name]:
                yield Reason("correction", f"{name!r} is now {self.new.roles[name]}, not {self.old.roles[name]}")

    def _withdrawn(self, submission: str, grader: str) -> Reason:
        reasons = [rule.reason for rule in self.new.book.exclusions if rule.covers(submission, grader)]
        if reasons:
            return Reason("excluded", f"the review by {grader!r} is excluded: {'; '.join(reasons)}")
        return Reason("review gone", f"the review by {grader!r} is no longer there")

    @cached_property
    def elsewhere(self) -> dict[str, int]:
        """How many reviews of each grader are new, corrected, gone or of another role; only of graders who have any."""
        counts: dict[str, int] = {}
        for submission in self.old.reviews.keys() | self.new.reviews.keys():
            old, new = self.old.reviews.get(submission, {}), self.new.reviews.get(submission, {})
            for name in old.keys() | new.keys():
                if old.get(name) != new.get(name) or self.old.roles[name] != self.new.roles[name]:
                    counts[name] = counts.get(name, 0) + 1
        return counts

    @cached_property
    def level(self) -> float:
        """How much higher the class is graded as a whole because of what staff gave elsewhere; 0 if staff gave nothing.

        Staff's grades tell whether all students are too generous: then all their biases rise together.
        """
        if not any(self.new.roles.get(name, STUDENT_ROLE) != STUDENT_ROLE for name in self.elsewhere):
            return 0.0
        students = [name for name, role in self.new.roles.items() if role == STUDENT_ROLE and name in self.old.graders]
        moves = [self.new.graders[name]["bias"] - self.old.graders[name]["bias"] for name in students]
        return -float(sum(moves)) / max(len(moves), 1)

    def _re_estimated(self, submission: str) -> Reason:
        """The level of the class, or else the grader of whom something else is believed now, most of all."""
        if abs(self.level) >= LEVEL:
            return Reason("level", f"grades by staff elsewhere moved the class as a whole by {self.level:+.1f} of 5")
        moves = [move for name in self.new.reviews[submission] for move in self._moves(name)]
        distance, grader, estimate, words = max(moves, default=(0.0, "", "", ""))
        if distance < NOTABLE:
            number = sum(self.elsewhere.values())
            return Reason(
                "class", f"the class as a whole was re-estimated after {counted(number, 'review')}, new or changed"
            )
        own = self.elsewhere.get(grader, 0)
        after = f" after {counted(own, 'review')} by this grader elsewhere, new or changed" if own else ""
        return Reason("re-estimated", f"the {estimate} of {grader!r} was re-estimated {words}{after}")

    def _moves(self, grader: str) -> Iterator[tuple[float, str, str, str]]:
        """How far each estimate of a grader moved, in standard deviations, and the move in words."""
        if grader not in self.old.graders:
            return
        old, new = self.old.graders[grader], self.new.graders[grader]
        for name in _ESTIMATES:
            sd = (old[f"{name}_upper"] - old[f"{name}_lower"]) / _WIDTH
            if sd > 0:
                yield abs(new[name] - old[name]) / sd, grader, name, f"from {old[name]:.2f} to {new[name]:.2f}"

    @cached_property
    def settings(self) -> list[Reason]:
        """Settings that differ, as one reason."""
        differences = [*_differences(self.old.record, self.new.record)]
        return [Reason("settings", f"other settings: {', '.join(differences)}")] if differences else []


def _corrections(old: Review, new: Review) -> str:
    names = [name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)]
    return ", ".join(f"{name} from {_shown(old.get(name))} to {_shown(new.get(name))}" for name in names)


def _shown(grade: float | None) -> str:
    return "nothing" if grade is None else f"{grade:g}"


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """The settings in which two records differ; learned priors are no setting."""
    fixed_priors = old["model"]["priors"] == new["model"]["priors"] == "fixed"
    groups = (
        (old, new, (*_RUN, *(("priors",) if fixed_priors else ()))),
        (old["model"], new["model"], _MODEL),
        ({"staff_level": False} | old["choices"], {"staff_level": False} | new["choices"], _CHOICES),
    )
    for before, after, names in groups:
        for name in names:
            if before.get(name) != after.get(name):
                yield _difference(name.replace("_", " "), before.get(name), after.get(name))


def _difference(name: str, before: object, after: object) -> str:
    if isinstance(before, dict | list) or isinstance(after, dict | list):
        return name
    return f"{name} {_word(before)} → {_word(after)}"


def _word(value: object) -> str:
    return _WORDS[value] if value is None or isinstance(value, bool) else str(value)
