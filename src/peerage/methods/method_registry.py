"""All methods by name."""

from __future__ import annotations

import numpy as np
import pandas as pd

from peerage.errors import InputError
from peerage.gradebook import Gradebook
from peerage.gradebook.comparisons import Comparisons
from peerage.methods.averages.additive import Additive
from peerage.methods.averages.mean import ClassAverage, Mean
from peerage.methods.averages.median import Median, TrimmedMean
from peerage.methods.averages.shrunken import ShrunkenMean
from peerage.methods.method_contract import Aggregate, Method
from peerage.methods.models.crowd_labels import DawidSkene, Glad, Mace
from peerage.methods.models.effort_em import EffortEM
from peerage.methods.models.peerage import FittedMethod
from peerage.methods.models.pg1 import PG1
from peerage.methods.models.pg2 import PG2
from peerage.methods.models.pg3 import PG3
from peerage.methods.models.pg4 import PG4
from peerage.methods.models.pg5 import PG5
from peerage.methods.models.rasch import DriftingRasch, GeneralisedRasch, ManyFacetRasch
from peerage.methods.ordinal.borda import Borda
from peerage.methods.ordinal.bradley_terry import BradleyTerry
from peerage.methods.ordinal.copeland import Copeland
from peerage.methods.ordinal.plackett_luce import PlackettLuce
from peerage.methods.ordinal.r2r import R2R
from peerage.methods.ordinal.refereed_bradley_terry import RefereedBradleyTerry
from peerage.methods.ordinal.thurstone import Thurstone
from peerage.methods.weighting.hamer import Hamer
from peerage.methods.weighting.lauw import Lauw
from peerage.methods.weighting.peerrank import PeerRank, RankWithTA
from peerage.methods.weighting.trupeqa import Trupeqa
from peerage.methods.weighting.vancouver import Vancouver
from peerage.model import Model

METHODS: tuple[Method, ...] = (
    FittedMethod(name="peerage"),
    FittedMethod(name="peerage-paper", model=Model(priors="paper")),
    Mean(name="mean"),
    Median(name="median"),
    TrimmedMean(name="trimmed-mean"),
    ShrunkenMean(name="shrunken-mean"),
    ClassAverage(name="class-average"),
    Additive(name="additive"),
    Hamer(name="hamer"),
    Lauw(name="lauw"),
    Vancouver(name="vancouver"),
    Vancouver(name="vancouver-all-data", all_data=True),
    PeerRank(name="peerrank"),
    PeerRank(name="peerrank-generalised", beta=0.1),
    RankWithTA(name="rank-with-ta"),
    Trupeqa(name="trupeqa"),
    PG1(name="pg1"),
    PG1(name="pg1-learned", model=Model(effort=False, censoring=False)),
    PG2(name="pg2"),
    PG3(name="pg3"),
    PG4(name="pg4"),
    PG5(name="pg5"),
    PG3(name="pg3-slips", slips=True),
    PG4(name="pg4-slips", slips=True),
    PG5(name="pg5-slips", slips=True),
    EffortEM(name="effort-em"),
    EffortEM(name="effort-em-unbiased", bias=False),
    ManyFacetRasch(name="rasch"),
    DriftingRasch(name="rasch-drift"),
    GeneralisedRasch(name="rasch-generalised"),
    DriftingRasch(name="rasch-generalised-drift", generalised=True),
    DawidSkene(name="dawid-skene"),
    Glad(name="glad"),
    Mace(name="mace"),
    Borda(name="borda"),
    Borda(name="borda-reliability", reliability=True),
    Copeland(name="copeland"),
    Copeland(name="copeland-reliability", reliability=True),
    R2R(name="r2r-copeland"),
    R2R(name="r2r-borda", borda=True),
    BradleyTerry(name="bradley-terry"),
    BradleyTerry(name="bradley-terry-reliability", reliability=True),
    RefereedBradleyTerry(name="rbtl"),
    Thurstone(name="thurstone"),
    Thurstone(name="thurstone-reliability", reliability=True),
    PlackettLuce(name="plackett-luce"),
    PlackettLuce(name="plackett-luce-reliability", reliability=True),
)
"""Every method, as classes are compared by it; ``-slips`` are as in their authors' program, for comparison alone."""

BY_NAME = {entry.name: entry for entry in METHODS}


def methods() -> pd.DataFrame:
    """All methods: name, citation, what they need of a class, and whether they give grades or a ranking alone.

    >>> methods().loc[0, "name"]
    'peerage'
    """
    rows = [
        (entry.name, entry.citation, ", ".join(map(str, entry.needs)), "ranking" if entry.is_ranking else "grades")
        for entry in METHODS
    ]
    return pd.DataFrame(rows, columns=["name", "citation", "needs", "gives"])


def find(name: str) -> Method:
    """The method of a name."""
    if name not in BY_NAME:
        raise InputError(f"there is no method {name!r}; choose one of {', '.join(BY_NAME)}")
    return BY_NAME[name]


def aggregate(
    book: Gradebook | Comparisons, method: str | Method = "mean", *, seed: int | np.random.Generator = 0
) -> Aggregate:
    """Make one grade of several, by a method of the field; those that rank also take comparisons.

    Where the class lacks what the method needs, it is refused with the reason. The same seed gives the same grades.

    >>> import peerage as pg
    >>> book, _ = pg.simulate(students=8, weeks=1, components=1)
    >>> pg.aggregate(book, "vancouver").grades().columns.tolist()
    ['submission', 'component', 'grade', 'sd']
    """
    chosen = find(method) if isinstance(method, str) else method
    return chosen.aggregate(book, seed=seed)
