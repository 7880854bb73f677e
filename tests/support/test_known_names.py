"""Names are known by other spellings too, unless that leaves open who is meant."""

from __future__ import annotations

import pytest

from peerage.support.words.spelling import Known


@pytest.mark.parametrize(
    ("name", "known", "means"),
    [
        ("Ann", True, True),
        ("ANN", True, True),
        ("Zoe", False, False),
        ("BOB", False, False),  # both bob and Bob
        ("bob", True, True),
        ("cy", True, False),  # written like this by the others
        ("CY", True, False),  # another spelling in both
    ],
)
def test_who_is_meant(name: str, known: bool, means: bool) -> None:
    names, others = Known(["Ann", "bob", "Bob", "Cy"]), Known(["cy", "dee"])
    assert (names.knows(name), names.means(name, rather_than=others)) == (known, means)


def test_a_name_that_both_know_as_it_is_written_is_found_in_both() -> None:
    one, other = Known(["ann"]), Known(["ann"])
    assert one.means("ann", rather_than=other)
