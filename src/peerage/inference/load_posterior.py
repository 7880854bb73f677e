"""load(): a posterior from its file."""

from __future__ import annotations

from pathlib import Path

from peerage.inference.posterior import Posterior
from peerage.inference.saved.posterior_file import read


def load(path: str | Path) -> Posterior:
    """Read a posterior that :meth:`Posterior.save` wrote."""
    return Posterior(**read(path))
