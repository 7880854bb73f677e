"""What staff think of the peers, in words, and what they would tell if they graded some of the work."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from peerage.inference.fitted import Fitted
from peerage.inference.numerics.hyperparameters import CLASSWIDE, MEAN_BIAS, SIGMA_TA
from peerage.inference.posterior import Posterior
from peerage.rubric import MODEL_MAXIMUM

CHECKED = 10
"""How many submissions a TA is imagined to grade where no staff did."""

_AT_A_TIME = 10_000
"""Of how many true grades variances are computed at a time: on the way, draws take several times their memory."""


def staff_sentences(posterior: Posterior) -> Iterator[str]:
    """All that staff's grades say of the peers' and of the estimates, or would."""
    check = posterior.staff_check()
    for sentence in (
        peers_against_staff(posterior),
        None if check is None else check.sentence,
        without_staff(posterior),
    ):
        if sentence is not None:
            yield sentence


def peers_against_staff(posterior: Fitted) -> str | None:
    """How much more or less students give than staff; None where that is not learned."""
    layout = posterior.layout
    if not (posterior.model.learned and layout.has_bias and layout.has_staff):
        return None
    drawn = posterior.samples.hyper[:, :, MEAN_BIAS]
    value, (lower, upper) = float(drawn.mean()), np.quantile(drawn, [0.05, 0.95])
    words = "more" if value >= 0 else "less"
    interval = f"90% interval {lower:+z.1f} to {upper:+z.1f}"
    return f"Students give {abs(value):.1f} of {MODEL_MAXIMUM:g} {words} than staff ({interval})."


def without_staff(posterior: Fitted) -> str | None:
    """Where no staff graded: whose level the grades have, and how well staff's grades would tell it."""
    if posterior.book.is_staff.any():
        return None
    lead = "No staff graded, so the general level of the grades is that of the peers."
    if not (posterior.model.learned and posterior.layout.has_bias):
        return lead
    # A TA's own bias is the same on everything that the TA grades; errors and doubts about true grades are not.
    entry = CLASSWIDE[SIGMA_TA]
    own = np.exp(2 * entry.centre + 2 * entry.spread**2)
    priors = posterior.hyperparameters
    cells = posterior.layout.n_cells
    true_grades = posterior.draws.on_model_scale("true_grade").reshape(-1, cells)
    some_at_a_time = np.array_split(true_grades, cells // _AT_A_TIME + 1, axis=1)
    variances = np.concatenate([some.var(axis=0, dtype=float) for some in some_at_a_time])
    doubt = float(variances.mean()) + priors.beta_tau_ta / priors.alpha_tau_ta
    within = 1.645 * np.sqrt(own + doubt / (CHECKED * len(posterior.book.rubric)))
    return (
        f"{lead} If a TA graded {CHECKED} submissions, the right level would be known to within {within:.1f} of "
        f"{MODEL_MAXIMUM:g}, and you would also see how far estimates are from what staff give."
    )
