"""Every table that results have: its file, its columns, their types and what they mean, once.

Whatever writes, reads or shows results takes names and types from here. In memory a table is a data frame: text is
text, counts are whole numbers and all else are floats, with NaN where there is no value. Its columns are in the order
given here; those that are ``optional`` may be missing, in results of other settings or of an earlier version.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a column holds, and with how many digits."""

    TEXT = "an id or a word"
    PROSE = "sentences"
    COUNT = "a whole number"
    EXACT = "a grade or points, with all digits"
    ESTIMATE = "an estimate, with five significant digits"
    DIFFERENCE = "an estimate that may be negative, with five significant digits"
    SHARE = "a probability or share, with five significant digits"
    EXACT_SHARE = "a share, with all digits"
    WEIGHT = "a share, with two decimals"
    CERTAINTY = "a probability, with four decimals"

    @property
    def is_text(self) -> bool:
        """Whether it is no number."""
        return self in (Kind.TEXT, Kind.PROSE)


@dataclass(frozen=True)
class ResultColumn:
    """A column of a table.

    Attributes
    ----------
    name, kind, meaning: what it is called, what it holds, and what that means
    optional: whether a table may lack it
    filled: whether none of its cells may be empty
    """

    name: str
    kind: Kind
    meaning: str
    optional: bool = False
    filled: bool = False


@dataclass(frozen=True, eq=False)
class ResultTable:
    """A table: its file, what a row is about, and its columns. Not every fit has those that are ``optional``."""

    file: str
    row: str
    columns: tuple[ResultColumn, ...]
    optional: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns, in order."""
        return tuple(column.name for column in self.columns)

    def kind(self, name: str) -> Kind:
        """What a column holds; text if it is none of ours."""
        return next((column.kind for column in self.columns if column.name == name), Kind.TEXT)


def _graded() -> Iterator[ResultColumn]:
    yield ResultColumn("submission", Kind.TEXT, "what was graded")
    yield ResultColumn("component", Kind.TEXT, "what was graded")


def _interval(name: str, kind: Kind, meaning: str, *, filled: bool = False) -> Iterator[ResultColumn]:
    for column in (name, f"{name}_lower", f"{name}_upper"):
        yield ResultColumn(column, kind, meaning, filled=filled)


GRADES = ResultTable(
    "grades.csv",
    "a component of a submission",
    (
        *_graded(),
        ResultColumn(
            "grade",
            Kind.EXACT,
            "the final grade: a weighted average of the reports, or another form",
            filled=True,
        ),
        ResultColumn("most_likely", Kind.EXACT, "the legal grade with the highest probability"),
        ResultColumn("expected", Kind.ESTIMATE, "the average of the legal grades, weighted by their probabilities"),
        ResultColumn("sd", Kind.ESTIMATE, "the standard deviation around `expected`"),
        *(
            ResultColumn(
                name,
                Kind.ESTIMATE,
                "the interval of the true grade; its ends may lie between legal grades but not beyond the ends of the "
                "rubric",
            )
            for name in ("lower", "upper")
        ),
        ResultColumn("confidence", Kind.SHARE, "the probability of the most likely grade"),
        ResultColumn("peer_mean", Kind.ESTIMATE, "the plain mean of the students' grades; empty if no student graded"),
        ResultColumn("n_grades", Kind.COUNT, "how many people graded this component, staff included"),
        ResultColumn(
            "staff_mean",
            Kind.ESTIMATE,
            "the plain mean of the staff's grades; empty if no staff graded",
            optional=True,
        ),
        ResultColumn(
            "status",
            Kind.TEXT,
            "where the grade comes from: `computed`, `published` (earlier) or `staff` (set by the staff)",
            optional=True,
        ),
    ),
)

TOTALS = ResultTable(
    "totals.csv",
    "an author of a submission",
    (
        *(ResultColumn(name, Kind.TEXT, "whose total it is") for name in ("submission", "assignment", "author")),
        ResultColumn(
            "total",
            Kind.EXACT,
            "the points of the grades, added up; if the rubric has no points, the grades themselves are added up",
            filled=True,
        ),
        ResultColumn("expected", Kind.ESTIMATE, "the expected points"),
        *(
            ResultColumn(
                name,
                Kind.ESTIMATE,
                "the interval of the true points, which may lie between those of legal grades; it takes the "
                "errors of all components into account together",
            )
            for name in ("lower", "upper")
        ),
        ResultColumn("note", Kind.PROSE, "why the total lies outside its interval, if it does", optional=True),
    ),
)

GRADERS = ResultTable(
    "graders.csv",
    "a grader",
    (
        *(
            ResultColumn(name, Kind.TEXT, "who it is: a student, a TA, an instructor or a machine")
            for name in ("grader", "role")
        ),
        ResultColumn("n_graded", Kind.COUNT, "how many submissions the grader graded"),
        *_interval(
            "reliability",
            Kind.ESTIMATE,
            "one divided by the variance of the error of a grade given with effort, in a component whose errors are of "
            "the usual size: 1 means off by about 1, 4 means off by about a half",
        ),
        *_interval(
            "bias",
            Kind.DIFFERENCE,
            "how much more than the truth the grader gives on average; negative for a severe grader",
        ),
        *_interval("effort", Kind.SHARE, "the probability that a review is made with effort"),
        *_interval(
            "dependability",
            Kind.ESTIMATE,
            "how much the grader's grades tell about the work, and so what weight they deserve: the reliability of "
            "an unbiased grader who always makes an effort and whose grades tell as much",
            filled=True,
        ),
        *(
            ResultColumn(
                name,
                Kind.ESTIMATE,
                "how far apart the grader's grades are for two works that others place one grade apart: 0.5 means "
                "half a grade",
                optional=True,
            )
            for name in ("slope", "slope_lower", "slope_upper")
        ),
        ResultColumn(
            "precision",
            Kind.ESTIMATE,
            "effort × reliability, which ignores what rounding and a large bias hide",
            optional=True,
        ),
        ResultColumn(
            "standing",
            Kind.TEXT,
            "whom to trust: `unsupervised`, `supervised`, `practice`, or `staff`; empty for a machine",
            optional=True,
        ),
        ResultColumn("credit_note", Kind.TEXT, "why there is no mark, or what to keep in mind about it", optional=True),
        ResultColumn(
            "credit",
            Kind.ESTIMATE,
            "the mark for peer grading, by default out of 100; empty for staff, for machines and for students "
            "about whom too little is known",
            optional=True,
        ),
    ),
)

CHECKS = ResultTable(
    "spotchecks.csv",
    "a submission that staff should look at",
    (
        ResultColumn("rank", Kind.COUNT, "where to begin", filled=True),
        ResultColumn("submission", Kind.TEXT, "what to grade"),
        ResultColumn(
            "priority",
            Kind.ESTIMATE,
            "by how much a TA's grade is expected to reduce the variance of the submission's grades, in squared points",
        ),
        ResultColumn("reason", Kind.PROSE, "why, in words; some are chosen at random"),
    ),
    optional=True,
)

WEIGHTS = ResultTable(
    "weights.csv",
    "a review that holds a grade",
    (
        *(ResultColumn(name, Kind.TEXT, "whose review of what") for name in ("submission", "grader")),
        ResultColumn(
            "weight",
            Kind.WEIGHT,
            "how much it counts: 0.45 is 45 %, and a submission's weights add up to 1 (nearly, for plain means)",
            filled=True,
        ),
        ResultColumn(
            "desired_weight",
            Kind.EXACT_SHARE,
            "the weight that it deserves, given the grader's reliability and effort on this submission",
        ),
        ResultColumn("effort_probability", Kind.SHARE, "the probability that this review was made with effort"),
        ResultColumn(
            "bias",
            Kind.DIFFERENCE,
            "if biases are subtracted: how much more than the truth the grader gives, rounded to a tenth, "
            "on the scale of 0 to 5",
            optional=True,
        ),
    ),
    optional=True,
)

EXPLANATIONS = ResultTable(
    "explanations.csv",
    "a component of a submission",
    (
        *_graded(),
        ResultColumn("sentence", Kind.PROSE, "how the grade follows from the reports, for the student"),
    ),
    optional=True,
)

COMMENTS = ResultTable(
    "comments.csv",
    "a review with a comment",
    (
        *(ResultColumn(name, Kind.TEXT, "whose review of what") for name in ("submission", "grader")),
        ResultColumn("comment", Kind.PROSE, "what the grader wrote"),
        ResultColumn(
            "flag",
            Kind.PROSE,
            "whom the comment names, if anybody; students do not see comments that name their writer or anybody other "
            "than the author",
        ),
    ),
    optional=True,
)

SELF_REVIEWS = ResultTable(
    "selfreviews.csv",
    "a component of a submission that its author graded too",
    (
        ResultColumn("submission", Kind.TEXT, "what was graded"),
        ResultColumn("grader", Kind.TEXT, "the author"),
        ResultColumn("component", Kind.TEXT, "what was graded"),
        ResultColumn("own_grade", Kind.EXACT, "what the author gave; it does not count"),
        ResultColumn("grade", Kind.EXACT, "the grade that the author gets"),
        ResultColumn("difference", Kind.EXACT, "how much more the author gave"),
    ),
    optional=True,
)

BIASES = ResultTable(
    "biases.csv",
    "a grader in an assignment",
    (
        *(ResultColumn(name, Kind.TEXT, "who graded in which assignment") for name in ("grader", "assignment")),
        ResultColumn("n_graded", Kind.COUNT, "how many submissions the grader graded there"),
        *_interval(
            "bias",
            Kind.DIFFERENCE,
            "how much more than the truth the grader gives there; negative for a severe grader",
            filled=True,
        ),
    ),
    optional=True,
)

PROPOSALS = ResultTable(
    "proposals.csv",
    "a grade that was handed out and that today's estimates would change",
    (
        *_graded(),
        ResultColumn("published", Kind.EXACT, "the grade that was handed out"),
        ResultColumn("proposed", Kind.EXACT, "the grade that today's estimates suggest"),
        ResultColumn("difference", Kind.EXACT, "how far apart they are"),
        ResultColumn(
            "certainty",
            Kind.CERTAINTY,
            "the probability that the true grade differs from the published one in the direction of the proposed one",
        ),
        ResultColumn("why", Kind.PROSE, "why it would change"),
    ),
    optional=True,
)

CHANGES = ResultTable(
    "changes.csv",
    "a grade that is not what it was",
    (
        *_graded(),
        ResultColumn("before", Kind.EXACT, "the grade before; empty if there was none"),
        ResultColumn("after", Kind.EXACT, "the grade now; empty if there is none"),
        ResultColumn("why", Kind.PROSE, "why it changed"),
    ),
    optional=True,
)

TABLES = (GRADES, TOTALS, GRADERS, CHECKS, WEIGHTS, EXPLANATIONS, COMMENTS, SELF_REVIEWS, BIASES, PROPOSALS, CHANGES)
"""All tables, in the order in which a reader may want them."""

NEEDED = tuple(table for table in TABLES if not table.optional)
"""The tables that all results have."""

REPORT, POSTERIOR, RECORD = "report.html", "posterior.npz", "run.json"
"""The page for the staff, the draws, and how the results came about."""
