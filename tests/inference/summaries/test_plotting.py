"""Plots show what the tables say, on the axes that are given."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import peerage as pg
from peerage.inference.summaries.plotting import UNITLESS

mpl.use("Agg")


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    book, _ = pg.simulate(students=8, weeks=1, components=2, tas=1, seed=1)
    return pg.fit(book, chains=2, draws=50, seed=0)


def test_grades_are_in_order_beside_the_peers_means(posterior: pg.Posterior) -> None:
    ax = posterior.plot_grades("Component 2")
    table = posterior.submissions()
    rows = table[table["component"] == "Component 2"].sort_values("expected", kind="stable")
    peers, expected = ax.get_lines()
    np.testing.assert_array_equal(expected.get_xdata(), rows["expected"])
    np.testing.assert_array_equal(peers.get_xdata(), rows["peer_mean"])
    assert [label.get_text() for label in ax.get_yticklabels()] == list(rows["submission"])
    with pytest.raises(pg.InputError, match="there is no component 'Component 9' in this class"):
        posterior.plot_grades("Component 9")


def test_graders_and_priors_are_drawn_where_they_are_told_to(posterior: pg.Posterior) -> None:
    left, right = Figure().subplots(1, 2)
    assert posterior.plot_graders(ax=left) is left
    assert posterior.plot_priors(ax=right) is right
    graders = posterior.graders()
    students, tas, _ = left.get_lines()
    np.testing.assert_array_equal(students.get_ydata(), graders["bias"][graders["role"] == "student"])
    np.testing.assert_array_equal(tas.get_xdata(), graders["dependability"][graders["role"] == "ta"])
    priors = posterior.priors()
    (values,) = right.get_lines()
    shown = priors[~priors["parameter"].isin(UNITLESS)]
    np.testing.assert_array_equal(np.asarray(values.get_xdata())[::-1], shown["value"])


def test_pyplot_has_new_figures_for_a_notebook_to_show_and_none_of_a_callers_own(posterior: pg.Posterior) -> None:
    before = plt.get_fignums()
    axes = Figure().subplots(1, 5)
    posterior.plot_grades(ax=axes[0])
    posterior.plot_graders(ax=axes[1])
    posterior.plot_priors(ax=axes[2])
    posterior.plot_submission(posterior.book.submissions[0], axes=axes[3:])
    assert plt.get_fignums() == before
    posterior.plot_graders()
    assert len(plt.get_fignums()) == len(before) + 1
    plt.close()


def test_a_submission_has_axes_for_each_component(posterior: pg.Posterior) -> None:
    name = posterior.book.submissions[2]
    axes = posterior.plot_submission(name)
    assert [ax.get_xlabel() for ax in axes] == ["Component 1", "Component 2"]
    mass = posterior.level_mass()
    for ax in axes:
        rows = mass[(mass["submission"] == name) & (mass["component"] == ax.get_xlabel())]
        np.testing.assert_allclose([bar.get_height() for bar in ax.patches], rows["probability"])
        given = posterior.book.table()
        given = given[(given["submission"] == name) & (given["component"] == ax.get_xlabel())]
        np.testing.assert_array_equal(sorted(ax.get_lines()[0].get_xdata()), sorted(given["grade"]))
    with pytest.raises(pg.InputError, match="there is no submission 'none' in this class"):
        posterior.plot_submission("none")


def test_importing_peerage_imports_no_matplotlib() -> None:
    code = "import sys, peerage as pg; pg.Posterior; assert 'matplotlib' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_extra_for_arviz_lets_it_be_imported() -> None:
    run = subprocess.run([sys.executable, "-c", "import arviz"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
