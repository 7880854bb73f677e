"""A fit takes long. If its results cannot be written where they should be, they are written elsewhere."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from peerage.errors import PeerageError, ResultsError
from peerage.inference.posterior import Posterior
from peerage.results import result_folder
from peerage.results.schema import POSTERIOR


@contextmanager
def saved_elsewhere(posteriors: Sequence[Posterior], fill: Callable[[Path], None]) -> Iterator[None]:
    """If the block fails, save the results in the user's home or among temporary files, and say where.

    ``fill`` writes all of them into a folder. If that is what fails, the posteriors alone are saved.
    """
    try:
        yield
    except Exception as error:
        saved = _save(posteriors, fill)
        if saved is None:
            raise
        where = f"nothing is lost: the fit was saved in {saved}"
        if isinstance(error, PeerageError | OSError):
            raise ResultsError(f"{error}; {where}") from error
        error.add_note(where)
        raise


def _save(posteriors: Sequence[Posterior], fill: Callable[[Path], None]) -> Path | None:
    """Save what can be saved where that is possible."""
    for home in (Path.home(), Path(tempfile.gettempdir())):
        folder = home / f"peerage-saved-{secrets.token_hex(4)}"
        for write in (fill, lambda fresh: _fill_with_posteriors(posteriors, fresh)):
            with suppress(Exception):
                with result_folder.writing(folder) as fresh:
                    write(fresh)
                return folder
    return None


def _fill_with_posteriors(posteriors: Sequence[Posterior], folder: Path) -> None:
    for number, posterior in enumerate(posteriors, start=1):
        name = POSTERIOR if len(posteriors) == 1 else f"{number}-{POSTERIOR}"
        posterior.save(folder / name)
