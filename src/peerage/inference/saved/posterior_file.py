"""A posterior as one file: numpy arrays and one JSON text, no pickle."""

from __future__ import annotations

import errno
import json
import zipfile
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerage.errors import InputError, ModelError, OtherVersionError, Problem, ResultsError
from peerage.gradebook.book import Gradebook
from peerage.gradebook.rulings import Exclusion, SelfGrade
from peerage.inference.chosen_model import ModelChoice
from peerage.inference.fitted import Fitted
from peerage.inference.layout import lay_out
from peerage.inference.sampling.chains import STORED
from peerage.inference.saved.check_saved_posterior import BOOK, book_arrays, checked_meta, samples_of
from peerage.inference.saved.stored_arrays import DamagedError, StoredArrays
from peerage.model import Model
from peerage.rubric import Rubric
from peerage.support.files.atomic_writes import replacing
from peerage.support.files.json_files import parse_json

FORMAT = 9
_AVERAGES = ("level_mass", "effortful", "influence")
_OF_ALL_DRAWS = ("kept", "effortful_count", "hyper")
_NOT_OURS = "this is not a posterior that peerage saved"
_REMEDY = "fit the class again"


def write(posterior: Fitted, path: str | Path) -> None:
    """Write a posterior to one file, whole or not at all."""
    book, samples = posterior.book, posterior.samples
    arrays: dict[str, NDArray[Any]] = {f"book_{name}": getattr(book, name) for name in BOOK}
    arrays["book_applicable"] = book.applicable
    if book.times is not None:
        arrays["book_times"] = book.times.astype("datetime64[us]").astype(np.int64)
    arrays |= {f"draws_{name}": samples.draws[name] for name in STORED}
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
    """The fields of a posterior that :func:`write` wrote; everything in the file is checked before it is used."""
    try:
        if not Path(path).is_file():
            raise FileNotFoundError(errno.ENOENT, "No such file")
        with zipfile.ZipFile(path) as archive:
            return _fields(StoredArrays(archive), path)
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None
    except DamagedError as error:
        raise ResultsError(f"{path}: {_NOT_OURS} ({error}); {_REMEDY}") from None
    except (InputError, ModelError) as error:
        raise ResultsError(f"{path}: {_NOT_OURS} ({str(error).splitlines()[0]}); {_REMEDY}") from None
    except (ValueError, KeyError, TypeError, EOFError, OverflowError, RuntimeError, zipfile.BadZipFile):
        # An archive of an unknown kind or with a password is a RuntimeError.
        raise ResultsError(f"{path}: {_NOT_OURS}; {_REMEDY}") from None


def _fields(stored: StoredArrays, path: str | Path) -> dict[str, Any]:
    meta = parse_json(stored.array("meta", np.uint8, (None,)).tobytes())
    if isinstance(meta, dict) and meta.get("format") != FORMAT:
        raise OtherVersionError(f"{path}: this was saved by another version of peerage; {_REMEDY}")
    meta = checked_meta(meta)
    book, model = _book(stored, meta), Model.from_dict(meta["model"])
    layout = lay_out(book, model)
    asked = None if meta.get("asked") is None else Model.from_dict(meta["asked"])
    choice = None if meta.get("choice") is None else ModelChoice.from_rows(meta["choice"])
    kept = {name: meta[name] for name in ("seed", "burn_in", "timings")} | {"restarts": tuple(meta["restarts"])}
    kept["heard"] = tuple(meta.get("heard", ()))
    samples = samples_of(stored, meta, layout)
    found = {"book": book, "model": model, "samples": samples, "choice": choice, "asked": asked, "laid_out": layout}
    return found | kept


def _meta(posterior: Fitted) -> dict[str, Any]:
    book = posterior.book
    return {
        "format": FORMAT,
        "rubric": book.rubric.to_toml(),
        "submissions": book.submissions,
        "graders": book.graders,
        "authors": book.authors,
        "assignments": book.assignments,
        "comments": book.comments,
        "self_grades": book.self_grades,
        "notices": [list(astuple(entry)) for entry in book.notices],
        "exclusions": [exclusion.to_dict() for exclusion in book.exclusions],
        "model": posterior.model.to_dict(),
        "seed": posterior.seed,
        "burn_in": posterior.burn_in,
        "timings": posterior.timings,
        "seconds": posterior.samples.seconds,
        "restarts": posterior.restarts,
        "heard": posterior.heard,
        "asked": None if posterior.asked is None else posterior.asked.to_dict(),
        "choice": None if posterior.choice is None else posterior.choice.to_rows(),
        "generators": [state.generator for state in posterior.samples.states],
    }


def _book(stored: StoredArrays, meta: dict[str, Any]) -> Gradebook:
    rubric = Rubric.from_toml(meta["rubric"])
    return Gradebook(
        rubric=rubric,
        submissions=tuple(meta["submissions"]),
        graders=tuple(meta["graders"]),
        authors=tuple(tuple(names) for names in meta["authors"]),
        assignments=tuple(meta["assignments"]),
        comments=tuple(meta.get("comments", ())),
        self_grades=tuple(SelfGrade(*entry) for entry in meta.get("self_grades", ())),
        notices=tuple(Problem(*entry) for entry in meta["notices"]),
        exclusions=tuple(Exclusion(**entry) for entry in meta["exclusions"]),
        inputs=(),
        **book_arrays(stored, len(rubric)),
    )
