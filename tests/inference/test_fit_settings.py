"""What a fit refuses, notices and leaves when it is stopped."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import peerage as pg
from support.programs.children import running


def test_ctrl_c_ends_a_long_fit_promptly() -> None:
    """A real signal to a process in the midst of a fit that would take hours."""
    program = (
        "import threading, peerage as pg\n"
        "book, _ = pg.simulate(students=30, weeks=2, seed=0)\n"
        "begun = []\n"
        "def watch(progress):\n"
        "    if progress.done and not begun:\n"
        "        begun.append(progress)\n"
        "        print('sampling', flush=True)\n"
        "try:\n"
        "    pg.fit(book, chains=2, draws=1, burn_in=1_000_000_000, seed=0, progress=watch)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped', threading.active_count(), flush=True)\n"
    )
    with running(program) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "sampling\n"
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=60)[0] == "stopped 1\n"
        assert child.returncode == 0


def test_a_submission_left_without_reviews_is_estimated_and_explained() -> None:
    book, _ = pg.simulate(students=8, weeks=2, seed=0)
    posterior = pg.fit(book.select(book.review_submission != 3), chains=2, draws=30, seed=0)
    grades = posterior.submissions()
    assert (grades["submission"] == book.submissions[3]).sum() == len(book.rubric)
    assert pg.explain(posterior).grades["grade"].notna().all()


@pytest.mark.parametrize("settings", [{"draws": 0}, {"chains": 0}, {"workers": 0}, {"seed": -1}, {"draws": 2.5}])
def test_settings_that_make_no_sense(settings: dict[str, Any]) -> None:
    book, _ = pg.simulate(students=6, weeks=1, seed=0)
    with pytest.raises(pg.ModelError, match=f"{next(iter(settings))} must be"):
        pg.fit(book, **settings)


def test_a_seed_may_be_any_integer_and_extending_checks_its_settings(tmp_path: Path) -> None:
    book, _ = pg.simulate(students=6, weeks=1, seed=0)
    posterior = pg.fit(book, chains=1, draws=5, seed=np.int64(3))  # type: ignore[arg-type]
    posterior.save(tmp_path / "posterior.npz")
    assert pg.load(tmp_path / "posterior.npz").seed == 3
    with pytest.raises(pg.ModelError, match="draws must be at least 1, not -1"):
        posterior.extend(-1)
    with pytest.raises(pg.InputError, match="fit takes a Gradebook"):
        pg.fit("grades.csv")  # type: ignore[arg-type]


def test_priors_made_for_another_class_are_noticed() -> None:
    """Grades far below the paper's mean are moved up as a whole, which the fit says; grades near it are not.

    Learned priors go where the grades are.
    """
    for mu_s, used, noticed in ((1.5, "paper", True), (4.0, "paper", False), (1.5, "learned", False)):
        priors = pg.Priors.paper(mu_s=mu_s)
        book, _ = pg.simulate(students=20, weeks=2, model=pg.Model(priors=priors), setting=None, seed=1)
        warnings = pg.fit(book, pg.Model(priors=used), chains=2, draws=200, seed=0).warnings
        assert any("the fixed priors move" in warning.message for warning in warnings) == noticed


def test_fixed_true_grades_do_not_spoil_the_diagnostics() -> None:
    rubric = pg.Rubric.from_dict({"Essay": {"grades": "0 to 100 by 0.5"}})
    book, _ = pg.simulate(students=6, weeks=1, components=rubric, seed=0)
    fixed = pg.Fixed(true_grade={(book.submissions[0], "Essay"): 80.5})
    diagnostics = pg.fit(book, pg.Model(fixed=fixed, priors="paper"), chains=2, draws=60, seed=0).diagnostics()
    assert np.isfinite(diagnostics.select_dtypes("number").to_numpy()).all()
