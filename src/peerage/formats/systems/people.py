"""Who is who, where some columns have ids and others only names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from peerage.tables.known_columns import fold


@dataclass(frozen=True)
class People:
    """The ids of each name."""

    ids: dict[str, set[str]]

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> People:
        """From pairs of a name and an id; pairs without either are passed over."""
        ids: dict[str, set[str]] = {}
        for name, identity in pairs:
            if name and identity:
                ids.setdefault(fold(name), set()).add(identity)
        return cls(ids)

    def id_of(self, name: str) -> str | None:
        """The id of a name, or the name itself if no id is known; None if it is the name of two people."""
        found = self.ids.get(fold(name), {name})
        return next(iter(found)) if len(found) == 1 else None
