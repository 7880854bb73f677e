"""What takes time is done once in a fit: the layout, the table of submissions, reading what was published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import peerage as pg
from peerage.inference import fitted as fitted_parts
from peerage.inference import fitting, layout
from peerage.inference.latent import latent_engine
from peerage.report.pages import staff_html
from peerage.results import results as results_module
from peerage.tables.reading_files import read_sheet
from peerage.workflow.fit_class import fit_class
from peerage.workflow.fit_plan import FitPlan, SamplingPlan
from support.classes.term import class_table, fitted, written


def counting(calls: Counter[str], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose calls are counted."""

    def counted(*arguments: Any, **options: Any) -> Any:
        calls[name] += 1
        return function(*arguments, **options)

    return counted


def test_a_class_is_laid_out_and_its_table_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()
    lay_out = counting(calls, "lay_out", layout.lay_out)
    monkeypatch.setattr(fitting, "lay_out", lay_out)
    monkeypatch.setattr(fitted_parts, "lay_out", lay_out)
    table: cached_property[Any] = cached_property(
        counting(calls, "submissions", pg.Posterior.__dict__["_submissions"].func)
    )
    table.__set_name__(pg.Posterior, "_submissions")
    monkeypatch.setattr(pg.Posterior, "_submissions", table)
    plan = FitPlan(pg.Model(priors="paper"), sampling=SamplingPlan(chains=2, draws=20, burn_in=10, seed=0))
    results = fit_class(pg.read_grades(class_table(weeks=1)), plan)
    assert staff_html(results)
    assert calls == {"lay_out": 1, "submissions": 1}


@pytest.mark.parametrize("model", [pg.Model(), pg.Model(priors="paper")])
def test_what_warnings_tables_and_checks_share_is_made_once(model: pg.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()
    functions = [(fitted_parts, name) for name in ("constant_students", "coarser_grids", "peer_means")]
    for room, name in (*functions, (results_module, "named_people")):
        monkeypatch.setattr(room, name, counting(calls, name, getattr(room, name)))
    properties = ("component_patterns", "_habit_shares")
    for owner, name in ((pg.Posterior, "_graders"), *((layout.Layout, name) for name in properties)):
        made: cached_property[Any] = cached_property(counting(calls, name, owner.__dict__[name].func))
        made.__set_name__(owner, name)
        monkeypatch.setattr(owner, name, made)
    book = pg.read_grades(class_table(weeks=1).assign(comment="thorough"))
    posterior = fit_class(book, FitPlan(model, sampling=SamplingPlan(chains=2, draws=20, burn_in=10, seed=0))).posterior
    assert posterior.check().students.empty
    assert not posterior.graders().empty
    assert len(calls) == 7
    assert set(calls.values()) == {1}, calls


def test_chains_go_on_without_making_a_start(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = pg.fit(pg.read_grades(class_table(weeks=1)), chains=2, draws=5, seed=0)
    calls: Counter[str] = Counter()
    monkeypatch.setattr(latent_engine, "initial_state", counting(calls, "start", latent_engine.initial_state))
    assert posterior.extend(5).n_draws == 10
    assert not calls


def test_a_table_that_was_handed_out_can_be_changed() -> None:
    posterior = pg.fit(pg.read_grades(class_table(weeks=1)), pg.Model(priors="paper"), chains=1, draws=5, seed=0)
    table = posterior.submissions()
    table["expected"] = 0.0
    assert (posterior.submissions()["expected"] > 0).all()


def test_published_results_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = class_table()
    first = fitted(written(table[table["assignment"] == "week1"], tmp_path / "one" / "class.csv"), tmp_path / "first")
    calls: Counter[str] = Counter()

    def counted_sheet(path: Path, name: str) -> Any:
        calls[name] += 1
        return read_sheet(path, name)

    monkeypatch.setattr(results_module, "read_sheet", counted_sheet)
    monkeypatch.setattr(results_module, "load", counting(calls, "posterior", pg.load))
    fitted(written(table, tmp_path / "two" / "class.csv"), tmp_path / "second", "--published", str(first))
    assert calls["posterior"] == 1
    assert set(calls.values()) == {1}
