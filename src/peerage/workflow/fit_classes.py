"""Several classes that a column of the same files tells apart: each is prepared, then each is fitted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from peerage.errors import Problem, ResultsError
from peerage.formats.several_classes import common_notices
from peerage.formats.staff.pseudonyms import Key
from peerage.gradebook.book import Gradebook
from peerage.gradebook.input_files import InputFile
from peerage.results.results import Results
from peerage.results.several_classes_results import SeveralResults
from peerage.term.published import Published
from peerage.workflow.fit_class import PreparedClass, Tell, fit_prepared, prepare
from peerage.workflow.fit_plan import FitPlan, StaffInput


def fit_classes(
    books: Mapping[str, Gradebook],
    by: str,
    plan: FitPlan | None = None,
    *,
    inputs: Sequence[InputFile] | None = None,
    staff: Mapping[str, StaffInput] | None = None,
    published: Sequence[SeveralResults] = (),
    tell: Tell | None = None,
) -> SeveralResults:
    """Fit the classes that a column tells apart, each with what the staff say about it and what was handed out.

    ``published`` are the results that were handed out, the latest first.
    """
    plan = FitPlan() if plan is None else plan
    prepared = prepare_classes(books, plan, by=by, staff=staff, published=published)
    return fit_all_prepared(prepared, by, plan, inputs, tell)


def prepare_classes(
    books: Mapping[str, Gradebook],
    plan: FitPlan,
    *,
    by: str,
    staff: Mapping[str, StaffInput] | None = None,
    published: Sequence[SeveralResults] = (),
    key: Key | None = None,
) -> dict[str, PreparedClass]:
    """Put together what each class is fitted with, and refuse what cannot be done."""
    staff = {} if staff is None else staff
    told = handed_out(published, by, books)
    return {
        name: prepare(book, plan, staff=staff.get(name), published=told.get(name), key=key)
        for name, book in books.items()
    }


def fit_all_prepared(
    prepared: Mapping[str, PreparedClass],
    by: str,
    plan: FitPlan,
    inputs: Sequence[InputFile] | None = None,
    tell: Tell | None = None,
) -> SeveralResults:
    """Fit classes that were prepared; what is noted of all of them is said once, unless their ids are hidden."""
    found: dict[str, Results] = {}
    for number, (name, ready) in enumerate(prepared.items(), start=1):
        if tell is not None:
            tell(f"{by} {name!r}, {number:,} of {len(prepared):,}:")
        found[name] = fit_prepared(ready, plan, inputs, tell)
    hidden = any(ready.hidden for ready in prepared.values())
    common = () if hidden else common_notices(ready.notices for ready in prepared.values())
    return SeveralResults.of(by, found, common)


def handed_out(published: Sequence[SeveralResults], by: str, books: Mapping[str, Gradebook]) -> dict[str, Published]:
    """The results of each of today's classes that were handed out."""
    if any(several.by != by for several in published):
        raise ResultsError(f"the published results do not have a class for each {by}; give results that do")
    known = {name: [several.classes[name] for several in published if name in several.classes] for name in books}
    return {name: Published(results[0], earlier=tuple(results[1:])) for name, results in known.items() if results}


def unmatched(published: Sequence[SeveralResults], by: str, books: Mapping[str, Gradebook]) -> Iterator[Problem]:
    """Notices of classes that are only among those handed out, or only among today's; none if nothing was."""
    if not published:
        return
    known = dict.fromkeys(name for several in published for name in several.classes)
    for name in known:
        if name not in books:
            yield Problem(f"{by} {name!r} has published grades and no grades today")
    for name in books:
        if name not in known:
            yield Problem(f"{by} {name!r} has no published grades")
