"""The paper's experiments on simulated classes, and ours, each a module: simulate, fit, compare with the truth.

``run.run_study`` runs one and returns its table; ``registry.STUDIES`` has all of them.
"""

NAMES = (
    "recovery-weeks",
    "recovery-graders",
    "recovery-students",
    "misspecification",
    "explanations",
    "ablation",
    "convergence",
    "learned-priors",
    "baselines",
)
"""The names of all studies, which can be listed without loading them."""
