"""From a context to a page that loads nothing and runs nothing but its own script.

All text is escaped by the template engine or, in the data block, by :func:`embedded`. A content security policy forbids
every request, and every script and style but those whose hashes it names.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from peerage.report.classes_page import ClassesPage
from peerage.report.staff_page import StaffPage
from peerage.report.student_page import StudentPage
from peerage.version import __version__

_TEMPLATES = Path(__file__).with_name("templates")
_SCRIPTS = ("page_elements.js", "sortable_table.js", "grade_certainty_chart.js", "submission_list.js", "grader_list.js")
"""The parts of the staff page's script, in the order in which they build on each other."""

_UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def render_staff(page: StaffPage) -> str:
    """The staff's page."""
    return _render("staff.html", page=page, data=embedded(vars(page.data)), script=_source(*_SCRIPTS))


def render_student(page: StudentPage) -> str:
    """A student's page, which has no script."""
    return _render("student.html", page=page, script=None)


def render_classes(page: ClassesPage) -> str:
    """The page about several classes, which has no script."""
    return _render("classes.html", page=page, script=None)


def embedded(value: Any) -> Markup:
    """A value as JSON that can stand inside an element, whatever text it holds."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.translate(_UNSAFE))


def _render(template: str, script: Markup | None, **context: Any) -> str:
    style = _source("report.css")
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src {_hash(style)}"
    if script is not None:
        policy += f"; script-src {_hash(script)}"
    page = _environment().get_template(template)
    return page.render(style=style, script=script, policy=policy, version=__version__, **context)


def _source(*names: str) -> Markup:
    return Markup("\n".join((_TEMPLATES / name).read_text(encoding="utf-8") for name in names))


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = lambda share: f"{share:.0%}"
    environment.filters["fixed"] = lambda number, digits=2: f"{number:.{digits}f}"
    return environment
