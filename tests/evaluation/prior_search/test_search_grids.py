"""Grids: the paper's, those in files, and the settings that are taken from them."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg
from peerage.evaluation.prior_search.prior_grids import PriorGrid, without_effect

PG1 = pg.Model(effort=False, censoring=False)


@pytest.fixture(scope="module")
def book() -> pg.Gradebook:
    """A class with TAs, in which every student wrote and graded."""
    return pg.simulate(students=8, weeks=1, components=1, seed=0)[0]


@pytest.mark.parametrize(
    ("name", "model", "size"),
    [
        ("reduced", PG1, 36),  # the paper gives this number
        ("reduced", pg.Model(), 2 * 2 * 3 * 2 * 3 * 2),
        ("reduced", pg.Model(bias=False), 2 * 2 * 2 * 3 * 2),
        ("reduced", pg.Model(correlation=True), 2 * 2 * 3 * 2 * 3 * 3 * 2),
        ("exploratory", PG1, 4 * 8 * 6 * 5),
        ("exploratory", pg.Model(), 4 * 8 * 6 * 5 * 5 * 7 * 4),
    ],
)
def test_the_papers_grids_have_what_matters_in_a_model(
    book: pg.Gradebook, name: str, model: pg.Model, size: int
) -> None:
    grid = PriorGrid.read(name).without(without_effect(book, model))
    assert grid.size == size
    if size < 1000:
        assert len({tuple(setting.items()) for setting in grid.all()}) == size


def test_with_correlation_the_reliability_prior_is_of_those_who_wrote_nothing(book: pg.Gradebook) -> None:
    model = pg.Model(correlation=True)
    assert {"alpha_tau", "beta_tau"} <= without_effect(book, model)
    reader = book.table().assign(grader=lambda table: table["grader"].replace(book.graders[0], "reader"))
    assert "alpha_tau" not in without_effect(pg.read_grades(reader, book.rubric), model)


def test_what_is_said_to_have_no_effect_has_none(book: pg.Gradebook) -> None:
    values = {"sigma_b": 0.3, "alpha_e": 3.0, "tau_l": 3.0, "epsilon": 0.2, "sigma_tau": 1.0, "lambda_tau": 3.0}
    for model in (pg.Model(bias=False), PG1, pg.Model(correlation=True)):
        idle = without_effect(book, model)
        for name, value in values.items():
            fits = [
                pg.fit(book, model.with_priors(**given), chains=1, draws=5, seed=0) for given in ({}, {name: value})
            ]
            same = (fits[0].draws["true_grade"] == fits[1].draws["true_grade"]).all()
            assert same == (name in idle), (model.name, name)


def test_a_grid_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text('mu_s = [3, [3, 4]]\n"alpha_e, beta_e" = [[5, 5], [8, 2], [8, 2]]\nepsilon = 0.1\n')
    assert PriorGrid.read(str(path)).all() == [
        {"mu_s": mean, "alpha_e": alpha, "beta_e": beta, "epsilon": 0.1}
        for mean in (3.0, (3.0, 4.0))
        for alpha, beta in ((5.0, 5.0), (8.0, 2.0))
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mu_s = [", r"grid.toml: not valid TOML: "),
        ("mu = [3]", r"grid.toml: there is no hyperparameter 'mu'; choose one of mu_s, .*; correct the grid"),
        ("sigma_s = [0]", r"grid.toml: sigma_s must be positive, not 0; correct the grid"),
        ('"alpha_e, beta_e" = [[5, 5], [8]]', r"grid.toml: the values of alpha_e, beta_e do not fit its name; write"),
        ("mu_s = []", r"grid.toml: the values of mu_s do not fit its name"),
        ('mu_s = 3\n"mu_s, sigma_s" = [[3, 1]]', r"grid.toml: mu_s is named twice; name each hyperparameter once"),
    ],
)
def test_a_file_that_is_no_grid_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "grid.toml"
    path.write_text(text)
    with pytest.raises(pg.InputError, match=words):
        PriorGrid.read(str(path))


def test_a_grid_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(pg.InputError, match="there is no grid 'small'; use exploratory, reduced or a TOML file"):
        PriorGrid.read("small")
    with pytest.raises(pg.InputError, match="cannot be read"):
        PriorGrid.read(str(tmp_path / "none.toml"))


def test_random_settings_differ_and_more_of_them_add_to_the_same() -> None:
    grid = PriorGrid.read("exploratory")
    some, more = grid.random(20, seed=3), grid.random(50, seed=3)
    assert more[:20] == some
    assert len({tuple(setting.items()) for setting in more}) == 50
    assert grid.random(20, seed=4) != some
    small = PriorGrid.of({"mu_s": [3, 4]})
    assert small.random(5, seed=0) == small.all()


def test_settings_that_differ_in_one_line() -> None:
    grid = PriorGrid.of({"mu_s": [3, 4], "alpha_e, beta_e": [[5, 5], [8, 2]]})
    base = {"mu_s": 4.0, "alpha_e": 8.0, "beta_e": 2.0}
    found = grid.one_at_a_time(pg.Priors.paper())
    assert found == [base, base | {"mu_s": 3.0}, base | {"alpha_e": 5.0, "beta_e": 5.0}]
