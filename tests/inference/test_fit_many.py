"""Many classes at once, and draws until there are enough effective ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import peerage as pg
from peerage.cli import main
from peerage.inference.chain_agreement import FIRST_DRAWS
from peerage.inference.fitting import least_effective

PAPER = pg.Model(priors="paper")


def classes() -> list[pg.Gradebook]:
    return [pg.simulate(students=8 + 2 * seed, weeks=1, seed=seed)[0] for seed in range(3)]


def test_many_classes_are_those_fitted_alone_whatever_the_workers() -> None:
    books = classes()
    posteriors = pg.fit_many(books, PAPER, chains=2, draws=20, burn_in=10, seed=3, workers=2)
    again = pg.fit_many(books, PAPER, chains=2, draws=20, burn_in=10, seed=3, workers=1)
    assert [posterior.book for posterior in posteriors] == books
    assert len({posterior.seed for posterior in posteriors}) == len(books)
    for posterior, other in zip(posteriors, again, strict=True):
        alone = pg.fit(posterior.book, PAPER, chains=2, draws=20, burn_in=10, seed=posterior.seed)
        for fitted in (other, alone):
            np.testing.assert_array_equal(posterior.draws["true_grade"], fitted.draws["true_grade"])


def test_of_no_classes_there_are_no_fits() -> None:
    assert pg.fit_many([]) == []


@pytest.fixture(scope="module")
def book() -> pg.Gradebook:
    return pg.simulate(students=12, weeks=1, seed=1)[0]


@pytest.mark.parametrize("target", [50, 600])
def test_chains_draw_until_every_entry_has_as_many_effective_draws(book: pg.Gradebook, target: int) -> None:
    posterior = pg.fit(book, PAPER, chains=2, target_ess=target, seed=0)
    table = posterior.diagnostics()
    assert min(table["ess_bulk"].min(), table["ess_tail"].min()) >= target
    assert (posterior.samples.n_draws > FIRST_DRAWS) == (target == 600)


def test_a_target_that_memory_does_not_allow_for_ends(book: pg.Gradebook) -> None:
    posterior = pg.fit(book, PAPER, chains=2, target_ess=10**9, memory=0.002, seed=0)
    assert FIRST_DRAWS <= posterior.samples.n_draws < 20_000
    assert least_effective(posterior) < 10**9


def test_the_command_says_that_a_target_was_not_reached(
    tmp_path: Path, book: pg.Gradebook, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "grades.csv"
    book.table().to_csv(path, index=False)
    options = ["--priors", "paper", "--chains", "2", "--memory", "0.002", "-q"]
    assert main(["fit", str(path), *options, "--target-ess", "1000000"]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "effective draws, not 1,000,000; allow for more memory (--memory)" in said


def test_draws_and_a_target_at_once_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("submission,grader,component,grade\n")
    assert main(["fit", str(path), "--draws", "10", "--target-ess", "10"]) == 2
    assert "a number of draws or a target" in " ".join(capsys.readouterr().err.split())
