"""From an assignment in Canvas to its peer reviews, rubric and submissions, as files."""

from __future__ import annotations

from pathlib import Path

from peerage.canvas.client import Client, answer, entries, refusals
from peerage.canvas.place import Patience, Place, Report
from peerage.canvas.store import Store
from peerage.errors import InputError, Problem
from peerage.support.words.wording import counted

FIELDS = ("id", "user_id", "assignment_id", "workflow_state", "submitted_at")
"""What we ask of a submission. Its text is not needed, and stays where it is."""


def pull(place: Place, token: str, folder: Path, patience: Patience, report: Report) -> list[Path]:
    """Fetch what is not yet in the folder, and give the files that :func:`peerage.read_grades` reads."""
    store = Store.open(folder, place)
    if store.answers:
        report(f"continuing the pull that began at {store.begun}; to start over, remove {folder}")
    client = Client(place, token, patience, report, store)
    with refusals(place):
        assignment = answer(client, "GET", place.address)
        title, rubric = assignment["name"], assignment.get("rubric_settings")
        if not rubric:
            store.discard()
            message = f"the assignment {title!r} has no rubric, so its peer reviews have no scores"
            raise InputError(Problem(message, "choose an assignment with a rubric"))
        reviews = entries(client, place, "peer_reviews")
        report(f"{counted(len(reviews), 'peer review')} of {title!r}")
        submissions = entries(client, place, "submissions", response_fields=FIELDS)
        report(f"{counted(len(submissions), 'submission')}")
        address = f"courses/{place.course}/rubrics/{rubric['id']}"
        answer(client, "GET", address, include=["assessments"], style="full")
        report("the rubric and all assessments with it")
    if not reviews:
        store.discard()
        raise InputError(Problem(f"the assignment {title!r} has no peer reviews", "assign them in Canvas first"))
    return store.files
