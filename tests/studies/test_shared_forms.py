"""The study of forms of merit and halo scores reviews rightly; its plain form is the model's for alike components."""

from __future__ import annotations

import importlib
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.references.shared_nuts import shared_model

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("numpyro")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("study_shared_forms")


def test_probabilities_of_all_possible_reviews_sum_to_one(study: Any) -> None:
    rng, draws = np.random.default_rng(1), 3
    level = np.array(list(product(range(4), repeat=2)), np.int16)
    ends = np.tile([-study.FAR, 0.8, 2.5, 4.2, study.FAR], (2, 1))
    nobody = np.zeros(len(level), np.int32)
    reviews = study.Reviews(level, ends[:, :-1], ends[:, 1:], np.full(2, 3.0), nobody, nobody, 1, 1, with_effort=True)
    drawn = {
        "true_grade": rng.normal(3, 1, (draws, 1, 2)),
        "bias": rng.normal(0, 0.5, (draws, 1)),
        "slope": rng.normal(1, 0.2, (draws, 1)),
        "size": rng.uniform(0.2, 1.5, (draws, 1, 2)),
        "root": rng.uniform(0.5, 3, (draws, 1, 2)),
        "effort": rng.uniform(0.3, 0.9, (draws, 1)),
        "careless": np.log(rng.dirichlet(np.ones(4), (draws, 2))),
    }
    assert np.exp(study.predicted(reviews, drawn)).sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.slow
def test_the_plain_form_has_the_density_of_the_model_where_components_are_alike(study: Any) -> None:
    """What other forms have besides is drawn from its prior, and takes its part of the density."""
    import jax
    from numpyro import handlers
    from numpyro.infer.util import log_density

    book = study.draw_class(study.Kind(halo=0.5, merit=0.6, students=6), seed=0).book
    reviews = study.Reviews.of(book, with_effort=True)
    seen, form = np.ones(book.n_reviews, bool), np.array(study.FORMS[study.PLAIN])

    def densities() -> tuple[Any, Any]:
        forms, theirs = study.shared_forms(reviews), shared_model(book)
        trace = handlers.trace(handlers.seed(forms, jax.random.key(3))).get_trace(seen, form)
        sites = {name: site for name, site in trace.items() if site["type"] == "sample" and not site["is_observed"]}
        values = {name: site["value"] for name, site in sites.items()}
        own = log_density(forms, (seen, form), {}, values)[0]
        for name in (study.SIZE, study.MERITS, study.HALOS, "own_merit", "own_halo"):
            own -= sites[name]["fn"].log_prob(values.pop(name)).sum()
        values["error"] = values.pop("halos")
        alike = {name: np.zeros(len(book.rubric)) for name in ("halo_away", "scaled_error")}
        less = len(alike) * len(book.rubric) * 0.5 * np.log(2 * np.pi)  # the density of what is 0
        return own, log_density(theirs, (), {}, values | alike)[0] + less

    with jax.enable_x64(True):
        own, wanted = map(float, jax.jit(densities)())
    assert own == pytest.approx(wanted, abs=1e-6)
