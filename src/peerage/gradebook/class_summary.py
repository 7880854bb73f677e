"""What there is to know about a class before it is fitted."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

import numpy as np

from peerage.gradebook import structure
from peerage.gradebook.book import Gradebook


def class_summary(book: Gradebook) -> dict[str, Any]:
    """Numbers about a class, its rubric and what was surprising about it, as plain values."""
    part = structure.parts(book)
    overlapping, calibrated = structure.overlap(book)
    return {
        **structure.totals(book),
        "assignments": dict(Counter(name for name in book.assignments if name)),
        "reviews_per_grader": _spread(structure.reviews_per_grader(book)),
        "reviews_per_submission": _spread(structure.reviews_per_submission(book)),
        "coverage": structure.coverage(book),
        "submissions_with_several_graders": overlapping,
        "submissions_with_students_and_staff": calibrated,
        "parts": int(part.max()) + 1,
        "rubric": _rubric(book),
        "notices": [asdict(notice) for notice in book.notices],
    }


def _spread(counts: structure.Counts) -> dict[str, float]:
    return {"least": int(counts.min()), "median": float(np.median(counts)), "most": int(counts.max())}


def _rubric(book: Gradebook) -> dict[str, dict[str, Any]]:
    described = {}
    for index, component in enumerate(book.rubric.components):
        values = book.values[:, index]
        graded = int(np.isfinite(values).sum())
        described[component.name] = {
            "legend": component.legend,
            "grades": list(component.grades),
            "points": None if component.points is None else list(component.points),
            "graded": graded,
            "mean": float(np.nanmean(values)) if graded else None,
        }
    return described
