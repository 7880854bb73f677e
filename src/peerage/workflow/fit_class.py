"""From a class's gradebook to its results, with what the staff set and what was handed out before.

>>> import peerage as pg
>>> from peerage.workflow.fit_class import fit_class
>>> from peerage.workflow.fit_plan import FitPlan, SamplingPlan
>>> book, truth = pg.simulate(students=10, weeks=1, seed=1)
>>> results = fit_class(book, FitPlan(sampling=SamplingPlan(chains=2, draws=50, seed=0)))
>>> len(results.grades) == len(book.submissions) * len(book.rubric)
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from peerage.decisions.explain.weight_search import must_compile
from peerage.errors import Problem
from peerage.formats.staff.pseudonyms import Key
from peerage.gradebook.book import Gradebook
from peerage.gradebook.input_files import InputFile
from peerage.gradebook.rulings import Override
from peerage.inference.fitting import MOST_DRAWS_FOR_TARGET, fit, fit_chosen, least_effective
from peerage.inference.posterior import Posterior
from peerage.model import Model
from peerage.results.results import Results
from peerage.support.tasks.stop_requests import stoppable
from peerage.term.published import Published
from peerage.workflow.fit_plan import FitPlan, StaffInput

Tell = Callable[[str], None]
"""What takes a line about how far a fit is."""


@dataclass(frozen=True, eq=False)
class PreparedClass:
    """A class that can be fitted: whatever can be wrong about it beforehand is not.

    Attributes
    ----------
    book, model: what is fitted
    overrides: the grades that staff set
    published: the results that were handed out, if any
    hidden: whether ids are made up
    notices: what is surprising about the class, in its own words even if they are hidden from the results
    """

    book: Gradebook
    model: Model
    overrides: tuple[Override, ...] = ()
    published: Published | None = None
    hidden: bool = False
    notices: tuple[Problem, ...] = ()


def fit_class(
    book: Gradebook,
    plan: FitPlan | None = None,
    *,
    inputs: Iterable[InputFile] | None = None,
    staff: StaffInput | None = None,
    published: Published | None = None,
    tell: Tell | None = None,
) -> Results:
    """Fit a class, and make of it what the plan says; what was surprising is in the results' notices."""
    plan = FitPlan() if plan is None else plan
    return fit_prepared(prepare(book, plan, staff=staff, published=published), plan, inputs, tell)


def prepare(
    book: Gradebook,
    plan: FitPlan,
    *,
    staff: StaffInput | None = None,
    published: Published | None = None,
    key: Key | None = None,
) -> PreparedClass:
    """Put together what a class is fitted with, and refuse what cannot be done.

    With a ``key``, ids are replaced by made-up names, which it then holds.
    """
    staff = StaffInput() if staff is None else staff
    model = plan.model if staff.fixed is None else replace(plan.model, fixed=staff.fixed)
    book, overrides = _noted(book, staff.notices), staff.overrides
    notices = book.notices
    if key is not None:
        book, overrides = key.hide(book), key.hide_overrides(overrides)
        model = replace(model, fixed=key.hide_fixed(model.fixed))
    if published is not None:
        if not plan.republish:
            published.check(book)
        more = tuple(published.notices(book))
        book, notices = _noted(book, more), (*notices, *more)
    return PreparedClass(book, model, overrides, published, key is not None, notices)


def fit_prepared(
    prepared: PreparedClass, plan: FitPlan, inputs: Iterable[InputFile] | None = None, tell: Tell | None = None
) -> Results:
    """Fit a class that was prepared, and make of it what the plan says, unless the plan's ``stop`` is set meanwhile."""
    with stoppable(plan.sampling.stop):
        return _fit(prepared, plan, inputs, tell)


def _fit(prepared: PreparedClass, plan: FitPlan, inputs: Iterable[InputFile] | None, tell: Tell | None) -> Results:
    settings = plan.sampling.settings()
    posterior = (fit_chosen if plan.choose_model else fit)(prepared.book, prepared.model, **settings)
    if tell is not None and plan.choices.final == "explained" and must_compile():
        tell("compiling the search for weights, once after installation …")
    published = prepared.published
    kept = None if published is None or plan.republish else published.handed_out
    results = Results.of(posterior, inputs, plan.choices, overrides=prepared.overrides, handed_out=kept)
    if prepared.hidden:
        results = replace(results, record={**results.record, "pseudonyms": True})
    if published is None:
        return results
    return published.republished(results) if plan.republish else published.proposed(results)


def missed_target(posterior: Posterior, target: int | None) -> Problem | None:
    """That a fit ended with fewer effective draws than were asked for."""
    if target is None or (least := least_effective(posterior)) >= target:
        return None
    draws = posterior.n_draws
    reached = f"{draws:,} draws per chain gave at least {least:,.0f} effective draws, not {target:,}"
    if draws >= MOST_DRAWS_FOR_TARGET:
        return Problem(reached, "no more are made")
    return Problem(reached, "allow for more memory", setting="memory")


def _noted(book: Gradebook, notices: tuple[Problem, ...]) -> Gradebook:
    """The class with more that was surprising about it."""
    return replace(book, notices=(*book.notices, *notices))
