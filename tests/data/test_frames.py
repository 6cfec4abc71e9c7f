"""Conversion of tables in memory: frames and arrays of every library give the same codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from expected import error

from forebear import DataError, Dataset, as_dataset

WEATHER: dict[str, list[Any]] = {
    "sky": ["sun", "rain", "sun", "cloud"],
    "wind": [3, 1, 2, 3],
    "warm": [True, False, True, True],
}
ORDER, VALUES = ["low", "mid", "high"], ["high", "low", "low"]


def test_every_library_gives_the_same_dataset() -> None:
    table = pl.DataFrame(WEATHER)
    array = np.array(list(zip(*WEATHER.values(), strict=True)), dtype=object)
    same = [
        table.lazy(),
        table.to_arrow(),
        pd.DataFrame(WEATHER),
        pd.DataFrame(WEATHER).convert_dtypes(),
        pd.DataFrame(WEATHER, dtype=object),
        pd.DataFrame(WEATHER).astype({"wind": float}),
        WEATHER,
        {name: np.array(values) for name, values in WEATHER.items()},
        [dict(zip(WEATHER, row, strict=True)) for row in zip(*WEATHER.values(), strict=True)],
    ]
    prints = {as_dataset(frame).fingerprint for frame in same}
    prints.add(Dataset.from_array(array, names=list(WEATHER)).fingerprint)
    assert prints == {Dataset.from_frame(table).fingerprint}


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"c": pl.Series(VALUES, dtype=pl.Enum(ORDER))}),
        pd.DataFrame({"c": pd.Categorical(VALUES, categories=ORDER, ordered=True)}),
        pa.table({"c": pa.DictionaryArray.from_arrays(pa.array([2, 0, 0]), ORDER)}),
    ],
)
def test_declared_categories_are_kept_in_their_order(frame: Any) -> None:
    dataset = Dataset.from_frame(frame)
    assert (dataset.states, dataset.codes.tolist()) == ((tuple(ORDER),), [[2, 0, 0]])


def test_categories_of_other_kinds() -> None:
    shared = pl.DataFrame({"c": pl.Series(["b", "a", "b"], dtype=pl.Categorical)})
    assert Dataset.from_frame(shared).states == (("a", "b"),)  # they declare nothing
    numbers = pd.DataFrame({"c": pd.Categorical([2, 0, 2], categories=[0, 1, 2])})
    numbers["d"] = pd.cut([0.1, 0.9, 0.2], [0, 0.5, 1])
    dataset = Dataset.from_frame(numbers)
    assert dataset.states == (("0", "1", "2"), ("(0.0, 0.5]", "(0.5, 1.0]"))
    assert dataset.codes.tolist() == [[2, 0, 2], [0, 1, 0]]
    chunks = [pa.array(["x", "y"]), pa.array(["z", None])]
    column = pa.chunked_array([chunk.dictionary_encode() for chunk in chunks])
    dataset = Dataset.from_frame(pa.table({"c": column}), missing="state")
    assert dataset.states == (("x", "y", "z", "missing"),)
    assert dataset.codes.tolist() == [[0, 1, 2, 3]]
    with error("column 'c' has several states called 1"):
        Dataset.from_frame(pd.DataFrame({"c": pd.Categorical([1, "1"], categories=[1, "1"])}))


@pytest.mark.parametrize("first", [2**53, 2**64 - 2, 10**60])
@pytest.mark.parametrize("other", [7, None, 1.5])
def test_large_numbers_as_objects_stay_apart(first: int, other: float | None) -> None:
    values = [first, first + 1, other]
    frame = pd.DataFrame({"a": pd.Series(values, dtype=object), "b": [1, 2, 2]})
    array = np.array(list(zip(values, [1, 2, 2], strict=True)), dtype=object)
    for table in (frame, array):
        assert {str(first), str(first + 1)} <= set(as_dataset(table, missing="state").states[0])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.Series([2**60, 2**60 + 1, None], dtype="Int64")}),
        pl.DataFrame({"a": pl.Series([2**60, 2**60 + 1, None], dtype=pl.Decimal(38, 0))}),
        pl.DataFrame({"a": pl.Series([2**60, 2**60 + 1, None], dtype=pl.Int128)}),
    ],
)
def test_large_numbers_of_exact_types_stay_apart(frame: Any) -> None:
    made = Dataset.from_frame(frame, missing="state")
    assert made.states == ((str(2**60), str(2**60 + 1), "missing"),)


@pytest.mark.parametrize(
    "values",
    [
        pd.DataFrame({"a": pd.array([1, 2, None], dtype="Int64")}),
        pd.DataFrame({"a": pd.Series([1, 2, float("nan")], dtype=object)}),
        pd.DataFrame({"a": pd.Series(["1", "2", pd.NA], dtype=object)}),
        pd.DataFrame({"a": pd.Categorical([1, 2, None])}),
        pl.DataFrame({"a": [1.0, 2.0, float("nan")]}),
        pa.table({"a": pa.array(["1", "2", None]).dictionary_encode()}),
        np.array([[1], [2], [None]], dtype=object),
        np.ma.masked_equal(np.array([[1], [2], [9]]), 9),
    ],
)
def test_every_sign_of_missing(values: Any) -> None:
    dataset = as_dataset(values, missing="state")
    assert dataset.states == (("1", "2", "missing"),)
    assert dataset.codes.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    "array",
    [
        np.array([[b"1"], [b"2"], [b"10"]]),
        np.array([["1"], [2], [10.0]], dtype=object),
        np.array([[1], [2], [10]], dtype=np.uint64),
        np.array([[1], [2], [10]], dtype=np.float16),
    ],
)
def test_types_of_arrays(array: Any) -> None:
    dataset = Dataset.from_array(array)
    assert (dataset.names, dataset.states) == (("0",), (("1", "2", "10"),))
    assert dataset.codes.tolist() == [[0, 1, 2]]


def test_records_have_names() -> None:
    fields = [("age", "i4"), ("sex", "U1"), ("weight", "f8")]
    records = np.array([(30, "f", 61.5), (40, "m", 70.0), (30, "m", np.nan)], dtype=fields)
    table = Dataset.from_array(records, discretize="uniform", bins=2)
    assert table.names == ("age", "sex", "weight")
    assert table.states[:2] == (("30", "40"), ("f", "m"))
    assert table.is_missing.sum() == 1
    masked = np.ma.array(records, mask=[(True, False, False), (False,) * 3, (False,) * 3])
    table = Dataset.from_array(masked, drop=["weight"])
    assert table.is_missing.tolist() == [[True, False, False], [False] * 3]


RECORDS = np.zeros(3, dtype=[("id", "i4"), ("x", "f8")])


@pytest.mark.parametrize(
    ("array", "names", "message"),
    [
        (np.arange(3), None, "an array must have two dimensions, rows by columns, got 1 dimension"),
        (np.zeros((1, 2)), list("abc"), "3 names given for 2 columns: give one name per column"),
        (np.zeros((0, 2)), None, "the table has no rows"),
        (np.zeros((2, 0)), None, "the table has no columns"),
        (np.ones((2, 1), dtype=complex), None, "column '0' has the type complex128"),
        (RECORDS, ["a", "b"], "an array of records has one dimension, one value per field, and na"),
    ],
)
def test_arrays_that_are_no_tables(array: Any, names: Any, message: str) -> None:
    with error(message):
        Dataset.from_array(array, names)


def test_frames_that_are_no_tables() -> None:
    with error("the table has no columns"):
        as_dataset(pd.DataFrame())
    with error("a data frame is expected, got list"):
        Dataset.from_frame([1, 2])
    with error(
        "column 'a' has the type List(Int64), which has no discrete states: name it in drop"
    ):
        Dataset.from_frame(pl.DataFrame({"a": [[1], [2]]}))
    frame = pd.DataFrame([[0, 1], [1, 0]])
    assert as_dataset(frame).names == ("0", "1")
    frame.columns = ["a", "a"]
    with error("several columns have the same name (a): rename them"):
        as_dataset(frame)


def test_values_that_a_dictionary_lacks_are_missing() -> None:
    found = as_dataset([{"a": 1}, {"b": "x", "a": None}, {"a": 0, "b": "y"}], missing="state")
    assert found.states == (("0", "1", "missing"), ("x", "y", "missing"))
    assert found.codes.tolist() == [[1, 2, 0], [2, 0, 1]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": [1, 0], "b": [1]}, "column 'a' has 2 values, but column 'b' has 1"),
        ({"a": "x"}, "column 'a' must be a list of values, got 'x'"),
        ({"a": 1}, "column 'a' must be a list of values, got 1"),
        ({"1": [1], 1: [0]}, "several columns have the same name (1)"),
        ({}, "the table has no columns"),
        (
            [{"a": 1}, [1]],
            "dictionaries only, one per row, got list: convert",
        ),
        ([1, 2], "a list must have paths only or dictionaries only, one per row, got int"),
    ],
)
def test_records_that_are_no_table(data: Any, message: str) -> None:
    with error(message, DataError):
        as_dataset(data)
