"""How the command line takes each setting of the library: nearly all as options.

Messages of the library speak of settings in words; a printed problem gets the option added here.
"""

from __future__ import annotations

from peerage.errors import Problem

TOKEN_VARIABLE = "CANVAS_TOKEN"
"""The environment variable that holds the access token; an option would show it in the list of processes."""

FLAGS = {
    "assignment_ids": "--assignment-id",
    "by": "--by",
    "chains": "--chains",
    "columns": "--columns",
    "comment": "--comment",
    "components": "--components",
    "credit_assignment": "--credit-assignment",
    "credit_id": "--credit-assignment-id",
    "draws": "--draws",
    "drift": "--drift",
    "drop": "--drop",
    "duplicates": "--duplicates",
    "exact_ids": "--exact-ids",
    "exclude": "--exclude",
    "final": "--final",
    "force": "--force",
    "format": "--format",
    "id_column": "--id-column",
    "limits": "--limits",
    "match": "--match",
    "memory": "--memory",
    "name_graders": "--name-graders",
    "only": "--only",
    "override": "--override",
    "pseudonyms": "--pseudonyms",
    "replace": "--replace",
    "republish": "--republish",
    "required_reviews": "--required-reviews",
    "roster": "--roster",
    "rubric": "--rubric",
    "snap": "--snap",
    "staff_level": "--no-staff-level",
    "token": f"set {TOKEN_VARIABLE}, or type it when asked",
    "until": "--until",
    "url": "--url",
}

ASKED = ("columns", "interactive")
"""Settings that answers to questions can make."""

QUESTIONS = "To be asked what the columns and the words in them mean: peerage import FILE -o DIR --interactive"


def with_flag(text: str, setting: str) -> str:
    """A text about a setting, and the option that changes it, before the full stop if there is one."""
    if setting not in FLAGS:
        return text
    return f"{text.removesuffix('.')} ({FLAGS[setting]}){'.' if text.endswith('.') else ''}"


def as_line(problem: Problem) -> str:
    """The problem in one line, with the option that its remedy is about."""
    return with_flag(str(problem), problem.setting)
