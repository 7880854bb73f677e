"""Errors pass between processes: executors and clusters send them pickled."""

from __future__ import annotations

import pickle

import pytest

from peerage.errors import InputError, MissingExtraError, ModelError, PeerageError, Problem, Stopped


@pytest.mark.parametrize(
    "error",
    [
        MissingExtraError("reading Parquet", "parquet"),
        Stopped(),
        ModelError("no such model", setting="model"),
        InputError([Problem("is empty", "write something", "a.csv", 3), Problem("is empty", "", "b.csv")]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_arrives_as_it_was_sent(error: PeerageError) -> None:
    arrived = pickle.loads(pickle.dumps(error))
    assert (type(arrived), str(arrived), vars(arrived)) == (type(error), str(error), vars(error))
