"""A posterior as one file: numpy arrays and one JSON text, no pickle."""

from __future__ import annotations

import json
import zipfile
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.errors import Problem, ResultsError
from peerage.gradebook.book import Gradebook
from peerage.gradebook.rulings import Exclusion
from peerage.inference.chosen_model import ModelChoice
from peerage.inference.fitted import Fitted
from peerage.inference.sampling.chains import VARIABLES, ChainState, Samples
from peerage.inference.sampling.running_summaries import Running
from peerage.model import Model
from peerage.rubric import Rubric
from peerage.support.atomic import replacing

FORMAT = 3
_AVERAGES = ("level_mass", "effortful", "influence")
_OF_ALL_DRAWS = ("kept", "effortful_count", "hyper")
_BOOK_ARRAYS = ("roles", "review_submission", "review_grader", "levels")


def write(posterior: Fitted, path: str | Path) -> None:
    """Write a posterior to one file, whole or not at all."""
    book, samples = posterior.book, posterior.samples
    arrays: dict[str, NDArray[Any]] = {f"book_{name}": getattr(book, name) for name in _BOOK_ARRAYS}
    arrays["book_applicable"] = book.applicable
    if book.times is not None:
        arrays["book_times"] = book.times.astype("datetime64[us]").astype(np.int64)
    arrays |= {f"draws_{name}": samples.draws[name] for name in VARIABLES}
    arrays |= {f"mean_{name}": getattr(samples, name) for name in _AVERAGES}
    arrays |= {name: getattr(samples, name) for name in _OF_ALL_DRAWS}
    for name, running in samples.running.items():
        arrays |= {f"running_{name}_{entry.name}": getattr(running, entry.name) for entry in fields(running)}
    for index, state in enumerate(samples.states):
        arrays |= {f"state{index}_{name}": values for name, values in state.variables.items()}
    text = json.dumps(_meta(posterior))
    arrays["meta"] = np.frombuffer(text.encode(), dtype=np.uint8)
    with replacing(Path(path)) as part, part.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def read(path: str | Path) -> dict[str, Any]:
    """The fields of a posterior that :func:`write` wrote."""
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        meta = json.loads(arrays["meta"].tobytes())
        if meta["format"] != FORMAT:
            raise ResultsError(f"{path}: this was saved by another version of peerage; fit the class again")
        model, samples, book = Model.from_dict(meta["model"]), _samples(meta, arrays), _book(meta, arrays)
        choice = None if meta["choice"] is None else ModelChoice.from_rows(meta["choice"])
        kept = {name: meta[name] for name in ("seed", "burn_in", "timings")} | {"restarts": tuple(meta["restarts"])}
        return {"book": book, "model": model, "samples": samples, "choice": choice, **kept}
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        raise ResultsError(f"{path}: this is not a posterior that peerage saved; fit the class again") from None


def _samples(meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Samples:
    states = (
        ChainState(_state_variables(arrays, index), generator) for index, generator in enumerate(meta["generators"])
    )
    return Samples(
        {name: arrays[f"draws_{name}"] for name in VARIABLES},
        arrays["kept"],
        _running(arrays),
        arrays["effortful_count"],
        arrays["mean_level_mass"],
        arrays["mean_effortful"],
        arrays["mean_influence"],
        arrays["hyper"],
        tuple(states),
        meta["seconds"],
    )


def _running(arrays: dict[str, NDArray[Any]]) -> dict[str, Running]:
    """Running summaries by variable; none if all draws are there."""
    names = [entry.name for entry in fields(Running)]
    return {
        variable: Running(**{name: arrays[f"running_{variable}_{name}"] for name in names})
        for variable in VARIABLES
        if f"running_{variable}_counts" in arrays
    }


def _meta(posterior: Fitted) -> dict[str, Any]:
    book = posterior.book
    return {
        "format": FORMAT,
        "rubric": book.rubric.to_toml(),
        "submissions": book.submissions,
        "graders": book.graders,
        "authors": book.authors,
        "assignments": book.assignments,
        "notices": [list(astuple(entry)) for entry in book.notices],
        "exclusions": [exclusion.to_dict() for exclusion in book.exclusions],
        "model": posterior.model.to_dict(),
        "seed": posterior.seed,
        "burn_in": posterior.burn_in,
        "timings": posterior.timings,
        "seconds": posterior.samples.seconds,
        "restarts": posterior.restarts,
        "choice": None if posterior.choice is None else posterior.choice.to_rows(),
        "generators": [state.generator for state in posterior.samples.states],
    }


def _state_variables(arrays: dict[str, NDArray[Any]], index: int) -> dict[str, NDArray[Any]]:
    prefix = f"state{index}_"
    return {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}


def _book(meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Gradebook:
    times = arrays.get("book_times")
    return Gradebook(
        rubric=Rubric.from_toml(meta["rubric"]),
        submissions=tuple(meta["submissions"]),
        graders=tuple(meta["graders"]),
        authors=tuple(tuple(names) for names in meta["authors"]),
        assignments=tuple(meta["assignments"]),
        times=None if times is None else times.astype("datetime64[us]"),
        notices=tuple(Problem(*entry) for entry in meta["notices"]),
        exclusions=tuple(Exclusion(**entry) for entry in meta.get("exclusions", ())),
        also_applicable=arrays["book_applicable"],
        **{name: arrays[f"book_{name}"] for name in _BOOK_ARRAYS},
    )
