"""Whether something can be written at a place: asked before the work that takes long, not after it."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from peerage.support.files.system_errors import reason


def obstacle(path: Path) -> str:
    """Why nothing can be written at a path, as far as can be told beforehand; empty if nothing stands in the way.

    Folders above it that are missing are no obstacle: whoever writes makes them.
    """
    folder = path.parent
    try:
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        if not folder.is_dir():
            return f"{folder} is not a folder"
        with suppress(FileNotFoundError):
            path.lstat()  # a name may be too long
        # Permissions do not tell of disks that can only be read, nor of folders that the system itself fills. On Linux
        # this file has no name, so that nothing is left of it whatever happens.
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return f"nothing can be made in {folder}: {reason(error)}"
