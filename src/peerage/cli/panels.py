"""The panels in which ``--help`` shows options; what most people need has none, and comes first."""

from __future__ import annotations

DATA = "Data"
MODEL = "Model"
DECISIONS = "Decisions"
TERM = "Term"
SAMPLING = "Sampling"
OUTPUT = "Output"
