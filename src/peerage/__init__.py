"""Peerage: peer grades that a class can trust.

    import peerage as pg

    book = pg.read_grades("peer_grades.csv")
    posterior = pg.fit(book)
    posterior.submissions()

Names are loaded when first used, so that ``import peerage`` stays fast.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from peerage.version import __version__ as __version__

if TYPE_CHECKING:
    from peerage.decisions.credit_marks import credit as credit
    from peerage.decisions.explain.explanation import Explanation as Explanation
    from peerage.decisions.explain.explanation import explain as explain
    from peerage.decisions.explain.weight_limits import Weighting as Weighting
    from peerage.decisions.spotchecks.spotcheck_ranking import spot_checks as spot_checks
    from peerage.decisions.trust import trust as trust
    from peerage.errors import InputError as InputError
    from peerage.errors import MissingExtraError as MissingExtraError
    from peerage.errors import ModelError as ModelError
    from peerage.errors import PeerageError as PeerageError
    from peerage.errors import Problem as Problem
    from peerage.errors import ResultsError as ResultsError
    from peerage.errors import ServiceError as ServiceError
    from peerage.errors import Stopped as Stopped
    from peerage.evaluation.evaluating import evaluate as evaluate
    from peerage.evaluation.evaluation import Evaluation as Evaluation
    from peerage.evaluation.prior_search.prior_search import Search as Search
    from peerage.evaluation.prior_search.prior_search import search as search
    from peerage.evaluation.prior_search.search_plan import SearchPlan as SearchPlan
    from peerage.evaluation.scoring import Sampling as Sampling
    from peerage.formats import read_classes as read_classes
    from peerage.formats import read_comparisons as read_comparisons
    from peerage.formats import read_grades as read_grades
    from peerage.formats.reading_choices import Reading as Reading
    from peerage.gradebook.book import Gradebook as Gradebook
    from peerage.gradebook.comparisons import Comparisons as Comparisons
    from peerage.gradebook.excluding import exclude as exclude
    from peerage.gradebook.rulings import Exclusion as Exclusion
    from peerage.inference.fitting import fit_many as fit_many
    from peerage.inference.load_posterior import load as load
    from peerage.inference.posterior import Posterior as Posterior
    from peerage.mechanisms.mechanism_registry import mechanisms as mechanisms
    from peerage.mechanisms.mechanism_registry import pay as pay
    from peerage.methods.method_contract import Aggregate as Aggregate
    from peerage.methods.method_registry import aggregate as aggregate
    from peerage.methods.method_registry import methods as methods
    from peerage.model import Fixed as Fixed
    from peerage.model import Model as Model
    from peerage.model import Priors as Priors
    from peerage.rubric import Component as Component
    from peerage.rubric import Rubric as Rubric
    from peerage.simulation.simulated_class import simulate as simulate
    from peerage.simulation.truth import Truth as Truth
    from peerage.support.tasks.progress import Progress as Progress
    from peerage.support.tasks.running_tasks import Running as Running
    from peerage.workflow.fit_from_table import fit as fit

_HOMES = {
    "Aggregate": "methods.method_contract",
    "Comparisons": "gradebook.comparisons",
    "Component": "rubric",
    "Evaluation": "evaluation.evaluation",
    "Exclusion": "gradebook.rulings",
    "Explanation": "decisions.explain.explanation",
    "Fixed": "model",
    "Gradebook": "gradebook.book",
    "InputError": "errors",
    "MissingExtraError": "errors",
    "Model": "model",
    "ModelError": "errors",
    "PeerageError": "errors",
    "Posterior": "inference.posterior",
    "Priors": "model",
    "Problem": "errors",
    "Progress": "support.tasks.progress",
    "Reading": "formats.reading_choices",
    "ResultsError": "errors",
    "Rubric": "rubric",
    "Running": "support.tasks.running_tasks",
    "Sampling": "evaluation.scoring",
    "Search": "evaluation.prior_search.prior_search",
    "SearchPlan": "evaluation.prior_search.search_plan",
    "ServiceError": "errors",
    "Stopped": "errors",
    "Truth": "simulation.truth",
    "Weighting": "decisions.explain.weight_limits",
    "aggregate": "methods.method_registry",
    "credit": "decisions.credit_marks",
    "evaluate": "evaluation.evaluating",
    "exclude": "gradebook.excluding",
    "explain": "decisions.explain.explanation",
    "fit": "workflow.fit_from_table",
    "fit_many": "inference.fitting",
    "load": "inference.load_posterior",
    "mechanisms": "mechanisms.mechanism_registry",
    "methods": "methods.method_registry",
    "pay": "mechanisms.mechanism_registry",
    "read_classes": "formats",
    "read_comparisons": "formats",
    "read_grades": "formats",
    "search": "evaluation.prior_search.prior_search",
    "simulate": "simulation.simulated_class",
    "spot_checks": "decisions.spotchecks.spotcheck_ranking",
    "trust": "decisions.trust",
}

__all__ = [
    "Aggregate",
    "Comparisons",
    "Component",
    "Evaluation",
    "Exclusion",
    "Explanation",
    "Fixed",
    "Gradebook",
    "InputError",
    "MissingExtraError",
    "Model",
    "ModelError",
    "PeerageError",
    "Posterior",
    "Priors",
    "Problem",
    "Progress",
    "Reading",
    "ResultsError",
    "Rubric",
    "Running",
    "Sampling",
    "Search",
    "SearchPlan",
    "ServiceError",
    "Stopped",
    "Truth",
    "Weighting",
    "aggregate",
    "credit",
    "evaluate",
    "exclude",
    "explain",
    "fit",
    "fit_many",
    "load",
    "mechanisms",
    "methods",
    "pay",
    "read_classes",
    "read_comparisons",
    "read_grades",
    "search",
    "simulate",
    "spot_checks",
    "trust",
]


class _Package(ModuleType):
    """The package itself, in which a public name keeps its meaning when a room of the same name is imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _HOMES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'peerage' has no attribute {name!r}")
    return getattr(import_module(f"peerage.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
