"""The panels in which ``--help`` shows commands and options; options that most people need have none and come first."""

from __future__ import annotations

START = "Start here"
WEEKS = "Through a term"
RESEARCH = "For research"

DATA = "Data"
MODEL = "Model"
DECISIONS = "Decisions"
TERM = "Term"
SAMPLING = "Sampling"
OUTPUT = "Output"
