"""The files of a fit: their rows, their rounding, and the record of how they came about."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import peerage as pg
from peerage.decisions.choices import DecisionChoices
from peerage.decisions.final_grades import HandedOut
from peerage.gradebook.book import TA
from peerage.gradebook.input_files import InputFile
from peerage.gradebook.rulings import Override
from peerage.results.fit_tables import grades_table, totals_table, with_handed_out
from peerage.results.results import Results
from peerage.results.schema import TOTALS
from support.classes.tiny import FIXED, tiny_class


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    return pg.fit(tiny_class(1), pg.Model(fixed=FIXED, priors="paper"), chains=2, draws=40, burn_in=10, seed=2)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "grades.csv"
    path.write_bytes(b"the grades")
    return path


def test_each_author_of_a_submission_has_a_row(posterior: pg.Posterior) -> None:
    totals = totals_table(posterior)
    pairs = list(zip(totals["submission"], totals["author"], strict=True))
    expected = [("s0", "a"), ("s1", "b"), ("s2", "a"), ("s2", "c"), ("s3", ""), ("s4", "d"), ("s5", "somebody")]
    assert pairs == expected
    assert list(totals.columns) == [
        *("submission", "assignment", "author"),
        "total",
        "expected",
        "lower",
        "upper",
        "note",
    ]


def test_a_total_adds_up_the_grades(posterior: pg.Posterior) -> None:
    grades, totals = grades_table(posterior), totals_table(posterior).drop_duplicates("submission")
    sums = grades.groupby("submission")["grade"].sum()
    np.testing.assert_allclose(totals["total"].astype(float), sums[totals["submission"]].astype(float), rtol=1e-12)


@pytest.mark.parametrize("form", ["average", "explained", "mean", "most-likely"])
def test_a_total_lies_inside_its_interval_or_says_why(form: str) -> None:
    book, _ = pg.simulate(students=12, weeks=1, tas=1, components=3, seed=1)
    posterior = pg.fit(book, chains=2, draws=100, seed=0)
    cell = (book.submissions[0], book.rubric.names[0])
    override = Override(*cell, grade=0.0, reason="appeal")
    told = HandedOut({(book.submissions[1], name): 0.0 for name in book.rubric.names})
    results = Results.of(posterior, choices=DecisionChoices(final=form), overrides=[override], handed_out=told)
    totals = results.tables[TOTALS].drop_duplicates("submission")
    outside = (totals["total"] < totals["lower"] - 1e-4) | (totals["total"] > totals["upper"] + 1e-4)
    assert (totals["note"] != "")[outside].all()
    assert (totals["note"] == "")[
        (totals["lower"] + 1e-3 < totals["total"]) & (totals["total"] < totals["upper"])
    ].all()
    assert totals["note"].iloc[1] == "outside the interval: a grade was published before"
    if form == "mean":
        assert (
            totals["note"].iloc[0] == "outside the interval: staff set a grade, grades are plain means of the reports"
        )


def test_grades_are_legal_and_estimates_have_five_digits(posterior: pg.Posterior) -> None:
    grades = grades_table(posterior)
    for component, rows in grades.groupby("component"):
        assert set(rows["grade"]) <= set(posterior.book.rubric[str(component)].grades)
    for name in ("expected", "sd", "lower", "upper", "confidence"):
        digits = [len(f"{value:.12g}".replace("0.", "").replace(".", "").lstrip("0")) for value in grades[name]]
        assert max(digits) <= 5
    np.testing.assert_allclose(grades["expected"].astype(float), posterior.submissions()["expected"], rtol=5e-5)


def test_files_are_plain_and_whole_numbers_have_no_decimals(
    posterior: pg.Posterior, source: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    Results.of(posterior, [InputFile.of(source)]).write(folder)
    table = pd.read_csv(folder / "grades.csv", dtype=str, keep_default_na=False)
    fixed = table[(table["submission"] == "s1") & (table["component"] == "Structure")].iloc[0]
    assert (fixed["grade"], fixed["most_likely"], fixed["expected"]) == ("3", "3", "3")
    assert (fixed["sd"], fixed["confidence"], fixed["n_grades"]) == ("0", "1", "3")
    assert not table.map(lambda cell: "nan" in cell.lower() or cell.endswith(".0")).to_numpy().any()


def test_what_no_student_graded_has_no_peer_mean(tmp_path: Path, source: Path) -> None:
    book = tiny_class(1)
    staff = replace(book, roles=np.where(np.arange(book.n_graders) == 1, TA, book.roles))
    posterior = pg.fit(staff, chains=1, draws=10, seed=0)
    Results.of(posterior, [InputFile.of(source)]).write(tmp_path)
    table = pd.read_csv(tmp_path / "grades.csv", dtype=str, keep_default_na=False).set_index("submission")
    assert table.loc["s5", "peer_mean"] == ""
    assert table.loc["s5", "n_grades"] == "1"


def test_ids_that_look_like_formulas_are_guarded(source: Path, tmp_path: Path) -> None:
    book = tiny_class(1)
    odd = replace(book, submissions=("=1+1", *book.submissions[1:]), authors=(("@ann",), *book.authors[1:]))
    Results.of(pg.fit(odd, chains=1, draws=10, seed=0), [InputFile.of(source)]).write(tmp_path)
    row = (tmp_path / "totals.csv").read_text("utf-8").splitlines()[1]
    assert row.startswith("'=1+1,first,'@ann,")


def test_the_record_says_how_the_fit_came_about(posterior: pg.Posterior, source: Path) -> None:
    record = Results.of(posterior, [InputFile.of(source)]).record
    assert record["input"] == [{"name": "grades.csv", "sha256": hashlib.sha256(b"the grades").hexdigest()}]
    assert str(source.parent) not in json.dumps(record)
    assert (record["version"], record["seed"], record["chains"], record["draws"]) == (pg.__version__, 2, 2, 40)
    assert record["counts"]["roles"] == {"student": 5, "ta": 1, "instructor": 1, "machine": 0}
    assert record["counts"]["reviews"] == posterior.book.n_reviews
    assert pg.Model.from_dict(record["model"] | {"priors": record["priors"]}) == posterior.model
    assert pg.Rubric.from_dict(record["rubric"]) == posterior.book.rubric
    assert [entry["variable"] for entry in record["diagnostics"]] == list(posterior.diagnostics()["variable"])


def test_the_record_is_valid_json_where_nothing_can_be_diagnosed(source: Path, tmp_path: Path) -> None:
    results = Results.of(pg.fit(tiny_class(1), chains=1, draws=2, seed=0), [InputFile.of(source)])
    results.write(tmp_path)
    text = (tmp_path / "run.json").read_text("utf-8")
    assert "NaN" not in text
    assert json.loads(text) == results.record
    assert results.record["diagnostics"][0]["r_hat"] is None
    assert len(results.record["warnings"]) == len(results.warnings) > 0


TODAY = pd.DataFrame(
    [
        ("s2", "ann", 0.4, 0.5, 0.0),
        ("s2", "bob", 0.6, 0.5, 1.0),
        ("s1", "bob", 1.0, 1.0, 0.0),
        ("s3", "ann", 1.0, 1.0, 0.0),
    ],
    columns=["submission", "grader", "weight", "desired_weight", "bias"],
)
"""The weights of three submissions, which are not in the order of their names."""


def then(*rows: tuple[str, str, float]) -> HandedOut:
    """What was handed out, when weights had no column for the bias."""
    table = pd.DataFrame([(*row, 0.7) for row in rows], columns=["submission", "grader", "weight", "desired_weight"])
    return HandedOut(weights=table)


def rows_of(table: pd.DataFrame) -> list[tuple[object, ...]]:
    assert list(table.index) == list(range(len(table)))
    return list(table.astype(object).where(table.notna(), None).itertuples(index=False, name=None))


def test_weights_that_were_handed_out_take_the_place_of_todays() -> None:
    told = then(("s3", "cat", 0.1), ("gone", "ann", 1.0), ("s2", "cat", 0.3), ("s3", "ann", 0.9))
    assert rows_of(with_handed_out(TODAY, told)) == [
        ("s2", "cat", 0.3, 0.7, None),
        rows_of(TODAY)[2],
        ("s3", "cat", 0.1, 0.7, None),
        ("s3", "ann", 0.9, 0.7, None),
    ]


def test_all_weights_or_none_may_have_been_handed_out() -> None:
    every = then(("s1", "ann", 1.0), ("s2", "bob", 1.0), ("s3", "ann", 1.0))
    assert [row[0] for row in rows_of(with_handed_out(TODAY, every))] == ["s2", "s1", "s3"]
    for none in (None, then(), then(("gone", "ann", 1.0))):
        assert rows_of(with_handed_out(TODAY, none)) == rows_of(TODAY)
