"""All studies by name."""

from __future__ import annotations

from peerage.simulation.studies import recovery_weeks
from peerage.simulation.studies.study import Study

STUDIES: dict[str, Study] = {study.name: study for study in (recovery_weeks.STUDY,)}
