"""``--by COLUMN``: classes in one file are fitted apart, as if each had a file of its own, and reported together."""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import peerage as pg
from peerage.cli import main
from peerage.report import charts, staff_page
from peerage.report.pages import classes_html, staff_html
from peerage.results.results import Results
from peerage.results.several_classes_results import SeveralResults, folder_names
from peerage.tables.reading_files import read_sheet
from support.classes.term import FAST, TABLES, class_table, fitted, grades_of, record, rows, written
from support.programs.browser import DESKTOP, PHONE, Watched, chromium, violations

ODD = '=B, "2"'
FOLDERS = {"A": "A", ODD: "B-2"}


def section(letter: str, name: str, students: int, seed: int) -> pd.DataFrame:
    """A class whose ids begin with a letter, but for the TA, who grades in every class."""
    table = class_table(students, weeks=1, seed=seed)
    own = {
        column: [text if text.startswith("ta") else f"{letter}-{text}" for text in table[column]]
        for column in ("submission", "grader", "author")
    }
    return table.assign(**own, section=name)


TABLE = pd.concat([section("a", "A", 7, seed=1), section("b", ODD, 6, seed=2)])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of both classes, in ``out``, and of each alone."""
    home = tmp_path_factory.mktemp("sections")
    fitted(written(TABLE, home / "class" / "class.csv"), home / "out", "--by", "section")
    for name, folder in FOLDERS.items():
        fitted(written(TABLE[TABLE["section"] == name], home / "alone" / f"{folder}.csv"), home / folder)
    return home


@pytest.fixture
def out(home: Path, tmp_path: Path) -> Path:
    """A copy of the results of both classes."""
    shutil.copytree(home / "out", tmp_path / "out")
    return tmp_path / "out"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_each_class_has_the_results_of_a_file_of_its_own(home: Path) -> None:
    for folder in FOLDERS.values():
        assert names(home / "out" / folder) == names(home / folder)
        for name in TABLES:
            assert (home / "out" / folder / name).read_bytes() == (home / folder / name).read_bytes()
        assert main(["report", str(home / "out" / folder)]) == 0


def test_tables_of_all_classes_have_the_class_first(home: Path) -> None:
    assert names(home / "out") == {
        *(".peerage.json", "report.html", "run.json", "grades.csv", "totals.csv", "graders.csv"),
        *FOLDERS.values(),
    }
    for name in ("grades.csv", "totals.csv", "graders.csv"):
        joined = read_sheet(home / "out" / name, name)
        assert joined.header[0] == "section"
        assert [joined.column("section")[row] for row in range(len(joined))] == [
            value for value, folder in FOLDERS.items() for _ in rows(home / folder / name)
        ]
        assert [{key: cell for key, cell in row.items() if key != "section"} for row in rows(home / "out" / name)] == [
            row for folder in FOLDERS.values() for row in rows(home / folder / name)
        ]


def test_the_record_and_the_page_lead_to_the_classes(home: Path) -> None:
    found = record(home / "out")
    assert found["by"] == "section"
    assert {entry["name"]: entry["folder"] for entry in found["classes"]} == FOLDERS
    assert found["counts"]["submissions"] == sum(entry["counts"]["submissions"] for entry in found["classes"]) == 13
    assert record(home / "out" / "B-2")["class"] == {"by": "section", "name": ODD}
    page = (home / "out" / "report.html").read_text("utf-8")
    links = [unquote(unescape(link)) for link in re.findall(r'href="([^"]*)"', page)]
    assert {link.partition("#")[0] for link in links} == {f"{folder}/report.html" for folder in FOLDERS.values()}
    for link in links:
        place, _, part = link.partition("#")
        assert not part or f'id="{part}"' in (home / "out" / place).read_text("utf-8")
    assert "1 grader in more than one section, estimated separately in each: &#39;ta1&#39;" in page
    assert "=B, &#34;2&#34;" in page
    assert "class.csv, section =B, &#34;2&#34;" in (home / "out" / "B-2" / "report.html").read_text("utf-8")


def test_the_page_about_all_classes_builds_no_page_of_a_class(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def built(*_: object) -> None:
        raise AssertionError("a class's page was built")

    monkeypatch.setattr(staff_page, "submission_data", built)
    monkeypatch.setattr(charts, "before_and_after", built)
    assert classes_html(SeveralResults.read(home / "out")) == (home / "out" / "report.html").read_text("utf-8")
    with pytest.raises(AssertionError, match="was built"):
        staff_html(Results.read(home / "out" / "A"))


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_the_page_loads_alone_leads_on_and_everybody_can_read_it(home: Path, size: tuple[int, int]) -> None:
    path = home / "out" / "report.html"
    with chromium() as browser, browser.new_context(viewport={"width": size[0], "height": size[1]}) as context:
        watched = Watched(context.new_page())
        page = watched.open(path)
        page.wait_for_load_state("networkidle")
        assert (watched.requests, watched.complaints) == ([path.as_uri()], [])
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        page.get_by_role("link", name=ODD).click()
        assert page.url == (home / "out" / "B-2" / "report.html").as_uri()


def test_nothing_new_gives_the_same_files(home: Path, out: Path) -> None:
    fitted(home / "class" / "class.csv", out, "--by", "section")
    for folder in (Path(), *map(Path, FOLDERS.values())):
        for name in ("grades.csv", "totals.csv", "graders.csv", "report.html"):
            assert (out / folder / name).read_bytes() == (home / "out" / folder / name).read_bytes()
    assert (out / "run.json").read_bytes() == (home / "out" / "run.json").read_bytes()


def test_what_staff_decided_counts_in_its_own_class(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grades = written(TABLE, tmp_path / "class" / "class.csv")
    first, last = TABLE.iloc[0], TABLE.iloc[-1]
    before = grades_of(home / "out" / "B-2")[last["submission"], last["component"]]
    decided = f"{last['submission']},{last['component']},{(before + 1) % 6:g},appeal\n"
    (grades.parent / "override.csv").write_text(f"submission,component,grade,reason\n{decided}")
    (grades.parent / "exclude.csv").write_text(f"grader,submission,reason\n{first['grader']},,a friend\n")
    (tmp_path / "fixed.csv").write_text("variable,id,component,value\nbias,ta1,,0.5\neffort,a-student2,,1\n")
    out = fitted(grades, tmp_path / "out", "--by", "section", "--fixed", str(tmp_path / "fixed.csv"))
    said = capsys.readouterr()
    assert "section 'A':\n\nExcluded:\n" in said.out
    assert f"section {ODD!r}:\n\nSet by the staff:\n" in said.out
    assert said.err.count("note: using exclude.csv, found beside the grades, to exclude reviews") == 1
    a, b = record(out / "A"), record(out / "B-2")
    assert ([rule["grader"] for rule in a["exclusions"]], b["exclusions"]) == ([first["grader"]], [])
    assert (a["overrides"], [rule["submission"] for rule in b["overrides"]]) == ([], [last["submission"]])
    models = {folder: pg.load(out / folder / "posterior.npz").model for folder in FOLDERS.values()}
    assert models["A"].fixed == pg.Fixed(bias={"ta1": 0.5}, effort={"a-student2": 1})
    assert models["B-2"].fixed == pg.Fixed(bias={"ta1": 0.5})
    (tmp_path / "fixed.csv").write_text("variable,id,component,value\nbias,ta9,,0.5\n")
    options = ["--by", "section", "--fixed", str(tmp_path / "fixed.csv")]
    assert main(["fit", str(grades), "-o", str(tmp_path / "other"), *FAST, *options]) == 2
    assert "fixed.csv, row 2: nobody with the id 'ta9' graded anything" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


def test_published_grades_stay_in_each_class(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grades = written(pd.concat([TABLE, section("c", "C", 6, seed=5)]), tmp_path / "class.csv")
    options = ["--by", "section", "--published", str(home / "out"), "--seed", "1"]
    out = fitted(grades, tmp_path / "out", *options)
    for folder in FOLDERS.values():
        assert grades_of(out / folder) == grades_of(home / "out" / folder)
        assert record(out / folder)["published"]["kept"] == len(grades_of(out / folder))
    assert "published" not in record(out / "C")
    assert "note: section 'C' has no published grades" in capsys.readouterr().err
    assert main(["compare", str(home / "out"), str(out), "--json"]) == 0
    said = capsys.readouterr()
    assert f"section 'C' is only in {out}" in said.err
    assert json.loads(said.out) == {"A": [], ODD: []}
    assert rows(out / "A" / "changes.csv") == []


def test_made_up_names_are_one_persons_in_all_classes(home: Path, tmp_path: Path) -> None:
    out = fitted(home / "class" / "class.csv", tmp_path / "out", "--by", "section", "--pseudonyms", str(tmp_path / "k"))
    key = {row["id"]: row["pseudonym"] for row in rows(tmp_path / "k")}
    for folder in FOLDERS.values():
        assert key["ta1"] in {row["grader"] for row in rows(out / folder / "graders.csv")}
    texts = [path.read_text("utf-8") for path in out.rglob("*") if path.suffix in (".csv", ".json", ".html")]
    assert not any(name in text for text in texts for name in key)


def test_an_update_of_a_class_keeps_what_all_have_in_common_in_step(out: Path) -> None:
    place = next(iter(grades_of(out / "A")))
    new = out.with_name("new.csv")
    new.write_text(f"submission,grader,component,grade,role\n{place[0]},prof,{place[1]},0,instructor\n")
    other = (out / "B-2" / "grades.csv").read_bytes()
    assert main(["update", str(out / "A"), str(new), "-q"]) == 0
    assert names(out.parent) == {"out", "out-before-1", "new.csv"}
    assert names(out) == names(out.with_name("out-before-1"))
    assert "prof" in {row["grader"] for row in rows(out / "graders.csv") if row["section"] == "A"}
    assert (out / "B-2" / "grades.csv").read_bytes() == other
    assert [entry["name"] for entry in record(out)["input"]] == ["class.csv", "new.csv"]
    assert record(out / "A")["class"]["name"] == "A"
    assert main(["report", str(out)]) == 0
    assert names(out.parent) == {"out", "out-before-1", "new.csv"}


def test_an_update_takes_the_grades_of_its_own_class_alone(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new, other = out.with_name("new.csv"), TABLE[TABLE["section"] == ODD]
    new.write_text(TABLE.assign(grader="prof", role="instructor").groupby("submission").head(1).to_csv(index=False))
    assert main(["update", str(out / "A"), str(new), "-o", str(out.with_name("updated")), "-q"]) == 0
    assert f"note: grades of section {ODD!r} left out, because these results are about 'A'" in capsys.readouterr().err
    assert grades_of(out.with_name("updated")).keys() == grades_of(out / "A").keys()
    new.write_text(other.to_csv(index=False))
    assert main(["update", str(out / "A"), str(new), "-q"]) == 2
    assert "there are no grades of section 'A', which these results are about" in capsys.readouterr().err


def test_an_update_knows_the_column_by_another_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = class_table().rename(columns={"assignment": "Week"})
    out = fitted(written(table, tmp_path / "class.csv"), tmp_path / "out", "--by", "assignment")
    (tmp_path / "new.csv").write_text(table.assign(grader="prof", role="ta").to_csv(index=False))
    first, second = sorted(set(table["Week"]))
    options = ["--duplicates", "last", "-o", str(tmp_path / "updated"), "-q"]
    assert main(["update", str(out / first), str(tmp_path / "new.csv"), *options]) == 0
    assert f"note: grades of assignment '{second}' left out" in capsys.readouterr().err
    assert grades_of(tmp_path / "updated").keys() == grades_of(out / first).keys()


@pytest.mark.parametrize(
    "command",
    [["credit"], ["export", "--to", "csv"], ["update", "new.csv"], ["report", "--for-student", "a-student1"]],
    ids=lambda words: words[0],
)
def test_what_is_done_for_one_class_says_which_there_are(
    out: Path, command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(out.parent)
    assert main([command[0], "out", *command[1:]]) == 2
    said = f"{out}: holds the results of several classes; name one of them: {out / 'A'}, {out / 'B-2'}\n"
    assert capsys.readouterr().err == said
    assert names(out.parent) == {"out"}


def test_exports_of_a_class_lie_beside_all_results(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(out / "A"), "--to", "csv"]) == 0
    assert names(out.parent) == {"out", "out-A-students.csv"}
    assert main(["export", str(out / "A"), "--to", "csv", "-o", str(out / "mine.csv")]) == 2
    assert "this is in the result folder, which must hold nothing else" in capsys.readouterr().err


def test_results_of_several_classes_are_replaced_together_or_not_at_all(
    home: Path, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fit = ["fit", str(home / "class" / "class.csv"), *FAST]
    assert main([*fit, "-o", str(out / "A")]) == 2
    assert f"{out / 'A'}: this is one of the classes in {out}, written together" in capsys.readouterr().err
    (out / "A" / "notes.txt").write_text("mine")
    assert main([*fit, "-o", str(out), "--by", "section"]) == 2
    assert "'A/notes.txt' in this folder was not written by peerage and would be lost" in capsys.readouterr().err
    (out / "A" / "notes.txt").unlink()
    assert main([*fit, "-o", str(out)]) == 0
    assert set(FOLDERS.values()).isdisjoint(names(out))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--by", "room"], "class.csv: has no column 'room' to tell classes apart"),
        (["--by", "assignment", "--published", "OUT"], "these results do not have a class for each assignment; name"),
        (["--by", "section", "--published", "OUT/A"], "these results do not have a class for each section; name"),
        (["--published", "OUT"], "holds the results of several classes; name one of them"),
    ],
)
def test_bad_requests_are_refused(
    home: Path, tmp_path: Path, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [option.replace("OUT", str(home / "out")) for option in options]
    assert main(["fit", str(home / "class" / "class.csv"), "-o", str(tmp_path / "new"), *FAST, *options]) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_project_file_names_the_column(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "peerage.toml").write_text(f'grades = "{home / "class" / "class.csv"}"\nby = "section"\n')
    assert main(["check", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["by"], list(found["classes"])) == ("section", list(FOLDERS))
    assert [facts["submissions"] for facts in found["classes"].values()] == [7, 6]
    assert main(["check"]) == 0
    said = capsys.readouterr().out
    assert "section 'A':" in said
    assert said.count("in more than one section") == 1


@given(st.lists(st.text(max_size=60), unique=True, max_size=12))
@example(["A", "a", "A ", "a-2", "..", "", "con", "Con", "class-con", "grades.csv", "x" * 60, "x" * 59])
def test_folders_are_safe_and_different(values: list[str]) -> None:
    found = folder_names(values)
    assert list(found) == values
    assert len({name.casefold() for name in found.values()}) == len(values)
    assert all(re.fullmatch(r"\w[\w-]{0,50}", name) for name in found.values())
    assert not {name.casefold() for name in found.values()} & {"con", "nul", "aux", "prn", "com1", "lpt1"}


def test_folders_have_names_that_people_recognise() -> None:
    values = ["A", "Mon/Tue", "con", "Größe 7", "A_b", "a"]
    assert list(folder_names(values).values()) == ["A", "Mon-Tue", "class-con", "Größe-7", "A-b", "a-2"]
