"""A progress bar on standard error: sweeps a second, and the time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text


class _Speed(ProgressColumn):
    """Sweeps a second, once they can be estimated."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f} a second" if task.speed else "")


@contextmanager
def sweeps_progress(total: int, *, shown: bool, compiling: bool) -> Iterator[Callable[[int], None] | None]:
    """Give a function to be called with the number of sweeps done since the last call; None if nothing is shown."""
    if not shown:
        yield None
        return
    console = Console(stderr=True)
    if compiling:
        console.print("compiling the sampler, once after installation (about half a minute) …", highlight=False)
    columns = (
        TextColumn("sampling"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} sweeps"),
        _Speed(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("sampling", total=total)
        yield lambda done: bar.advance(task, done)
