"""What a posterior's file has to hold, given the class and the model: the one place that says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.inference.layout import Layout
from peerage.inference.sampling.chains import STORED, VARIABLES, ChainState, Samples, templates
from peerage.inference.sampling.kept_draws import grids_of
from peerage.inference.sampling.running_summaries import RunningSummary
from peerage.inference.sampling.samplers import engine_of
from peerage.inference.saved.stored_arrays import DamagedError, StoredArrays

MOST_CHAINS = 10_000
LARGEST = 1e12
"""No number of a chain is larger."""

LARGEST_COORDINATE = 100.0
"""Nor is a coordinate of a hyperparameter, a logarithm or a logit, so that its exponential is a number."""

BOOK = {"roles": np.int8, "review_submission": np.int32, "review_grader": np.int32, "levels": np.int16}
"""The arrays of a gradebook and their types; what they may hold, a gradebook checks itself."""

_TEXTS = ("submissions", "graders", "assignments")
_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "format": int,
    "rubric": str,
    "authors": list,
    "notices": list,
    "exclusions": list,
    "model": dict,
    "seed": int,
    "burn_in": int,
    "timings": dict,
    "seconds": (int, float),
    "restarts": list,
    "generators": list,
    **dict.fromkeys(_TEXTS, list),
}


def checked_meta(meta: Any) -> dict[str, Any]:
    """What is not in arrays, if it is all there and of the right kind."""
    if not isinstance(meta, dict):
        raise DamagedError("its description is no table")
    for name, kind in _KINDS.items():
        if not isinstance(meta.get(name), kind) or isinstance(meta[name], bool):
            raise DamagedError(f"its {name!r} is missing or of another kind")
    for name in _TEXTS:
        _all(name, meta[name], str)
    for names in meta["authors"]:
        _all("authors", names, str)
    _all("comments", meta.get("comments", []), str)
    for grade in meta.get("self_grades", []):
        _all("self_grades", grade, str, int, float)
    _all("restarts", meta["restarts"], int)
    _all("heard", meta.get("heard", []), str)
    if not {*meta.get("heard", [])} <= {*meta["submissions"]}:
        raise DamagedError("its 'heard' names submissions that are not there")
    for notice in meta["notices"]:
        _all("notices", notice, str, int, type(None))
    for exclusion in meta["exclusions"]:
        _all("exclusions", list(exclusion.values()) if isinstance(exclusion, dict) else None, str, int)
    _all("generators", meta["generators"], dict)
    _all("timings", list(meta["timings"].values()), int, float)
    if not 1 <= len(meta["generators"]) <= MOST_CHAINS or meta["seed"] < 0 or meta["burn_in"] < 0:
        raise DamagedError("its chains, seed or burn-in are none")
    if meta.get("choice") is not None:
        _all("choice", meta["choice"], dict)
    return meta


def _all(name: str, values: Any, *kinds: type) -> None:
    if not isinstance(values, list) or not all(isinstance(value, kinds) for value in values):
        raise DamagedError(f"its {name!r} is of another kind")


def book_arrays(stored: StoredArrays, n_components: int) -> dict[str, NDArray[Any]]:
    """The arrays of the gradebook."""
    arrays = {name: stored.array(f"book_{name}", BOOK[name], (None,)) for name in BOOK if name != "levels"}
    arrays["levels"] = stored.array("book_levels", BOOK["levels"], (None, n_components))
    arrays["also_applicable"] = stored.array("book_applicable", np.bool_, (None, n_components))
    if "book_times" in stored:
        arrays["times"] = stored.array("book_times", np.int64, (None,)).astype("datetime64[us]")
    return arrays


def samples_of(stored: StoredArrays, meta: Mapping[str, Any], layout: Layout) -> Samples:
    """What the chains drew, fit for the class and the model."""
    chains, n_reviews = len(meta["generators"]), layout.book.n_reviews
    count = stored.array("effortful_count", np.int64, (chains, None), 0, n_reviews)
    n_draws = count.shape[1]
    kept = stored.array("kept", np.int64, (None,), 0, n_draws - 1)
    if (np.diff(kept) <= 0).any():
        raise DamagedError("'kept' does not ascend")
    state, rows = templates(layout)
    draws = {}
    for name in STORED:
        empty = getattr(rows, name)
        low, high = _ends(layout, name, empty)
        draws[name] = stored.array(f"draws_{name}", empty.dtype, (chains, len(kept), empty.shape[1]), low, high)
        _check_fixed(layout, f"draws_{name}", name, draws[name])
    return Samples(
        draws,
        kept,
        _running(stored, chains, n_draws, layout, rows),
        count,
        stored.array("mean_level_mass", np.float64, (layout.n_cells, layout.max_levels), -1e-6, 1 + 1e-6),
        stored.array("mean_effortful", np.float64, (n_reviews,), -1e-6, 1 + 1e-6),
        stored.array("mean_influence", np.float64, (n_reviews,), -LARGEST, LARGEST),
        stored.array("hyper", np.float64, (chains, n_draws, layout.n_hyper), *_ends(layout, "hyper", state.hyper)),
        tuple(_state(stored, index, layout, state, found) for index, found in enumerate(meta["generators"])),
        meta["seconds"],
    )


def _state(stored: StoredArrays, index: int, layout: Layout, template: Any, generator: dict[str, Any]) -> ChainState:
    """Where a chain stands; kernels take it as it is."""
    variables = {}
    for name, like in template._asdict().items():
        low, high = _ends(layout, name, like)
        variables[name] = stored.array(f"state{index}_{name}", like.dtype, like.shape, low, high)
        _check_fixed(layout, f"state{index}_{name}", name, variables[name])
    bit_generator: Any = np.random.PCG64()
    try:
        bit_generator.state = generator
    except (KeyError, TypeError, ValueError, OverflowError):
        raise DamagedError("the state of a generator is none") from None
    return ChainState(variables, generator)


def _running(stored: StoredArrays, chains: int, n_draws: int, layout: Layout, rows: Any) -> dict[str, RunningSummary]:
    """Running summaries by variable; none if all draws are there."""
    found = {}
    for name, grid in grids_of(layout).items():
        if f"running_{name}_counts" not in stored:
            continue
        entries = getattr(rows, name).shape[1]
        lengths = stored.array(f"running_{name}_lengths", np.int64, (None,), 0, n_draws)
        shape = (chains, len(lengths), entries)
        found[name] = RunningSummary(
            stored.array(f"running_{name}_counts", (np.uint16, np.uint32), (entries, len(grid)), 0, chains * n_draws),
            stored.array(f"running_{name}_sums", np.float64, shape),
            stored.array(f"running_{name}_squares", np.float64, shape),
            lengths,
            stored.array(f"running_{name}_batches", np.float64, (entries,)),
        )
    if found and len(found) < len(VARIABLES):
        raise DamagedError("some running summaries are missing")
    return found


def _ends(layout: Layout, name: str, like: NDArray[Any]) -> tuple[float, float]:
    """Between what a variable lies: the cells of its grid, or numbers that a chain can reach."""
    if like.dtype.kind in "iu":
        # A fixed bias has a code past the grid's end.
        sizes = {"true_grade": len(layout.grids.true_grade), "reliability": len(layout.grids.reliability)}
        sizes["bias"] = len(layout.grids.bias) + 1
        sizes["habit"] = layout.n_habits + 1
        # Whatever else is on a grid starts in its middle.
        return 0, sizes.get(name, 2 * int(like.max(initial=0)) + 1) - 1
    if name in ("effort", "effortful"):
        return 0, 1
    if name == "hyper":
        return -LARGEST_COORDINATE, LARGEST_COORDINATE
    return (0, LARGEST) if name == "reliability" else (-LARGEST, LARGEST)


def _check_fixed(layout: Layout, stored_name: str, name: str, values: NDArray[Any]) -> None:
    """Refuse cells that the likelihood tables of graders with a fixed reliability or bias do not have."""
    if name not in ("reliability", "bias") or not engine_of(layout).ON_GRID:
        return
    is_fixed = ~np.isnan(getattr(layout.known, name))
    fixed_cell = 0 if name == "reliability" else len(layout.grids.bias)
    if (values[..., is_fixed] != fixed_cell).any():
        raise DamagedError(f"{stored_name!r} moves what is fixed")
    if name == "bias" and (values[..., ~is_fixed] == fixed_cell).any():
        raise DamagedError(f"{stored_name!r} fixes what is not")
