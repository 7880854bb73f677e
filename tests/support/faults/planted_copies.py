"""Copies of modules with kernels in which some text is another; what a change does not reach is not compiled again."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import ModuleType
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "__pycache__" / "planted"


class Replacement(NamedTuple):
    """A piece of a module's text, and what stands in its place."""

    module: ModuleType
    right: str
    wrong: str


def source_of(module: ModuleType) -> str:
    """A module's text."""
    return Path(module.__file__ or "").read_text(encoding="utf-8")


def replaced(text: str, right: str, wrong: str) -> str:
    """A text in which a piece that occurs once is another."""
    assert text.count(right) == 1, f"{right!r} must occur once"
    return text.replace(right, wrong)


def broken_module(bug: Replacement) -> Any:
    """A copy of a module with a bug."""
    return load_copy(bug.module, replaced(source_of(bug.module), bug.right, bug.wrong))


def load_copy(module: ModuleType, text: str) -> Any:
    """Load a module under another name, with another text.

    The name tells the text, and the file stays: what one test compiled serves the others.
    """
    source = source_of(module)
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
        # What the change does not reach is compiled already.
        setattr(copy, function, getattr(module, function))
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


def with_a_choice(source: str, bugs: Mapping[int, Replacement]) -> str:
    """A module's text in which a function that has bugs calls the version of itself whose number is chosen."""
    tree = ast.parse(source)
    right = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    wrong: dict[str, dict[int, ast.FunctionDef]] = defaultdict(dict)
    for number, bug in bugs.items():
        nodes = ast.parse(replaced(source, bug.right, bug.wrong)).body
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        (changed,) = (node for node in functions if ast.dump(node) != ast.dump(right[node.name]))
        wrong[changed.name][number] = changed
    first = next(place for place, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef))
    body = [*tree.body[:first], *ast.parse("from support.faults.planted_switch import which_bug").body]
    for node in tree.body[first:]:
        if isinstance(node, ast.FunctionDef) and node.name in wrong:
            versions = {0: node, **wrong[node.name]}
            body += [_with(node, f"{node.name}_{number}", version.body) for number, version in versions.items()]
            node = _choosing(node, wrong[node.name])
        body.append(node)
    return ast.unparse(ast.Module(body, []))


def _choosing(function: ast.FunctionDef, numbers: Iterable[int]) -> ast.FunctionDef:
    """A function that calls its version of the chosen number, or the right one."""
    names = ", ".join(argument.arg for argument in function.args.args)
    lines = [f"if which_bug() == {number}:\n    return {function.name}_{number}({names})" for number in numbers]
    return _with(function, function.name, ast.parse("\n".join([*lines, f"return {function.name}_0({names})"])).body)


def _with(function: ast.FunctionDef, name: str, body: list[ast.stmt]) -> ast.FunctionDef:
    """A function with another name and another body."""
    text = ast.unparse(function)
    (copy,) = ast.parse(text).body
    assert isinstance(copy, ast.FunctionDef)
    copy.name, copy.body = name, body
    return copy
