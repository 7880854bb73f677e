"""How Sphinx makes a site of this folder (`make docs`). The site loads nothing from the network."""

from __future__ import annotations

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

import peerage

project = "Peerage"
author = "The Peerage developers"
version = release = peerage.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Peerage {release}"
html_math_renderer = "mathml"
html_static_path = html_css_files = ["site.css"]
html_copy_source = html_show_sphinx = html_show_copyright = False
myst_enable_extensions = ["dollarmath", "attrs_inline"]
myst_heading_anchors = 4
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 88
highlight_language = "none"

CONTENTS = {
    "Using it": "files fit term update spotchecks credit export privacy safety",
    "Reading results": "report results explanations checks",
    "Other systems": (
        "import/canvas import/canvas-csv import/canvas-json import/moodle import/open-edx import/mechanical-ta "
        "import/ipeer import/forms import/wizard"
    ),
    "Evidence": "evaluate methods incentives learned reproduction studies search simulate performance cluster",
    "Reference": "glossary commands python model architecture",
}
"""The pages in the order of the site's contents; pages that are not named here come last."""


def add_what_only_the_site_has(app: Sphinx, page: str, source: list[str]) -> None:
    """Add the contents to the start page, and to the Python page what the docstrings say."""
    if page == "index":
        named = {caption: pages.split() for caption, pages in CONTENTS.items()}
        known = {"index", *(name for pages in named.values() for name in pages)}
        others = sorted(name for name in app.env.found_docs - known if not name.startswith("reproduction/"))
        source[0] += "".join(_contents(*part) for part in (named | {"More": others}).items() if part[1])
    elif page == "reproduction":
        source[0] += _contents("All means", ["reproduction/*"], "glob")
    elif page == "python":
        source[0] += "".join(_docstrings(name) for name in peerage.__all__)


def _contents(caption: str, pages: list[str], *options: str) -> str:
    lines = [f":caption: {caption}", *(f":{option}:" for option in ("hidden", *options)), "", *pages]
    return "\n".join(["\n\n```{toctree}", *lines, "```\n"])


def _docstrings(name: str) -> str:
    kind = "autofunction" if name.islower() else "autoexception" if name.endswith("Error") else "autoclass"
    members = "" if kind == "autofunction" else "   :members:\n"
    return f"\n\n## {name}\n\n```{{eval-rst}}\n.. {kind}:: peerage.{name}\n{members}```\n"


def indent_sections(_app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Turn our sections of docstrings, "Parameters" over a line and then "name: meaning", into those Sphinx knows."""
    for index in [place for place, line in enumerate(lines) if place and line and not line.strip("-")]:
        lines[index - 1 : index + 1] = [f"{lines[index - 1]}:", ""]
        for place in range(index + 1, lines.index("", index + 1)):
            lines[place] = f"    {lines[place]}"


def show_formula(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula in the text as MathML, which browsers draw without a script."""
    translator.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def show_displayed_formula(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on a line of its own, and its number at the end of the line."""
    formula, _, rest = node.astext().partition(r"\tag{")
    number = f'<span class="number">({rest.partition("}")[0]})</span>' if rest else ""
    translator.body.append(f'<div class="formula">{convert(formula, display="block")}{number}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the functions above."""
    app.connect("source-read", add_what_only_the_site_has)
    app.connect("autodoc-process-docstring", indent_sections, priority=400)
    app.add_html_math_renderer("mathml", (show_formula, None), (show_displayed_formula, None))
