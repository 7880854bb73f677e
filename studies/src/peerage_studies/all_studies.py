"""All studies by name."""

from __future__ import annotations

from peerage_studies import (
    ablation,
    convergence,
    explanations,
    learned_priors,
    mean_and_pg1,
    misspecification,
    recovery_graders,
    recovery_students,
    recovery_weeks,
)
from peerage_studies.study_definition import Study

_MODULES = (
    recovery_weeks,
    recovery_graders,
    recovery_students,
    misspecification,
    explanations,
    ablation,
    convergence,
    learned_priors,
    mean_and_pg1,
)

STUDIES: dict[str, Study] = {module.STUDY.name: module.STUDY for module in _MODULES}
