"""Damage the file of one reader again and again, and go on from those files that reach code that none reached before.

``python benchmarks/fuzz_guided.py rubric -runs=20000`` needs ``pip install atheris``; what follows the name of the
reader is for libFuzzer. Coverage is that of peerage's own readers: the parsers of pandas, Arrow and XML are not seen.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

ROOT = Path(__file__).resolve().parent.parent / "src"
KERNELS = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in (ROOT / "peerage/inference").rglob("*.py")
]
"""What cannot be watched, because it is compiled."""

with atheris.instrument_imports(include=["peerage"], exclude=KERNELS):
    from support.faults import mutations
    from support.faults.fuzzing import Target, outcome, targets, write


def main() -> None:
    """Fuzz until libFuzzer has enough, or a file is neither read nor refused in a sentence."""
    warnings.simplefilter("error")
    with TemporaryDirectory() as home:
        target = next(target for target in targets(Path(home)) if target.name == sys.argv[1])
        damaged = sorted(target.damaged or target.files)[0]
        corpus = Path(home) / "corpus"
        write(corpus, {"first": target.files[damaged]})

        def try_one(data: bytes) -> None:
            what = outcome(target, write(Path(home) / "input", {**target.files, damaged: data}))
            if what:
                raise AssertionError(what)

        atheris.Setup([sys.argv[0], *sys.argv[2:], str(corpus)], try_one, custom_mutator=mutator(target))
        atheris.Fuzz()


def mutator(target: Target) -> object:
    """Changes what a file is made of half of the time, and bytes as libFuzzer does otherwise."""

    def change(data: bytes, most: int, seed: int) -> bytes:
        rng = np.random.default_rng(seed)
        if rng.random() < 0.5:
            try:
                return bytes(mutations.choice(rng, target.ways)(data, rng)[:most])
            except Exception:
                # What is damaged already can be too damaged for this way.
                return bytes(atheris.Mutate(data, most))
        return bytes(atheris.Mutate(data, most))

    return change


if __name__ == "__main__":
    main()
