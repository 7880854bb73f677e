"""``peerage report``: which files it writes, where, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import peerage as pg
from peerage.cli import main
from peerage.results import result_folder

FAST = ["--chains", "1", "--draws", "20", "--burn-in", "5", "--quiet"]


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class")
    book, _ = pg.simulate(8, 1, seed=3, tas=1, components=2)
    book.write(folder / "grades.csv")
    assert main(["fit", str(folder / "grades.csv"), *FAST]) == 0
    return folder / "grades"


@pytest.fixture
def folder(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of results beside which one works."""
    with result_folder.writing(tmp_path / "results") as fresh:
        for path in template.iterdir():
            if path.name != result_folder.MARKER:
                (fresh / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path / "results"


def test_the_page_is_written_anew(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (folder / "report.html").read_bytes()
    (folder / "report.html").write_text("damaged")
    assert main(["report", "results"]) == 0
    assert capsys.readouterr().out == f"Written to {folder / 'report.html'}\n"
    assert (folder / "report.html").read_bytes() == before


def test_a_page_that_was_missing_belongs_to_the_results_from_then_on(folder: Path) -> None:
    (folder / "report.html").unlink()
    marker = json.loads((folder / result_folder.MARKER).read_text("utf-8"))
    marker["files"].remove("report.html")
    (folder / result_folder.MARKER).write_text(json.dumps(marker), "utf-8")
    assert main(["report", "results"]) == 0
    result_folder.check_target(folder)
    assert names(folder.parent) == ["results"]


def test_a_page_that_peerage_did_not_write_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    marker = json.loads((folder / result_folder.MARKER).read_text("utf-8"))
    marker["files"].remove("report.html")
    (folder / result_folder.MARKER).write_text(json.dumps(marker), "utf-8")
    (folder / "report.html").write_text("mine")
    assert main(["report", "results"]) == 2
    assert "report.html: was not written by peerage and would be lost; move it elsewhere\n" in capsys.readouterr().err
    assert (folder / "report.html").read_text() == "mine"


def test_one_students_page_is_written_here_or_where_one_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    student = pg.load(folder / "posterior.npz").book.authors[0][0]
    assert main(["report", "results", "--for-student", student]) == 0
    (page,) = folder.parent.glob("*.html")
    assert page.name.startswith(student)
    assert capsys.readouterr().out == f"Written to {page.name}\n"
    assert main(["report", "results", "--for-student", student, "-o", "pages/own.html"]) == 0
    assert (folder.parent / "pages" / "own.html").read_bytes() == page.read_bytes()


def test_all_students_pages_are_written_to_a_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "results", "--for-students", "pages", "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    authors = {name for entry in pg.load(folder / "posterior.npz").book.authors for name in entry}
    assert set(written) == authors
    assert sorted(Path(path).name for path in written.values()) == names(folder.parent / "pages")[1:]
    assert f"Peer grades of {min(authors)}" in Path(written[min(authors)]).read_text("utf-8")
    assert main(["report", "results", "--for-students", "pages"]) == 0
    assert capsys.readouterr().out == "Written to pages: 8 pages, one for each author\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["elsewhere"], "elsewhere: there are no results here; name a folder that peerage has written"),
        (["results", "--for-student", "nobody"], "'nobody' wrote none of the submissions; give the id of an author"),
        (["results", "--for-student", "student1", "-o", "page.csv"], "page.csv: a page is a file that ends in .html"),
        (["results", "--for-student", "student1", "-o", "kept.html"], "kept.html: this file exists; name another"),
        (["results", "--for-student", "student1", "-o", "results/x.html"], "this is in the result folder"),
        (["results", "--for-students", "results/pages"], "this is in the result folder"),
        (["results", "--for-students", "others"], "this folder holds files that are not results"),
        (["results", "--for-student", "a", "--for-students", "b"], "choose one student or all"),
        (["results", "-o", "x.html"], "only for the page of one student"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_written(
    folder: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder.parent / "kept.html").write_text("mine")
    (folder.parent / "others").mkdir()
    (folder.parent / "others" / "letter.txt").write_text("dear reader")
    content = names(folder)
    assert main(["report", *arguments]) == 2
    captured = capsys.readouterr()
    assert said in " ".join(captured.err.replace("│", " ").split())
    assert "Traceback" not in captured.err
    assert (names(folder.parent), names(folder)) == (["kept.html", "others", "results"], content)
    assert (folder.parent / "kept.html").read_text() == "mine"


def test_a_page_that_exists_is_replaced_on_request(folder: Path) -> None:
    (folder.parent / "kept.html").write_text("mine")
    assert main(["report", "results", "--for-student", "student1", "-o", "kept.html", "--force"]) == 0
    assert "Peer grades of student1" in (folder.parent / "kept.html").read_text("utf-8")


def test_damaged_results_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "run.json").write_text("{")
    assert main(["report", "results"]) == 2
    assert capsys.readouterr().err == "run.json: is missing or damaged; fit the class again\n"
