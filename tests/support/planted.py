"""Bugs that every tier of tests must catch: copies of the kernels in which one piece of text is wrong."""

from __future__ import annotations

import ast
import importlib.util
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import ModuleType
from typing import Any, NamedTuple

from peerage.inference.censored import censored_sweep, collapsed_graders
from peerage.inference.latent import grade_updates, latent_graders, latent_sweep, review_updates
from peerage.inference.uncensored import uncensored_sweep
from peerage.model import Model

FOLDER = Path(__file__).parent / "__pycache__" / "planted"


class Bug(NamedTuple):
    """Where the bug is, a model that has it, and the right and the wrong text."""

    module: ModuleType
    model: Model
    right: str
    wrong: str


PLANTED: dict[str, Bug] = {
    "efforts ignored by the bias": Bug(
        uncensored_sweep,
        Model(censoring=False, priors="paper"),
        """    weighted = 0.0
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        if state.effortful[review]:""",
        """    weighted = 0.0
    for review in range(reports.grader_reviews[grader], reports.grader_reviews[grader + 1]):
        if True:""",
    ),
    "a wrong sign": Bug(
        uncensored_sweep,
        Model(censoring=False, priors="paper"),
        "gap = given.value[report] - state.bias[grader] -",
        "gap = given.value[report] + state.bias[grader] -",
    ),
    "bias counted once a submission": Bug(
        uncensored_sweep,
        Model(effort=False, censoring=False, priors="paper"),
        "                precision += reliability\n",
        "            precision += reliability\n",
    ),
    "shape counted once a review": Bug(
        uncensored_sweep,
        Model(effort=False, censoring=False, priors="paper"),
        "                count += 1\n",
        "            count += 1\n",
    ),
    "low effort on the wrong side of the odds": Bug(
        collapsed_graders,
        Model(priors="paper", correlation=True),
        "careless += beliefs.log_low_effort[report]",
        "careless -= beliefs.log_low_effort[report]",
    ),
    "efforts drawn by the wrong odds": Bug(
        review_updates,
        Model(priors="paper"),
        "probability = chance_of_effort(state.effort[grader], careful, careless)",
        "probability = chance_of_effort(state.effort[grader], careless, careful)",
    ),
    "a precision taken for a standard deviation": Bug(
        grade_updates,
        Model(priors="paper"),
        "sd = 1.0 / math.sqrt(cells.precision[cell])",
        "sd = 1.0 / cells.precision[cell]",
    ),
    "half a shape for each report": Bug(
        latent_graders,
        Model(priors="paper", effort=False),
        "shape = prior[group[grader], 0] + 0.5 * sums[grader, _COUNT]",
        "shape = prior[group[grader], 0] + 0.25 * sums[grader, _COUNT]",
    ),
}

_USERS: dict[ModuleType, tuple[ModuleType, ...]] = {
    collapsed_graders: (censored_sweep,),
    **dict.fromkeys((review_updates, grade_updates, latent_graders), (latent_sweep,)),
}
"""Through which modules a sweep uses those in which bugs are planted."""


class Replacement(NamedTuple):
    """A piece of a module's text, and what stands in its place."""

    module: ModuleType
    right: str
    wrong: str


def broken(name: str) -> Any:
    """A copy of the kernel module with the bug planted, in itself or in the part that it uses."""
    bug = PLANTED[name]
    return broken_with(Replacement(bug.module, bug.right, bug.wrong), *_USERS.get(bug.module, ()))


def broken_part(name: str) -> Any:
    """A copy of the module with the bug."""
    bug = PLANTED[name]
    return _copy(Replacement(bug.module, bug.right, bug.wrong))


def broken_with(bug: Replacement, *users: ModuleType) -> Any:
    """A copy of the last module, which uses one of the module before, and so on to the one with the bug planted."""
    copy, original = _copy(bug), bug.module
    for user in users:
        copy = _copy(Replacement(user, f"from {original.__name__} import", f"from {copy.__name__} import"))
        original = user
    return copy


def _copy(change: Replacement) -> Any:
    """Load a module under another name, with one piece of its text replaced.

    The name tells the text, and the file stays: what one test compiled serves the others.
    """
    source = Path(change.module.__file__ or "").read_text(encoding="utf-8")
    assert source.count(change.right) == 1, f"{change.right!r} must occur once in {change.module.__name__}"
    text = source.replace(change.right, change.wrong)
    name = f"planted_{sha256(text.encode()).hexdigest()[:16]}"
    if name in sys.modules:
        return sys.modules[name]
    path = FOLDER / f"{name}.py"
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        with NamedTemporaryFile("w", dir=FOLDER, suffix=".part", delete=False, encoding="utf-8") as part:
            part.write(text)
        Path(part.name).replace(path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    copy = importlib.util.module_from_spec(spec)
    sys.modules[name] = copy
    spec.loader.exec_module(copy)
    for function in functions_of(source) - touched(source, text):
        # What the bug does not reach is compiled already.
        setattr(copy, function, getattr(change.module, function))
    return copy


def functions_of(text: str) -> set[str]:
    """The functions of a module."""
    return {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}


def touched(source: str, text: str) -> set[str]:
    """The functions of a module whose text differs, or that use one of these or what is imported from elsewhere."""
    before = {ast.dump(node) for node in ast.parse(source).body}
    changed = [node for node in ast.parse(text).body if ast.dump(node) not in before]
    found = {node.name for node in changed if isinstance(node, ast.FunctionDef)}
    found |= {alias.name for node in changed if isinstance(node, ast.ImportFrom) for alias in node.names}
    bodies = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    while True:
        users = {
            name
            for name, node in bodies.items()
            if found & {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        }
        if users <= found:
            return found
        found |= users
