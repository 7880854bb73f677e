"""listening(): who is told of progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from peerage.support.tasks.progress import Listener, Progress


@contextmanager
def listening(progress: bool | Listener) -> Iterator[Listener]:
    """The function to tell: the caller's own, one that draws a bar on standard error if ``True``, or a deaf one."""
    if progress is True:
        # The only way by which the library writes to a terminal, and only if asked to.
        from peerage.support.tasks.progress_bar import ProgressBar

        with ProgressBar() as bar:
            yield bar
    else:
        yield progress or _ignore


def _ignore(_: Progress) -> None:
    pass
