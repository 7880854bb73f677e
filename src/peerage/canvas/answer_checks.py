"""What Canvas's answers have to look like before anything else reads them."""

from __future__ import annotations

from typing import Any

from peerage.errors import InputError, Problem
from peerage.support.json_shapes import Maybe, misfit

_ID = (int, str)
_NUMBER = (int, float)
_JOB = {"id": _ID, "workflow_state": str}
_SHAPES: dict[str, Any] = {
    "assignment": {
        "id": _ID,
        "name": str,
        "grading_type": Maybe(str),
        "points_possible": Maybe(_NUMBER),
        "rubric_settings": Maybe({"id": _ID}),
    },
    "peer_reviews": [{"assessor_id": _ID, "asset_id": _ID, "user_id": _ID, "workflow_state": str}],
    "submissions": [
        {
            "user_id": _ID,
            "score": Maybe(_NUMBER),
            "entered_score": Maybe(_NUMBER),
            "user": Maybe({"name": Maybe(str)}),
            "submission_comments": Maybe([{"comment": Maybe(str)}]),
        }
    ],
    "update_grades": _JOB,
    "progres": _JOB,
}
"""What we rely on in each kind of answer; the others have an id."""


def check_answer(kind: str, content: Any) -> None:
    """Refuse an answer of a kind, such as the peer reviews, that lacks what we rely on."""
    wrong = misfit(content, _SHAPES.get(kind, {}), "the answer")
    if wrong:
        what = kind.replace("_", " ")
        message = f"Canvas's answer about the {what} is not as its documentation says ({wrong})"
        raise InputError(Problem(message, "try again, or ask those who run Canvas"))
