"""What may be wrong with a fit besides its convergence, in plain words, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from peerage.errors import Problem
from peerage.inference.fitted import Fitted
from peerage.support.words.wording import counted

_END_CELL_LIMIT = 1e-3
_QUANTITIES = {"true_grade": "the grade", "reliability": "the reliability", "bias": "the severity"}
_LARGEST_SHIFT = 0.5
"""How far priors may move a component's mean grade, on the scale of 0 to 5, before a fit warns."""


def problems_of(posterior: Fitted) -> Iterator[Problem]:
    """Everything that is wrong, in the order in which one would look into it."""
    yield from _modes(posterior)
    yield from _ends_of_grids(posterior)
    yield from _moved_by_priors(posterior)
    yield from _unidentified(posterior)
    yield from _constant(posterior)
    yield from _steady(posterior)


def simpler_model(posterior: Fitted) -> Iterator[Problem]:
    """That the model is not the one that was asked for."""
    if posterior.asked is not None:
        names = f"{posterior.asked.name!r} did not agree on this class, so its grades are those of a simpler one"
        yield Problem(f"the chains of the model {names}, {posterior.model.name!r}")


def _moved_by_priors(posterior: Fitted) -> Iterator[Problem]:
    """Components whose grades fixed priors move as a whole: they were made for another class."""
    if posterior.model.learned:
        return
    peers = posterior.peer_means
    mu_s, _ = posterior.layout.true_grade_prior
    for index, component in enumerate(posterior.book.rubric.components):
        mine = (posterior.layout.reports.cell_component == index) & ~np.isnan(peers)
        if not mine.any():
            continue
        expected = posterior.samples.level_mass[mine, : component.n_levels] @ component.scaled
        before = float(component.to_model(peers[mine]).mean())
        if abs(expected.mean() - before) > _LARGEST_SHIFT:
            message = (
                f"the fixed priors move all grades of {component.name} by {expected.mean() - before:+.1f} on a scale "
                f"of 0 to 5: they expect a mean near {mu_s[index]:g}, and the peers' is {before:.1f}"
            )
            yield Problem(message, "they were made for another class; let the priors be learned")


def _modes(posterior: Fitted) -> Iterator[Problem]:
    if posterior.restarts:
        number = f"{counted(len(posterior.restarts), 'chain')} of {posterior.samples.n_chains}"
        message = (
            f"{number} settled on another reading of the class, which predicts reviews worse, and started again from "
            "the best chain"
        )
        yield Problem(message, "nothing needs to be done")


def _unidentified(posterior: Fitted) -> Iterator[Problem]:
    """Learned priors need submissions with several reports, to tell graders' noise from differences in quality."""
    most = np.bincount(posterior.layout.reports.report_cell, minlength=posterior.layout.n_cells).max()
    if posterior.model.learned and most < 2:
        message = "no submission has two reports of a component, so noise cannot be distinguished from true differences"
        yield Problem(message, "have each submission graded more than once, or use fixed priors")


def _constant(posterior: Fitted) -> Iterator[Problem]:
    """Students who give the same grades to everything, and therefore count nothing."""
    for row in posterior.constant.to_dict("records"):
        yield Problem(f"{row['grader']!r} {row['sentence']}", "look at the reviews, and talk to the student")


def _steady(posterior: Fitted) -> Iterator[Problem]:
    """That biases were to drift, and cannot."""
    if posterior.model.drift and not posterior.layout.walks.on:
        one = len(posterior.layout.walks.assignments) == 1
        why = "all work belongs to one assignment" if one else "no student's bias is inferred"
        yield Problem(f"{why}, so that biases do not drift", "leave the drift out", setting="drift")


def _ends_of_grids(posterior: Fitted) -> Iterator[Problem]:
    """Draws that pile up at the end of a grid: the grid, not the data, decides there."""
    for name, free, labels in posterior.inferred():
        share = posterior.margins.at_ends(name)[free]
        if len(free) and share.max() > _END_CELL_LIMIT:
            worst, words = int(np.argmax(share)), _QUANTITIES.get(name, name.replace("_", " "))
            message = f"{words} of {labels[worst]} is as extreme as the model can express ({share[worst]:.1%} of draws)"
            yield Problem(message, _end_cell_remedy(posterior))


def _end_cell_remedy(posterior: Fitted) -> str:
    if posterior.model.learned:
        return "look at the reviews behind it; grades that rest on them may be less sure than they seem"
    if posterior.model.grids == "wide":
        return "the fixed priors do not fit this class: use learned priors"
    return "use grids='wide'"
