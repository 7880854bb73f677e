"""The equations of docs/model.md: kernels name those that they draw from, in one form, and there are such."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "peerage"
INFERENCE = SOURCE / "inference"
MODEL = (ROOT / "docs" / "model.md").read_text(encoding="utf-8").split("## References")[0]
EQUATIONS = re.findall(r"\\tag\{(\w+)\}", MODEL)

TAG = r"\((?:\d{1,2}|[A-Z]\d{1,2})\)"
CITATION = re.compile(rf"[Ee]quations? {TAG}(?:(?:, |,? (?:and|or|to) ){TAG})*")
"""The one form: ``equation (D4)``, ``equations (D1) to (D4)``, ``equations (2), (H1) and (G1)``."""

LETTERS = "".join(sorted({tag[0] for tag in EQUATIONS if tag[0].isalpha()}))
OTHER_FORM = re.compile(rf"(?<!\w){TAG}|\b[{LETTERS}]\d{{1,2}}\b|[Ee]quations? \d{{1,2}}\b")
"""What names an equation otherwise, once all that has the one form is taken out."""

SAMPLERS = ("latent", "censored", "uncensored", "checking", "numerics/leave_one_out_kernels.py")
"""The rooms of ``inference`` whose kernels draw from the model, or weigh something by it, and one such file."""

NUMERICAL = {
    "censored/cell_products.py": {"fill_normal", "find_report"},
    "censored/censored_sweep.py": {"draw_within_levels", "level_sums"},
    "censored/collapsed_graders.py": {"_average", "_gather_others", "_opposite", "_same_cell"},
    "censored/grid_masses.py": {"_gamma_masses", "_tail", "normal_masses", "store"},
    "censored/learning_grades.py": {"cut_to_support", "log_inverse_gamma", "reliability_of"},
    "censored/censored_leave_out.py": {"_moments_with", "_moments_without"},
    "checking/grading_statistics.py": {
        "_agreement",
        "_correlation",
        "_drift",
        "_fill",
        "_fill_deviations",
        "_same_throughout",
        "_severity",
    },
    "numerics/leave_one_out_kernels.py": {"wanted_reviews", "wanted_submissions", "count_efforts_seen"},
    "uncensored/uncensored_leave_out.py": {"_within"},
    "latent/given_reports/grade_updates.py": {"factorise", "solve_back"},
    "latent/grader_by_grader/grader_moves.py": {"_noises", "take_into_centre"},
    "latent/grader_by_grader/latent_habits.py": {"_any_unused", "_candidate_code"},
    "latent/grader_by_grader/review_predictions.py": {"take_over"},
    "latent/latent_peers.py": {"_forget_halo", "_log_mean", "_rescaled", "_solve"},
    "latent/latent_priors.py": {"share_of"},
    "latent/latent_sweep.py": {"_cell_of", "_write"},
    "uncensored/uncensored_sweep.py": {"_truncated_normal"},
}
"""Kernels of these rooms that know nothing of the model: they count, copy, find places, or do what any normal needs."""

PLANTED = '''
@jit
def draw(rng):
    """Draw a bias: equation (12)."""


@jit(makes_arrays=True)
def fault(rng):
    """{}"""
'''


def test_equations_are_numbered_in_their_order() -> None:
    assert len(EQUATIONS) > 50
    for letter in ("", *LETTERS):
        numbers = [tag.removeprefix(letter) for tag in EQUATIONS if tag.rstrip("0123456789") == letter]
        assert numbers == [str(number) for number in range(1, len(numbers) + 1)], letter


def test_the_model_refers_to_equations_that_there_are() -> None:
    referred = re.findall(r"(?<![\w\\}])\(([A-Z]?\d{1,2})\)", MODEL)
    assert {"2", "18", "D7", "L2"} <= set(referred) <= set(EQUATIONS)


@pytest.mark.parametrize("room", SAMPLERS)
def test_kernels_name_equations_that_there_are(room: str) -> None:
    place = INFERENCE / room
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
    files = [path for path in files if "@jit" in path.read_text("utf-8")]
    assert files
    for path in files:
        name = path.relative_to(INFERENCE).as_posix()
        assert kernels_at_fault(path.read_text("utf-8"), NUMERICAL.get(name, set())) == [], name


def test_kernels_that_name_none_are_numerical() -> None:
    for name, exempt in NUMERICAL.items():
        found = dict(kernels((INFERENCE / name).read_text("utf-8")))
        assert [kernel for kernel in sorted(exempt) if cited(found[kernel])] == [], name


def test_all_kernels_have_a_word() -> None:
    assert [
        f"{path.relative_to(SOURCE)}: {kernel}"
        for path in sorted(SOURCE.rglob("*.py"))
        for kernel, docstring in kernels(path.read_text("utf-8"))
        if not docstring
    ] == []


def test_equations_are_named_in_one_form() -> None:
    for path in sorted(INFERENCE.rglob("*.py")):
        text = path.read_text("utf-8")
        assert [written for words in prose(text) for written in otherwise_named(words)] == [], path
        named = set().union(*(cited(words) for words in prose(text)))
        assert named <= set(EQUATIONS), path
        assert not named or "docs/model.md" in text, path


def test_every_equation_is_named_by_code() -> None:
    texts = [path.read_text("utf-8") for path in SOURCE.rglob("*.py")]
    assert set(EQUATIONS) - set().union(*(cited(words) for text in texts for words in prose(text))) == set()


@pytest.mark.parametrize(
    "docstring",
    ["", "Draw a reliability.", "Draw a reliability (9).", "Draw a reliability, D9.", "Draw by equation (Z3)."],
)
def test_a_kernel_that_names_none_is_found(docstring: str) -> None:
    assert kernels_at_fault(PLANTED.format(docstring), set()) == ["fault"]
    assert kernels_at_fault(PLANTED.format("Draw a reliability: equation (9)."), set()) == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("the odds (6)", ["(6)"]),
        ("equation D4 and equations (D1) to (D3)", ["D4"]),
        ("# docs/model.md, H1", ["H1"]),
        ("the loading of halos: equation 20.", ["equation 20"]),
        ("equations (2), (H1)\n    and (G1), of np.ones(3)", []),
    ],
)
def test_other_forms_are_found(words: str, found: list[str]) -> None:
    assert otherwise_named(words) == found


def test_a_range_names_all_in_between() -> None:
    assert cited("Equations (D1) to\n    (D4); no more of (L2)") == {"D1", "D2", "D3", "D4"}


def kernels(text: str) -> Iterator[tuple[str, str]]:
    """Names and docstrings of a file's kernels."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and any(_is_jit(decorator) for decorator in node.decorator_list):
            yield node.name, ast.get_docstring(node) or ""


def _is_jit(decorator: ast.expr) -> bool:
    function = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(function, ast.Name) and function.id == "jit"


def kernels_at_fault(text: str, exempt: set[str]) -> list[str]:
    """Kernels of a file that are not exempt and name no equation, or one that there is not."""
    named = {kernel: cited(docstring) for kernel, docstring in kernels(text) if kernel not in exempt}
    return [kernel for kernel, tags in named.items() if not tags or not tags <= set(EQUATIONS)]


def cited(words: str) -> set[str]:
    """The equations that a text names in the one form; of a range, all."""
    found: set[str] = set()
    for citation in CITATION.findall(" ".join(words.split())):
        found |= set(re.findall(r"\((\w+)\)", citation))
        for first, last in re.findall(r"\((\w+)\) to \((\w+)\)", citation):
            if {first, last} <= set(EQUATIONS):
                found |= set(EQUATIONS[EQUATIONS.index(first) : EQUATIONS.index(last) + 1])
    return found


def otherwise_named(words: str) -> list[str]:
    """What names an equation in another form."""
    return OTHER_FORM.findall(CITATION.sub("", " ".join(words.split())))


def prose(text: str) -> Iterator[str]:
    """The docstrings and comments of a file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
