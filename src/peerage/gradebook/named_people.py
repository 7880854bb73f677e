"""Whom comments name: their writers, the authors of the work, or others in the class.

People are known by their ids alone. An id counts as a whole, and so do its parts if it is made of words, as in
``Ada Novak`` or ``ada.novak@example.edu``. Numbers of few digits and very short words do not count: they are found in
many comments that name nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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
        named = [known[word] for word in sorted(words) if word in known]
        found.append(_sorted_out(named, book.graders[grader], book.authors[submission]))
    return tuple(found)


def _sorted_out(named: Sequence[Sequence[str]], writer: str, authors: Sequence[str]) -> Named:
    """Who is meant by words that may each stand for several people: a name that the author has is the author's."""
    own = [person for people in named for person in people if person in authors]
    rest = [people for people in named if not any(person in authors for person in people)]
    others = [person for people in rest for person in people if person != writer]
    by_writer = any(writer in people for people in named)
    return Named(by_writer, tuple(dict.fromkeys(own)), tuple(dict.fromkeys(others)))


def _words_of(person: str) -> Iterator[str]:
    """What somebody may be called in a comment."""
    text = person.strip().casefold()
    name, at, _ = text.partition("@")
    parts = _WORD.findall(name) if at or " " in text else []
    for word in (text, name, *parts):
        if len(word) >= (SHORTEST_NUMBER if word.isdecimal() else SHORTEST_WORD):
            yield word
