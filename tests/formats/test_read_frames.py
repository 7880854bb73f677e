"""Tables in memory: pandas' and Polars', rows named by their index, and fitted without a detour."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import peerage as pg

CELLS = {"submission": ["p1", "p1", "p2", "p2"], "grader": ["ann", "bob", "ann", "bob"], "Q1": [1, 3, 2, 5]}


def test_a_table_of_polars_is_read_as_one_of_pandas() -> None:
    with_gap = CELLS | {"Q2": [1.5, None, 2.0, 3.0]}
    ours, theirs = pg.read_grades(pd.DataFrame(with_gap)), pg.read_grades(pl.DataFrame(with_gap))
    assert theirs.rubric == ours.rubric
    pd.testing.assert_frame_equal(theirs.table(), ours.table())


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_table_is_fitted(make: type) -> None:
    posterior = pg.fit(make(CELLS), chains=1, draws=20, burn_in=5, seed=0)
    assert list(posterior.submissions()["submission"]) == ["p1", "p2"]


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(pg.InputError, match=r"^fit takes a Gradebook or a table; make one with read_grades$"):
        pg.fit("peer_grades.csv")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("index", "row"), [([10, 20, 30, 40], "20"), (["a", "b", "c", "d"], "'b'"), (pd.date_range("2024", periods=4), "")]
)
def test_errors_name_rows_by_index(index: list[object], row: str) -> None:
    table = pd.DataFrame(CELLS | {"Q1": ["1", "x", "2", "3"]}, index=index)
    with pytest.raises(pg.InputError) as refused:
        pg.read_grades(table)
    assert str(refused.value).startswith(f"row {row or '2024-01-02T00:00:00'}: the grade 'x' of 'Q1' is not a number")


def test_components_and_drop_are_parameters() -> None:
    table = pd.DataFrame(CELLS | {"Total": [1, 3, 2, 5], "Minutes": [5, 6, 7, 9]})
    assert pg.read_grades(table).rubric.names == ("Q1",)
    assert pg.read_grades(table, components=["Minutes"]).rubric.names == ("Minutes",)
    assert pg.read_grades(table, drop=["Q1"], components=["Total"]).rubric.names == ("Total",)
    with pytest.raises(pg.InputError, match="there is nothing to drop that is called 'Q7'"):
        pg.read_grades(table, drop=["Q7"])
