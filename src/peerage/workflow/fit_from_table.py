"""``peerage.fit``: of a gradebook, or of a table in memory, which is read first."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

import pandas as pd

from peerage.formats.reading import read_grades
from peerage.gradebook.book import Gradebook
from peerage.inference import fitting
from peerage.inference.posterior import Posterior
from peerage.tables.frames import Foreign

Settings = ParamSpec("Settings")


def _of_tables(
    infer: Callable[Concatenate[Gradebook, Settings], Posterior],
) -> Callable[Concatenate[Gradebook | pd.DataFrame | Foreign, Settings], Posterior]:
    @wraps(infer)
    def fit(book: Gradebook | pd.DataFrame | Foreign, *args: Settings.args, **settings: Settings.kwargs) -> Posterior:
        return infer(read_grades(book) if isinstance(book, pd.DataFrame | Foreign) else book, *args, **settings)

    return fit  # type: ignore[return-value]  # The book may also be given by name, which no type can say.


fit = _of_tables(fitting.fit)
