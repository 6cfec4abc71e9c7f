"""CodedTable: parts of a table, and missing values that stay in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from expected import error

from forebear import Dataset, ForebearError

HOLES = pl.DataFrame(
    {"a": [1, None, 2, 1], "b": [None, "missing", "x", "x"], "c": [True, True, False, None]}
)


@pytest.mark.parametrize(
    ("arity", "missing", "dtype"),
    [(256, "error", np.uint8), (257, "error", np.uint16), (256, "available", np.uint16)],
)
def test_type_of_codes(arity: int, missing: Any, dtype: type) -> None:
    states = tuple(map(str, range(arity)))
    largest = arity - (missing == "error")
    assert Dataset(np.array([[largest, 0]]), ("a",), (states,), missing).codes.dtype == dtype


@pytest.mark.parametrize(
    ("codes", "names", "states", "message"),
    [
        ([[0]], "ab", (("x",),), "the codes have 1 variable, but there are 2 names"),
        ([0], "a", (("x",),), "codes must have two dimensions, variables by rows, got 1 dim"),
        ([[0.5]], "a", (("x",),), "codes must be integers, got float64"),
        ([[-1]], "a", (("x", "y"),), "column 'a' has a code outside 0 to 1"),
        ([[0], [0]], "aa", (("x",),) * 2, "several columns have the same name (a): rename"),
        ([[0]], "a", ((),), "column 'a' has no states"),
        ([[0]], "a", (("x", "x"),), "column 'a' has several states called x"),
        (np.empty((1, 0), int), "a", (("x",),), "the table has no rows"),
        (np.empty((0, 1), int), "", (), "the table has no columns"),
    ],
)
def test_errors(codes: Any, names: str, states: Any, message: str) -> None:
    with error(message):
        Dataset(np.asarray(codes), tuple(names), states)


def test_too_many_states() -> None:
    ids = [f"id-{i}" for i in range(65_536)]
    with error("column 'who' has 65,536 states, more than the limit of 65,535: it looks"):
        Dataset.from_frame(pl.DataFrame({"who": ids}))
    assert Dataset.from_frame(pl.DataFrame({"who": ids[:-1]})).codes.dtype == np.uint16


@pytest.mark.parametrize("way", ["available", "em"])
def test_missing_values_can_stay(way: Any) -> None:
    dataset = Dataset.from_frame(HOLES, missing=way)
    assert dataset.states == (("1", "2"), ("missing", "x"), ("false", "true"))
    assert dataset.codes.tolist() == [[0, 2, 1, 0], [2, 0, 1, 1], [1, 1, 0, 2]]
    assert (dataset.missing, dataset.has_missing, dataset.missing_share) == (way, True, 0.25)
    assert dataset.is_missing.tolist() == (dataset.codes == 2).tolist()
    assert "missing: 25 % of the values" in repr(dataset)
    again = Dataset.from_frame(dataset.to_frame(), missing=way)
    assert again.fingerprint == dataset.fingerprint
    with error("column 'a' has a code outside 0 to 1"):
        Dataset(dataset.codes, dataset.names, dataset.states)


def test_parts() -> None:
    dataset = Dataset.from_frame(HOLES, missing="em")
    assert dataset.take(np.array([2])).has_missing is False
    for column in (1, "b"):
        assert dataset.select([column]).codes.tolist() == [[2, 0, 1, 1]]
    with error('no variable is called "nobody"', ForebearError):
        dataset.select(["nobody"])
