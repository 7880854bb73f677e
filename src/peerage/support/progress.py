"""Progress bars on standard error: of sweeps, with their number a second, and of fits; and the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text


class _Speed(ProgressColumn):
    """Sweeps a second, once they can be estimated."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f} a second" if task.speed else "")


class SweepsBar:
    """A bar, to be called with the number of sweeps done since the last call."""

    def __init__(self, bar: Progress, total: int) -> None:
        self.bar, self.total = bar, total
        self.task = bar.add_task("sampling", total=total)

    def __call__(self, done: int) -> None:
        """Take so many sweeps for done."""
        self.bar.advance(self.task, done)

    def expect(self, more: int) -> None:
        """Show so many more sweeps as to be done."""
        self.total += more
        self.bar.update(self.task, total=self.total)


@contextmanager
def sweeps_progress(total: int, *, shown: bool, compiling: bool) -> Iterator[SweepsBar | None]:
    """Give a bar for so many sweeps; None if nothing is shown."""
    if not shown:
        yield None
        return
    console = Console(stderr=True)
    if compiling:
        _say_compiling(console)
    columns = (
        TextColumn("sampling"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} sweeps"),
        _Speed(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield SweepsBar(bar, total)


@contextmanager
def fits_progress(total: int, *, shown: bool, compiling: bool = False) -> Iterator[Callable[[int], None]]:
    """Give a function to be called with the number of fits done since the last call."""
    console = Console(stderr=True)
    if shown and compiling:
        _say_compiling(console)
    columns = (TextColumn("fitting"), BarColumn(), MofNCompleteColumn(), TextColumn("fits"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not (shown and console.is_terminal)) as bar:
        task = bar.add_task("fitting", total=total)
        yield lambda done: bar.advance(task, done)


def _say_compiling(console: Console) -> None:
    console.print("compiling the sampler, once after installation (about a minute) …", highlight=False)
