"""What an app reads from files as the command line does, without printing: values, and notices to show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

import peerage as pg
from peerage.decisions.choices import DecisionChoices
from peerage.formats import read_classes
from peerage.gradebook.class_summary import class_summary
from peerage.results.results import Results
from peerage.results.several_classes_results import SeveralResults
from peerage.term.published import Published, contradicted_by_staff
from peerage.workflow.compare_results import pairs_in
from peerage.workflow.fit_class import fit_class
from peerage.workflow.fit_classes import fit_classes
from peerage.workflow.fit_plan import FitPlan, SamplingPlan
from peerage.workflow.publishing import published_alone, published_classes
from peerage.workflow.save_results import write_classes, write_results
from peerage.workflow.staff_files import read_staff_files
from peerage.workflow.update_class import read_new_grades, update_class
from support.classes.term import class_table, written

PLAN = FitPlan(
    model=pg.Model(priors="paper"),
    choices=DecisionChoices(spot_checks=3),
    sampling=SamplingPlan(chains=2, draws=30, burn_in=10, seed=0),
)


def section(name: str, seed: int) -> pd.DataFrame:
    table = class_table(7, weeks=1, seed=seed)
    return table.assign(**{column: name + table[column] for column in ("submission", "grader", "author")}, section=name)


TABLE = pd.concat([section("A", seed=1), section("B", seed=2)])


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The grades of two classes, their results, and those of one alone."""
    home = tmp_path_factory.mktemp("sections")
    grades = written(TABLE, home / "class" / "class.csv")
    write_classes(fit_classes(read_classes([grades], by="section"), "section", PLAN), home / "both")
    write_results(fit_class(pg.read_grades(written(TABLE[TABLE["section"] == "A"], home / "a.csv")), PLAN), home / "a")
    return home


@pytest.fixture(autouse=True)
def nothing_is_said(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capfd.readouterr() == ("", "")


def test_a_class_is_summarised_before_it_is_fitted(home: Path) -> None:
    facts = class_summary(pg.read_grades(home / "a.csv"))
    assert (facts["submissions"], facts["parts"]) == (7, 1)
    assert facts["reviews_per_grader"]["least"] <= facts["reviews_per_grader"]["median"]
    assert set(facts["rubric"]) == {"Component 1", "Component 2"}


def test_files_of_the_staff_are_about_all_classes(home: Path, tmp_path: Path) -> None:
    books = read_classes([home / "class" / "class.csv"], by="section")
    cells = {name: (book.submissions[0], book.rubric.names[0]) for name, book in books.items()}
    header = "submission,component,grade,reason\n"
    rows = [f"{submission},{component},3,an appeal\n" for submission, component in cells.values()]
    (tmp_path / "override.csv").write_text(header + "".join(rows), "utf-8")
    read = read_staff_files(books, override=tmp_path / "override.csv")
    assert {name: [(rule.submission, rule.component) for rule in staff.overrides] for name, staff in read.items()} == {
        name: [cell] for name, cell in cells.items()
    }
    beside = read_staff_files(books, [tmp_path / "class.csv"])
    assert beside["A"].overrides == read["A"].overrides
    assert beside["A"].notices[0].setting == "override"
    (tmp_path / "override.csv").write_text(header + "nobody's,Component 1,3,an appeal\n", "utf-8")
    with pytest.raises(pg.InputError, match="there is no submission"):
        read_staff_files(books, override=tmp_path / "override.csv")


def test_folders_tell_what_was_handed_out(home: Path) -> None:
    assert published_alone([]) is None
    alone = published_alone([home / "a"])
    assert alone is not None
    assert alone.handed_out.grades == Results.read(home / "a").grades
    (several,) = published_classes([home / "both"], "section")
    assert set(several.classes) == {"A", "B"}
    for folder in ("a", "both"):
        with pytest.raises(pg.ResultsError, match="do not have a class for each week; name results that do") as refused:
            published_classes([home / folder], "week")
        assert refused.value.setting == "by"


def test_new_grades_are_read_as_the_class_was(home: Path) -> None:
    earlier = SeveralResults.read(home / "both").classes["A"]
    new, notices = read_new_grades(earlier, [home / "class" / "class.csv"])
    assert set(new.submissions) == set(earlier.posterior.book.submissions)
    assert [str(notice) for notice in notices] == [
        "grades of section 'B' left out, because these results are about 'A'"
    ]
    with pytest.raises(pg.InputError, match="there are no grades of section 'C', which these results are about"):
        read_new_grades(
            Results(earlier.tables, {**earlier.record, "class": {"by": "section", "name": "C"}}, earlier.draws),
            [home / "class" / "class.csv"],
        )
    hidden = Results(earlier.tables, {**earlier.record, "pseudonyms": True}, earlier.draws)
    for refused in (lambda: read_new_grades(hidden, []), lambda: update_class(hidden, new)):
        with pytest.raises(pg.ResultsError, match="these results hold made-up names") as error:
            refused()
        assert error.value.setting == "pseudonyms"


def test_folders_are_compared_class_by_class(home: Path) -> None:
    pairs = pairs_in(home / "both", home / "both")
    assert (pairs.by, list(pairs.by_class), pairs.notices) == ("section", ["A", "B"], ())
    assert {pair.folder.name for pair in pairs.by_class.values()} == {"A", "B"}
    assert list(pairs_in(home / "a", home / "a").by_class) == [""]


def test_grades_by_staff_against_published_ones_are_named(home: Path) -> None:
    first = Results.read(home / "a")
    (submission, component), given = next(iter(first.grades.items()))
    checked = {"submission": submission, "grader": "prof", "component": component, "role": "instructor"}
    check = pd.DataFrame([{**checked, "grade": 0 if given > 2 else 5}])
    table = pd.concat([TABLE[TABLE["section"] == "A"].drop(columns="section"), check])
    later = fit_class(pg.read_grades(table, first.rubric), PLAN, published=Published(first))
    found = contradicted_by_staff(later)
    assert list(zip(found["submission"], found["component"], strict=True)) == [(submission, component)]
    assert list(found["proposed"]) == list(check["grade"])
    assert contradicted_by_staff(first).empty
