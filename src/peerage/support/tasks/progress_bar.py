"""A progress bar on standard error: of sweeps, with their number a second, or of fits; and the time left."""

from __future__ import annotations

from types import TracebackType

from rich import progress as rich_progress
from rich.console import Console
from rich.text import Text

from peerage.support.tasks.progress import Progress

_UNITS = {"sampling": "sweeps", "fitting": "fits"}


class ProgressBar:
    """Draws what it is told; on anything but a terminal, it only says that the sampler is being compiled."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        columns = (
            rich_progress.TextColumn("{task.description}"),
            rich_progress.BarColumn(),
            rich_progress.TextColumn("{task.completed:,.0f} of {task.total:,.0f} {task.fields[unit]}"),
            _Speed(),
            rich_progress.TimeRemainingColumn(),
        )
        shown = self.console.is_terminal
        self.bar = rich_progress.Progress(*columns, console=self.console, transient=True, disable=not shown)
        self.task: rich_progress.TaskID | None = None
        self.last = Progress("compiling", 0, 0)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Draw how far the work has come."""
        if progress.note:
            self.console.print(progress.note, highlight=False, soft_wrap=True)
        if progress.phase == "compiling":
            self.console.print(
                "compiling the sampler, once after installation (about a minute) …", highlight=False, soft_wrap=True
            )
            return
        if self.task is None or progress.phase != self.last.phase or progress.done < self.last.done:
            self._begin(progress)
        assert self.task is not None
        self.bar.update(self.task, completed=progress.done, total=progress.total)
        self.last = progress

    def _begin(self, progress: Progress) -> None:
        """A new bar in place of the last."""
        if self.task is not None:
            self.bar.remove_task(self.task)
        self.task = self.bar.add_task(progress.phase, total=progress.total, unit=_UNITS[progress.phase])
        self.bar.start()


class _Speed(rich_progress.ProgressColumn):
    """Sweeps a second, once they can be estimated."""

    def render(self, task: rich_progress.Task) -> Text:
        wanted = task.speed and task.fields["unit"] == "sweeps"
        return Text(f"{task.speed:,.0f} a second" if wanted else "")
