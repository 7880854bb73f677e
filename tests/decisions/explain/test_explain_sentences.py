"""The sentences: what students read, word for word, and what is never said of a reviewer."""

from __future__ import annotations

from fractions import Fraction

import pytest

from peerage.decisions.explain import sentences
from peerage.decisions.explain.sentences import GivenGrade, Voice, evidence_of, reason_for_zero, with_decimals
from peerage.rubric import Component

STRUCTURE = Component("Structure", (0.0, 1.0, 2.0, 3.0, 4.0, 5.0))
HALVES = Component("Code", (0.0, 0.5, 1.0, 2.5))

EFFORT, RELIABILITY, SMALL, BETTER = "little effort", "less reliable", "would have counted less", "agrees better"


def averaged(component: Component, index: int, level: int, given: list[Voice]) -> str:
    """The sentence of an average that became a legal grade."""
    grade = component.grades[level]
    return sentences.averaged(component, index, GivenGrade(grade, Fraction(str(grade)), level=level), given)


def voices(*reports: tuple[int, int], reason: str = "because of something") -> list[Voice]:
    """Reviewers with these weights and levels."""
    return [
        Voice(f"Reviewer {number}", weight, "" if weight else reason, (level,))
        for number, (weight, level) in enumerate(reports, start=1)
    ]


def test_reports_weights_average_and_rounding_are_said() -> None:
    assert averaged(STRUCTURE, 0, 4, voices((49, 4), (38, 3), (13, 5), (0, 1))) == (
        "The grade for Structure is 4. Reviewer 1 gave 4, which counts 49%; Reviewer 2 gave 3, which counts 38%; "
        "Reviewer 3 gave 5, which counts 13%. Reviewer 4 gave 1, which does not count, because of something. "
        "The average is (13 × 5 + 49 × 4 + 38 × 3) / 100 = 3.75; the nearest grade is 4."
    )


def test_a_component_that_some_did_not_grade_is_averaged_over_the_others() -> None:
    assert averaged(STRUCTURE, 0, 3, voices((40, 2), (35, -1), (25, 4))) == (
        "The grade for Structure is 3. Reviewer 1 gave 2, which counts 40%; Reviewer 3 gave 4, which counts 25%. "
        "1 reviewer did not grade Structure; the others count 65% together, and the average is over their reports. "
        "The average is (25 × 4 + 40 × 2) / 65 ≈ 2.77; the nearest grade is 3."
    )


def test_a_plain_mean_speaks_of_no_percents() -> None:
    given = voices((1, 2), (1, -1), (1, 4))
    assert averaged(STRUCTURE, 0, 3, given) == (
        "The grade for Structure is 3. Reviewer 1 gave 2; Reviewer 3 gave 4. "
        "1 reviewer did not grade Structure; the average is over the others' reports. "
        "The average is (4 + 2) / 2 = 3, which is the grade."
    )
    grade = GivenGrade(4, Fraction(4), level=4)
    by_staff = sentences.averaged(STRUCTURE, 0, grade, [Voice("A TA", 1, "", (4,))], n_replaced=3)
    assert "so 3 other reports do not count. So the average is 4" in by_staff


def test_roles_have_a_capital_at_the_beginning_of_a_sentence_only() -> None:
    given = [
        Voice("Reviewer 1", 60, "", (3,)),
        Voice("a TA", 40, "", (4,)),
        Voice("an instructor", 0, "because of something", (4,)),
        Voice("student 7", 0, "because of something", (4,)),
    ]
    said = averaged(STRUCTURE, 0, 3, given)
    assert "60%; a TA gave 4, which counts 40%. An instructor gave 4, which does not" in said
    assert ". student 7 gave 4" in said
    assert "is 4. A TA gave 4, which counts 100%." in averaged(STRUCTURE, 0, 4, [Voice("a TA", 100, "", (4,))])


def test_a_half_is_rounded_up() -> None:
    sentence = averaged(STRUCTURE, 0, 4, voices((50, 4), (50, 3)))
    assert sentence.endswith("= 3.5, halfway between 3 and 4, which is rounded up to 4.")


def test_uneven_grades_have_their_own_halves() -> None:
    sentence = averaged(HALVES, 0, 3, voices((50, 3), (50, 2)))
    assert sentence.endswith("(50 × 2.5 + 50 × 1) / 100 = 1.75, halfway between 1 and 2.5, which is rounded up to 2.5.")


def test_an_average_that_is_a_grade_is_the_grade() -> None:
    assert averaged(STRUCTURE, 0, 3, voices((50, 4), (50, 2))).endswith("/ 100 = 3, which is the grade.")
    assert averaged(STRUCTURE, 0, 5, voices((100, 5))).endswith("counts 100%. So the average is 5, which is the grade.")


def test_digits_are_added_until_the_average_does_not_look_rounded_the_other_way() -> None:
    """1.00267 is nearest to 1.004; as 1.00 it would seem to be nearest to 1."""
    fine = Component("Fine", (1.0, 1.004, 2.0))
    sentence = averaged(fine, 0, 1, voices((50, 1), (25, 0), (25, -1)))
    assert sentence.endswith("(50 × 1.004 + 25 × 1) / 75 ≈ 1.003; the nearest grade is 1.004.")


def test_many_reports_are_counted_by_their_grade() -> None:
    many = voices(*[(2, 3)] * 20, *[(10, 4)] * 6, (0, 1), (0, 2), reason=reason_for_zero(0, 20_000, 0.1, least=1))
    assert averaged(STRUCTURE, 0, 4, many) == (
        "The grade for Structure is 4. It is based on 6 reports of 4, which count 60% together, and 20 reports of 3, "
        "which count 40% together. 2 reports do not count, because little effort seems to have gone into these "
        "reviews. The average is (60 × 4 + 40 × 3) / 100 = 3.6; the nearest grade is 4."
    )


@pytest.mark.parametrize(
    ("desired", "least_counting", "effort", "said"),
    [
        (10_000, 300_000, 0.1, EFFORT),
        (10_000, 300_000, 0.9, RELIABILITY),
        # A review that deserves no less than half of one that counts was not left out for its quality.
        (30_000, 50_000, 0.1, SMALL),
        (30_000, 50_000, 0.9, SMALL),
        # Nearer to the least weight than to zero.
        (70_000, 300_000, 0.1, SMALL),
        # A weight that could have been given.
        (150_000, 400_000, 0.1, BETTER),
    ],
)
def test_only_a_low_desired_weight_speaks_against_a_reviewer(
    desired: int, least_counting: int, effort: float, said: str
) -> None:
    assert said in reason_for_zero(desired, least_counting, effort, least=10)


def test_an_average_with_decimals_is_not_rounded_to_a_grade() -> None:
    given = voices((49, 4), (38, 3), (13, 5))
    mean = sentences.average(STRUCTURE, 0, given)
    assert sentences.averaged(STRUCTURE, 0, with_decimals(mean, 1), given).endswith(
        "The average is (13 × 5 + 49 × 4 + 38 × 3) / 100 = 3.75, which rounds to 3.8."
    )
    assert sentences.averaged(STRUCTURE, 0, with_decimals(mean, 2), given).endswith("= 3.75, which is the grade.")


def test_a_plain_mean_is_told_without_weights() -> None:
    given = voices((1, 4), (1, 3), (1, 4))
    mean = sentences.average(STRUCTURE, 0, given)
    assert sentences.averaged(STRUCTURE, 0, with_decimals(mean, 1), given) == (
        "The grade for Structure is 3.7. Reviewer 1 gave 4; Reviewer 2 gave 3; Reviewer 3 gave 4. "
        "The average is (2 × 4 + 3) / 3 ≈ 3.67, which rounds to 3.7."
    )


def test_a_reviewer_is_called_unreliable_with_the_evidence() -> None:
    assert evidence_of(1.26, 11) == (
        ": on 11 other submissions they differ from other reviewers' grades by 1.3 on average, on a scale of 0 to 5"
    )
    assert evidence_of(float("nan"), 0) == ""
