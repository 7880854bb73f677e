"""All mechanisms by name: :func:`pay` applies one of them, :func:`mechanisms` lists them."""

from __future__ import annotations

import pandas as pd

from peerage.errors import InputError, Problem
from peerage.gradebook.book import Gradebook
from peerage.mechanisms.correlated_agreement import CORRELATED_AGREEMENT
from peerage.mechanisms.credit_payment import Credit
from peerage.mechanisms.dmi import DMI
from peerage.mechanisms.mechanism_contract import Mechanism, Payments
from peerage.mechanisms.mse import MSE
from peerage.mechanisms.output_agreement import OUTPUT_AGREEMENT
from peerage.mechanisms.parametric_mse import PARAMETRIC_MSE
from peerage.mechanisms.parametric_phi import PARAMETRIC_PHI
from peerage.mechanisms.peer_truth_serum import PEER_TRUTH_SERUM
from peerage.mechanisms.phi_pairing import PHI_PAIRING
from peerage.support.words.whole_numbers import at_least

ALL: tuple[Mechanism, ...] = (
    MSE,
    OUTPUT_AGREEMENT,
    PEER_TRUTH_SERUM,
    *PHI_PAIRING,
    *PARAMETRIC_PHI,
    CORRELATED_AGREEMENT,
    DMI,
    PARAMETRIC_MSE,
    Credit(),
)

MECHANISMS = {mechanism.name: mechanism for mechanism in ALL}


def pay(book: Gradebook, mechanism: str, *, seed: int = 0) -> Payments:
    """What each student earns for peer grading by one of the :func:`mechanisms`: grader, assignment, payment.

    Payments are in each mechanism's own units. The same seed gives the same payments.

    >>> import peerage as pg
    >>> book, truth = pg.simulate(students=12, weeks=2, seed=1)
    >>> list(pg.pay(book, "parametric-h2", seed=0).columns)
    ['grader', 'assignment', 'payment']
    """
    if not isinstance(book, Gradebook):
        raise InputError("pay takes a Gradebook; make one with read_grades")
    if mechanism not in MECHANISMS:
        raise InputError(Problem(f"there is no mechanism {mechanism!r}", f"choose one of {', '.join(MECHANISMS)}"))
    return MECHANISMS[mechanism].pay(book, seed=at_least(0, seed=seed))


def mechanisms() -> pd.DataFrame:
    """All mechanisms that :func:`pay` knows: name, citation, needs."""
    rows = [(mechanism.name, mechanism.citation, mechanism.needs) for mechanism in ALL]
    return pd.DataFrame(rows, columns=["name", "citation", "needs"])
