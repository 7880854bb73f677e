"""What a benchmark found: measures, who is best in each kind of class, and who may be as good."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.evaluation.benchmark.benchmark_tasks import BenchmarkFinding, BenchmarkJob, BenchmarkTask
from peerage.evaluation.benchmark.known_classes import KnownClass
from peerage.evaluation.benchmark.measures import MEASURES, errors, mapped_errors, measure

Floats = NDArray[np.float64]

DRAWS = 1000
"""Resamples of the paired bootstrap."""

CERTAIN = 0.95
"""How sure a difference has to be before it is called one."""

OURS = "peerage"
"""The method that the page looks at first."""


@dataclass(frozen=True, eq=False)
class Benchmark:
    """All findings, by task."""

    job: BenchmarkJob
    found: dict[BenchmarkTask, BenchmarkFinding]

    @cached_property
    def known(self) -> dict[tuple[int, int], KnownClass]:
        """The classes, by kind and replicate."""
        return {(task.kind, task.replicate): self.job.known(task) for task in self.found if task.method == 0}

    @cached_property
    def measures(self) -> pd.DataFrame:
        """A row for each kind and method: kind, method, trouble, and each measure, averaged over classes."""
        rows = []
        for kind, method in sorted({(task.kind, task.method) for task in self.found}):
            mine = [(task, found) for task, found in self.found.items() if (task.kind, task.method) == (kind, method)]
            trouble = next((found.trouble for _, found in mine if found.trouble), "")
            head = {"kind": self.job.kinds[kind].name, "method": self.job.methods[method].name, "trouble": trouble}
            values = [self._measured(task, found) for task, found in mine if not found.trouble]
            rows.append(head | {name: _mean([entry[name] for entry in values]) for name in MEASURES})
        return pd.DataFrame(rows)

    def table(self) -> pd.DataFrame:
        """The measures, and beside them how each method compares with the best of its kind.

        ``excess`` is how much larger the root mean squared error is than the best method's, ``excess_lower`` and
        ``excess_upper`` its interval, and ``verdict`` is ``best``, ``worse``, or ``cannot be told`` from the best. They
        are empty for rankings and where staff's scale is another. ``order_excess`` and so on say the same of errors
        after the best linear map to the truth, in which all methods can be compared.
        """
        table = self.measures
        for mapped in (False, True):
            parts = [self._compared(kind, mapped=mapped) for kind in range(len(self.job.kinds))]
            table = table.merge(pd.concat(parts, ignore_index=True), on=["kind", "method"], how="left")
        return table

    def _measured(self, task: BenchmarkTask, found: BenchmarkFinding) -> dict[str, float]:
        method = self.job.methods[task.method]
        known = self.known[task.kind, task.replicate]
        values = measure(known, found.scores, found.sd, is_ranking=method.is_ranking)
        extra = {name: getattr(found, name) for name in ("held_out", "harm", "gain", "seconds")}
        return values | extra | {"unfinished": float(not found.converged)}

    def _compared(self, kind: int, *, mapped: bool) -> pd.DataFrame:
        """How each method of a kind compares with the best, by a paired bootstrap over submissions."""
        errors_of = self._errors(kind, mapped=mapped)
        head = "order_" if mapped else ""
        columns = ["kind", "method", *(head + name for name in ("excess", "excess_lower", "excess_upper", "verdict"))]
        if not errors_of:
            return pd.DataFrame(columns=columns).astype(dict.fromkeys(columns[2:5], float))
        names, error = list(errors_of), np.stack(list(errors_of.values()))
        means = np.sqrt(np.nanmean(error**2, axis=2).mean(axis=1))
        best = int(means.argmin())
        drawn = self._resampled(error, self._noise(kind), np.random.default_rng([self.job.seed, kind]))
        tail = (1 - CERTAIN) / 2
        low, high = np.quantile(drawn - drawn[:, [best]], [tail, 1 - tail], axis=0)
        verdicts = np.where(low > 0, "worse", "cannot be told").astype(object)
        verdicts[best] = "best"
        kinds = [self.job.kinds[kind].name] * len(names)
        return pd.DataFrame(dict(zip(columns, (kinds, names, means - means[best], low, high, verdicts), strict=True)))

    @staticmethod
    def _resampled(error: Floats, noise: Floats | None, rng: np.random.Generator) -> Floats:
        """(draws, methods) root mean squared errors of resampled submissions, with staff's noise drawn anew."""
        count = error.shape[1]
        weights = rng.multinomial(count, np.full(count, 1 / count), DRAWS) / count
        if noise is None:
            return np.asarray(np.sqrt(weights @ np.nanmean(error**2, axis=2).T))
        drawn = np.empty((DRAWS, len(error)))
        for row, weight in enumerate(weights):
            moved = error - noise * rng.normal(size=noise.shape)
            drawn[row] = np.sqrt(np.nanmean(moved**2, axis=2) @ weight)
        return drawn

    def _errors(self, kind: int, *, mapped: bool) -> dict[str, Floats]:
        """By method, (submissions, components) errors on all classes of a kind, where anything is known to be true."""
        found: dict[str, Floats] = {}
        for index, method in enumerate(self.job.methods):
            parts = []
            for (_, replicate), known in self._classes(kind):
                finding = self.found[BenchmarkTask(kind, replicate, index)]
                if finding.trouble or not _known(known).any():
                    break
                if not mapped and (method.is_ranking or not known.on_scale):
                    break
                error = mapped_errors(known, finding.scores) if mapped else errors(known, finding.scores)
                parts.append(error[_known(known)])
            else:
                found[method.name] = np.concatenate(parts)
        return found

    def _noise(self, kind: int) -> Floats | None:
        """(submissions, components) staff's noise, in the order of the errors; None if there is none."""
        parts = [
            (np.zeros_like(known.truth) if known.noise is None else known.noise)[_known(known)]
            for _, known in self._classes(kind)
        ]
        noise = np.concatenate(parts)
        return noise if noise.any() else None

    def _classes(self, kind: int) -> list[tuple[tuple[int, int], KnownClass]]:
        return [entry for entry in self.known.items() if entry[0][0] == kind]


def _known(known: KnownClass) -> NDArray[np.bool_]:
    """(submissions,) whether anything of a submission is known to be true."""
    return np.asarray(~np.isnan(known.truth).all(axis=1))


def _mean(values: list[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else np.nan
