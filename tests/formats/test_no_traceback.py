"""Files and answers that once ended in a traceback: each is refused in a sentence now."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg
from peerage.cli import main
from peerage.evaluation.prior_search.prior_grids import PriorGrid
from peerage.formats.rows.inferred_scale import up_to
from peerage.formats.wizard.guessing import scale_of

DIGITS = "9" * 5000
DEEP = "[" * 5000


@pytest.mark.parametrize(
    ("grades", "said"),
    [
        (DIGITS, "a number has too many digits"),
        (DEEP, "nested too deeply"),
        (f"[0, {10**400}]", "component 'S': grades must be finite numbers"),
        ('"-1e308 to 1e308 by 1"', "the steps of '-1e308 to 1e308 by 1' do not end at 1e+308"),
        ("[0, 1]\npoints = [0, 1e308]", "its points must lie between -1,000,000 and 1,000,000"),
    ],
)
def test_rubrics(grades: str, said: str) -> None:
    with pytest.raises(pg.InputError, match=said.replace("+", r"\+")):
        pg.Rubric.from_toml(f"[components.S]\ngrades = {grades}\n")


@pytest.mark.parametrize("text", [f"mu_s = {DIGITS}", f"mu_s = {DEEP}", f"mu_s = {10**400}"])
def test_priors(text: str) -> None:
    with pytest.raises(pg.InputError):
        pg.Priors.from_toml(text)


@pytest.mark.parametrize("text", [f"mu_s = {10**400}", f"mu_s = [3, {10**400}]", f"mu_s = {DIGITS}", f"mu_s = {DEEP}"])
def test_grids(tmp_path: Path, text: str) -> None:
    (tmp_path / "grid.toml").write_text(text)
    with pytest.raises(pg.PeerageError):
        PriorGrid.read(str(tmp_path / "grid.toml")).all()


@pytest.mark.parametrize("text", [f"[{DIGITS}", f'{{"data": {DEEP}', f'[{{"assessor_id": {DIGITS}}}]'])
def test_documents(tmp_path: Path, text: str) -> None:
    (tmp_path / "g.json").write_text(text)
    with pytest.raises(pg.InputError):
        pg.read_grades(tmp_path / "g.json")


@pytest.mark.parametrize("first", ['sep="', "sep=", "sep=a", "sep=\\", "sep= ", "sep=::"])
def test_a_line_that_names_no_delimiter(tmp_path: Path, first: str) -> None:
    (tmp_path / "g.csv").write_text(f"{first}\nsubmission,grader,S\np1,a,1\np1,b,2\n")
    assert pg.read_grades(tmp_path / "g.csv").n_reviews == 2


@pytest.mark.parametrize(
    "setting",
    [
        'grades = ["a**b"]',
        f'grades = ["{"9" * 400}"]',
        f'grades = ["{"a/" * 2000}b"]',
        f"seed = {DIGITS}",
        f"seed = {DEEP}",
    ],
)
def test_project_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], setting: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("peerage.toml").write_text(setting + "\n")
    assert main(["check"]) == 2
    assert "peerage.toml" in capsys.readouterr().err


def test_answers_and_maxima_that_are_too_large() -> None:
    assert scale_of("S", [1e308]).n_levels == 2
    assert scale_of("S", [1.0, 2.0, 1e308]).grades == (1.0, 2.0)
    with pytest.raises(pg.InputError, match="must lie between"):
        up_to("S", 1e308, [])


def test_a_total_that_no_sum_can_be(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("grader,submission,S,T,Total\na,p1,3,4,7\nb,p1,2,2,4\nc,p2,5,1,6\na,p2,4,4,1e308\n")
    book = pg.read_grades(tmp_path / "g.csv")
    assert book.rubric.names == ("S", "T")


def test_so_little_memory_that_nothing_can_be_kept() -> None:
    book, _ = pg.simulate(students=8, weeks=1, seed=0)
    with pytest.raises(pg.ModelError, match=r"memory must be a positive number of gigabytes, 0\.000001 at least"):
        pg.fit(book, memory=1e-320)


def test_an_over_long_cell_in_a_ragged_row_is_called_that(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(f"submission,grader,S\np1,a,1,x\np1,b,{'y' * 200_000}\n")
    with pytest.raises(pg.InputError, match="a cell holds more than 131,072 characters; quote cells that contain"):
        pg.read_grades(tmp_path / "g.csv")
