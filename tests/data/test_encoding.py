"""Coding of columns: missing values are dropped, kept, made a state or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from expected import error

from forebear import Dataset, ForebearWarning

HOLES = pl.DataFrame(
    {"a": [1, None, 2, 1], "b": [None, "missing", "x", "x"], "c": [True, True, False, None]}
)


def test_error_names_columns_and_counts() -> None:
    with error(
        '3 of 3 columns have missing values (a: 1, b: 1, c: 1): pass missing="em" to learn '
        'from all rows, missing="drop" to leave out those rows, or missing="state" to make '
        "missing values a state of their own"
    ):
        Dataset.from_frame(HOLES, missing="error")


@pytest.mark.filterwarnings("ignore:.*only one state:forebear.ForebearWarning")
def test_drop() -> None:
    with pytest.warns(ForebearWarning, match=r'missing="drop" left out 3 of 4 rows \(75.0%\)'):
        dataset = Dataset.from_frame(HOLES, missing="drop")
    assert dataset.codes.tolist() == [[0], [0], [0]]
    assert dataset.states == (("2",), ("x",), ("false", "true"))
    with error('every row has a missing value, so missing="drop" leaves no rows'):
        Dataset.from_frame(pl.DataFrame({"a": [1, None], "b": [None, 1]}), missing="drop")


def test_state() -> None:
    dataset = Dataset.from_frame(HOLES, missing="state")
    assert dataset.states[0] == ("1", "2", "missing")
    assert dataset.states[1] == ("missing", "x", "missing_2")
    assert dataset.states[2] == ("false", "true", "missing")
    assert dataset.codes.tolist() == [[0, 2, 1, 0], [2, 0, 1, 1], [1, 1, 0, 2]]
    with pytest.warns(ForebearWarning, match=r"1 column has only one state \(a\)"):
        dataset = Dataset.from_frame(pl.DataFrame({"a": [None, None]}), missing="state")
    assert dataset.states == (("missing",),)


@pytest.mark.parametrize("way", ["em", "available"])
def test_a_column_without_values_is_refused(way: Any) -> None:
    frame = pl.DataFrame({"a": [None, None], "b": [1, 2], "c": [None, None]})
    with error("2 columns have no values (a, c): name them in drop"):
        Dataset.from_frame(frame, missing=way)


@pytest.mark.parametrize(
    ("n_distinct", "n_rows", "continuous"),
    [
        (32, 32, False),
        (33, 33, True),
        (33, 33 * 20, False),
        (41, 1000, False),
        (256, 256 * 20, False),
        (257, 100_000, True),
    ],
)
def test_which_whole_numbers_are_continuous(n_distinct: int, n_rows: int, continuous: bool) -> None:
    numbers = np.arange(n_rows)[:, None] % n_distinct
    for array in (numbers, numbers * 1_000_000_007, numbers.astype(float)):
        if continuous:
            with error("looks continuous"):
                Dataset.from_array(array)
        else:
            assert Dataset.from_array(array).arities.tolist() == [n_distinct]
