"""Which of several models was chosen, and what the others would have changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

COLUMNS = ("model", "bias", "effort", "correlation", "elpd", "difference", "difference_se", "grade_change", "chosen")


@dataclass(frozen=True, eq=False)
class ModelChoice:
    """The models that were compared, and which was taken.

    ``table`` has a row for each model: its log predictive probability of all reviews (``elpd``), how much better than
    the chosen one that is, with a standard error from sums by submission, and how much its expected grades differ from
    the chosen one's on average, on the scale of 0 to 5.
    """

    table: pd.DataFrame

    @property
    def sentences(self) -> list[str]:
        """What was chosen, and what the others would have changed."""
        rows = self.table.to_dict("records")
        chosen = next(row for row in rows if row["chosen"])
        lines = [f"Of {len(rows)} models, {chosen['model']!r} was chosen: the simplest that predicts as well as any."]
        for row in rows:
            if not row["chosen"]:
                by = f"{row['difference']:+.1f} ± {row['difference_se']:.1f} in log predictive probability"
                note = "; used only if asked for" if row["correlation"] else ""
                lines.append(f"  {row['model']}: {by}; grades change by {row['grade_change']:.2f}{note}.")
        return lines

    def to_rows(self) -> list[dict[str, Any]]:
        """The table as plain values."""
        return [
            {str(name): value.item() if isinstance(value, np.generic) else value for name, value in row.items()}
            for row in self.table.to_dict("records")
        ]

    @classmethod
    def from_rows(cls, rows: list[dict[str, Any]]) -> ModelChoice:
        """Build from what :meth:`to_rows` gives."""
        return cls(pd.DataFrame(rows, columns=list(COLUMNS)))
