"""One person in two spellings: each person, and each submission, gets the spelling that comes first.

Capitals count in what submissions are called, unless they are called by their authors' names.
"""

from __future__ import annotations

from dataclasses import replace

from peerage.errors import Problem
from peerage.formats.rows.entries import Entries, split_authors
from peerage.support.words.spelling import keys_of, respellings, same_person, same_text, spellings
from peerage.support.words.wording import listed
from peerage.tables.column import Column


def one_spelling(entries: Entries) -> tuple[Entries, list[Problem]]:
    """The entries with everybody in one spelling, and notices of who was taken for the same."""
    authors = [author for text in entries.author.values for author in split_authors(text)]
    names = list(dict.fromkeys([*entries.grader.values, *authors]))
    people = respellings(names, keys_of(names, same_person))
    works = respellings(entries.submission.values, _keys_of_works(entries.submission.values, authors))
    notices = []
    for noun, chosen in (("person", people), ("submission", works)):
        told = list(spellings(chosen))
        if told:
            message = f"taken for the same {noun} in several spellings: {listed(told)}"
            notices.append(Problem(message, "if they are different, have ids read exactly", setting="exact_ids"))
    if not notices:
        return entries, []
    respelt = replace(
        entries,
        grader=_respelt(entries.grader, people),
        submission=_respelt(entries.submission, works),
        author=entries.author.map(lambda text: ";".join(people.get(name, name) for name in split_authors(text))),
    )
    return respelt, notices


def _keys_of_works(submissions: tuple[str, ...], authors: list[str]) -> list[str]:
    """What is the same in all spellings of each submission."""
    keys = keys_of(submissions, same_text)
    if not authors:
        return keys
    people = set(keys_of(authors, same_person))
    folded = keys_of(submissions, same_person)
    return [person if person in people else key for key, person in zip(keys, folded, strict=True)]


def _respelt(column: Column, chosen: dict[str, str]) -> Column:
    return column.map(lambda text: chosen.get(text, text)) if chosen else column
