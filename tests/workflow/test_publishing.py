"""What is handed out is recorded, in one class or several, and what was handed out earlier still counts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from peerage.cli import main
from peerage.errors import ResultsError
from peerage.results import result_folder
from peerage.results.results import Results
from peerage.results.schema import GRADES
from peerage.results.several_classes_results import SeveralResults
from peerage.term.published import Published
from peerage.workflow.publishing import announce, publications, publish, published_in
from support.classes.term import class_table, fitted, grades_of, record, written

TABLE = class_table(students=6)
NOW = datetime(2026, 9, 7, 12, tzinfo=UTC)


def results_of(**grades: float) -> Results:
    rows = [{"submission": name, "component": "all", "grade": grade} for name, grade in grades.items()]
    return Results.from_rows({GRADES: pd.DataFrame(rows)})


def test_what_students_learn_is_counted() -> None:
    told = Published(results_of(a=1.0, b=2.0), earlier=(results_of(a=5.0, c=3.0),))
    learned = announce(results_of(a=1.0, d=4.0), told)
    assert (learned.new, learned.same, dict(learned.changed), learned.missing) == (1, 1, {}, 2)
    assert not announce(results_of(a=1.0, c=3.0), told).is_news
    with pytest.raises(
        ResultsError, match="1 grade would differ from what students were told: c in all was 3 and is 4"
    ):
        announce(results_of(c=4.0), told)
    assert dict(announce(results_of(c=4.0), told, replace=True).changed) == {("c", "all"): (3.0, 4.0)}


def test_what_only_an_earlier_publication_holds_is_kept(tmp_path: Path) -> None:
    weeks = {week: TABLE[TABLE["assignment"] == week] for week in ("week1", "week2")}
    for week, table in weeks.items():
        fitted(written(table, tmp_path / week / "class.csv"), tmp_path / "out" / week)
        recorded, _ = publish(tmp_path / "out" / week, tmp_path, NOW)
        assert recorded is not None
    assert [(entry.path.name, entry.at) for entry in publications(tmp_path)] == [("2", NOW), ("1", NOW)]
    (published,) = published_in([entry.path for entry in publications(tmp_path)]).values()
    both = grades_of(tmp_path / "published" / "1") | grades_of(tmp_path / "published" / "2")
    assert dict(published.handed_out.grades) == both
    assert set(published.handed_out.weights["submission"]) == set(TABLE["submission"])


def test_a_section_keeps_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sections = TABLE.assign(section=TABLE["assignment"].map({"week1": "A", "week2": "B"}))
    grades = written(sections, tmp_path / "class.csv")
    fitted(grades, tmp_path / "results", "--by", "section")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "peerage.toml").write_text('grades = "class.csv"\nby = "section"\noutput = "results"\n')
    recorded, announced = publish(tmp_path / "results", tmp_path, NOW)
    assert recorded is not None
    assert announced.new == len(TABLE[["submission", "component"]].drop_duplicates())
    fitted(grades, tmp_path / "results", "--seed", "5")
    for name in ("A", "B"):
        assert record(tmp_path / "results" / name)["published"]["kept"] == announced.new // 2


def test_nothing_replaces_what_was_handed_out(tmp_path: Path) -> None:
    fitted(written(TABLE, tmp_path / "class.csv"), tmp_path / "results")
    recorded, _ = publish(tmp_path / "results", tmp_path, NOW)
    assert recorded is not None
    with pytest.raises(ResultsError, match="these grades were handed out"):
        result_folder.check_target(recorded.path)
    (recorded.path / "publication.json").write_text("{")
    with pytest.raises(ResultsError, match="is damaged; restore it from a copy"):
        publications(tmp_path)


def test_one_class_of_several_is_not_handed_out_alone_from_memory(tmp_path: Path) -> None:
    sections = TABLE.assign(section=TABLE["assignment"].map({"week1": "A", "week2": "B"}))
    grades = written(sections, tmp_path / "class.csv")
    fitted(grades, tmp_path / "results", "--by", "section")
    several = SeveralResults.read(tmp_path / "results")
    with pytest.raises(ResultsError, match="one section of several, 'A'; give the results of all of them"):
        publish(several.classes["A"], tmp_path, NOW)
    assert publications(tmp_path) == []
    recorded, announced = publish(several, tmp_path, NOW)
    assert recorded is not None
    assert announced.new == sum(len(results.grades) for results in several.classes.values())
    assert published_in([recorded.path]).keys() == several.classes.keys()


def test_what_was_changed_by_hand_is_noted_when_it_is_handed_out(tmp_path: Path) -> None:
    sections = TABLE.assign(section=TABLE["assignment"].map({"week1": "A", "week2": "B"}))
    folder = fitted(written(sections, tmp_path / "class.csv"), tmp_path / "results", "--by", "section")
    assert publish(folder, tmp_path / "as written", NOW)[1].notices == ()
    for name in ("totals.csv", "B/weights.csv"):
        (folder / name).write_text((folder / name).read_text() + "\n")
    notices = [f"{name}: was changed after it was written" for name in ("results/totals.csv", "results/B/weights.csv")]
    said = [str(notice).partition(";")[0] for notice in publish(folder, tmp_path / "changed", NOW)[1].notices]
    assert said == notices
    in_memory = publish(SeveralResults.read(folder), tmp_path / "in memory", NOW)[1]
    assert [str(notice).partition(";")[0] for notice in in_memory.notices] == [
        "B/weights.csv: was changed after it was written"
    ]


def test_the_command_notes_what_was_changed_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = fitted(written(TABLE, tmp_path / "class.csv"), tmp_path / "results")
    (folder / "grades.csv").write_text((folder / "grades.csv").read_text() + "\n")
    monkeypatch.chdir(tmp_path)
    Path("peerage.toml").write_text('grades = "class.csv"\n')
    capsys.readouterr()
    noted = "note: results/grades.csv: was changed after it was written; fit the class again, unless this was meant\n"
    for command in (["publish", "results"], ["report", "results", "--for-students", "pages"]):
        assert main(command) == 0
        assert capsys.readouterr().err == noted
    assert len(publications(Path())) == 1


def test_results_in_memory_are_handed_out_as_those_in_a_folder(tmp_path: Path) -> None:
    results = Results.read(fitted(written(TABLE, tmp_path / "class.csv"), tmp_path / "results"))
    recorded, announced = publish(results, tmp_path / "alone", NOW)
    assert recorded is not None
    assert announced.new == len(results.grades)
    assert Results.read(recorded.path).grades == results.grades
    assert publish(tmp_path / "results", tmp_path / "alone", NOW)[0] is None
    several = SeveralResults.of("section", {"A": results})
    recorded, _ = publish(several, tmp_path / "several", NOW)
    assert recorded is not None
    assert SeveralResults.read(recorded.path).classes["A"].grades == results.grades
    assert published_in([recorded.path])["A"].handed_out.grades == results.grades
