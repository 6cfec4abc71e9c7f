"""Rows in parts: a random sample does not depend on the size of the parts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from forebear.data.row_parts import Part, RowParts


def sampled(n_rows: int, size: int | None, cuts: list[int]) -> tuple[list[int], int]:
    """Add the rows 0, 1, ... in parts; return the rows that are left, and the most held at once."""
    parts, most = RowParts(2, size), 0
    edges = sorted({0, n_rows, *(cut for cut in cuts if cut < n_rows)})
    for start, end in pairwise(edges):
        rows, keys = np.arange(start, end, dtype=np.uint32), parts.keys(start, end - start)
        part = Part((rows % 7).astype(np.uint8)[None], {1: rows}, keys)
        if keys is not None:
            part = part.where(parts.may_be_kept(keys))
        parts.add(part)
        most = max(most, parts.n_rows)
    narrow, wide = parts.columns()
    assert (narrow == wide % 7).all()
    return wide.tolist(), most


@given(
    st.integers(1, 300),
    st.integers(1, 100),
    st.lists(st.integers(1, 299)),
    st.lists(st.integers(1, 299)),
)
def test_the_sample_depends_on_nothing_but_its_size(
    n_rows: int, size: int, cuts: list[int], others: list[int]
) -> None:
    rows, _ = sampled(n_rows, size, cuts)
    assert rows == sampled(n_rows, size, others)[0]
    assert rows == sorted(set(rows))
    assert len(rows) == min(size, n_rows)
    keys = RowParts(1, size).keys(0, n_rows)
    assert keys is not None
    assert rows == sorted(np.argsort(keys)[:size].tolist())


def test_without_a_sample_all_rows_are_kept() -> None:
    assert sampled(50, None, [3, 10])[0] == list(range(50))


def test_few_rows_are_held() -> None:
    rows, most = sampled(100_000, 100, list(range(0, 100_000, 500)))
    assert most <= 1000
    # Every tenth of the table has about a tenth of the sample.
    counts = np.bincount(np.array(rows) // 10_000, minlength=10)
    assert counts.min() >= 2
    assert counts.max() <= 25
