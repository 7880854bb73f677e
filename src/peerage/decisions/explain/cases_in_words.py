"""What was decided about each submission, put into words as it comes, without what it was decided from."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from peerage.decisions.explain import sentences
from peerage.decisions.explain.corrections import Correction
from peerage.decisions.explain.disagreement import Disagreement
from peerage.decisions.explain.sentences import Voice
from peerage.decisions.explain.submission_cases import Case
from peerage.decisions.explain.weigh_reports import Asked, Weighing
from peerage.decisions.explain.weight_problem import MILLION
from peerage.gradebook.book import ROLE_WORDS, ROLES, STUDENT
from peerage.inference.posterior import Posterior
from peerage.rubric import Component


class _Settled(NamedTuple):
    """A decided grade: of which component, the grade, the average, and the words."""

    component: int
    grade: float
    average: float
    sentence: str


class Telling:
    """Puts cases into words, and collects what was decided.

    ``grades``, ``averages`` and ``sentences`` are by submission and component, ``weight``, ``desired`` and
    ``subtracted`` by review.
    """

    def __init__(
        self,
        posterior: Posterior,
        asked: Asked,
        decimals: int,
        name_graders: bool,
        staff_final: bool,
        correction: Correction,
    ) -> None:
        self.book, self.asked, self.decimals = posterior.book, asked, decimals
        self.effort = posterior.reviews()["effort_probability"].to_numpy()
        self.disagreement = Disagreement.of(posterior.book)
        self.name_graders, self.staff_final, self.correction = name_graders, staff_final, correction
        self.grades: list[float] = []
        self.averages: list[float] = []
        self.sentences: list[str] = []
        self.weight, self.desired, self.subtracted = np.zeros((3, self.book.n_reviews))
        self.relaxed: list[tuple[str, float, float]] = []
        self.unproven: list[str] = []

    @property
    def settings(self) -> dict[str, Any]:
        """What a record of the explanations says of it."""
        return {"name_graders": self.name_graders, "staff_final": self.staff_final}

    def tell(self, case: Case, weighing: Weighing | None) -> None:
        """Take in the next submission."""
        rows = self._otherwise(case)
        if weighing is not None:
            rows += self._averaged(case, weighing)
            self.weight[case.reviews] = weighing.weights / weighing.weights.sum()
            self.desired[case.reviews] = case.desired / MILLION
            self.subtracted[case.reviews] = case.subtracted / 10
            name, limits = self.book.submissions[case.submission], weighing.limits
            if limits != self.asked.limits:
                self.relaxed.append((name, limits.shift / MILLION, limits.least / 100))
            if not weighing.proven:
                self.unproven.append(name)
        for row in sorted(rows):
            self.grades.append(row.grade)
            self.averages.append(row.average)
            self.sentences.append(row.sentence)

    def _averaged(self, case: Case, weighing: Weighing) -> list[_Settled]:
        """The grades that are averages."""
        voices = self._voices(case, weighing)
        rows = []
        for index in case.averaged:
            component = self.book.rubric.components[index]
            mean = sentences.average(component, index, voices)
            grade = self._given(component, mean)
            n_replaced = int(case.n_replaced[index])
            sentence = sentences.averaged(component, index, grade, voices, n_replaced, self.correction)
            rows.append(_Settled(index, grade.value, float(mean), sentence))
        return rows

    def _given(self, component: Component, mean: Fraction) -> sentences.GivenGrade:
        """What an average becomes: the nearest legal grade, or itself with some decimals; half rounds up."""
        if self.asked.form == "explained":
            return sentences.legal(component, mean)
        return sentences.with_decimals(sentences.within(component, mean), self.decimals)

    def _otherwise(self, case: Case) -> list[_Settled]:
        """The grades that are not averages."""
        told = ((case.fixed, sentences.fixed), (case.ungraded, sentences.ungraded), (case.crowded, sentences.crowded))
        rows = []
        for levels, words in told:
            for index, level in levels.items():
                component = self.book.rubric.components[index]
                grade = component.grades[level]
                rows.append(_Settled(index, grade, np.nan, words(component, grade)))
        return rows

    def _voices(self, case: Case, weighing: Weighing) -> list[Voice]:
        """The reviews by descending weight. Equal weights come in the order of what is told, not of who they are."""
        rows = zip(weighing.weights.tolist(), case.subtracted.tolist(), case.levels.tolist(), case.reviews, strict=True)
        told = []
        for place, (weight, subtracted, levels, review) in enumerate(rows):
            reason = "" if weight else self._reason(case, weighing, place)
            told.append((-weight, reason, tuple(levels), subtracted, int(self.book.review_grader[review])))
        told.sort()
        names = self._names([grader for *_, grader in told])
        return [
            Voice(name, -negated, reason, levels, subtracted, self._evidence(reason, grader, case.submission))
            for name, (negated, reason, levels, subtracted, grader) in zip(names, told, strict=True)
        ]

    def _reason(self, case: Case, weighing: Weighing, place: int) -> str:
        """Why a review counts nothing. Nothing is said against staff, and a machine is no person to speak of."""
        review = case.reviews[place]
        grader = int(self.book.review_grader[review])
        least = weighing.limits.least if self.asked.form == "explained" else 0
        if self.book.roles[grader] != STUDENT:
            return sentences.OUTWEIGHED
        return sentences.reason_for_zero(
            int(case.desired[place]),
            int(case.desired[weighing.weights > 0].min()),
            float(self.effort[review]),
            least,
        )

    def _evidence(self, reason: str, grader: int, submission: int) -> str:
        if reason != sentences.UNRELIABLE:
            return ""
        return sentences.evidence_of(*self.disagreement.elsewhere(grader, submission))

    def _names(self, graders: list[int]) -> list[str]:
        """How the reviewers of a submission are called: by number or id, staff and machines by what they are."""
        roles = [
            "Reviewer" if role == STUDENT else ROLE_WORDS[ROLES[role]] for role in self.book.roles[graders].tolist()
        ]
        if self.name_graders:
            ids = [self.book.graders[grader] for grader in graders]
            return [name if role == "Reviewer" else f"{name} ({role})" for name, role in zip(ids, roles, strict=True)]
        numbers: Counter[str] = Counter()
        names = []
        for role in roles:
            numbers[role] += 1
            alone = role != "Reviewer" and roles.count(role) == 1
            names.append(f"{'an' if role[0] in 'aeiou' else 'a'} {role}" if alone else f"{role} {numbers[role]}")
        return names
