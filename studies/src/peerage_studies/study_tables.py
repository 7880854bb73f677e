"""What a study found, as Markdown: the paper's statements beside our measurements, and all means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from peerage_studies.claims import Verdict, in_words
from peerage_studies.estimates import estimates
from peerage_studies.labels import METRICS, SETTINGS, flat, letters
from peerage_studies.quantities import as_number
from peerage_studies.statements import CLAIMS

AGREEMENT = {True: "yes", False: "no", None: "undecided"}
NOT_MEASURED, NO_REASON = "not measured", "no reason known"
TOO_FEW = "the interval is too wide; more replicates would decide it"


def verdicts(name: str, table: pd.DataFrame) -> list[Verdict]:
    """The verdict of a study's table on each claim about it."""
    return [claim.decide(table) for claim in CLAIMS[name]]


def claims_table(found: Sequence[Verdict]) -> str:
    """A Markdown table: what is said, what was measured in each class, whether they agree, and why not."""
    classes = sorted({name for verdict in found for name in verdict.findings})
    says = "we expect" if all(verdict.claim.ours for verdict in found) else "the paper says"
    header = [says, *(f"measured, class ({name})" for name in classes), "agree", "if not, why"]
    return markdown(header, ([*_cells(verdict, classes), agreement(verdict), reason(verdict)] for verdict in found))


def _cells(verdict: Verdict, classes: Iterable[str]) -> list[str]:
    cells = (verdict.findings[name].measured if name in verdict.findings else "" for name in classes)
    return [verdict.claim.says, *cells]


def agreement(verdict: Verdict) -> str:
    """Whether a claim holds, in a few words, and in which classes if not in all."""
    if not verdict.findings:
        return NOT_MEASURED
    classes = verdict.classes(verdict.holds)
    if len(classes) == len(verdict.findings):
        return AGREEMENT[verdict.holds]
    words = {True: "yes, in", False: "not in", None: "undecided in"}[verdict.holds]
    return f"{words} {letters(classes)}"


def reason(verdict: Verdict) -> str:
    """Why a claim does not hold; nothing if it does."""
    if verdict.why or verdict.holds is True or not verdict.findings:
        return verdict.why
    return NO_REASON if verdict.holds is False else TOO_FEW


def measured(verdict: Verdict) -> str:
    """What was measured in each class, on a line."""
    return "; ".join(f"({name}) {finding.measured}" for name, finding in verdict.findings.items())


def summary(name: str, found: Sequence[Verdict]) -> list[str]:
    """How many claims about a study hold, and which do not, in lines."""
    judged = [verdict for verdict in found if verdict.findings]
    held = sum(verdict.holds is True for verdict in judged)
    whose = "expectations" if all(verdict.claim.ours for verdict in found) else "statements in the paper"
    lines = [f"{name}: of {len(judged)} {whose}, {held} hold."]
    for verdict in judged:
        if verdict.holds is not True:
            lines.append(f"  {verdict.claim.says}: {agreement(verdict)}; measured {measured(verdict)}")
    if len(judged) < len(found):
        lines.append(f"  {len(found) - len(judged)} more are about values that were not run, or need two replicates")
    return lines


def means_table(table: pd.DataFrame) -> str:
    """A Markdown table of all means and intervals: a row for each class and value, a column for each metric."""
    found = estimates(table)
    metrics = [metric for metric in METRICS if metric in set(found["metric"])]
    cells = {
        (row["class"], row["setting"], row["value"], row["metric"]): in_words(
            row["mean"], row["half"], _decimals(row["metric"])
        )
        for row in found.to_dict("records")
    }
    keys = sorted({key[:3] for key in cells}, key=lambda key: (key[1], _place(key[2]), key[0]))
    header = ["what varies", "value", "class", *(flat(metric) for metric in metrics)]
    return markdown(
        header,
        (
            [
                SETTINGS[setting],
                str(value),
                f"({name})",
                *(cells.get((name, setting, value, metric), "") for metric in metrics),
            ]
            for name, setting, value in keys
        ),
    )


def _decimals(metric: str) -> int:
    return 1 if metric == "elpd_change" else 4 if metric.endswith("_error") else 3


def _place(value: object) -> tuple[float, str]:
    """Numbers in their order, before names in theirs."""
    number = as_number(value)
    return (number, "") if isinstance(number, float) else (float("inf"), number)


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown.

    >>> print(markdown(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = ["| " + " | ".join(cells) + " |" for cells in (header, *rows)]
    lines.insert(1, "|" + "---|" * len(header))
    return "\n".join(lines)
