"""The studies: what they measure, and that their tables do not depend on where, when and in how many goes they run."""

from __future__ import annotations

import json
import pickle
import signal
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.gradebook.book import STUDENT
from peerage.model import Priors
from peerage_studies import NAMES
from peerage_studies.all_studies import STUDIES
from peerage_studies.convergence import relative_error
from peerage_studies.mean_and_pg1 import of_reports
from peerage_studies.measures import expected, grade_errors, latent_mae, most_likely, recovery, rounded, spearman
from peerage_studies.running import run_study
from peerage_studies.study_definition import COLUMNS, Course
from peerage_studies.wrong_priors import VALUES, changed, moments
from support.programs.children import running

STUDY = "baselines"
FINDINGS = f"{STUDY}.findings.jsonl"

CHILD = f"""
import sys
from peerage_studies.running import run_study
run_study({STUDY!r}, sys.argv[1], classes="ab", replicates=2, quick=True, workers=2)
"""


def finished(folder: Path) -> list[bytes]:
    path = folder / FINDINGS
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return [line for line in lines if line.endswith(b"\n")]


@pytest.fixture(scope="module")
def untroubled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pd.DataFrame]:
    folder = tmp_path_factory.mktemp("studies") / "out"
    return folder, run_study(STUDY, folder, classes="ab", replicates=2, quick=True, workers=1)


def test_every_study_has_its_name() -> None:
    assert tuple(STUDIES) == NAMES
    assert all(study.name == name for name, study in STUDIES.items())


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_each_class_has_tasks_and_none_twice(name: str, quick: bool) -> None:
    courses = [Course(kind, replicate) for kind in "abc" for replicate in range(2)]
    tasks = list(STUDIES[name].tasks(courses, quick))
    assert len({task.key for task in tasks}) == len(tasks)
    counts = pd.Series([(task.course.kind, task.course.replicate) for task in tasks]).value_counts()
    assert len(counts) == 6
    assert set(counts) == {len(tasks) // 6}
    assert all(pickle.loads(pickle.dumps(task)) == task for task in tasks)


def test_the_table_is_tidy_and_the_file_holds_it(untroubled: tuple[Path, pd.DataFrame]) -> None:
    folder, table = untroubled
    assert tuple(table.columns) == COLUMNS
    assert not table.duplicated(list(COLUMNS[:-1])).any()
    assert set(table["class"]) == {"a", "b"}
    assert set(table["replicate"]) == {0, 1}
    assert table["result"].notna().all()
    pd.testing.assert_frame_equal(pd.read_csv(folder / f"{STUDY}.csv"), table, check_dtype=False)
    pd.testing.assert_frame_equal(table.sort_values(list(COLUMNS[:-1]), ignore_index=True), table)


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_with_the_same_table(
    untroubled: tuple[Path, pd.DataFrame], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with running(CHILD, str(out)) as child:
        while len(finished(out)) < 3 and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL, "it was stopped, and had not ended before"
    kept = finished(out)
    with (out / FINDINGS).open("ab") as file:
        file.write(b'{"task": {"cou')
    table = run_study(STUDY, out, classes="ab", replicates=2, quick=True, workers=2)
    pd.testing.assert_frame_equal(table, untroubled[1], check_exact=True)
    assert finished(out)[: len(kept)] == kept
    tasks = [json.dumps(json.loads(line)["task"]) for line in finished(out)]
    assert len(set(tasks)) == len(tasks) == 16


def test_more_replicates_and_classes_reuse_what_is_there(untroubled: tuple[Path, pd.DataFrame], tmp_path: Path) -> None:
    first = run_study(STUDY, tmp_path / "out", classes="b", replicates=1, quick=True, workers=1)
    kept = finished(tmp_path / "out")
    table = run_study(STUDY, tmp_path / "out", classes="ab", replicates=2, quick=True, workers=2)
    assert finished(tmp_path / "out")[: len(kept)] == kept
    pd.testing.assert_frame_equal(table, untroubled[1], check_exact=True)
    mine = table[(table["class"] == "b") & (table["replicate"] == 0)].reset_index(drop=True)
    pd.testing.assert_frame_equal(mine, first, check_exact=True)
    again = run_study(STUDY, tmp_path / "out", classes="b", replicates=1, quick=True, workers=1)
    pd.testing.assert_frame_equal(again, first, check_exact=True)


def test_findings_of_another_seed_are_not_taken_for_these(untroubled: tuple[Path, pd.DataFrame]) -> None:
    folder, _ = untroubled
    with pytest.raises(pg.ResultsError, match="differs in seed; name another folder"):
        run_study(STUDY, folder, classes="ab", replicates=2, quick=True, seed=1)
    with pytest.raises(pg.ResultsError, match="differs in quick"):
        run_study(STUDY, folder, classes="ab", replicates=2)


@pytest.mark.parametrize(
    ("name", "classes", "said"),
    [("recovery", "a", "no study 'recovery'"), (STUDY, "ad", "no class 'd'"), (STUDY, "", "no class to simulate")],
)
def test_what_does_not_exist_is_named(name: str, classes: str, said: str) -> None:
    with pytest.raises(pg.InputError, match=said):
        run_study(name, classes=classes)


def test_a_class_is_the_same_in_all_studies_and_another_in_each_replicate() -> None:
    course = Course("a", 0, students=8, weeks=1)
    (one, _), (same, _) = course.simulate(3), Course("a", 0, students=8, weeks=1).simulate(3)
    np.testing.assert_array_equal(one.levels, same.levels)
    for other in (Course("a", 1, students=8, weeks=1), Course("b", 0, students=8, weeks=1)):
        assert not np.array_equal(one.levels, other.simulate(3)[0].levels)
    assert not np.array_equal(one.levels, course.simulate(4)[0].levels)
    assert len({course.fit_seed(3), *course.fit_seeds(3, 2)}) == 2


def test_grades_are_measured_against_the_truth_cut_at_the_rubrics_ends() -> None:
    book, truth = pg.simulate(students=8, weeks=1, components=1, seed=0)
    cut = np.clip(truth.true_grade, 0, 5)
    exact = rounded(truth, truth.true_grade)
    assert grade_errors(truth, cut, exact) == {"true_grade_mae": 0, "true_grade_rmse": 0, "true_grade_accuracy": 1}
    apart = np.where(np.arange(book.n_submissions) % 2, 0.4, -0.2)[:, None]
    wrong = exact.copy()
    wrong[:2] = 5 - wrong[:2]
    found = grade_errors(truth, cut + apart, wrong)
    assert found["true_grade_mae"] == pytest.approx(0.3)
    assert found["true_grade_rmse"] == pytest.approx(np.sqrt((0.4**2 + 0.2**2) / 2))
    assert found["true_grade_accuracy"] == 0.75


def test_graders_are_measured_over_students_alone() -> None:
    book, truth = pg.simulate(students=8, weeks=1, components=1, seed=0)
    posterior = pg.fit(book, truth.model, chains=1, draws=50, burn_in=10, seed=0)
    graders, students = posterior.graders(), book.roles == STUDENT
    found = recovery(posterior, truth)
    assert found["bias_mae"] == pytest.approx(np.abs(graders["bias"] - truth.bias)[students].mean())
    ranks = graders["effort"][students].rank().corr(pd.Series(truth.effort)[students].rank())
    assert found["effort_spearman"] == pytest.approx(ranks)
    latent = posterior.draws["true_grade"].mean(axis=(0, 1))
    assert latent_mae(posterior, truth) == pytest.approx(np.abs(latent - truth.true_grade).mean(), rel=1e-5)
    table = posterior.submissions()
    np.testing.assert_allclose(expected(posterior).ravel(), table["expected"])
    np.testing.assert_array_equal(most_likely(posterior).ravel(), table["most_likely"])


def test_ranks_and_relative_errors() -> None:
    assert spearman(np.array([1.0, 2.0, 30.0]), np.array([4.0, 5.0, 6.0])) == pytest.approx(1)
    assert spearman(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])) == pytest.approx(0.8)
    assert relative_error(np.array([1.1, 1.8]), np.array([1.0, 2.0])) == pytest.approx(0.1)


@pytest.mark.parametrize("average", ["mean", "median"])
def test_reports_are_averaged_by_submission(average: str) -> None:
    book, _ = pg.simulate(students=8, weeks=2, components=2, seed=0)
    grouped = book.table().groupby(["submission", "component"])["grade"].agg(average)
    wanted = [[grouped[name, part] for part in book.rubric.names] for name in book.submissions]
    np.testing.assert_allclose(of_reports(book, getattr(np, average)), wanted)


@pytest.mark.parametrize("name", VALUES)
def test_wrong_priors_are_wrong_in_one_thing(name: str) -> None:
    true = moments(Priors.paper())
    assert true[name] in VALUES[name]
    for value in VALUES[name]:
        found = moments(changed(Priors.paper(), name, value))
        assert found == pytest.approx(true | {name: value})


def test_the_mean_effort_changes_without_the_variance() -> None:
    variances = []
    for value in VALUES["e_mean"]:
        priors = changed(Priors.paper(), "e_mean", value)
        total = priors.alpha_e + priors.beta_e
        variances.append(priors.alpha_e * priors.beta_e / (total**2 * (total + 1)))
    assert variances == pytest.approx([variances[0]] * len(variances))
