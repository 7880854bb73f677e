"""Writers of results that are killed, each at another point; run as a program by ``test_results_killed.py``.

``python killed_writer.py FOLDER WAY EARLIER`` starts a process for each point. It writes ``FOLDER/<point>/results``,
where earlier results may lie, and gets SIGKILL when it comes to its point. The last process runs to its end.

A point is the start of a line of the code that writes: ``result_folder.py``, ``atomic_writes.py``, this file, and the
part of the standard library that removes folders.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

from peerage.results import result_folder
from peerage.support.files import atomic_writes

TRACED = {result_folder.__file__, atomic_writes.__file__, shutil.__file__, __file__}
FILES = ("grades.csv", "graders.csv", "figures/one.svg", "figures/two.svg")


def write(target: str | Path, text: str) -> None:
    """Write results whose files all hold the same text."""
    with result_folder.writing(target) as folder:
        (folder / "figures").mkdir()
        for name in FILES:
            (folder / name).write_text(text)


def write_and_keep(target: str | Path, text: str) -> None:
    """The same, the earlier results being kept as an update keeps them."""
    with result_folder.writing(target) as folder:
        result_folder.keep(target)
        (folder / "figures").mkdir()
        for name in FILES:
            (folder / name).write_text(text)


def remove_then_rename(fresh: Path, target: Path) -> None:
    """What a careless writer does."""
    shutil.rmtree(target)
    fresh.rename(target)


def choose(way: str) -> None:
    """Make this process write in one step, in two renames, carelessly, or keeping what was there."""
    if way == "renames":
        setattr(result_folder, "exchange", lambda *_: False)  # noqa: B010
    if way == "careless":
        setattr(result_folder, "_put_in_place", remove_then_rename)  # noqa: B010
    if way == "keeping":
        globals()["write"] = write_and_keep
        TRACED.remove(shutil.__file__)  # a copy has many lines there, all on a folder that nobody looks for yet


def write_and_die(target: Path, last: int) -> None:
    """Write new results, and kill this process at the point ``last``."""
    points = count(1)

    def at_line(_frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "line" and next(points) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return at_line

    sys.settrace(lambda frame, _event, _argument: at_line if frame.f_code.co_filename in TRACED else None)
    write(target, "new")


def kill_everywhere(folder: Path, way: str, earlier: bool) -> None:
    """Kill a writer at one point after the other, until one has written everything before its point comes."""
    for point in count(1):
        target = folder / str(point) / "results"
        target.parent.mkdir()
        if earlier:
            write(target, "old")
        child = os.fork()
        if child == 0:
            choose(way)
            write_and_die(target, point)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) == 0:
            return
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL


if __name__ == "__main__":
    kill_everywhere(Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "earlier")
