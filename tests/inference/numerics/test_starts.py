"""Where each owner's entries begin in a list that is sorted by owner."""

from __future__ import annotations

import numpy as np
import pytest

from peerage.inference.numerics.arrays import starts_of


@pytest.mark.parametrize(
    ("owners", "count", "starts"),
    [
        ([0, 0, 2], 4, [0, 2, 2, 3, 3]),  # owners 1 and 3 have none
        ([2, 0, 2, 1], 3, [0, 1, 2, 4]),  # in any order
        ([], 2, [0, 0, 0]),
    ],
)
def test_starts(owners: list[int], count: int, starts: list[int]) -> None:
    found = starts_of(np.array(owners, np.int32), count)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, starts)
