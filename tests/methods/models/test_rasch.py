"""Many-facet Rasch models: published estimates, the likelihood by hand, and what a strict rater does to grades."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.methods.item_reports import ItemReports
from peerage.methods.models.rasch import ManyFacetRasch, Sampler
from peerage.methods.models.rasch_sweep import log_mass
from support.classes.published import reports_of


def test_probabilities_by_hand() -> None:
    steps = np.array([-0.7, 0.2, 0.5])
    exponents = [1.7 * 0.8 * (k * 0.3 - steps[:k].sum()) for k in range(4)]
    wanted = np.exp(exponents) / np.exp(exponents).sum()
    found = [np.exp(log_mass(k, 1.7 * 0.8, 0.3, steps)) for k in range(4)]
    np.testing.assert_allclose(found, wanted)


def test_a_strict_raters_works_are_not_worse_for_it() -> None:
    """Two raters share ten works, one gives a level less; each has ten works more of the same kind."""
    rng = np.random.default_rng(1)
    ability = rng.integers(1, 5, 30)
    rows = [("mild", f"s{index}", float(ability[index])) for index in range(20)]
    rows += [("strict", f"s{index}", float(ability[index] - 1)) for index in range(10, 30)]
    reports, items = reports_of(rows)
    book_like = ItemReports(**{**vars(reports), "ladder": (np.arange(6.0),)})
    found = ManyFacetRasch(name="rasch", sweeps=900).solve(book_like, np.random.default_rng(0))
    alone = [items.index(f"s{index}") for index in (*range(10), *range(20, 30))]
    shown = found.value[alone]
    mild, strict = shown[:10] - ability[:10], shown[10:] - ability[20:]
    assert found.bias is not None
    assert found.bias[0] > 0 > found.bias[1]
    assert abs(mild.mean() - strict.mean()) < 0.5


@pytest.mark.parametrize("generalised", [False, True], ids=["plain", "generalised"])
def test_severities_that_drift_are_followed(generalised: bool) -> None:
    """Half of the raters become severe, half lenient, over six weeks; of each kind a work meets two or one."""
    rng = np.random.default_rng(1)
    works = [(week, ability) for week in range(6) for ability in rng.integers(2, 5, 16)]
    rows = []
    for index, (week, ability) in enumerate(works):
        for rater in (np.arange(3) + index) % 8:
            severity = (week - 2.5) * (0.6 if rater % 2 else -0.6)
            level = np.clip(np.round(ability - severity + rng.normal(0, 0.4)), 0, 6)
            rows.append((f"r{rater}", f"s{index}", float(level)))
    reports, _ = reports_of(rows)
    weeks = np.array([week for week, _ in works])
    of_class = ItemReports(**{**vars(reports), "ladder": (np.arange(7.0),), "assignment": weeks})
    errors = []
    for drift in (False, True):
        method = ManyFacetRasch(name="rasch", generalised=generalised, drift=drift, sweeps=900)
        found = method.solve(of_class, np.random.default_rng(0)).value
        errors.append(float(np.std(found - [ability for _, ability in works])))
    assert errors[1] < 0.8 * errors[0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["focal", "reference"])
def test_published_estimates_of_the_generalised_model(real_data: Path, kind: str) -> None:
    """Uto's posterior means by Stan, from 601 or 632 essays: ours differ by Monte-Carlo error alone.

    2,400 draws of one chain leave errors of about 0.05 in slopes, and less in the others.
    """
    folder = real_data / "uto-linking-asap"
    book = pg.read_grades(folder / f"{kind}_grades.csv", rubric=pg.Rubric.uniform(["score"], range(1, 6)))
    sampler = Sampler.of(ItemReports.of(book, np.zeros(1), np.full(1, 5.0)), generalised=True, drift=False)
    rng = np.random.default_rng(0)
    sums = [np.zeros(values.shape) for values in sampler.state]
    for number in range(3000):
        sampler.move(1.0, adapting=number < 600, rng=rng)
        if number >= 600:
            for total, values in zip(sums, sampler.state, strict=True):
                total += values / 2400
    ability, _, severity, slope, steps = sums
    raters = [int(name.rpartition("-r")[2]) - 1 for name in book.graders]
    works = [int(name.rpartition("-")[2]) - 1 for name in book.submissions]
    compared = (("theta", ability, works, 0.999), ("beta", severity, raters, 0.995), ("alpha", slope, raters, 0.98))
    for name, found, order, least in (*compared, ("d", steps, raters, 0.998)):
        published = pd.read_csv(folder / f"{kind}_published_{name}.csv", index_col=0).to_numpy()[order]
        assert np.corrcoef(found.ravel(), published.ravel())[0, 1] >= least, name
        assert np.sqrt(np.mean((found.ravel() - published.ravel()) ** 2)) < 0.1, name
