"""Whom comments name: their writers, the authors of the work, or others in the class.

People are known by their ids alone. An id counts as a whole, and so do its parts if it is made of words, as in
``Ada Novak`` or ``ada.novak@example.edu``. Numbers of few digits and very short words do not count: they are found in
many comments that name nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from peerage.gradebook.book import Gradebook

SHORTEST_WORD, SHORTEST_NUMBER = 3, 5

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"[\w.@+-]*\w")


class Named(NamedTuple):
    """Whom a comment names."""

    writer: bool
    authors: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def words(self) -> str:
        """The same in words; empty if nobody is named."""
        parts = ["names its writer"] if self.writer else []
        parts += [f"names the author {name!r}" for name in self.authors]
        parts += [f"names {name!r}" for name in self.others]
        return ", ".join(parts)

    @property
    def is_private(self) -> bool:
        """Whether the author of the work may not read it: it tells who wrote it, or speaks of somebody else."""
        return self.writer or bool(self.others)


def named_people(book: Gradebook) -> tuple[Named, ...]:
    """Whom each review's comment names; empty if there are no comments."""
    if not book.comments:
        return ()
    people = dict.fromkeys((*book.graders, *(name for names in book.authors for name in names)))
    known: dict[str, list[str]] = {}
    for person in people:
        for word in dict.fromkeys(_words_of(person)):
            known.setdefault(word, []).append(person)
    found = []
    for comment, submission, grader in zip(book.comments, book.review_submission, book.review_grader, strict=True):
        text = comment.casefold()
        words = {*_WORD.findall(text), *_TOKEN.findall(text)}
        named = dict.fromkeys(person for word in sorted(words) for person in known.get(word, ()))
        writer, authors = book.graders[grader], book.authors[submission]
        others = tuple(person for person in named if person != writer and person not in authors)
        found.append(Named(writer in named, tuple(person for person in named if person in authors), others))
    return tuple(found)


def _words_of(person: str) -> Iterator[str]:
    """What somebody may be called in a comment."""
    text = person.strip().casefold()
    name, at, _ = text.partition("@")
    parts = _WORD.findall(name) if at or " " in text else []
    for word in (text, name, *parts):
        if len(word) >= (SHORTEST_NUMBER if word.isdecimal() else SHORTEST_WORD):
            yield word
