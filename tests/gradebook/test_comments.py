"""What graders write is kept with their reviews, shown to staff, and to students without names."""

from __future__ import annotations

from pathlib import Path

import pytest

import peerage as pg
from peerage.formats.staff.pseudonyms import Key
from peerage.gradebook.book import Gradebook
from peerage.gradebook.merging import merged
from peerage.gradebook.named_people import named_people
from peerage.report.pages import staff_html, student_html
from peerage.report.report_source import ReportSource
from peerage.results.results import Results
from peerage.results.schema import COMMENTS
from support.programs.importing import EXAMPLES, changed

TABLE = """submission,grader,Structure,Evidence,author,Comments
s1,ben,4,3,ada,Ada makes a clear case.
s1,cem,3,3,ada,"Too long,
and no sources. Yours, cem"
s2,ada,2,5,ben,
s2,cem,1,4,ben,Better than the essay of ada
s3,ada,5,5,cem,<b>bold</b> & clear
s3,ben,4,4,cem,"  =1+1  "
"""


def book_of(text: str, folder: Path) -> Gradebook:
    path = folder / "grades.csv"
    path.write_text(text, encoding="utf-8")
    return pg.read_grades(path)


@pytest.fixture
def book(tmp_path: Path) -> Gradebook:
    return book_of(TABLE, tmp_path)


def test_a_column_of_comments_is_kept(book: Gradebook) -> None:
    assert book.rubric.names == ("Structure", "Evidence")
    assert book.comments[:3] == ("Ada makes a clear case.", "Too long,\nand no sources. Yours, cem", "")
    assert book.comments[5] == "=1+1"


def test_a_column_of_numbers_that_is_called_feedback_is_a_component(tmp_path: Path) -> None:
    book = book_of("submission,grader,Feedback,Comment\ns1,a,3,x\ns1,b,4,\ns2,a,1,y\n", tmp_path)
    assert book.rubric.names == ("Feedback",)
    assert book.comments == ("x", "", "y")


def test_comments_on_components_are_put_below_each_other(tmp_path: Path) -> None:
    text = "submission,grader,component,grade,comment\ns1,a,X,3,good\ns1,a,Y,4,better\ns1,a,Z,4,good\ns1,b,X,2,\n"
    text += "s2,b,Y,1,\ns2,b,Z,1,\n"
    assert book_of(text, tmp_path).comments == ("good\nbetter", "", "")


SYSTEMS = {
    "ora_data.csv": "Ideas: First line\nsecond line, Ideas: Poor 0\nGood.\n-- well done: truly (sic)",
    "ora_long.csv": "Style: form: Two\nlines",
    "ipeer.csv": "Q2: Good, mostly",
    "mta2.csv": "What was best? the argument",
    "canvas_reviews.csv": "Criteria #1: Clear, but long",
    "google_form.csv": "Nice, really",
    "qualtrics.csv": "Good,\nmostly",
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_s_comments_are_read(name: str) -> None:
    assert pg.read_grades(EXAMPLES / name).comments[0] == SYSTEMS[name]


def test_comments_of_moodle_and_canvas(tmp_path: Path) -> None:
    tables = list((EXAMPLES / "moodle").glob("*.csv"))
    assert pg.read_grades(tables).comments[0] == "Evidence: fine, mostly"
    (tmp_path / "moodle").mkdir()
    said = "<feedbackauthor>&lt;p&gt;Well&lt;/p&gt;&lt;p&gt;done&lt;/p&gt;</feedbackauthor><reviewerid>42"
    on_evidence = '<workshopform_rubric_grade id="2"><peercomment>thin</peercomment>'
    parts = [("<reviewerid>42", said), ('<workshopform_rubric_grade id="2">', on_evidence)]
    backup = changed("moodle/workshop.xml", tmp_path, parts)
    assert pg.read_grades(backup).comments[0] == "Well\ndone\nEvidence: thin"
    first = '{"criterion_id": "_7361", "points": 4.0'
    rubric = changed("canvas_rubric.json", tmp_path, [(first, f'{first}, "comments": "Concise."')])
    assert pg.read_grades([rubric, EXAMPLES / "canvas_peer_reviews.json"]).comments[0].endswith(": Concise.")


def test_comments_follow_their_reviews(book: Gradebook, tmp_path: Path) -> None:
    for wide in (True, False):
        book.write(tmp_path / "again.csv", wide=wide)
        again = pg.read_grades(tmp_path / "again.csv")
        assert again.comments == book.comments
    kept = pg.exclude(book, [pg.Exclusion("ben", "", "absent")])
    assert kept.comments == tuple(book.comments[index] for index in (1, 2, 3, 4))
    assert book.select(book.review_grader == 0).comments == (book.comments[0], book.comments[5])
    book_of("submission,grader,Structure,Evidence,comment\ns1,cem,3,3,New\ns1,dan,1,4,Late\n", tmp_path)
    late = pg.read_grades(tmp_path / "grades.csv", rubric=book.rubric)
    assert merged(book, late).comments == (book.comments[0], "New", *book.comments[2:], "Late")
    assert Key().hide(book).comments == ()


def test_who_is_named_is_found(book: Gradebook) -> None:
    words = [named.words for named in named_people(book)]
    assert words == ["names the author 'ada'", "names its writer", "", "names 'ada'", "", ""]
    assert [named.is_private for named in named_people(book)] == [False, True, False, True, False, False]


def test_parts_of_names_count_and_short_numbers_do_not(tmp_path: Path) -> None:
    header = "submission,grader,Grade,author,comment\n"
    rows = 's1,ada.novak@uni.edu,3,7,"7 of 10, novak"\ns1,12345,4,7,by 12345\ns2,12345,4,Li Wu,Li is novel\n'
    book = book_of(header + rows, tmp_path)
    assert [named.words for named in named_people(book)] == ["names its writer", "names its writer", ""]


def test_a_first_name_that_the_author_shares_is_the_author_s(tmp_path: Path) -> None:
    header = "submission,grader,Grade,author,comment\n"
    rows = "s1,ben.roy@x.edu,3,ana.kim@x.edu,Thanks Ana\ns1,ana.silva@x.edu,4,ana.kim@x.edu,Thanks Ana\n"
    book = book_of(header + rows + "s2,ben.roy@x.edu,4,ana.silva@x.edu,Unlike Kim\n", tmp_path)
    assert [named.words for named in named_people(book)] == [
        "names the author 'ana.kim@x.edu'",
        "names its writer, names the author 'ana.kim@x.edu'",
        "names 'ana.kim@x.edu'",
    ]


@pytest.fixture
def results(book: Gradebook) -> Results:
    return Results.of(pg.fit(book, chains=2, draws=50, seed=0))


def test_staff_see_all_comments_and_what_is_wrong_with_them(results: Results, tmp_path: Path) -> None:
    table = results.tables[COMMENTS]
    assert list(table["flag"]) == ["names the author 'ada'", "names its writer", "names 'ada'", "", ""]
    (warning,) = [warning for warning in results.warnings if "comment" in warning.message]
    assert warning.message == "2 comments seem to name the reviewer or another student: 'cem' on 's1', 'cem' on 's2'"
    results.posterior.save(tmp_path / "posterior.npz")
    assert pg.load(tmp_path / "posterior.npz").book.comments == results.posterior.book.comments
    page = staff_html(results)
    assert "and no sources" in page
    assert "<b>bold</b>" not in page


def test_students_see_comments_without_names(results: Results) -> None:
    source = ReportSource(results)
    ada, ben, cem = (student_html(source, name) for name in ("ada", "ben", "cem"))
    assert "Ada makes a clear case." in ada
    assert "no sources" not in ada
    assert "A comment is not shown, because it seems to name somebody. Ask the staff about it." in ada
    assert "Better than" not in ben
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; clear" in cem
    for page, others in ((ada, ("ben", "cem")), (ben, ("ada", "cem")), (cem, ("ada", "ben"))):
        assert not any(other in page for other in others)
