"""A course in Canvas for tests: six students, who review each other's essays, and a TA."""

from __future__ import annotations

from typing import Any

from support.programs.canvas_server import ASSIGNMENT, COURSE, CREDIT, RUBRIC, Canvas

STUDENTS = (1001, 1002, 1003, 1004, 1005, 1006)
TA = 9001


def course(per_page: int = 100) -> Canvas:
    """The course; everyone reviews the next three, and nobody has a grade yet."""
    return Canvas(
        assignments={ASSIGNMENT: assignment(ASSIGNMENT, "Essay 1"), CREDIT: assignment(CREDIT, "Peer grading", 100)},
        peer_reviews=[
            {
                "id": index,
                "assessor_id": grader,
                "asset_id": author - 500,
                "asset_type": "Submission",
                "user_id": author,
            }
            | {"workflow_state": "completed"}
            for index, (grader, author) in enumerate(_pairs())
        ],
        rubric=rubric(),
        submissions={number: [submission(student, number) for student in STUDENTS] for number in (ASSIGNMENT, CREDIT)},
        per_page=per_page,
    )


def assignment(number: int, name: str, points: float = 8) -> dict[str, Any]:
    """An assignment as the API gives it."""
    settings = {"rubric_settings": {"id": RUBRIC, "title": "Essays"}} if number == ASSIGNMENT else {}
    return {
        "id": number,
        "name": name,
        "course_id": COURSE,
        "points_possible": points,
        "grading_type": "points",
        "submission_types": ["online_upload"],
        **settings,
    }


def submission(student: int, number: int) -> dict[str, Any]:
    """A student's submission, whose text is nobody's business."""
    return {
        "id": student - 500 if number == ASSIGNMENT else student + 500,
        "user_id": student,
        "assignment_id": number,
        "workflow_state": "submitted",
        "submitted_at": "2024-03-01T10:00:00Z",
        "body": "a private essay",
        "score": None,
        "entered_score": None,
        "user": {"id": student, "name": f"Student {student - 1000}"},
    }


def rubric() -> dict[str, Any]:
    """The rubric with all assessments: those of the peers, the TA's, and one of another assignment."""
    criteria = [
        {
            "id": name,
            "description": words,
            "points": 4,
            "ratings": [{"id": f"{name}{points}", "points": points} for points in range(5)],
        }
        for name, words in (("_1", "Thesis"), ("_2", "Evidence"))
    ]
    assessments = [_assessment(grader, author - 500, "peer_review") for grader, author in _pairs()]
    assessments += [_assessment(TA, 501, "grading"), _assessment(1002, 999, "peer_review")]
    return {"id": RUBRIC, "title": "Essays", "points_possible": 8, "data": criteria, "assessments": assessments}


def _assessment(grader: int, artifact: int, kind: str) -> dict[str, Any]:
    return {
        "id": grader * 1000 + artifact,
        "rubric_association_id": 5 if artifact < 900 else 6,
        "artifact_type": "Submission",
        "artifact_id": artifact,
        "assessment_type": kind,
        "assessor_id": grader,
        "data": [{"criterion_id": f"_{index}", "points": (grader + artifact * index) % 5} for index in (1, 2)],
    }


def _pairs() -> list[tuple[int, int]]:
    """Who reviews whom."""
    return [
        (grader, STUDENTS[(place + step) % len(STUDENTS)])
        for place, grader in enumerate(STUDENTS)
        for step in (1, 2, 3)
    ]
