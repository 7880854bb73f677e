"""Whether chains have forgotten their start: they began apart, and now agree with each other and with themselves."""

from __future__ import annotations

import numpy as np

from peerage.inference.layout import Layout
from peerage.inference.numerics.rhat_and_ess import rhat_and_ess
from peerage.inference.priors_in_words import in_use
from peerage.inference.sampling.chains import VARIABLES, Samples

AGREEMENT = 1.2
"""What split R-hat may be in the mean over a variable's entries.

It would be 1 for endless chains; 50 draws of chains that have settled give up to 1.05, and 1.2 for learned priors.
"""

ENTRIES = 1000
"""How many entries of a variable are looked at, evenly spread over all."""


def settled(layout: Layout, samples: Samples) -> bool:
    """Whether the chains agree, in the mean over the entries of each variable; one chain agrees with itself."""
    drawn = [samples.draws[name][:, :, :: 1 + samples.draws[name].shape[2] // ENTRIES] for name in VARIABLES]
    if layout.model.learned:
        drawn.append(samples.hyper[:, :, in_use(layout)])
    return all(_mean_r_hat(entries.astype(np.float64)) <= AGREEMENT for entries in drawn)


def _mean_r_hat(draws: np.ndarray) -> float:
    """Of those entries that move at all."""
    moving = draws[:, :, np.ptp(draws, axis=(0, 1)) > 0]
    return float(rhat_and_ess(moving).r_hat.mean()) if moving.size else 1.0
