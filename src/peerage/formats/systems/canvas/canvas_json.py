"""Canvas peer reviews and a rubric with its assessments, saved as JSON from the API.

The list of peer reviews says who was to review whom and whether they did; the rubric's assessments hold the scores. The
two meet in the reviewer and the submission. Where the assignment's submissions are there too, they say whose each is,
and assessments of other assignments, for which the rubric was used as well, are left out. Rows in messages count the
entries of a document, from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from peerage.errors import InputError, Problem
from peerage.formats.rows.columns.comment_columns import about
from peerage.formats.systems.canvas.canvas_listing import Listing, is_assignment, is_submissions, problems_of
from peerage.formats.systems.canvas.canvas_rubric import Criterion, criteria_of
from peerage.formats.systems.extract import Extract, Grade, Omissions, sheet_of
from peerage.support.words.wording import counted
from peerage.tables.column import cell_text
from peerage.tables.reading_files import Source

NAME = "canvas-json"
TITLE = "peer reviews and rubric assessments from Canvas's API"

_ROLES = {"peer_review": "student", "grading": "ta", "provisional_grade": ""}
_STATES = ("assigned", "completed")
_REVIEW = ("assessor_id", "asset_id", "user_id", "workflow_state")
_ASSESSMENT = ("assessor_id", "artifact_id", "assessment_type", "data")
_RUBRIC_MARKS = {"assessments", "points_possible", "free_form_criterion_comments"}

Pair = tuple[str, str]


@dataclass
class _Reviews:
    """All peer reviews: their states and places by reviewer and submission, and each submission's author."""

    states: dict[Pair, str] = field(default_factory=dict)
    places: dict[Pair, tuple[str, int]] = field(default_factory=dict)
    authors: dict[str, str] = field(default_factory=dict)

    def add(self, file: str, row: int, review: Mapping[str, Any]) -> None:
        """Add a peer review."""
        pair = str(review["assessor_id"]), str(review["asset_id"])
        self.states[pair] = review["workflow_state"]
        self.places[pair] = file, row
        self.authors[pair[1]] = str(review["user_id"])


@dataclass(frozen=True)
class _Rubric:
    """A rubric's file, its criteria by their ids, and what is left out of its assessments."""

    source: Source
    criteria: Mapping[str, Criterion]
    reviews: _Reviews
    listing: Listing
    omissions: Omissions
    unlisted: list[int] = field(default_factory=list)
    scored: set[Pair] = field(default_factory=set)

    def grades(self) -> Iterator[Grade]:
        """The grades of all assessments that count."""
        for row, assessment in enumerate(self.source.content["assessments"], start=1):
            pair = str(assessment["assessor_id"]), str(assessment["artifact_id"])
            self.scored.add(pair)
            if self._counts(row, assessment, pair):
                yield from self._scores(row, assessment, pair)

    def _counts(self, row: int, assessment: Mapping[str, Any], pair: Pair) -> bool:
        state = self.reviews.states.get(pair)
        is_peer = assessment["assessment_type"] == "peer_review"
        if not _ROLES[assessment["assessment_type"]]:
            self.omissions.add("assessment", "that is provisional", row)
        elif assessment.get("artifact_type", "Submission") != "Submission":
            self.omissions.add("assessment", "of something else than a submission", row)
        elif self.listing.omits(pair[1]):
            self.omissions.add("assessment", "of a submission that is not listed", row)
        elif is_peer and state == "assigned":
            self.omissions.add("assessment", "of a review that is not completed", row)
        elif not any(cell_text(entry.get("points")) for entry in assessment["data"]):
            self.omissions.add("assessment", "without any score", row)
        else:
            if is_peer and state is None and self.reviews.states:
                self.unlisted.append(row)
            return True
        return False

    def _scores(self, row: int, assessment: Mapping[str, Any], pair: Pair) -> Iterator[Grade]:
        grader, submission = pair
        author = self.listing.authors.get(submission) or self.reviews.authors.get(submission, "")
        for entry in assessment["data"]:
            criterion = self.criteria.get(str(entry.get("criterion_id")))
            points = cell_text(entry.get("points"))
            if criterion is None:
                self.omissions.add("score", "of a criterion that the rubric does not have", row)
            elif not points:
                self.omissions.add("score", "without points", row)
            else:
                role = _ROLES[assessment["assessment_type"]]
                assignment = self.listing.assignment_of(submission) or self._use(assessment)
                comment = about(criterion.name, cell_text(entry.get("comments")).strip())
                yield Grade(row, submission, grader, criterion.name, points, assignment, author, role, comment=comment)

    def _use(self, assessment: Mapping[str, Any]) -> str:
        """The rubric's title; if it was used for several assignments, with the id of its use."""
        title = str(self.source.content.get("title") or "")
        return title if len(self._uses) == 1 else f"{title} ({assessment.get('rubric_association_id')})"

    @cached_property
    def _uses(self) -> set[str]:
        return {str(assessment.get("rubric_association_id")) for assessment in self.source.content["assessments"]}

    def notices(self) -> Iterator[Problem]:
        """What was left out, and what is surprising."""
        yield from self.omissions.notices()
        if self.unlisted:
            message = f"kept {counted(len(self.unlisted), 'assessment')} that no peer review lists"
            yield Problem(message, "save all pages of the peer reviews", self.source.file)


def recognises(source: Source) -> bool:
    """Whether a document is a list of peer reviews or of submissions, a rubric or an assignment."""
    return any(is_it(source.content) for is_it in (_is_rubric, _is_reviews, is_submissions, is_assignment))


def _is_reviews(content: Any) -> bool:
    return isinstance(content, list) and any(
        isinstance(entry, dict) and {"assessor_id", "asset_id"} & entry.keys() for entry in content
    )


def _is_rubric(content: Any) -> bool:
    return isinstance(content, dict) and "data" in content and bool(_RUBRIC_MARKS & content.keys())


def read(sources: Sequence[Source]) -> Extract:
    """The assessments of one or several rubrics, with the peer reviews that they belong to."""
    problems = [problem for source in sources for problem in _problems(source)]
    rubrics = [source for source in sources if _is_rubric(source.content)]
    if not rubrics:
        remedy = "add the rubric, saved from rubrics/ID?include[]=assessments&style=full"
        problems.append(Problem("holds no scores", remedy, sources[0].file))
    if problems:
        raise InputError(problems)
    reviews = _Reviews()
    for source in sources:
        if _is_reviews(source.content):
            for row, review in enumerate(source.content, start=1):
                reviews.add(source.file, row, review)
    listing = Listing.of(sources)
    read_rubrics = [
        _Rubric(source, criteria_of(source), reviews, listing, Omissions(source.file)) for source in rubrics
    ]
    sheets = tuple(sheet_of(rubric.source.file, rubric.grades()) for rubric in read_rubrics)
    components = tuple(
        (rubric.source.file, component)
        for rubric, sheet in zip(read_rubrics, sheets, strict=True)
        for component in (criterion.component(sheet) for criterion in rubric.criteria.values())
    )
    notices = [notice for rubric in read_rubrics for notice in rubric.notices()]
    scored = {pair for rubric in read_rubrics for pair in rubric.scored}
    return Extract(sheets, components, (*notices, *_unscored(reviews, scored, rubrics[0].file)))


def _unscored(reviews: _Reviews, scored: set[Pair], rubric: str) -> Iterator[Problem]:
    """Notices of peer reviews that are not completed or have no scores, and of peer reviews that are not there."""
    omissions: dict[str, Omissions] = {}
    for pair, (file, row) in reviews.places.items():
        reason = "not completed" if reviews.states[pair] == "assigned" else "completed without scores"
        if pair not in scored or reviews.states[pair] == "assigned":
            omissions.setdefault(file, Omissions(file)).add("review", reason, row)
    for omitted in omissions.values():
        yield from omitted.notices()
    if not reviews.states:
        remedy = "add the JSON of the assignment's peer_reviews"
        yield Problem("comes without peer reviews, so the authors are unknown", remedy, rubric)


def _problems(source: Source) -> Iterator[Problem]:
    """What makes a document unusable."""
    if _is_reviews(source.content):
        for row, review in enumerate(source.content, start=1):
            yield from _missing(source.file, row, review, _REVIEW, "peer review")
            if isinstance(review, dict) and review.get("workflow_state", "assigned") not in _STATES:
                message = f"the state {review['workflow_state']!r} is unknown"
                yield Problem(message, f"a review is {' or '.join(_STATES)}", source.file, row)
    elif is_submissions(source.content):
        yield from problems_of(source)
    elif not _is_rubric(source.content):
        # The last page of a list may be empty.
        if source.content != [] and not is_assignment(source.content):
            yield Problem("is neither a list of peer reviews nor a rubric", "save it again from the API", source.file)
    elif not isinstance(source.content.get("assessments"), list):
        remedy = "save the rubric again with ?include[]=assessments&style=full"
        yield Problem("has no list 'assessments'", remedy, source.file)
    else:
        for row, assessment in enumerate(source.content["assessments"], start=1):
            yield from _assessment_problems(source.file, row, assessment)


def _assessment_problems(file: str, row: int, assessment: Any) -> Iterator[Problem]:
    missing = list(_missing(file, row, assessment, _ASSESSMENT, "assessment"))
    yield from missing
    if missing:
        return
    if assessment["assessment_type"] not in tuple(_ROLES):  # JSON may hold a list, which cannot be looked up
        message = f"the assessment type {assessment['assessment_type']!r} is unknown"
        yield Problem(message, f"it has to be {', '.join(_ROLES)}", file, row)
    data = assessment["data"]
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        yield Problem(
            "the assessment's 'data' is not a list of scores", "save the rubric again with style=full", file, row
        )


def _missing(file: str, row: int, entry: Any, names: Sequence[str], noun: str) -> Iterator[Problem]:
    keys = {name for name, value in entry.items() if value is not None} if isinstance(entry, dict) else set()
    for name in names:
        if name not in keys:
            yield Problem(f"the {noun} has no {name!r}", "save it again from the API with style=full", file, row)
