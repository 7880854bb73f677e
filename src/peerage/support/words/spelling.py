"""One name in several spellings: capitals, spaces, invisible characters, characters that Unicode writes in two ways.

``Ann@x.edu`` and ``ann@x.edu`` are one person, ``René`` in two Unicode forms is, and a spreadsheet's ``1.0`` is ``1``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence

_WHOLE = re.compile(r"([0-9]+)\.0+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_UNUSUAL = " .\t\r\v\f\x1c\x1d\x1e\x1f"
"""ASCII characters that count in no key: spaces, but for the line end, and the point of ``1.0``."""

Key = Callable[[str], str]


def same_text(name: str) -> str:
    """What is the same in all spellings of a name in which capitals count."""
    return " ".join(_INVISIBLE.sub("", unicodedata.normalize("NFKC", name)).split())


def same_person(name: str) -> str:
    """What is the same in all spellings of a name in which capitals do not count."""
    plain = unicodedata.normalize("NFKC", same_text(name).casefold())
    whole = _WHOLE.fullmatch(plain)
    return whole[1] if whole else plain


def as_text(name: str) -> str:
    """A file's name as text that can be written, also where the system's settings do not say what its bytes mean."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def keys_of(names: Sequence[str], key: Key) -> list[str]:
    """The key of each name: :func:`same_text` or :func:`same_person`; many plain names are done at once."""
    joined = "\n".join(names)
    is_plain = joined.isascii() and not any(mark in joined for mark in _UNUSUAL)
    if is_plain and joined.count("\n") == len(names) - 1:
        return (joined.casefold() if key is same_person else joined).split("\n")
    return list(map(key, names))


def respellings(names: Sequence[str], keys: Sequence[str]) -> dict[str, str]:
    """What to write instead of each name that has another spelling: the first without spaces around it."""
    if len(set(keys)) == len(names):
        return {}
    first: dict[str, str] = {}
    for tidy_only in (True, False):
        for name, key in zip(names, keys, strict=True):
            if key and (name == name.strip() or not tidy_only):
                first.setdefault(key, name)
    chosen = {name: first.get(key, name) for name, key in zip(names, keys, strict=True)}
    return {name: spelling for name, spelling in chosen.items() if name != spelling}


def spellings(chosen: Mapping[str, str]) -> Iterable[str]:
    """Each name that has several spellings, with all of them, so that one sees how they differ."""
    groups: dict[str, list[str]] = {}
    for other, name in chosen.items():
        groups.setdefault(name, [name]).append(other)
    for names in groups.values():
        look_alike = len({unicodedata.normalize("NFC", name) for name in names}) < len(names)
        yield " and ".join(map(ascii if look_alike else repr, names))


class Known:
    """Names that are known, by whatever spelling."""

    def __init__(self, names: Iterable[str], key: Key = same_person) -> None:
        self._key = key
        self._names = set(names)
        self._alike: dict[str, list[str]] = {}
        listed = sorted(self._names)
        for name, same in zip(listed, keys_of(listed, key), strict=True):
            self._alike.setdefault(same, []).append(name)

    def spelling(self, name: str) -> str:
        """The known spelling of a name, if just one is; else the name as it is."""
        alike = [] if name in self._names else self._alike.get(self._key(name), [])
        return alike[0] if len(alike) == 1 else name

    def knows(self, name: str) -> bool:
        """Whether a name is known, or is another spelling of just one that is."""
        return self.spelling(name) in self._names

    def means(self, name: str, rather_than: Known) -> bool:
        """Whether a name is one of these, or another spelling of one of these and not of others."""
        return name in self._names or (self.knows(name) and not rather_than.knows(name))
