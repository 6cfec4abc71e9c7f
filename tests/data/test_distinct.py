"""Distinct values of columns: the same as in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from forebear.data.distinct import natural_key
from forebear.data.raw_table import Column


def column(kind: str, seed: int, rows: int) -> pl.Series:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, rows)
    values: list[Any] = {
        "text": [f"x{c}" for c in codes],
        "small": (codes - 2).tolist(),
        "large": (codes * 10**9).tolist(),
        "float": (codes / 2).tolist(),
        "bool": (codes > 1).tolist(),
        "missing": [None if c == 0 else f"{c * 5}" for c in codes],
        "edge": [(-(2**63), 2**63 - 1, 0, 5)[c] for c in codes],
    }[kind]
    dtype: Any = {"text": pl.String, "missing": pl.String, "bool": pl.Boolean, "float": pl.Float64}
    return pl.Series(kind, values, dtype=dtype.get(kind, pl.Int64))


KINDS = ["text", "small", "large", "float", "bool", "missing", "edge"]


@given(st.sampled_from(KINDS), st.integers(0, 2**31), st.integers(1, 9))
def test_as_in_plain_python(kind: str, seed: int, rows: int) -> None:
    one = column(kind, seed, rows)
    found = Column.of_series(one)
    values, codes = found.labels, found.codes
    present = [value for value in one.to_list() if value is not None]
    expected = sorted(set(present), key=natural_key if one.dtype == pl.String else None)
    if one.dtype == pl.Boolean:
        expected = [False, True]  # both are declared
    assert list(np.asarray(values).tolist()) == expected
    assert [[*expected, None][code] for code in codes.tolist()] == one.to_list()


def test_natural_order() -> None:
    texts = ["x10", "b", "10", "x2", "-1", "2", "1e3", "a", "x2b"]
    assert sorted(texts, key=natural_key) == [
        *("-1", "2", "10", "1e3"),
        *("a", "b", "x2", "x2b", "x10"),
    ]
