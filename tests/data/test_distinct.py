"""Distinct values of many columns at once: the same as those of single columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear.data import blocks
from forebear.data.distinct import distinct_values, natural_key

COLUMN = st.integers(0, 2**31).flatmap(
    lambda seed: st.sampled_from(["text", "small", "large", "float", "bool", "gap", "edge"]).map(
        lambda kind: (kind, seed)
    )
)


def column(kind: str, seed: int, rows: int) -> pl.Series:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, rows)
    values: list[Any] = {
        "text": [f"x{c}" for c in codes],
        "small": (codes - 2).tolist(),
        "large": (codes * 10**9).tolist(),
        "float": (codes / 2).tolist(),
        "bool": (codes > 1).tolist(),
        "gap": [None if c == 0 else f"{c * 5}" for c in codes],
        "edge": [(-(2**63), 2**63 - 1, 0, 5)[c] for c in codes],
    }[kind]
    dtype: Any = {"text": pl.String, "gap": pl.String, "bool": pl.Boolean, "float": pl.Float64}
    return pl.Series(kind, values, dtype=dtype.get(kind, pl.Int64))


@pytest.mark.parametrize(("cells", "first"), [(1, 1000), (7, 1), (1 << 21, 2), (1 << 21, 0)])
@given(st.lists(COLUMN, min_size=1, max_size=6), st.integers(1, 9))
def test_as_in_plain_python(
    cells: int, first: int, kinds: list[tuple[str, int]], rows: int
) -> None:
    columns = [column(kind, seed, rows) for kind, seed in kinds]
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(blocks, "_CELLS", cells)
        changed.setattr(blocks, "_FIRST", first)
        found = distinct_values(columns)
    for one, (values, codes, there) in zip(columns, found, strict=True):
        present = [value for value in one.to_list() if value is not None]
        expected = sorted(set(present), key=natural_key if one.dtype == pl.String else None)
        if one.dtype == pl.Boolean:
            expected = [False, True]  # both are declared
        assert list(np.asarray(values).tolist()) == expected
        assert [expected[code] for code in codes.tolist()] == present
        gaps = one.is_not_null().to_list()
        assert all(gaps) if there is None else gaps == there.tolist()


TEXTS = st.sampled_from(["a", "b", "c", None])


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(TEXTS, min_size=n, max_size=n), min_size=1)
    )
)
def test_which_columns_have_which_texts(table: list[list[str | None]]) -> None:
    columns = [pl.Series(own, dtype=pl.String) for own in table]
    texts, codes = blocks.code_texts(columns)
    cells = blocks.Cells.of(codes, len(texts))
    holds = (texts == "a").to_numpy()
    assert cells.any(holds).tolist() == ["a" in own for own in table]
    assert cells.all(holds).tolist() == [{*own} <= {"a", None} for own in table]
