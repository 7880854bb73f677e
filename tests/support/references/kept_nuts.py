"""What NUTS finds for two classes, kept in ``kept_nuts.json`` because it takes NUTS minutes to find it.

``python tests/support/references/kept_nuts.py`` samples anew and writes the file, with ``src`` and ``tests`` on the
path. Tests refuse what is kept for another class than the one they fit, or for another density than that of today's
NumPyro model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import peerage
from peerage.gradebook.book import Gradebook
from peerage.inference.numerics.rhat_and_ess import rhat_and_ess
from support.references.nuts import by_variable, paper_model, sampled
from support.references.shared_nuts import shared_model

Floats = NDArray[np.float64]

FILE = Path(__file__).with_suffix(".json")


def paper_class() -> Gradebook:
    """A class with a TA, for the paper's model."""
    book, _ = peerage.simulate(students=20, weeks=2, tas=1, components=2, seed=3)
    return book


def shared_class() -> Gradebook:
    """A class of students alone, for the model with merit, halo, slopes and learned priors."""
    book, _ = peerage.simulate(students=16, weeks=1, tas=0, components=3, seed=4, merit=0.6, halo=0.5, scale=0.3)
    return book


@dataclass(frozen=True)
class Kept:
    """Of one class: where it was sampled, and for each variable the moments of all its entries, in their order.

    Moments are the means of entries and of their squared distances from these means, each followed by its Monte-Carlo
    standard error, which is 0 where an entry is known.
    """

    reports: str
    point: dict[str, list[float]]
    log_density: float
    moments: dict[str, list[list[float]]]

    def of(self, variable: str) -> Floats:
        """(moments and errors, entries) of a variable, of those entries that are not known."""
        moments = np.array(self.moments[variable])
        return np.asarray(moments[:, self.moving(variable)])

    def moving(self, variable: str) -> NDArray[np.bool_]:
        """(entries,) which are not known."""
        return np.asarray(np.array(self.moments[variable])[1] > 0)


def checksum(book: Gradebook) -> str:
    """Whether two classes have the same reports by the same graders."""
    parts = (book.review_grader, book.review_submission, book.levels)
    return sha256(b"".join(np.asarray(part, np.int64).tobytes() for part in parts)).hexdigest()


def log_density(model: Callable[[], None], point: Mapping[str, list[float]]) -> float:
    """The log density that NUTS samples from, where every site has the given values, in double precision."""
    import jax
    from numpyro import handlers
    from numpyro.infer.util import log_density as numpyro_log_density

    with jax.enable_x64(True):
        traced = handlers.trace(handlers.seed(model, 0))
        shapes = jax.eval_shape(lambda: {name: site["value"] for name, site in traced.get_trace().items()})
        sites = {name: np.reshape(values, shapes[name].shape) for name, values in point.items()}
        # Compiled as a whole, which takes a fraction of the time of compiling one operation after the other.
        return float(jax.jit(lambda values: numpyro_log_density(model, (), {}, values)[0])(sites))


def moments_and_errors(draws: Floats, centre: Floats) -> Floats:
    """(4, entries) for draws (chain, draw, entry): means and errors, of entries and of squared distances."""
    rows = []
    for values in (draws, (draws - centre) ** 2):
        rows += [values.mean(axis=(0, 1)), values.std(axis=(0, 1)) / np.sqrt(rhat_and_ess(values).ess_bulk)]
    return np.array(rows)


def kept(name: str, book: Gradebook, model: Callable[[], None]) -> Kept:
    """What the file has of a class, which must be this one, sampled by this model."""
    found = Kept(**json.loads(FILE.read_text())[name])
    assert found.reports == checksum(book), "another class was kept; sample it anew"
    now = log_density(model, found.point)
    assert abs(now - found.log_density) < 1e-9 * abs(now), "another density was kept; sample anew"
    return found


def summed(
    book: Gradebook, model: Callable[[], None], samples: dict[str, Floats], variables: dict[str, Floats]
) -> Kept:
    """What is kept of draws, shaped (chain, draw, …): ``samples`` of the model's sites, and those of all variables."""
    point = {name: np.ravel(values[-1, -1]).tolist() for name, values in samples.items()}
    moments = {}
    for name, values in variables.items():
        draws = values.reshape(*values.shape[:2], -1)
        moving = draws.std(axis=(0, 1)) > 0
        rows = np.zeros((4, draws.shape[-1]))
        rows[:, moving] = moments_and_errors(draws[:, :, moving], draws[:, :, moving].mean(axis=(0, 1)))
        moments[name] = rows.tolist()
    return Kept(checksum(book), point, log_density(model, point), moments)


def paper_reference() -> Kept:
    """The paper's model, sampled by NUTS."""
    book, priors = paper_class(), peerage.Priors.paper()
    model = paper_model(book, priors)
    samples = sampled(model, seed=0, warmup=300, draws=700, chains=2)
    return summed(book, model, samples, by_variable(book, priors, samples))


def shared_reference() -> Kept:
    """The model with learned priors, merit, halo and slopes, sampled by NUTS."""
    book = shared_class()
    model = shared_model(book)
    samples = sampled(model, seed=0, warmup=600, draws=1500, chains=2, target=0.9)
    computed = ("true_grade", "reliability", "bias", "effort", "slope")
    variables = {name: samples[name] for name in (*computed, "merit", "halo")}
    return summed(book, model, {name: samples[name] for name in samples if name not in computed}, variables)


if __name__ == "__main__":
    references = {"paper": asdict(paper_reference()), "shared": asdict(shared_reference())}
    FILE.write_text(json.dumps(references, indent=1) + "\n")
