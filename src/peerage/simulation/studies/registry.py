"""All studies by name."""

from __future__ import annotations

from peerage.simulation.studies import (
    ablation,
    baselines,
    convergence,
    explanations,
    learned_priors,
    misspecification,
    recovery_graders,
    recovery_students,
    recovery_weeks,
)
from peerage.simulation.studies.study import Study

_MODULES = (
    recovery_weeks,
    recovery_graders,
    recovery_students,
    misspecification,
    explanations,
    ablation,
    convergence,
    learned_priors,
    baselines,
)

STUDIES: dict[str, Study] = {module.STUDY.name: module.STUDY for module in _MODULES}
