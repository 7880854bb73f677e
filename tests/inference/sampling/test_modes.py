"""Chains in a mirror image of the class are found, and start again from the best."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import peerage as pg
from peerage.inference import fitting, starting_points
from peerage.inference.checking.leave_one_out import predict_by_chain
from peerage.inference.fitting import PILOT
from peerage.inference.layout import Layout, lay_out
from peerage.inference.numerics.hyperparameters import RELIABILITY, TAU_L
from peerage.inference.sampling.chains import ChainState, sample
from peerage.inference.sampling.draws import Draws
from peerage.inference.sampling.mirror_modes import MARGIN, restarted, worse_chains
from peerage.model import Model

OWNER = np.repeat(np.arange(100), 4)
"""The submissions of 400 reviews."""


def scores(gaps: list[float], seed: int = 0) -> np.ndarray:
    """Log predictive probabilities of 400 reviews by chains that are worse than a common one by a mean gap a review.

    A gap varies by 0.2 (sd) from review to review, so that the sum over 400 reviews has a standard error of 4.
    """
    rng = np.random.default_rng(seed)
    return np.array([-5.0 - gap + 0.2 * rng.standard_normal(400) for gap in gaps])


def test_chains_that_are_clearly_worse_are_named() -> None:
    """A gap of 0.2 a review is 80 in all, beside a standard error of 0.2·√2·20 = 5.7."""
    assert worse_chains(scores([0.2, 0.0, 0.2, 0.0]), OWNER)[1] == (0, 2)
    assert worse_chains(scores([0.2, 0.0, 0.2, 0.1]), OWNER) == (1, (0, 2, 3))


def test_chains_in_one_mode_are_left_alone() -> None:
    """The best of four chains is 3 standard errors above another in fewer than one of 100 cases."""
    found = [worse_chains(scores([0.0] * 4, seed), OWNER)[1] for seed in range(200)]
    assert sum(map(bool, found)) <= stats.binom.isf(1e-3, 200, 0.01)


def test_equal_chains_and_single_chains_are_left_alone() -> None:
    assert worse_chains(np.zeros((3, 400)), OWNER) == (0, ())
    assert worse_chains(scores([0.0]), OWNER) == (0, ())


def test_the_error_is_from_sums_by_submission() -> None:
    """Reviews of one submission err together: with 4 alike, the error doubles and the gap is no longer clear."""
    rng = np.random.default_rng(1)
    noise = rng.standard_normal(100)
    noise -= noise.mean()
    gap = 1.5 * MARGIN * noise.std() / np.sqrt(400) + np.repeat(noise, 4)
    both = np.array([np.zeros(400), -gap])
    assert worse_chains(both, np.arange(400)) == (0, (1,))
    assert worse_chains(both, OWNER) == (0, ())


def test_chains_start_again_if_they_are_worse_twice_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain that is worse at first may have been on its way."""
    book, _ = pg.simulate(students=8, weeks=1, components=1, seed=1)
    for later, restarts, rounds in (((), (), 2), ((1,), (1,), 3)):
        found = iter([(0, (1,)), (0, later)])
        monkeypatch.setattr(fitting, "worse_chains", lambda *_, found=found: next(found))
        posterior = pg.fit(book, chains=2, draws=10, burn_in=100, seed=0)
        assert (posterior.restarts, posterior.burn_in) == (restarts, 100 * rounds)


def test_chains_that_start_again_keep_their_generators() -> None:
    states = tuple(ChainState({"bias": np.array([index, index])}, {"state": index}) for index in range(3))
    again = restarted(states, best=2, worse=(0,))
    assert [state.generator["state"] for state in again] == [0, 1, 2]
    assert [list(state.variables["bias"]) for state in again] == [[2, 2], [1, 1], [2, 2]]
    again[0].variables["bias"][0] = 9
    assert states[2].variables["bias"][0] == 2, "a copy, not the same array"


def shirking_class(seed: int) -> tuple[pg.Gradebook, np.ndarray]:
    """Half of all reports are low-effort and lie within half a grade of the average; and true reliabilities."""
    priors = pg.Priors.paper(alpha_e=1, beta_e=1, tau_l=4)
    book, truth = pg.simulate(students=40, weeks=4, tas=0, seed=seed, model=Model(priors=priors))
    return book, truth.reliability


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_shirkers_are_not_taken_for_reliable(seed: int) -> None:
    """Estimates of the 40 reliabilities rank as the truth does; in the mirror image the correlation is about −0.3.

    Were they unrelated, a correlation above 0.5 would be found with probability 5e-4. This holds for every chain.
    """
    book, reliability = shirking_class(seed)
    posterior = pg.fit(book, chains=4, draws=150, burn_in=200, seed=seed)
    by_chain = posterior.draws["reliability"].mean(axis=1)
    for estimates in by_chain:
        assert stats.spearmanr(estimates, reliability).statistic > 0.5
    said = [problem.message for problem in posterior.warnings]
    assert any("settled on another reading of the class" in text for text in said) == bool(posterior.restarts)


def agreeing_class(grades: int, sd: float, reliability: float) -> pg.Gradebook:
    """Thirty students, all of whom try and are precise, grade work that is nearly all worth the same inner grade."""
    rng, rows = np.random.default_rng(0), []
    scale = 5 / (grades - 1)
    true_grade = round(3.5 / scale) * scale + sd * rng.standard_normal((30, 2))
    order = rng.permutation(30)
    for step in range(1, 5):
        for author, grader in zip(order, np.roll(order, step), strict=True):
            report = true_grade[author] + rng.standard_normal(2) / np.sqrt(reliability)
            marks = np.clip(np.rint(report / scale), 0, grades - 1)
            rows.append({"submission": f"work{author}", "grader": f"student{grader}", "A": marks[0], "B": marks[1]})
    return pg.read_grades(pd.DataFrame(rows), rubric=pg.Rubric.uniform("AB", range(grades)))


def mean_effort(book: pg.Gradebook) -> float:
    posterior = pg.fit(book, chains=2, draws=100, seed=0)
    assert posterior.submissions()["most_likely"].mode().tolist() == book.table()["grade"].mode().tolist()
    return float(posterior.graders()["effort"].mean())


def test_a_class_in_which_nearly_all_grades_are_the_same_may_have_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """All chains would take everybody for somebody with a habit, if none started in the belief that all tried."""
    book = agreeing_class(6, 0.1, 40.0)
    assert lay_out(book, Model()).agreement > starting_points.NEARLY_ALL
    assert mean_effort(book) > 0.8
    monkeypatch.setattr(starting_points, "NEARLY_ALL", 2.0)
    assert float(pg.fit(book, chains=2, draws=100, seed=0).graders()["effort"].mean()) < 0.2


def test_low_effort_is_no_spike_where_grades_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the bound for grades one apart, reports without effort would nearly all be the middle one of three grades."""
    book = agreeing_class(3, 0.5, 6.0)
    assert mean_effort(book) > 0.7
    assert np.exp(lay_out(book, Model()).largest_tau_l) == pytest.approx(8 / 2.5**2)
    monkeypatch.setattr(Layout, "largest_tau_l", float(np.log(8)))
    monkeypatch.setattr(starting_points, "NEARLY_ALL", 2.0)
    assert float(pg.fit(book, chains=2, draws=100, seed=0).graders()["effort"].mean()) < 0.5


def test_chains_of_an_earlier_version_go_on_within_the_bound() -> None:
    """One that stands above the bound would otherwise stay there, since nothing above is accepted."""
    posterior = pg.fit(agreeing_class(3, 0.5, 6.0), chains=2, draws=10, burn_in=10, seed=0)
    layout, states = posterior.layout, posterior.samples.states
    for state in states:
        state.variables["hyper"][TAU_L] = np.log(6.0)
    samples = sample(layout, chains=2, draws=20, burn_in=0, seed=0, states=states)
    assert samples.hyper[:, :, TAU_L].max() <= layout.largest_tau_l


@pytest.mark.parametrize(("top", "bound"), [(1, 0.32), (2, 1.28), (5, 8.0), (100, 8.0)])
def test_the_bound_of_low_effort_reports_is_narrower_for_coarser_grades(top: int, bound: float) -> None:
    rows = [{"submission": "a", "grader": grader, "A": grade} for grader, grade in (("x", 0), ("y", top))]
    book = pg.read_grades(pd.DataFrame(rows), rubric=pg.Rubric.uniform("A", range(top + 1)))
    assert np.exp(lay_out(book, Model()).largest_tau_l) == pytest.approx(bound)
    assert np.exp(lay_out(book, Model(censoring=False)).largest_tau_l) == pytest.approx(4.0)


def test_a_chain_in_the_mirror_image_is_recognised() -> None:
    """One of four chains is put where shirkers are reliable and the others shirk, and seen before it finds back."""
    book, _ = shirking_class(0)
    posterior = pg.fit(book, chains=4, draws=20, burn_in=200, seed=0)
    layout, states = posterior.layout, list(posterior.samples.states)
    mirrored = {name: values.copy() for name, values in states[1].variables.items()}
    mirrored["effortful"], mirrored["effort"] = ~mirrored["effortful"], 1 - mirrored["effort"]
    mirrored["hyper"][TAU_L], mirrored["hyper"][RELIABILITY] = np.log(1.0), np.log(3.0)
    states[1] = states[1]._replace(variables=mirrored)
    samples = sample(layout, chains=4, draws=10, burn_in=0, seed=0, states=tuple(states))
    by_chain = predict_by_chain(layout, samples, Draws(layout, samples, 0), 0)
    best, worse = worse_chains(by_chain, book.review_submission)
    assert worse == (1,)
    assert best != 1


def test_a_fit_says_which_chains_started_again() -> None:
    book, _ = pg.simulate(students=10, weeks=1, tas=0, seed=1)
    posterior = pg.fit(book, chains=4, draws=20, burn_in=2 * PILOT, seed=1)
    assert "settled on another reading" not in " ".join(problem.message for problem in posterior.warnings)
    told = pg.Posterior(posterior.book, posterior.model, 1, 100, posterior.samples, {}, restarts=(1, 3))
    (message,) = [problem.message for problem in told.warnings if "another reading" in problem.message]
    assert message.startswith("2 chains of 4 settled on another reading of the class, which predicts reviews worse")
