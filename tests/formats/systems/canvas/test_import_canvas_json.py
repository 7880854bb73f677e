"""Canvas peer reviews and rubric assessments as the API gives them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import peerage as pg
from support.programs.importing import EXAMPLES, changed, problems, rows, said

REVIEWS, RUBRIC = EXAMPLES / "canvas_peer_reviews.json", EXAMPLES / "canvas_rubric.json"
RECOGNISED = [
    f"{name}: was recognised as peer reviews and rubric assessments from Canvas's API (canvas-json); "
    "if that is wrong, name its format"
    for name in (REVIEWS.name, RUBRIC.name)
]


def test_exactly_the_grades_of_the_example() -> None:
    book = pg.read_grades([REVIEWS, RUBRIC])
    assert rows(book, "author", "role") == [
        ("501", "1002", "Thesis", 4, "1001", "student"),
        ("501", "1002", "Evidence (34822_9291)", 2.5, "1001", "student"),
        ("501", "1002", "Evidence (9)", 4, "1001", "student"),
        ("501", "1003", "Thesis", 2, "1001", "student"),
        ("501", "1003", "Evidence (9)", 3, "1001", "student"),
        ("501", "9001", "Thesis", 2, "1001", "ta"),
        ("501", "9001", "Evidence (34822_9291)", 3, "1001", "ta"),
        ("501", "9001", "Evidence (9)", 4, "1001", "ta"),
        ("502", "1001", "Thesis", 0, "1002", "student"),
        ("502", "1004", "Thesis", 2, "1002", "student"),
    ]
    assert set(book.assignments) == {"Essay 1"}
    assert [component.legend for component in book.rubric.components] == [
        "0, 2, 4",
        "0 to 4 by 0.5",
        "0, 1, 2, 3, 4, 5",
    ]


def test_what_was_left_out_is_said() -> None:
    assert said(pg.read_grades([REVIEWS, RUBRIC])) == [
        *RECOGNISED,
        "canvas_rubric.json: left out 2 scores without points (rows 2, 4)",
        "canvas_rubric.json: left out 1 score of a criterion that the rubric does not have (row 4)",
        "canvas_rubric.json: left out 1 assessment of a review that is not completed (row 5)",
        "canvas_rubric.json: left out 1 assessment without any score (row 6)",
        "canvas_rubric.json: left out 1 assessment that is provisional (row 8)",
        "canvas_rubric.json: kept 1 assessment that no peer review lists; save all pages of the peer reviews",
        "canvas_peer_reviews.json: left out 1 review not completed (row 4)",
        "canvas_peer_reviews.json: left out 1 review completed without scores (row 6)",
        "dropped 1 review of the grader's own work, by '1003'",
        "left out 1 submission without any grade: '503'",
    ]


def test_pages_of_peer_reviews_belong_together(tmp_path: Path) -> None:
    reviews = json.loads(REVIEWS.read_text())
    pages = [tmp_path / "page1.json", tmp_path / "page2.json"]
    pages[0].write_text(json.dumps(reviews[:4]))
    pages[1].write_text(json.dumps(reviews[4:]))
    assert rows(pg.read_grades([*pages, RUBRIC]), "author") == rows(pg.read_grades([REVIEWS, RUBRIC]), "author")


def test_a_rubric_alone_has_no_authors() -> None:
    book = pg.read_grades(RUBRIC)
    assert not any(book.authors)
    expected = "comes without peer reviews, so the authors are unknown; add the JSON of the assignment's peer_reviews"
    assert f"canvas_rubric.json: {expected}" in said(book)


@pytest.mark.parametrize(
    ("points", "words"),
    [("5.5", "5.5"), ("-1", "-1"), ("3", "3"), ("1.75", "1.75")],
    ids=["over", "below", "between", "decimal"],
)
def test_points_off_the_rubric_are_refused_or_moved(tmp_path: Path, points: str, words: str) -> None:
    path = changed(RUBRIC.name, tmp_path, [('"_7361", "points": 0.0}, {"cr', f'"_7361", "points": {points}}}, {{"cr')])
    assert problems(REVIEWS, path) == [
        *RECOGNISED,
        f"canvas_rubric.json, row 4: the grade {words} of 'Thesis' is not on the rubric (0, 2, 4); "
        "correct it, or move such grades to the nearest legal grade",
    ]
    moved = {"5.5": 4, "-1": 0, "3": 4, "1.75": 2}[points]
    assert ("502", "1001", "Thesis", moved) in rows(pg.read_grades([REVIEWS, path], snap=True))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"assessments"',
            '"comments"',
            ": has no list 'assessments'; save the rubric again with ?include[]=assessments&style=full",
        ),
        (
            '"assessment_type": "grading"',
            '"assessment_type": "guess"',
            ", row 3: the assessment type 'guess' is unknown; it has to be peer_review, grading, provisional_grade",
        ),
        (
            '"artifact_id": 503, "assessment_type": "peer_review", "assessor_id": 1001',
            '"assessment_type": "peer_review", "assessor_id": 1001',
            ", row 6: the assessment has no 'artifact_id'; save it again from the API with style=full",
        ),
        (
            '[{"criterion_id": "_7361", "comments": "?"}]',
            '"lost"',
            ", row 6: the assessment's 'data' is not a list of scores; save the rubric again with style=full",
        ),
        (
            '"points": 5.0, "ratings": []',
            '"points": 0, "ratings": []',
            ": the criterion 'Evidence (9)' has neither ratings "
            "nor a maximum above zero; correct its points in Canvas, or in the file",
        ),
        (
            '"points": 4.0}, {"criterion_id": "34',
            '"points": "four"}, {"criterion_id": "34',
            ", row 1: the grade 'four' of "
            "'Thesis' is not a number; write a number, or leave the cell empty if nothing was graded",
        ),
    ],
)
def test_malformed_rubrics(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = changed(RUBRIC.name, tmp_path, [(old, new)])
    assert problems(REVIEWS, path) == [*RECOGNISED, f"canvas_rubric.json{message}"]


def test_malformed_peer_reviews(tmp_path: Path) -> None:
    path = changed(REVIEWS.name, tmp_path, [("assigned", "lost"), (', "user_id": 1002', "")])
    assert problems(path, RUBRIC) == [
        *RECOGNISED,
        "canvas_peer_reviews.json, row 3: the peer review has no 'user_id'; save it again from the API with style=full",
        "canvas_peer_reviews.json, row 4: the peer review has no 'user_id'; save it again from the API with style=full",
        "canvas_peer_reviews.json, row 4: the state 'lost' is unknown; a review is assigned or completed",
    ]


def test_peer_reviews_alone_hold_no_scores() -> None:
    assert problems(REVIEWS) == [
        RECOGNISED[0],
        "canvas_peer_reviews.json: holds no scores; add the rubric, saved from "
        "rubrics/ID?include[]=assessments&style=full",
    ]


def _saved(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def _submissions(*ids: int) -> list[dict[str, int]]:
    return [{"id": number, "user_id": number + 500, "assignment_id": 34} for number in ids]


def test_submissions_say_whose_they_are_and_which_assessments_count(tmp_path: Path) -> None:
    submissions = _saved(tmp_path, "submissions.json", _submissions(501))
    name = {"id": 34, "name": "Week  3", "course_id": 12, "submission_types": ["online_upload"]}
    book = pg.read_grades([RUBRIC, submissions, _saved(tmp_path, "assignment.json", name)])
    assert (book.submissions, book.authors, book.assignments) == (("501",), (("1001",),), ("Week 3",))
    assert book.n_reviews == 3
    assert "canvas_rubric.json: left out 5 assessments of a submission that is not listed (rows 4, 5, 6, 7, 9)" in said(
        book
    )


def test_a_page_may_be_empty(tmp_path: Path) -> None:
    book = pg.read_grades([REVIEWS, RUBRIC, _saved(tmp_path, "page2.json", [])], format_name="canvas-json")
    assert rows(book) == rows(pg.read_grades([REVIEWS, RUBRIC]))


def test_malformed_submissions(tmp_path: Path) -> None:
    path = _saved(tmp_path, "submissions.json", [{"id": 501, "assignment_id": 34, "user_id": None}, 7])
    assert problems(REVIEWS, RUBRIC, path)[3:] == [
        "submissions.json, row 1: the submission has no 'user_id'; save it again from the API",
        *(
            f"submissions.json, row 2: the submission has no {name!r}; save it again from the API"
            for name in ("id", "user_id", "assignment_id")
        ),
    ]
