"""Students' pages: own grades and reports, and nobody else's name, id or figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peerage as pg
from peerage.decisions.choices import DecisionChoices
from peerage.gradebook.book import Gradebook
from peerage.gradebook.input_files import InputFile
from peerage.report.pages import student_files, student_html
from peerage.report.report_source import ReportSource
from peerage.report.student_page import AnonymousReport, file_name, student_page, students_of
from peerage.results.result_folder import writing
from peerage.results.results import Results
from peerage.results.schema import EXPLANATIONS, WEIGHTS
from support.classes.classes import authors


def renamed(book: Gradebook) -> Gradebook:
    """The class with ids that occur nowhere else on a page."""
    return replace(
        book,
        submissions=tuple(f"work-{index:03}x" for index in range(book.n_submissions)),
        graders=tuple(f"person-{name}x" for name in book.graders),
        authors=tuple(tuple(f"person-{name}x" for name in names) for names in book.authors),
    )


def fitted_to(book: Gradebook, folder: Path, **choices: bool | str) -> ReportSource:
    file = folder / "grades.csv"
    file.write_bytes(b"the grades")
    posterior = pg.fit(book, chains=2, draws=30, burn_in=10, seed=1)
    with writing(folder / "results") as results:
        Results.of(posterior, [InputFile.of(file)], DecisionChoices(**choices)).write(results)  # type: ignore[arg-type]
    return ReportSource(Results.read(folder / "results"))


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> ReportSource:
    """Teams of two write, and each of the twelve students reviews four times a week."""
    book, _ = pg.simulate(12, 2, seed=2, tas=1, components=2, team_size=2)
    return fitted_to(renamed(book), tmp_path_factory.mktemp("class"))


def test_a_page_names_nobody_else_and_no_other_submission(fitted: ReportSource) -> None:
    book = fitted.posterior.book
    for student in students_of(fitted):
        page = unescape(student_html(fitted, student))
        own = {name for name, names in zip(book.submissions, book.authors, strict=True) if student in names}
        assert set(re.findall(r"work-\d+x", page)) == own
        assert set(re.findall(r"person-\w+x", page)) == {student}


def test_a_page_shows_own_grades_with_their_sentences(fitted: ReportSource) -> None:
    student = students_of(fitted)[3]
    (first, second) = student_page(fitted, student).submissions
    for submission in (first, second):
        mine = fitted.cells["submission"] == submission.name
        assert [float(grade.grade) for grade in submission.grades] == list(fitted.cells["grade"][mine])
        sentences = fitted.results.tables[EXPLANATIONS]["sentence"][mine]
        assert [grade.sentence for grade in submission.grades] == list(sentences)
        total = sum(float(grade.grade) for grade in submission.grades)
        assert submission.total == f"{total:g} of 10 points"
        assert submission.total in student_html(fitted, student)


def test_a_page_has_every_report_with_its_weight(fitted: ReportSource) -> None:
    book = fitted.posterior.book
    weights = fitted.results.tables[WEIGHTS]
    for student in students_of(fitted):
        for submission in student_page(fitted, student).submissions:
            index = book.submissions.index(submission.name)
            expected = []
            for review in np.flatnonzero(book.review_submission == index):
                grader = book.graders[book.review_grader[review]]
                row = (weights["submission"] == submission.name) & (weights["grader"] == grader)
                grades = tuple(f"{grade:g}" for grade in book.values[review])
                expected.append((grades, f"{round(100 * float(weights['weight'][row].item()))}%"))
            assert sorted(expected) == sorted((report.grades, report.weight) for report in submission.reports)


class Scanned(tuple[tuple[str, ...], ...]):
    """The submissions' authors; counts how often they are gone through."""

    scans = 0

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        self.scans += 1
        return super().__iter__()


def test_all_pages_together_go_through_the_authors_once(fitted: ReportSource) -> None:
    book = replace(fitted.posterior.book, authors=Scanned(fitted.posterior.book.authors))
    watched = ReportSource(replace(fitted.results, draws=lambda: replace(fitted.posterior, book=book)))
    assert isinstance(book.authors, Scanned)
    book.authors.scans = 0
    pages = {student: student_html(watched, student) for student in student_files(watched)}
    assert book.authors.scans == 1
    assert pages == {student: student_html(fitted, student) for student in students_of(fitted)}


def test_the_order_of_reports_says_nothing_about_who_made_them(fitted: ReportSource) -> None:
    """The order follows from what was reported: it is not the file's, nor that of the weights."""
    book = fitted.posterior.book
    backwards = np.arange(book.n_reviews)[::-1]
    other = replace(
        book,
        review_submission=book.review_submission[backwards],
        review_grader=book.review_grader[backwards],
        levels=book.levels[backwards],
    )
    turned = ReportSource(replace(fitted.results, draws=lambda: replace(fitted.posterior, book=other)))
    reports: dict[str, list[AnonymousReport]] = {}
    for student in students_of(fitted):
        assert student_html(turned, student) == student_html(fitted, student)
        reports |= {entry.name: list(entry.reports) for entry in student_page(fitted, student).submissions}
    by_weight = [sorted(entries, key=lambda entry: -int(entry.weight[:-1])) for entries in reports.values()]
    by_content = [sorted(entries, key=lambda entry: (entry.grades, entry.weight)) for entries in reports.values()]
    # Twelve submissions of eight or nine reports: that a shuffle leaves half of them in one given order has a
    # probability far below 1e-6.
    for ordered in (by_weight, by_content):
        assert sum(one == other for one, other in zip(reports.values(), ordered, strict=True)) < len(reports) / 2


def test_a_page_runs_no_script_and_loads_nothing(fitted: ReportSource) -> None:
    page = student_html(fitted, students_of(fitted)[0])
    assert "<script" not in page
    assert "script-src" not in page
    assert "default-src 'none'" in unescape(page)
    assert re.findall(r'(?:src|href)="', page) == []


def test_most_likely_grades_have_reports_without_weights(tmp_path: Path) -> None:
    book, _ = pg.simulate(8, 1, seed=2, tas=0, components=1)
    fitted = fitted_to(book, tmp_path, final="most-likely")
    page = student_page(fitted, students_of(fitted)[0])
    assert {report.weight for report in page.submissions[0].reports} == {""}
    assert "Each grade is the most likely one" in student_html(fitted, page.student)


def test_sentences_that_name_graders_are_not_shown_to_students(tmp_path: Path) -> None:
    book, _ = pg.simulate(8, 1, seed=2, tas=0, components=1)
    fitted = fitted_to(book, tmp_path, name_graders=True)
    with pytest.raises(pg.ResultsError, match="fit again without naming graders"):
        student_html(fitted, students_of(fitted)[0])


def test_without_authors_there_are_no_pages(tmp_path: Path) -> None:
    book, _ = pg.simulate(8, 1, seed=2, tas=0, components=1)
    fitted = fitted_to(replace(book, authors=((),) * book.n_submissions), tmp_path)
    with pytest.raises(pg.InputError, match="add a column author to the grades and fit again"):
        students_of(fitted)


def test_who_wrote_nothing_has_no_page(fitted: ReportSource) -> None:
    with pytest.raises(pg.InputError, match="'nobody' wrote none of the submissions; give the id of an author"):
        student_html(fitted, "nobody")


@given(ids=st.lists(authors, min_size=2, max_size=2, unique=True))
def test_file_names_are_plain_and_differ(fitted: ReportSource, ids: list[str]) -> None:
    one, other = (file_name(fitted, student) for student in ids)
    assert one != other
    for name in (one, other):
        assert re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}-[0-9a-f]{16}\.html", name)


def test_file_names_cannot_be_worked_out_from_an_id(fitted: ReportSource) -> None:
    others = ReportSource(replace(fitted.results, secret="another"))
    assert file_name(fitted, "ann") != file_name(others, "ann")
    again = ReportSource(Results.read(Path(fitted.results.name)))
    assert file_name(fitted, "ann") == file_name(again, "ann")
    assert file_name(fitted, "ann").startswith("ann-")
    assert len(file_name(fitted, "../../" + "x" * 500)) < 80
