"""What a fit leaves behind, before tables are made of it: the class, the model, the draws and how they were made."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from peerage.gradebook.book import MISSING, Gradebook
from peerage.gradebook.report_means import peer_means
from peerage.inference.checking.constant_or_copied_reviews import Row, constant_students, suspicions
from peerage.inference.checking.leave_one_out import predict_unseen
from peerage.inference.checking.others_view import OthersView
from peerage.inference.chosen_model import ModelChoice
from peerage.inference.features.heaping import Coarser, coarser_grids
from peerage.inference.layout import Layout, lay_out
from peerage.inference.margins import Margins, margins_of
from peerage.inference.priors_in_words import typical_priors
from peerage.inference.report_bins import floors
from peerage.inference.sampling.chains import VARIABLES, Samples, sample
from peerage.inference.sampling.draws import Draws
from peerage.model import Model, Priors
from peerage.support.tasks.listening import listening
from peerage.support.tasks.progress import Counter, Listener


@dataclass(frozen=True, eq=False)
class Fitted:
    """The parts of a posterior.

    Attributes
    ----------
    book, model: what was fitted
    seed: with which the chains started
    burn_in: how many sweeps each chain discarded
    samples: what the chains drew
    timings: seconds by what they were spent on
    restarts: the chains that started again from a better one
    choice: the models that were compared, if the model was chosen
    asked: the model that was asked for, if its chains did not agree and a simpler one was fitted
    heard: the submissions whose new reviews were heard by weighing draws, since chains were last run
    laid_out: the class as it was laid out when it was sampled
    workers: how many threads may work at a time, for whatever is made of it too; one per processor if None
    """

    book: Gradebook
    model: Model
    seed: int
    burn_in: int
    samples: Samples
    timings: dict[str, float] = field(default_factory=dict)
    restarts: tuple[int, ...] = ()
    choice: ModelChoice | None = None
    asked: Model | None = None
    heard: tuple[str, ...] = ()
    laid_out: Layout | None = None
    workers: int | None = None

    @property
    def threads(self) -> int:
        """How many threads make tables and checks."""
        return self.workers or os.cpu_count() or 1

    @property
    def n_chains(self) -> int:
        """How many chains there are."""
        return self.samples.n_chains

    @property
    def n_draws(self) -> int:
        """How many draws each chain made."""
        return self.samples.n_draws

    @property
    def n_kept(self) -> int:
        """How many draws of each chain were kept, beside running summaries of all if these are fewer."""
        return self.samples.n_kept

    @property
    def level_masses(self) -> NDArray[np.float64]:
        """(cells, levels) the posterior probability of each grade; cells are in the order of all tables about them."""
        return self.samples.level_mass

    @property
    def has_drift(self) -> bool:
        """Whether biases could move from one assignment to the next."""
        return self.layout.walks.on

    @property
    def has_floor(self) -> NDArray[np.bool_]:
        """(graders,) who never go below a grade of their own, which is read as that grade or less."""
        return np.isfinite(floors(self.layout))

    @cached_property
    def layout(self) -> Layout:
        """How the class is laid out for the sampler: as it was for the fit, or anew for one that was read."""
        known = self.laid_out
        if known is not None and known.book is self.book and known.model is self.model:
            return known
        return lay_out(self.book, self.model)

    @cached_property
    def draws(self) -> Draws:
        """Draws by variable: ``true_grade``, ``reliability``, ``bias``, ``effort``."""
        return Draws(self.layout, self.samples, self.seed)

    @cached_property
    def margins(self) -> Margins:
        """Each variable's entries one by one, from the draws or from running summaries of them."""
        return margins_of(self.layout, self.samples, self.draws, self.threads)

    @cached_property
    def hyperparameters(self) -> Priors:
        """The fixed priors, or those of the learned hyperparameters' means."""
        return typical_priors(self.layout, self.samples.hyper)

    @cached_property
    def peer_means(self) -> NDArray[np.float64]:
        """(cells,) the mean of students' reports in the rubric's units; NaN where no student graded."""
        means = peer_means(self.book)
        means.setflags(write=False)
        return means

    @cached_property
    def coarser_grids(self) -> list[list[Coarser]]:
        """Of each component, the grids at which some grades are rounded more coarsely, on average over the draws."""
        return coarser_grids(self.layout.roundings, self.draws.rounding())

    @cached_property
    def constant_rows(self) -> tuple[Row, ...]:
        """Students who give the same grades to everything."""
        view = OthersView.of(self.book, self.hyperparameters)
        return tuple(constant_students(self.book, self.hyperparameters, view, self.coarser_grids))

    @property
    def constant(self) -> pd.DataFrame:
        """Students whose reports tell nothing, for they give the same grades to everything; with learned priors."""
        return suspicions(self.constant_rows if self.model.learned else ())

    def cell_ids(self) -> dict[str, NDArray[Any]]:
        """The submission and the component of each cell."""
        book, layout = self.book, self.layout
        return {
            "submission": np.array(book.submissions, dtype=object)[layout.cell_submission],
            "component": np.array(book.rubric.names, dtype=object)[layout.reports.cell_component],
        }

    def predict_unseen(self, book: Gradebook, seen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Log probability of each review of a class that is not ``seen``, by this fit to those that are."""
        return predict_unseen(lay_out(book, self.model), seen, self.samples, self.draws, self.seed)

    def inferred(self) -> Iterator[tuple[str, NDArray[np.intp], list[str]]]:
        """The variables, and the places and ids of those entries that are not fixed."""
        ids = self.cell_ids()
        cells = [f"{u} in {c}" for u, c in zip(ids["submission"], ids["component"], strict=True)]
        free = np.flatnonzero(self.layout.fixed_level == MISSING)
        yield "true_grade", free, [cells[cell] for cell in free]
        for name in VARIABLES[1:]:
            free = np.flatnonzero(np.isnan(getattr(self.layout.known, name)))
            yield name, free, [self.book.graders[grader] for grader in free]


def more_draws(
    fitted: Fitted, draws: int, burn_in: int = 0, *, every: int, workers: int | None, progress: bool | Listener
) -> Samples:
    """More draws of each chain of a fit, from where it stands once it has burnt in, of which every few are kept."""
    chains = fitted.samples.n_chains
    with listening(progress) as listener:
        return sample(
            fitted.layout,
            chains=chains,
            draws=draws,
            burn_in=burn_in,
            seed=fitted.seed,
            workers=workers,
            counter=Counter(listener, "sampling", chains * (burn_in + draws)),
            states=fitted.samples.states,
            every=every,
        )


def timings_with(fitted: Fitted, later: Samples) -> dict[str, float]:
    """The timings of a fit once its chains have gone on."""
    return {name: seconds + later.seconds for name, seconds in fitted.timings.items()}
