"""The project file ``peerage.toml``: how a class is fitted, so that ``peerage fit`` alone does it again.

It names files and settings and nothing else: a setting that is not known is refused, so that no secret finds a place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomli_w

from peerage.errors import InputError, Problem
from peerage.support.files.textfile import read_text, read_toml

PROJECT = "peerage.toml"

Kind = type | tuple[type, ...]
"""What a setting can be."""

SHARE = (int, float)
"""A number from 0 to 1."""

COUNTS = (int, str)
"""A number for all assignments, or text such as each=3."""

_SETTINGS: dict[str, tuple[Kind, str]] = {
    "rubric": (str, "rubric"),
    "output": (str, "out"),
    "by": (str, "by"),
    "columns": (str, "columns"),
    "components": (str, "components"),
    "drop": (str, "drop"),
    "exact_ids": (bool, "exact_ids"),
    "exclude": (str, "exclude"),
    "until": (str, "until"),
    "override": (str, "override"),
    "published": (str, "published"),
    "final": (str, "final"),
    "credit_scale": (str, "credit_scale"),
    "required_reviews": (COUNTS, "required_reviews"),
    "completion": (SHARE, "completion"),
    "sceptical": (bool, "sceptical"),
    "minimum_reviews": (int, "minimum_reviews"),
    "spot_checks": (int, "spot_checks"),
    "seed": (int, "seed"),
}
"""The kind of each setting, and the option of ``peerage fit`` that it stands for."""

_SHARED = ("grades", "rubric", "columns", "components", "drop", "exact_ids", "exclude", "until", "by")
"""The options that ``peerage check`` has as well."""

_CHOSEN = ("correlation", "drift")
"""Features of the model that are off unless they are chosen."""

_FEATURES = ("bias", "effort", "censoring", *_CHOSEN, "merit", "halo", "habits", "scale", "floors", "heaping")
_MODEL: dict[str, tuple[Kind, str]] = {
    "priors": (str, "priors"),
    "name": (str, "model_name"),
    **{name: (bool, name if name in _CHOSEN else f"no_{name}") for name in _FEATURES},
}
_WORDS: dict[Kind, str] = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    SHARE: "a number",
    COUNTS: 'a whole number or "each=3"',
}


def defaults(path: Path) -> dict[str, dict[str, Any]]:
    """What the options of commands are where the user does not say it, by command."""
    said = read_toml(read_text(path), path.name)
    model = said.pop("model", {})
    patterns = said.pop("grades", [])
    if not isinstance(model, Mapping):
        raise InputError(
            Problem("the setting 'model' has to be a table", "write [model] above its settings", path.name)
        )
    problems = [*_problems(said, _SETTINGS, "", path.name), *_problems(model, _MODEL, "model.", path.name)]
    if problems:
        raise InputError(problems)
    options = {_SETTINGS[name][1]: value for name, value in said.items()}
    options |= {_MODEL[name][1]: _option(name, value) for name, value in model.items()}
    files = _files(patterns, path.name)
    if files:
        options["grades"] = files
    shared = {name: value for name, value in options.items() if name in _SHARED}
    return {"fit": options, "check": shared}


def files_of(pattern: str) -> list[str]:
    """The files of grades that a name or a pattern such as ``week*.csv`` means, in order.

    A pattern does not mean the files beside the grades in which staff decide about reviews and grades.
    """
    path = Path(pattern)
    parts = path.relative_to(path.anchor)
    if not parts.parts:
        return []
    try:
        if path.is_file():
            return [pattern]
        found = [entry for entry in Path(path.anchor).glob(str(parts)) if entry.is_file()]
    except (OSError, RecursionError, ValueError):
        # A name that no file can have, a path of a thousand folders, or a pattern such as a**b, in which two stars are
        # not a folder of their own.
        return []
    from peerage.formats.staff.exclusions import EXCLUDE_NAME
    from peerage.formats.staff.overrides import OVERRIDE_NAME

    return sorted(str(entry) for entry in found if entry.name not in (EXCLUDE_NAME, OVERRIDE_NAME))


def project_text(grades: str, rubric: str, output: str, reviews_each: int) -> str:
    """The text of a project file for a class that says nothing else."""
    settings: dict[str, Any] = {"grades": [grades], "rubric": rubric, "output": output}
    settings["required_reviews"] = f"each={reviews_each}" if reviews_each else ""
    return tomli_w.dumps({name: value for name, value in settings.items() if value})


def _option(name: str, value: object) -> object:
    """The option that says the same; ``bias = false`` is ``--no-bias``."""
    return not value if _MODEL[name][1].startswith("no_") else value


def _problems(
    said: Mapping[str, object], known: Mapping[str, tuple[Kind, str]], prefix: str, file: str
) -> Iterator[Problem]:
    for name, value in said.items():
        if name not in known:
            names = sorted(known) if prefix else sorted(("grades", "model", *known))
            yield Problem(f"there is no setting {prefix + name!r}", f"use {', '.join(names)}", file)
        elif type(value) not in _kinds(known[name][0]):
            yield Problem(f"the setting {prefix + name!r} is {value!r}", f"write {_WORDS[known[name][0]]}", file)


def _kinds(kind: Kind) -> tuple[type, ...]:
    return kind if isinstance(kind, tuple) else (kind,)


def _files(patterns: object, file: str) -> list[str]:
    """The files that some names or patterns mean, each once."""
    if isinstance(patterns, str):
        patterns = [patterns]
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        raise InputError(Problem("the setting 'grades' is not a list of files", 'write ["week*.csv"]', file))
    found = {pattern: files_of(pattern) for pattern in patterns}
    missing = [pattern for pattern, names in found.items() if not names]
    if missing:
        raise InputError(Problem(f"no file is called {missing[0]!r}", "correct the setting 'grades'", file))
    return list(dict.fromkeys(name for names in found.values() for name in names))
