"""Columns that arrive in batches: the same values and rows as the whole column."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import raw_frame

from forebear.data import raw_table
from forebear.data.raw_table import Column, ColumnBuilder, RawTable

VALUES: dict[str, list[Any]] = {
    "text": ["x10", "x2", "", None],
    "whole": [3, -1, 2**62, None],
    "number": [0.5, -0.0, 0.0, float("nan"), None],
    "flag": [True, False, None],
    "enum": ["b", "a", None],
}
TYPES: dict[str, Any] = {
    "enum": pl.Enum(["b", "a", "never"]),
    "text": pl.String,
    "number": pl.Float64,
}


@pytest.mark.parametrize("few", [0, 10_000])
@given(st.sampled_from(list(VALUES)), st.data())
def test_batches_are_the_whole_column(few: int, kind: str, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.lists(st.sampled_from(VALUES[kind]), max_size=5), min_size=1))
    dtype = TYPES.get(kind)
    whole = pl.Series("a", [value for batch in rows for value in batch], dtype=dtype)
    if dtype is None and whole.dtype == pl.Null:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raw_table, "_FEW", few)
        builder = ColumnBuilder()
        codes = [builder.add(pl.Series("a", batch, dtype=whole.dtype)) for batch in rows]
        column = Column.of("a", builder.values, np.concatenate(codes))
    expected = Column.of_series(whole)
    if len(whole):
        assert column.values.to_list() == expected.values.to_list()
        assert column.codes.tolist() == expected.codes.tolist()
        assert column.counts.tolist() == expected.counts.tolist()
        cleaned = whole.fill_nan(None) if whole.dtype.is_float() else whole
        assert raw_frame(RawTable([column], len(whole)))["a"].to_list() == cleaned.to_list()


def test_dates_that_python_does_not_have() -> None:
    days = pl.Series("a", [-1_000_000, 5, None], dtype=pl.Int32).cast(pl.Date)
    column = Column.of_series(days)
    assert len(column.values) == 2
    assert sorted(column.codes[:2].tolist()) == [0, 1]
    assert column.codes[2] == 2


def test_values_are_replaced() -> None:
    column = Column.of_series(pl.Series("a", ["1", "01", "x", None, "1"]))
    changed = column.with_values(pl.Series([None if t == "x" else int(t) for t in column.values]))
    assert changed.values.to_list() == [1]
    assert changed.codes.tolist() == [0, 0, 1, 1, 0]
    assert (changed.n_missing, changed.n_present) == (2, 3)
    taken = column.take(np.array([True, False, False, True, True]))
    assert (taken.values.to_list(), taken.codes.tolist()) == (["1"], [0, 1, 0])
