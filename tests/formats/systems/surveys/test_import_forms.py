"""Google Forms, Microsoft Forms and Qualtrics."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

import peerage as pg
from support.programs.importing import EXAMPLES, changed, problems, rows, said

GOOGLE, MICROSOFT, QUALTRICS = (EXAMPLES / f"{name}.csv" for name in ("google_form", "microsoft_form", "qualtrics"))
FORM = "was recognised as responses to a Google or Microsoft form (forms); if that is wrong, name its format"
SURVEY = (
    "qualtrics.csv: was recognised as responses to a Qualtrics survey (qualtrics); if that is wrong, name its format"
)


def test_exactly_the_grades_of_the_google_form() -> None:
    book = pg.read_grades(GOOGLE)
    assert rows(book, "author") == [
        ("ben@uni.edu", "ada@uni.edu", "Structure", 4, "ben@uni.edu"),
        ("ben@uni.edu", "ada@uni.edu", "Evidence", 3, "ben@uni.edu"),
        ("sam@uni.edu", "ada@uni.edu", "Structure", 5, "sam@uni.edu"),
        ("sam@uni.edu", "ada@uni.edu", "Evidence", 4, "sam@uni.edu"),
        ("ada@uni.edu", "ben@uni.edu", "Structure", 2, "ada@uni.edu"),
        ("ada@uni.edu", "ben@uni.edu", "Evidence", 1, "ada@uni.edu"),
        ("ada@uni.edu", "sam@uni.edu", "Structure", 3, "ada@uni.edu"),
    ]
    notices = said(book)
    assert notices[:3] == [
        f"google_form.csv: {FORM}",
        "google_form.csv: read answers such as '4 - Good' as their number, in 'Evidence'",
        "google_form.csv: read 'Whose essay are you reviewing?' as the submission, 'Email Address' as the grader, "
        "'Timestamp' as the time, 'Anything to add?' as the comment; if that is wrong, say which column is which",
    ]
    assert notices[-1] == "dropped 1 review of the grader's own work, by 'ben@uni.edu'"


def test_exactly_the_grades_of_the_microsoft_form() -> None:
    book = pg.read_grades(MICROSOFT)
    assert rows(book, "author") == [
        ("Ben Okoro", "Ada Novak", "Structure", 4, "Ben Okoro"),
        ("Ben Okoro", "Ada Novak", "Evidence", 3, "Ben Okoro"),
        ("Ada Novak", "Ben Okoro", "Structure", 2, "Ada Novak"),
        ("Ada Novak", "Ben Okoro", "Evidence", 1, "Ada Novak"),
        ("Ben Okoro", "Cleo Diaz", "Structure", 5, "Ben Okoro"),
        ("Ben Okoro", "Cleo Diaz", "Evidence", 4, "Ben Okoro"),
    ]
    assert str(book.table()["time"][0]) == "2024-03-01 10:30:00"
    assert said(book)[:2] == [
        f"microsoft_form.csv: {FORM}",
        "microsoft_form.csv: left out 3 responses with a name that two people have (rows 4, 5, 6)",
    ]


def test_the_workbook_that_microsoft_forms_saves(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for line in MICROSOFT.read_text(encoding="utf-8").splitlines():
        book.active.append(line.split(","))
    book.save(tmp_path / "form.xlsx")
    assert rows(pg.read_grades(tmp_path / "form.xlsx")) == rows(pg.read_grades(MICROSOFT))


def test_exactly_the_grades_of_the_qualtrics_survey() -> None:
    book = pg.read_grades(QUALTRICS)
    structure, evidence = "Rate the essay - Structure", "Rate the essay - Evidence"
    assert rows(book, "author") == [
        ("ben@uni.edu", "ada@uni.edu", structure, 4, "ben@uni.edu"),
        ("ben@uni.edu", "ada@uni.edu", evidence, 3, "ben@uni.edu"),
        ("ben@uni.edu", "sam@uni.edu", structure, 5, "ben@uni.edu"),
        ("ben@uni.edu", "sam@uni.edu", evidence, 5, "ben@uni.edu"),
        ("ada@uni.edu", "sam@uni.edu", structure, 2, "ada@uni.edu"),
    ]
    assert str(book.table()["time"][0]) == "2024-03-01 09:10:01"
    assert said(book)[:4] == [
        SURVEY,
        "qualtrics.csv: left out 1 response made to test the survey, or spam (row 7)",
        "qualtrics.csv: left out 1 response not finished (row 6)",
        "qualtrics.csv: read 'Whose essay are you reviewing?' as the submission, 'RecipientEmail' as the grader, "
        "'RecordedDate' as the time, 'Comments' as the comment; if that is wrong, say which column is which",
    ]


def test_columns_can_be_said(tmp_path: Path) -> None:
    path = changed("microsoft_form.csv", tmp_path, [("Who are you reviewing?", "Colleague")])
    book = pg.read_grades(path, columns={"submission": "colleague", "grader": "email"})
    assert book.n_reviews == 6
    assert book.graders == ("ada@uni.edu", "ben@uni.edu", "sam1@uni.edu", "sam2@uni.edu", "cleo@uni.edu")
    assert book.authors[0] == ("Ben Okoro",)


def test_several_forms_are_several_assignments(tmp_path: Path) -> None:
    second = tmp_path / "week2.csv"
    second.write_bytes(GOOGLE.read_bytes())
    book = pg.read_grades([GOOGLE, second])
    assert book.n_grades == 14
    assert (book.submissions[0], book.submissions[-1]) == ("google_form/ben@uni.edu", "week2/ada@uni.edu")
    assert (book.assignments[0], book.assignments[-1]) == ("google_form", "week2")
    assert book.authors[0] == ("ben@uni.edu",)


def test_a_form_that_does_not_say_who_is_reviewed(tmp_path: Path) -> None:
    path = changed("google_form.csv", tmp_path, [("Whose essay are you reviewing?", "Colleague")])
    assert problems(path) == [
        f"google_form.csv: {FORM}",
        "google_form.csv: has no column for the submission; the columns are Timestamp, Email Address, Colleague, "
        "Structure, Evidence, Anything to add?; say which it is, as in submission=COLUMN",
    ]


def test_an_anonymous_form_has_no_grader(tmp_path: Path) -> None:
    emails = ["ada@uni.edu", "ben@uni.edu", "sam1@uni.edu", "sam2@uni.edu", "cleo@uni.edu"]
    path = changed("microsoft_form.csv", tmp_path, [(email, "anonymous") for email in emails])
    text = path.read_text(encoding="utf-8")
    for name in ("Ada Novak", "Ben Okoro", "Sam Lee", "Cleo Diaz"):
        text = text.replace(f"anonymous,{name}", "anonymous,")
    path.write_text(text, encoding="utf-8")
    assert problems(path)[1].startswith("microsoft_form.csv: has no column for the grader; the columns are")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "ImportId",
            "Import",
            ": has no row of ImportIds as the third of its header rows; export it again as CSV, with all header rows",
        ),
        (
            "ben@uni.edu,5,5",
            "ben@uni.edu,five,5",
            ", row 5: the grade 'five' of 'Rate the essay - Structure' is not a number; write a number, or leave the "
            "cell empty if nothing was graded",
        ),
        (
            "R_4,sam@uni.edu",
            "R_4,",
            ", row 8: the grader is empty; give each row the id of its grader, or remove the row",
        ),
    ],
)
def test_malformed_surveys(tmp_path: Path, old: str, new: str, message: str) -> None:
    found = problems(changed("qualtrics.csv", tmp_path, [(old, new)]))
    assert found[:2] == [SURVEY, f"qualtrics.csv{message}"]
