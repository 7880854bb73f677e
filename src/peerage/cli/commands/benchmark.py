"""``peerage benchmark``: which method is best on which kind of class."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peerage.cli.options import sampling_options
from peerage.cli.options.option_groups import grouped
from peerage.cli.terminal.console import output, say

if TYPE_CHECKING:
    from peerage.evaluation.benchmark.known_classes import ClassKind

Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write, or to continue in.")]
Real = Annotated[
    list[Path] | None,
    typer.Option(
        "--real", metavar="FOLDER", help="A class with peer_grades.csv and staff_grades.csv; may be repeated."
    ),
]
Kinds = Annotated[
    str | None,
    typer.Option(
        "--kinds", metavar="NAME,...", help="Only these kinds of simulated class; 'none' for real classes only."
    ),
]
Methods = Annotated[str | None, typer.Option("--methods", metavar="NAME,...", help="Only these methods. Default: all.")]
Replicates = Annotated[int, typer.Option(min=1, help="How many classes of each simulated kind.")]

Quick = Annotated[
    bool, typer.Option("--quick", help="Skip held-out likelihood and manipulability, which take most of the time.")
]


@grouped
def command(
    *,
    out: Out = Path("benchmark"),
    real: Real = None,
    kinds: Kinds = None,
    methods: Methods = None,
    replicates: Replicates = 3,
    quick: Quick = False,
    tasks: sampling_options.RunningOptions,
) -> None:
    """Compare methods on simulated and real classes. A stopped benchmark can be continued."""
    from peerage.evaluation.benchmark.benchmark_files import add_files
    from peerage.evaluation.benchmark.known_classes import real_kinds
    from peerage.evaluation.benchmark.running import benchmark
    from peerage.evaluation.figure_files import require_figures
    from peerage.methods.method_registry import METHODS, find

    require_figures()
    real_ones, missing = real_kinds(real or [])
    for message in missing:
        say(f"note: {message}")
    chosen = METHODS if methods is None else tuple(find(name.strip()) for name in methods.split(","))
    try:
        all_kinds = [*_simulated(kinds), *real_ones]
        found = benchmark(all_kinds, chosen, replicates=replicates, quick=quick, out=out, **tasks.settings())
    except KeyboardInterrupt:
        say("stopped; the same command continues from here")
        raise
    names = add_files(found, out)
    output().print(f"Written to {out}: {', '.join(names)}", soft_wrap=True)


def _simulated(kinds: str | None) -> list[ClassKind]:
    from peerage.errors import InputError
    from peerage.simulation.kinds import KINDS

    by_name = {kind.name: kind for kind in KINDS}
    wanted = list(by_name) if kinds is None else [name.strip() for name in kinds.split(",") if name.strip() != "none"]
    unknown = [name for name in wanted if name not in by_name]
    if unknown:
        raise InputError(f"there is no kind of class {unknown[0]!r}; choose one of {', '.join(by_name)}")
    return [by_name[name] for name in wanted]
