"""The core merges equal rows, and counts weighted rows correctly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from forebear._core import PackedTable

weighted_rows = st.lists(
    st.tuples(st.tuples(st.integers(0, 2), st.integers(0, 1)), st.integers(1, 300)), min_size=1
)


def stored_rows(codes: NDArray[Any], weights: list[int] | None = None) -> int:
    own = None if weights is None else np.array(weights, dtype=np.int64)
    return PackedTable.make(codes=np.ascontiguousarray(codes), arities=[3, 2], weights=own).rows


@given(weighted_rows, st.randoms(use_true_random=False))
def test_weights_are_repeated_rows(rows: Any, random: Any) -> None:
    """What is stored depends on the rows that the table stands for, not on how it has them."""
    codes = np.array([codes for codes, _ in rows], dtype=np.uint8).T
    weights = [weight for _, weight in rows]
    expanded = np.repeat(codes, weights, axis=1)
    order = random.sample(range(expanded.shape[1]), expanded.shape[1])
    assert stored_rows(codes, weights) == stored_rows(expanded)
    assert stored_rows(expanded[:, order]) == stored_rows(expanded)


def test_rows_are_merged_if_that_saves_half_of_them() -> None:
    few = np.array([[0, 1, 2], [0, 1, 1]], dtype=np.uint8)
    assert stored_rows(few) == 3
    # 500 = 111110100 in binary; of each digit but the last, a multiple of 64 rows is stored.
    assert stored_rows(few, [500, 1, 1]) < 251
    assert stored_rows(np.repeat(few, [2, 2, 2], axis=1)) == 6  # no row less


def test_wide_rows_are_repeated() -> None:
    """Rows of more than 256 bits are not compared."""
    codes = np.zeros((300, 4), dtype=np.uint8)
    weights = np.array([3, 1, 1, 1])
    assert PackedTable.make(codes=codes, arities=[2] * 300, weights=weights).rows == 6


@pytest.mark.parametrize("weights", [[1, 0], [1, -1], [2**31, 1], [1]])
def test_weights_must_be_counts(weights: list[int]) -> None:
    codes = np.zeros((2, 2), dtype=np.uint8)
    with pytest.raises(ValueError, match="weights must"):
        PackedTable.make(codes=codes, arities=[2, 2], weights=np.array(weights))


def test_tables_of_some_children_must_fit() -> None:
    """Families of these children are scored on another table of the same variables."""
    codes = np.zeros((2, 4), dtype=np.uint8)
    few = PackedTable.make(codes=codes[:, :2].copy(), arities=[2, 2])
    empty = PackedTable.make(codes=codes[:, :0].copy(), arities=[2, 2])
    whole = PackedTable.make(codes=codes, arities=[2, 2], others=[([0], few), ([1], empty)])
    assert (whole.rows, few.rows, empty.rows) == (4, 2, 0)
    other = PackedTable.make(codes=codes, arities=[2, 3])
    for wrong in ([([2], few)], [([0], other)], [([0], whole)]):
        with pytest.raises(ValueError, match="must have the same variables"):
            PackedTable.make(codes=codes, arities=[2, 2], others=wrong)
