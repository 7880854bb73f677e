"""Fits that keep only some draws tell the same as those that keep all, and their running summaries are right."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import arviz_stats.base
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.signal import lfilter

import peerage as pg
from peerage.cli import main
from peerage.inference.checking import leave_one_out
from peerage.inference.layout import lay_out
from peerage.inference.numerics.likelihood import Grid
from peerage.inference.sampling import running_summaries
from peerage.inference.sampling.chains import VARIABLES
from peerage.inference.sampling.kept_draws import every_few, grids_of
from peerage.inference.sampling.running_summaries import Recorder, RunningSummary
from support.classes.tiny import FIXED, PRIORS, tiny_class

twin: Any = arviz_stats.base.array_stats

TIGHT = 1e-6
"""A budget in gigabytes that no class keeps."""

DRAWS, EVERY = 100, 5
"""Each chain keeps at least 20 draws, whatever the budget."""

MODELS = {
    "censored": pg.Model(priors=PRIORS, fixed=FIXED),
    "uncensored": pg.Model(priors=PRIORS, fixed=FIXED, censoring=False),
    "learned": pg.Model(),
}


def fitted(model: pg.Model, memory: float, workers: int | None = None) -> pg.Posterior:
    return pg.fit(tiny_class(2), model, chains=3, draws=DRAWS, burn_in=20, seed=4, workers=workers, memory=memory)


@pytest.fixture(scope="module", params=MODELS.values(), ids=list(MODELS))
def pair(request: pytest.FixtureRequest) -> tuple[pg.Posterior, pg.Posterior]:
    """The same fit with all draws kept, and with few."""
    return fitted(request.param, 1.0), fitted(request.param, TIGHT)


def columns_alike(first: pd.DataFrame, second: pd.DataFrame, *ends: str) -> None:
    """All columns but some are equal."""
    pd.testing.assert_frame_equal(first.drop(columns=list(ends)), second.drop(columns=list(ends)))


def assert_quantile(draws: NDArray[Any], share: float, end: float, cell: float) -> None:
    """Draws (…, one entry) are below an end as often as they should be, but for a cell."""
    assert np.mean(draws < end - cell) <= share <= np.mean(draws <= end + cell)


# The same fit, kept in two ways


def test_every_nth_of_the_same_draws_is_kept(pair: tuple[pg.Posterior, pg.Posterior]) -> None:
    whole, thinned = (posterior.samples for posterior in pair)
    assert (whole.n_draws, whole.n_kept, thinned.n_draws, thinned.n_kept) == (DRAWS, DRAWS, DRAWS, DRAWS // EVERY)
    for name in VARIABLES:
        np.testing.assert_array_equal(whole.draws[name][:, EVERY - 1 :: EVERY], thinned.draws[name])
    np.testing.assert_array_equal(whole.hyper, thinned.hyper)
    np.testing.assert_array_equal(whole.hyper[:, EVERY - 1 :: EVERY], thinned.kept_hyper)
    np.testing.assert_array_equal(whole.effortful_count, thinned.effortful_count)


def test_what_is_averaged_over_all_draws_is_equal(pair: tuple[pg.Posterior, pg.Posterior]) -> None:
    whole, thinned = pair
    columns_alike(whole.submissions(), thinned.submissions(), "lower", "upper")
    columns_alike(whole.level_mass(), thinned.level_mass())
    columns_alike(whole.reviews(), thinned.reviews(), "influence")
    np.testing.assert_allclose(thinned.samples.influence, whole.samples.influence)
    # What a grader's reports tell is averaged over the draws that are kept, each known to a cell of its grid.
    kept = whole.dependability[:, EVERY - 1 :: EVERY]
    np.testing.assert_allclose(thinned.dependability, kept, rtol=0.1, atol=0.05)
    columns_alike(whole.totals(), thinned.totals(), "lower", "upper")
    columns_alike(whole.priors(), thinned.priors())


def test_intervals_of_true_grades_are_those_of_all_draws_to_a_cell(pair: tuple[pg.Posterior, pg.Posterior]) -> None:
    whole, thinned = pair
    quantiles = thinned.margins.quantiles("true_grade", (0.05, 0.95))
    if whole.model.censoring:
        np.testing.assert_array_equal(quantiles, whole.margins.quantiles("true_grade", (0.05, 0.95)))
    values = whole.draws.on_model_scale("true_grade")
    step = float(np.diff(whole.layout.grids.true_grade.edges).max())
    for cell in range(whole.layout.n_cells):
        for share, end in zip((0.05, 0.95), quantiles[:, cell], strict=True):
            assert_quantile(values[:, :, cell], share, end, 1.001 * step)


def test_graders_are_described_as_by_all_draws_to_a_cell(pair: tuple[pg.Posterior, pg.Posterior]) -> None:
    whole, thinned = pair
    grids = grids_of(whole.layout)
    table, expected = thinned.graders(), whole.graders()
    for name in VARIABLES[1:]:
        values, grid = whole.draws[name], grids[name]
        for grader, row in enumerate(table.to_dict("records")):
            own = values[:, :, grader]
            place = np.clip(np.searchsorted(grid.edges, own) - 1, 0, len(grid) - 1)
            width = float(np.diff(grid.edges)[place].max())
            assert row[name] == pytest.approx(expected[name][grader], abs=width)
            for share, end in ((0.05, row[f"{name}_lower"]), (0.95, row[f"{name}_upper"])):
                assert_quantile(own, share, end, 1.001 * width)


def test_what_is_fixed_is_exact(pair: tuple[pg.Posterior, pg.Posterior]) -> None:
    _, thinned = pair
    graders = {row["grader"]: row for row in thinned.graders().to_dict("records")}
    if thinned.model.fixed == FIXED:
        for suffix in ("", "_lower", "_upper"):
            assert graders["c"][f"reliability{suffix}"] == 0.9
            assert graders["a"][f"bias{suffix}"] == 0.25
    assert graders["teacher"]["reliability"] == 16


def test_the_ends_of_grids_are_counted_alike(pair: tuple[pg.Posterior, pg.Posterior]) -> None:
    whole, thinned = pair
    for name, free, _ in whole.inferred():
        np.testing.assert_allclose(thinned.margins.at_ends(name)[free], whole.margins.at_ends(name)[free])


def test_r_hat_is_the_split_r_hat_of_all_draws(pair: tuple[pg.Posterior, pg.Posterior]) -> None:
    whole, thinned = pair
    for name, free, _ in whole.inferred():
        drawn = whole.samples.draws[name][:, :, free].astype(float)
        if name == "reliability" and not whole.model.censoring:
            drawn = np.log(drawn)
        expected = twin.rhat(drawn, chain_axis=0, draw_axis=1, method="split")
        np.testing.assert_allclose(thinned.margins.diagnose(name, free).r_hat, expected, rtol=1e-6)


def test_workers_make_no_difference() -> None:
    first, second = (fitted(MODELS["learned"], TIGHT, workers=workers).samples.running for workers in (1, 2))
    for name in VARIABLES:
        np.testing.assert_array_equal(first[name].counts, second[name].counts)
        np.testing.assert_array_equal(first[name].batches, second[name].batches)


def test_a_saved_fit_tells_the_same(pair: tuple[pg.Posterior, pg.Posterior], tmp_path: Path) -> None:
    _, thinned = pair
    thinned.save(tmp_path / "posterior.npz")
    loaded = pg.load(tmp_path / "posterior.npz")
    columns_alike(thinned.submissions(), loaded.submissions())
    columns_alike(thinned.graders(), loaded.graders())
    columns_alike(thinned.diagnostics(), loaded.diagnostics())
    assert thinned.warnings == loaded.warnings


def test_a_fit_that_goes_on_keeps_as_few(pair: tuple[pg.Posterior, pg.Posterior]) -> None:
    whole, thinned = (posterior.extend(40) for posterior in pair)
    assert (thinned.samples.n_draws, thinned.samples.n_kept) == (DRAWS + 40, (DRAWS + 40) // EVERY)
    np.testing.assert_array_equal(whole.samples.draws["bias"][:, EVERY - 1 :: EVERY], thinned.samples.draws["bias"])
    columns_alike(whole.submissions(), thinned.submissions(), "lower", "upper")
    assert np.isfinite(thinned.diagnostics()["r_hat"]).all()


def test_new_grades_are_added_to_a_fit_that_kept_few_draws(pair: tuple[pg.Posterior, pg.Posterior]) -> None:
    """The chains go on from the same states, so that only what is drawn from kept draws could differ."""
    new = pair[0].book.select(pair[0].book.review_submission == 0)
    whole, thinned = (posterior.update(new, draws=20) for posterior in pair)
    assert not thinned.samples.running
    columns_alike(whole.submissions(), thinned.submissions())
    columns_alike(whole.graders(), thinned.graders())


def test_leaving_reviews_out_in_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without efforts to draw, predictions follow from the draws alone."""
    posterior = fitted(pg.Model(effort=False, priors=PRIORS), 1.0)
    whole = posterior.leave_one_out
    monkeypatch.setattr(leave_one_out, "AT_ONCE", 1)
    parts = replace(posterior).leave_one_out
    for name in ("log_mass", "pareto_k", "mean"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-6, err_msg=name)


# Summaries of chains that are known


def autoregressive(coefficient: float, entries: int, chains: int = 4, draws: int = 1000) -> NDArray[np.float64]:
    """Stationary standard-normal chains in which neighbouring draws correlate by ``coefficient``."""
    rng = np.random.default_rng(round(100 * coefficient))
    noise = rng.normal(size=(chains, draws + 300, entries)) * math.sqrt(1 - coefficient**2)
    return np.asarray(lfilter([1], [1, -coefficient], noise, axis=1)[:, 300:])


def recorded(draws: NDArray[np.float64]) -> RunningSummary:
    chains, length, entries = draws.shape
    recorder = Recorder(Grid.linear(-6.0, 0.1, 121), chains, length, entries)
    for chain in range(chains):
        for draw in range(length):
            recorder.add(chain, draw, draws[chain, draw].astype(np.float32))
    return recorder.finish()


def relative_excess(coefficient: float) -> float:
    """By how much the mean over 400 entries of the draws that one effective draw takes differs from the truth."""
    entries = 400
    draws = autoregressive(coefficient, entries)
    found = recorded(draws).diagnose(np.arange(entries))
    return float(np.mean(draws[:, :, 0].size / found.ess_bulk) / ((1 + coefficient) / (1 - coefficient)) - 1)


def lag_bias(coefficient: float, length: int = 50) -> float:
    """What batches of a length miss of an autoregressive chain's memory, as a share."""
    return -2 * coefficient * (1 - coefficient**length) / (length * (1 - coefficient**2))


NOISE = 5 * math.sqrt(2 / 79 / 400) + 0.002
"""Five standard errors, exceeded once in two million, of a mean over 400 entries with 80 batches each; and what the
estimated variance of a draw adds, for it is from as few effective draws."""


@pytest.mark.parametrize("coefficient", [0.0, 0.5, 0.8])
def test_batch_means_count_effective_draws(coefficient: float) -> None:
    """Known chains: (1 + ρ)/(1 − ρ) draws are worth one, less what batches of 50 cannot see."""
    assert relative_excess(coefficient) == pytest.approx(lag_bias(coefficient), abs=NOISE)


def test_batches_that_are_too_short_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same check fails if batches are of two draws."""
    monkeypatch.setattr(running_summaries, "BATCHES", 250)
    assert abs(relative_excess(0.5) - lag_bias(0.5)) > 5 * NOISE


def test_batch_means_and_spectrum_agree() -> None:
    """Each estimate is known to 16 % or better, their ratio to 23 %, and its mean over 200 entries to 1.6 %.

    The tolerances are five standard errors of that mean and one and a half of one entry's ratio on average.
    """
    draws = autoregressive(0.6, 200)
    spectral = twin.ess(draws, chain_axis=0, draw_axis=1, method="mean")
    ratio = spectral / recorded(draws).diagnose(np.arange(200)).ess_bulk
    assert ratio.mean() == pytest.approx(1 + lag_bias(0.6), abs=5 * 0.016)
    assert ratio.std() < 1.5 * 0.23


def test_a_trend_within_chains_is_noticed() -> None:
    """Halves tell it; whole chains, which all move alike, would not."""
    draws = autoregressive(0.0, 3) + np.linspace(-1, 1, 1000)[:, None]
    assert (recorded(draws).diagnose(np.arange(3)).r_hat > 1.1).all()
    assert (twin.rhat(draws, chain_axis=0, draw_axis=1, method="identity") < 1.01).all()


def test_two_runs_are_summarised_as_one() -> None:
    draws = autoregressive(0.5, 5, draws=300)
    whole, joined = recorded(draws), recorded(draws[:, :120]).followed_by(recorded(draws[:, 120:]))
    np.testing.assert_array_equal(whole.counts, joined.counts)
    np.testing.assert_allclose(whole.sums.sum(axis=1), joined.sums.sum(axis=1))
    assert joined.lengths.tolist() == [60, 60, 90, 90]
    entries = np.arange(5)
    np.testing.assert_allclose(joined.diagnose(entries).r_hat, whole.diagnose(entries).r_hat, atol=0.02)
    np.testing.assert_allclose(joined.diagnose(entries).ess_bulk, whole.diagnose(entries).ess_bulk, rtol=0.6)


def test_entries_that_never_move_are_well_known() -> None:
    found = recorded(np.full((4, 50, 1), 2.0)).diagnose(np.arange(1))
    assert np.isnan(found.r_hat[0])
    assert found.ess_bulk[0] == 200


# The budget


def test_a_class_of_the_usual_size_keeps_all_draws() -> None:
    book, _ = pg.simulate(students=120, weeks=10, seed=0)
    layout = lay_out(book, pg.Model())
    assert every_few(layout, 4, 1000, memory=1.0) == 1
    assert every_few(layout, 4, 1000, memory=0.1) > 1


def test_a_smaller_budget_keeps_fewer_draws() -> None:
    layout = lay_out(tiny_class(2), pg.Model())
    kept = [1000 // every_few(layout, 4, 1000, memory) for memory in (1.0, 1e-3, 5e-4, 2e-4, 1e-6)]
    assert kept == sorted(kept, reverse=True)
    assert len(set(kept)) == len(kept)
    assert kept[-1] == 20


@pytest.mark.parametrize("memory", [0.0, -1.0, float("nan")])
def test_a_budget_is_positive(memory: float) -> None:
    with pytest.raises(pg.ModelError, match="memory must be a positive number of gigabytes"):
        fitted(MODELS["learned"], memory)


def test_the_command_says_that_few_draws_were_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book, _ = pg.simulate(8, 2, seed=3, tas=1, components=2)
    book.write(tmp_path / "grades.csv")
    fast = ["--chains", "2", "--draws", "40", "--burn-in", "10", "-q"]
    assert main(["fit", str(tmp_path / "grades.csv"), *fast, "--memory", "0.000001"]) == 0
    assert "20 of each chain's 40 draws were kept" in capsys.readouterr().out
    assert '"kept_draws": 20' in (tmp_path / "grades" / "run.json").read_text("utf-8")
    assert main(["fit", str(tmp_path / "grades.csv"), *fast, "--memory", "0"]) == 2
    assert "memory must be a positive number" in capsys.readouterr().err
