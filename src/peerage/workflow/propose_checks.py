"""Which submissions staff should grade next."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from peerage.results.results import Results


def propose_checks(results: Results, budget: int | None = None) -> pd.DataFrame:
    """The submissions for staff to grade, as many as the fit was asked for unless a ``budget`` says how many."""
    choices = results.choices if budget is None else replace(results.choices, spot_checks=budget)
    return choices.propose(results.posterior)
