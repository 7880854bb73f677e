"""Rubrics: legal grades, their scale, their text form, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peerage import Component, InputError, Rubric
from support.classes.classes import names, scales


def _component(grades: tuple[float, ...]) -> Component:
    return Component("S", tuple(map(float, grades)))


@given(scales())
def test_scale_runs_from_0_to_5_and_back(grades: tuple[float, ...]) -> None:
    component = _component(grades)
    assert component.scaled[0] == 0
    assert component.scaled[-1] == pytest.approx(5)
    np.testing.assert_allclose(component.from_model(component.scaled), grades, atol=1e-12)
    np.testing.assert_array_equal(component.level_of(component.values), np.arange(component.n_levels))


def test_integers_0_to_5_are_their_own_scale() -> None:
    np.testing.assert_array_equal(_component((0, 1, 2, 3, 4, 5)).scaled, [0, 1, 2, 3, 4, 5])


@given(scales())
def test_half_rounds_up_and_the_ends_are_open(grades: tuple[float, ...]) -> None:
    component = _component(grades)
    midway = (component.values[1:] + component.values[:-1]) / 2
    np.testing.assert_array_equal(component.level_of(midway), np.arange(1, component.n_levels))
    np.testing.assert_array_equal(component.level_of([-1e9, 1e9]), [0, component.n_levels - 1])


@given(st.lists(names, min_size=1, max_size=4, unique=True), st.data())
def test_toml_round_trip(named: list[str], data: st.DataObject) -> None:
    components = []
    for name in named:
        grades = tuple(map(float, data.draw(scales())))
        points = data.draw(st.none() | st.just(tuple(grade * 6.25 for grade in grades)))
        components.append(Component(name, grades, points))
    rubric = Rubric(tuple(components))
    assert Rubric.from_toml(rubric.to_toml()) == rubric


def test_example_of_the_documentation(tmp_path: Path) -> None:
    path = tmp_path / "rubric.toml"
    path.write_text(
        "[components.Structure]\ngrades = [0, 1, 2, 3, 4, 5]\npoints = [0, 6.25, 12.5, 16.25, 20, 25]\n"
        "[components.Code]\ngrades = '0 to 3 by 0.5'\n"
    )
    rubric = Rubric.read(path)
    assert rubric.names == ("Structure", "Code")
    assert rubric["Structure"].worth == (0, 6.25, 12.5, 16.25, 20, 25)
    assert rubric["Code"].worth == (0, 0.5, 1, 1.5, 2, 2.5, 3)


@pytest.mark.parametrize(
    ("grades", "legend"),
    [
        ((0, 1, 2.5), "0, 1, 2.5"),
        (tuple(range(101)), "0 to 100 by 1"),
        (tuple(index / 10 for index in range(31)), "0 to 3 by 0.1"),
        ((0, 1, 2, 3, 4, 5, 6, 8), "8 grades from 0 to 8"),
    ],
)
def test_legend(grades: tuple[float, ...], legend: str) -> None:
    assert _component(grades).legend == legend


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[components.S]\ngrades = [1]", "at least two grades"),
        ("[components.S]\ngrades = [1, 1]", "ascend without repetition"),
        ("[components.S]\ngrades = [1, nan]", "finite numbers"),
        ("[components.S]\ngrades = [1, 1.0000001]", "differ by at least 0.000001"),
        ("[components.S]\ngrades = [1, 1e7]", "between -1,000,000 and 1,000,000"),
        ("[components.S]\ngrades = [true, false]", "list of numbers"),
        ("[components.S]\ngrades = [0, 1]\npoints = [1]", "2 grades but 1 points"),
        ("[components.S]\ngrades = [0, 1]\nworth = [1, 2]", "unknown key 'worth'"),
        ("[components.S]\ngrades = '1 to 0 by 1'", "is not understood"),
        ("[components.S]\ngrades = '0 to 5000 by 1'", "do not end at 5000"),
        ("[components.' S']\ngrades = [0, 1]", "spaces around it"),
        ("[components.'']\ngrades = [0, 1]", "its name is empty"),
        ("components = 3", "no components found"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Rubric.from_toml(text, file="rubric.toml")


def test_every_component_at_fault_is_named() -> None:
    with pytest.raises(InputError) as caught:
        Rubric.from_toml("[components.A]\ngrades = [1]\n[components.B]\n[components.C]\ngrades = [0, 1]", file="r.toml")
    assert [str(problem)[:26] for problem in caught.value.problems] == [
        "r.toml: component 'A': it ",
        "r.toml: component 'B' has ",
    ]
