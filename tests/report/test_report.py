"""The staff's page without a browser: what it holds, that it is made of the results alone, and that it stays small."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import asdict, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import peerage as pg
from peerage.gradebook.book import TA
from peerage.report.first_screen import first_screen
from peerage.report.render import embedded
from peerage.report.report_source import ReportSource
from peerage.results.provenance import found_by_checks
from peerage.results.results import Results
from peerage.results.schema import GRADERS
from support.classes.classes import gradebooks, texts
from support.classes.tiny import FIXED, tiny_class
from support.programs.reporting import Outline, data_of, staff_page_of, write


@pytest.fixture(scope="module")
def posterior() -> pg.Posterior:
    return pg.fit(tiny_class(1), pg.Model(fixed=FIXED, priors="paper"), chains=2, draws=40, burn_in=10, seed=2)


@pytest.fixture(scope="module")
def folder(posterior: pg.Posterior, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(posterior, tmp_path_factory.mktemp("class") / "results")


@pytest.fixture(scope="module")
def page(folder: Path) -> str:
    return staff_page_of(folder)


def test_a_fit_writes_the_page_that_its_folder_gives_again(folder: Path, page: str) -> None:
    assert (folder / "report.html").read_bytes() == page.encode()


def test_the_page_says_that_it_is_for_staff_only(page: str) -> None:
    assert "For staff only." in page


def test_the_page_leads_nowhere_and_its_policy_allows_its_own_code_alone(page: str) -> None:
    outline = Outline(page)
    assert all(link.startswith("#") for link in outline.attributes("href"))
    assert outline.attributes("src", "srcset", "action", "style", "onclick", "onload") == []
    (policy,) = [entries["content"] for tag, entries in outline.tags if "http-equiv" in entries]
    hashes = {kind: b64encode(sha256(outline.code[kind].encode()).digest()).decode() for kind in ("script", "style")}
    assert policy == (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src 'sha256-{hashes['style']}'; script-src 'sha256-{hashes['script']}'"
    )


def test_every_link_within_the_page_has_a_target(page: str) -> None:
    outline = Outline(page)
    targets = {f"#{name}" for name in outline.attributes("id")}
    submissions = {f"#submission-{index}" for index in range(6)}
    assert set(outline.attributes("href")) <= targets | submissions


def test_the_data_hold_the_tables(folder: Path, page: str, posterior: pg.Posterior) -> None:
    data = data_of(page)
    grades = pd.read_csv(folder / "grades.csv", dtype=str)
    cells = data["cells"]
    assert list(map(float, cells["grade"])) == list(grades["grade"].astype(float))
    names = [entry["name"] for entry in data["components"]]
    assert [names[index] for index in cells["component"]] == list(grades["component"])
    sentences = [" ".join(data["parts"][part] for part in parts) for parts in cells["sentence"]]
    assert sentences == list(pd.read_csv(folder / "explanations.csv")["sentence"])
    totals = pd.read_csv(folder / "totals.csv").drop_duplicates("submission")
    share = totals["total"] / totals["submission"].map(dict.fromkeys(["s4", "s5"], 5.0)).fillna(8.0)
    np.testing.assert_allclose(data["submissions"]["after"], 100 * share, atol=0.005)
    assert [tuple(names) for names in data["submissions"]["authors"]] == list(posterior.book.authors)


def test_each_review_is_told_with_its_weight(folder: Path, page: str, posterior: pg.Posterior) -> None:
    data, book = data_of(page), posterior.book
    weights = pd.read_csv(folder / "weights.csv").set_index(["submission", "grader"])
    ends = [0, *data["submissions"]["reviews"]]
    told = {}
    for submission, (start, end) in enumerate(pairwise(ends)):
        shares = data["reviews"]["weight"][start:end]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == 100
        for review in range(start, end):
            grader = data["graders"][data["reviews"]["grader"][review]][0]
            told[book.submissions[submission], grader] = data["reviews"]["weight"][review]
            row = np.flatnonzero(
                (book.review_submission == submission) & (book.review_grader == book.graders.index(grader))
            )
            expected = [None if np.isnan(grade) else grade for grade in book.values[row[0]]]
            assert data["reviews"]["grades"][review] == expected
    assert told == {key: round(100 * weight) for key, weight in weights["weight"].items()}


def test_the_bars_of_a_grade_are_its_posterior(page: str, posterior: pg.Posterior) -> None:
    data = data_of(page)
    mass = posterior.level_mass()
    told = [percent for bars in data["cells"]["mass"] for percent in bars]
    np.testing.assert_allclose(np.array(told) / 100, mass["probability"], atol=0.005 + 1e-9)


def test_the_first_screen_counts_what_changed(page: str, posterior: pg.Posterior) -> None:
    grades = posterior.submissions().assign(
        grade=pg.explain(posterior, form="average", staff_final=True).grades["grade"]
    )
    compared = grades[grades["peer_mean"].notna()]
    rubric = posterior.book.rubric
    before, after = (
        [int(rubric[name].level_of(grade)) for name, grade in zip(compared["component"], compared[column], strict=True)]
        for column in ("peer_mean", "grade")
    )
    changed = sum(one != other for one, other in zip(before, after, strict=True))
    assert f"{changed} of {len(compared)} grades round to a different grade from the peers&#39; mean" in page


def test_a_warning_on_the_first_screen_is_a_sentence_with_one_full_stop(posterior: pg.Posterior) -> None:
    results = Results.of(posterior)
    checks = {"sentences": ["Graders agree. They copy."], "problems": [asdict(pg.Problem("graders agree. They copy"))]}
    for told in (checks, {"sentences": checks["sentences"]}):
        for since, when in ((0, ""), (3, " (found before the last 3 grades came in or changed)")):
            warnings = [asdict(one) for one in found_by_checks({"model_checks": {**told, "grades_since": since}})]
            screen = first_screen(ReportSource(replace(results, record={**results.record, "warnings": warnings})))
            assert screen.attention[0].detail == f"Graders agree. They copy{when}."


def test_a_hundred_grades_share_the_bars(tmp_path: Path) -> None:
    book, _ = pg.simulate(8, 1, seed=1, tas=0, components=pg.Rubric.uniform(["Essay"], range(101)))
    posterior = pg.fit(book, chains=1, draws=20, seed=0)
    data = data_of(staff_page_of(write(posterior, tmp_path / "results")))
    labels = data["components"][0]["bars"]
    assert len(labels) == 25
    assert (labels[0], labels[-1]) == ("0 to 4", "97 to 100")
    for grade, bar, bars in zip(*(data["cells"][name] for name in ("grade", "bar", "mass")), strict=True):
        low, high = map(int, labels[bar].split(" to "))
        assert low - 0.5 <= grade < high + 0.5
        assert sum(bars) == pytest.approx(100, abs=13)


def test_most_likely_grades_have_no_weights_and_no_sentences(posterior: pg.Posterior, tmp_path: Path) -> None:
    page = staff_page_of(write(posterior, tmp_path / "results", final="most-likely"))
    data = data_of(page)
    assert data["cells"]["sentence"] == []
    assert "weight" not in data["reviews"]
    assert "the most likely ones" in page


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (
            pg.Model(effort=False, bias=False, priors="paper"),
            ["Every review is assumed to have been made with effort", "nobody is assumed"],
        ),
        (
            pg.Model(correlation=True, priors="paper"),
            ["so a student&#39;s grades depend on how the student grades others"],
        ),
        (pg.Model(censoring=False, priors="paper"), ["Reports are treated as exact numbers"]),
    ],
)
def test_the_model_is_told_in_words(model: pg.Model, said: list[str], tmp_path: Path) -> None:
    posterior = pg.fit(tiny_class(1), model, chains=1, draws=10, seed=0)
    page = staff_page_of(write(posterior, tmp_path / "results"))
    assert [words for words in said if words not in page] == []
    assert ("how much graders&#39; biases differ" in page) is model.bias
    assert page.count("<figure>") == 2 + model.bias


def test_a_class_graded_by_staff_alone_has_a_page(tmp_path: Path) -> None:
    book = tiny_class(1)
    staff = replace(book, roles=np.full(book.n_graders, TA), authors=((),) * 6, assignments=("",) * 6)
    page = staff_page_of(write(pg.fit(staff, chains=1, draws=10, seed=0), tmp_path / "results"))
    assert set(data_of(page)["submissions"]["before"]) == {None}
    assert "no student graded it" in page


def test_points_that_make_no_difference_have_a_page(tmp_path: Path) -> None:
    rubric = pg.Rubric((pg.Component("Essay", (0.0, 1.0, 2.0), (0.0, 0.0, 0.0)),))
    book, _ = pg.simulate(6, 1, seed=1, tas=0, components=rubric)
    page = staff_page_of(write(pg.fit(book, chains=1, draws=10, seed=0), tmp_path / "results"))
    assert set(data_of(page)["submissions"]["after"]) == {0}


def test_points_that_are_all_below_zero_are_not_put_in_percent(tmp_path: Path) -> None:
    """Deductions: submissions with different components, of which one can lose points alone."""
    deductions = pg.Component("late", (-2.0, -1.0))
    quality = pg.Component("quality", (0.0, 1.0))
    rows = [("1", "a", "x", "quality", 1), ("1", "a", "x", "late", -1), ("2", "b", "x", "late", -2)]
    frame = pd.DataFrame(rows, columns=["assignment", "submission", "grader", "component", "grade"])
    book = pg.read_grades(frame, pg.Rubric((quality, deductions)))
    page = staff_page_of(write(pg.fit(book, chains=1, draws=10, seed=0), tmp_path / "results"))
    assert "total of a submission, in points" in page


@pytest.mark.slow
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(book=gradebooks(), bias=st.booleans(), effort=st.booleans())
def test_any_class_has_a_page(
    book: pg.Gradebook, bias: bool, effort: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    posterior = pg.fit(book, pg.Model(bias=bias, effort=effort, priors="paper"), chains=1, draws=5, burn_in=2, seed=0)
    folder = write(posterior, tmp_path_factory.mktemp("any") / "results")
    page = staff_page_of(folder)
    assert data_of(page)["submissions"]["id"] == list(book.submissions)
    assert (folder / "report.html").read_bytes().decode() == page


@pytest.mark.slow
def test_the_standard_class_fits_into_two_megabytes(tmp_path: Path) -> None:
    book, _ = pg.simulate(seed=0)
    posterior = pg.fit(book, chains=1, draws=5, burn_in=5, seed=0)
    page = staff_page_of(write(posterior, tmp_path / "results", name_graders=True))
    assert len(data_of(page)["submissions"]["id"]) == 1200
    assert len(page.encode()) < 2_000_000


# Names are text.


@given(st.dictionaries(texts, st.lists(texts | st.integers() | st.none(), max_size=3), max_size=3))
def test_embedded_data_are_what_they_were_and_cannot_end_their_element(value: Any) -> None:
    text = str(embedded({"value": value}))
    assert json.loads(text) == {"value": value}
    assert not re.search("[<>&\u2028\u2029]", text)


def test_ids_cannot_become_markup(tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>{{7191*7}}"
    book = tiny_class(1)
    odd = replace(
        book,
        submissions=(hostile + " s", *book.submissions[1:]),
        graders=(hostile + " g", *book.graders[1:]),
        authors=((hostile + " a",), *book.authors[1:]),
        assignments=(hostile + " w",) * 4 + ("second",) * 2,
    )
    page = staff_page_of(write(pg.fit(odd, chains=1, draws=10, seed=0), tmp_path / "results"))
    outline = Outline(page)
    assert [tag for tag, _ in outline.tags if tag in ("img", "script")] == ["script", "script"]
    assert outline.attributes("onerror") == []
    assert "50337" not in page
    assert data_of(page)["submissions"]["id"][0] == hostile + " s"


# Results that cannot be shown are refused.


def copy(folder: Path, target: Path) -> Path:
    target.mkdir()
    for path in folder.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("grades.csv", lambda text: text.replace("s0,", "other,"), "grades.csv: does not belong to posterior.npz"),
        ("graders.csv", lambda text: text.replace("teacher", "nobody"), "graders.csv: does not belong"),
        ("totals.csv", lambda text: text.replace("s5,", "s6,"), "totals.csv: does not belong"),
        ("spotchecks.csv", lambda text: text + "9,s9,1,why\n", "spotchecks.csv: does not belong"),
        ("totals.csv", lambda text: text.replace("lower", "low"), "totals.csv: has no column 'lower'; fit the class"),
        ("run.json", lambda text: text[:-5], "run.json: is missing or damaged; fit the class again"),
        ("run.json", lambda _: "{}", "run.json: does not say what the rubric is; fit the class again"),
        (
            "graders.csv",
            lambda text: re.sub(r"\na,student,\d+,[\d.]+", "\na,student,2,much", text),
            "'much' in the column",
        ),
    ],
)
def test_results_that_were_changed_are_refused(folder: Path, tmp_path: Path, file: str, change: Any, said: str) -> None:
    changed = copy(folder, tmp_path / "changed")
    path = changed / file
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    with pytest.raises(pg.PeerageError, match=re.escape(said)):
        staff_page_of(changed)


def test_a_guarded_id_is_read_back_as_it_was(tmp_path: Path) -> None:
    book = tiny_class(1)
    odd = replace(book, submissions=("=1+1", *book.submissions[1:]), graders=("-g", *book.graders[1:]))
    results = Results.read(write(pg.fit(odd, chains=1, draws=10, seed=0), tmp_path / "results"))
    assert ReportSource(results).cells["submission"][0] == "=1+1"
    assert results.tables[GRADERS]["grader"][0] == "-g"
