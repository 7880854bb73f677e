"""What an evaluation means, in a few sentences."""

from __future__ import annotations

from collections.abc import Iterator

from peerage.evaluation.ablations import difference
from peerage.evaluation.baselines import AVERAGE, MEAN, MEDIAN
from peerage.evaluation.evaluation_tables import EvaluationTables, Test, priors_name
from peerage.support.words.wording import counted

SIGNIFICANT = 0.05
"""Below this p-value, over submissions, a difference is called one."""

_BASELINES = {
    MEAN: "The mean of the other graders",
    MEDIAN: "The median of the other graders",
    AVERAGE: "The class average",
}


def sentences(found: EvaluationTables) -> list[str]:
    """What was done, how the base model does, and how each other model and baseline compares."""
    return [*_setting(found), *_models(found), *_baselines(found), *_as_a_fit_says_it(found)]


def _setting(found: EvaluationTables) -> Iterator[str]:
    book, base = found.book, found.models[found.base]
    what = f"{counted(book.n_reviews, 'review')} of {counted(book.n_submissions, 'submission')}"
    if found.folds is None:
        yield f"{what}, each predicted from all the others by leave-one-out."
        refitted = sum(score.refitted for score in found.scores.values())
        if refitted:
            times = counted(refitted, "prediction")
            yield f"Where that could not be trusted ({times} in all models), a fit without the review predicted it."
    else:
        yield f"{what} in {found.folds.max() + 1} folds, each predicted by a fit of the others."
    row = found.table().iloc[0]
    each = row["elpd"] / book.n_reviews
    yield (
        f"The base model, {found.base} with {priors_name(base)} priors, has a log probability of {row['elpd']:,.1f} "
        f"± {row['elpd_se']:,.1f}, {each:.2f} per review. Differences below are relative to it; above 0 is better."
    )


def _models(found: EvaluationTables) -> Iterator[str]:
    changes = dict(zip(found.scores, found.table()["grade_change"], strict=True))
    for name, model in list(found.models.items())[1:]:
        test = found.test(name)
        feature = difference(found.models[found.base], model)
        title = titled(found, name)
        yield (
            f"{title[0].upper()}{title[1:]}: {_figures(found, name, test)}; {_verdict(test, feature)}. "
            f"Grades change by {changes[name]:.2f} on average."
        )


def titled(found: EvaluationTables, name: str) -> str:
    """What a model changes in the base model, if that is one feature, or else its name."""
    feature = difference(found.models[found.base], found.models[name]) if name in found.models else None
    return name if feature is None else f"{'with' if feature[1] else 'without'} {feature[0]}"


def _baselines(found: EvaluationTables) -> Iterator[str]:
    others = {name: name[0].upper() + name[1:] for name in found.scores if name not in (*found.models, *_BASELINES)}
    for name, title in (_BASELINES | others).items():
        test = found.test(name)
        yield f"{title}: {_figures(found, name, test)}; {_against_baseline(test)}."


def _as_a_fit_says_it(found: EvaluationTables) -> Iterator[str]:
    """The comparison with the mean that a fit prints, and why it may say something else."""
    held_out = found.scores[found.base].held_out
    if held_out is None:
        return
    yield held_out.sentence
    test = found.test(MEAN)
    verdict = "alike" if not test.p_value < SIGNIFICANT else "worse" if test.delta > 0 else "better"
    if verdict != held_out.verdict:
        yield (
            "The two comparisons with the mean differ because they ask different questions: log probability asks how "
            "likely a review was, and so also whether the model knows how far graders scatter; the error asks only how "
            "near the predicted grade is."
        )


def _figures(found: EvaluationTables, name: str, test: Test) -> str:
    by_review = found.test(name, "reviews").p_value
    tests = f"{p_words(test.p_value)} over submissions, {p_words(by_review)} over reviews"
    return f"{test.delta:+,.1f} ± {test.delta_se:,.1f} ({tests})"


def _verdict(test: Test, feature: tuple[str, bool] | None) -> str:
    if not test.p_value < SIGNIFICANT:
        return "the difference may be due to chance"
    if feature is None:
        return "better than the base model" if test.delta > 0 else "worse than the base model"
    name, on = feature
    return f"{name} {'helps' if on == (test.delta > 0) else 'hurts'}"


def _against_baseline(test: Test) -> str:
    if not test.p_value < SIGNIFICANT:
        return "the difference from the base model may be due to chance"
    return "the base model predicts worse" if test.delta > 0 else "the base model predicts better"


def p_words(value: float) -> str:
    """A p-value as it is said.

    >>> p_words(0.0123), p_words(1e-9)
    ('p = 0.012', 'p < 0.0001')
    """
    return "p < 0.0001" if value < 1e-4 else f"p = {value:.2g}"
