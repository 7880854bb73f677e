"""The study of learned priors: its measures are what they are called, and its bars are those that it reports."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import peerage as pg

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "study_learned.py"


@pytest.fixture(scope="module")
def study() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("study_learned", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["study_learned"] = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPT.parent))
        spec.loader.exec_module(module)
    yield module
    del sys.modules["study_learned"]


def rows(**changes: float) -> pd.DataFrame:
    """Two classes of one kind in which every bar holds, but for what is changed in the learned fit."""
    covered = dict.fromkeys((f"{name}_coverage" for name in ("true_grade", "bias", "reliability", "effort")), 0.9)
    ranked = {"reliability_spearman": 0.8, "effort_spearman": 0.5}
    parts = []
    for seed in (0, 1):
        place = {"kind": "good graders", "tas": 0, "seed": seed, "restarts": 0}
        parts += [
            place | {"estimate": "mean", "mae": 0.5},
            place | {"estimate": "learned", "mae": 0.4} | covered | ranked | changes,
            place | {"estimate": "true", "mae": 0.4} | covered | ranked,
        ]
    return pd.DataFrame(parts)


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"mae": 0.411}, []),
        ({"mae": 0.413}, ["good graders, 0 TAs: error more than 3 % above"]),
        ({"mae": 0.6}, ["good graders, 0 TAs: the mean is better", "good graders, 0 TAs: error more than 3 % above"]),
        ({"reliability_spearman": 0.76}, ["good graders, 0 TAs: reliability ranked worse"]),
        ({"effort_spearman": 0.46}, []),
        ({"effort_spearman": 0.44}, ["good graders, 0 TAs: effort ranked worse"]),
        ({"bias_coverage": 0.94}, ["bias_coverage: 94.0 %"]),
        ({"true_grade_coverage": 0.86}, ["true_grade_coverage: 86.0 %"]),
    ],
)
def test_whatever_does_not_hold_is_named(study: ModuleType, changes: dict[str, float], found: list[str]) -> None:
    measured = rows(**changes)
    assert list(study.misses(study.by_kind(measured), study.covered(measured))) == found


def test_one_week_may_cost_five_percent(study: ModuleType) -> None:
    measured = rows(mae=0.415).assign(kind="one week")
    assert not list(study.misses(study.by_kind(measured), study.covered(measured)))


def test_the_true_grades_have_no_error_and_the_plain_mean_is_the_peers_mean(study: ModuleType) -> None:
    book, truth = study.simulated(study.Kind(students=12, weeks=1, components=study.SCALES), 0, 0)
    rounded = study.rounded(book.rubric, truth.true_grade)
    assert study.errors(truth, truth.true_grade, rounded) == {"mae": 0, "final_mae": 0}
    means = book.table().groupby(["submission", "component"])["grade"].mean()
    expected = [[means[name, part] for part in book.rubric.names] for name in book.submissions]
    np.testing.assert_allclose(study.plain_mean(book), expected)


def test_errors_are_on_the_scale_of_0_to_5(study: ModuleType) -> None:
    book, truth = study.simulated(study.Kind(students=12, weeks=1, components=study.SCALES), 0, 0)
    inside = np.stack([np.full(12, part.from_model(3.0)) for part in book.rubric.components], axis=1)
    above = np.stack([np.full(12, part.from_model(3.5)) for part in book.rubric.components], axis=1)
    assert study.distance(book.rubric, above, inside) == pytest.approx(0.5)
    beyond = inside * 100
    assert study.distance(truth.book.rubric, beyond, inside) == pytest.approx(2.0)


def test_a_study_goes_on_where_it_stopped(study: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "KINDS", {"tiny": study.Kind(students=8, weeks=1, components=1)})
    monkeypatch.setattr(study, "SAMPLING", {"chains": 1, "draws": 20, "burn_in": 20})
    path = tmp_path / "study.csv"
    whole = study.study(path, 1)
    kept = pd.read_csv(path)
    kept[kept["tas"] == 0].to_csv(path, index=False)
    again = study.study(path, 1)
    pd.testing.assert_frame_equal(again, whole, check_dtype=False)
    pd.testing.assert_frame_equal(pd.read_csv(path), kept)


def test_coverage_counts_students_alone(study: ModuleType) -> None:
    book, truth = study.simulated(study.Kind(students=8, weeks=1, components=1), 3, 0)
    posterior: Any = pg.fit(book, truth.model, chains=1, draws=40, burn_in=20, seed=0)
    shares = study.coverage(posterior, truth)
    graders = posterior.graders()
    inside = (graders["bias_lower"] <= truth.bias) & (truth.bias <= graders["bias_upper"])
    assert shares["bias_coverage"] == pytest.approx(inside[graders["role"] == "student"].mean())
