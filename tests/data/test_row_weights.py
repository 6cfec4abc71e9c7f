"""Row weights: counts and real weights, in tables in memory and in columns of files."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from expected import error
from hypothesis import given
from hypothesis import strategies as st
from strategies import weighted_datasets

from forebear import Dataset, ForebearError, ReadOptions, as_dataset
from forebear.data.discretization import cut_points
from forebear.data.formats.arrays import read_arrays, write_arrays
from forebear.data.row_weights import REAL_COPIES
from forebear.data.writing import write_table

TABLE = pl.DataFrame({"a": [1, 2, 1, 2], "b": ["p", "p", "q", "q"], "Freq": [3, 0, 2, 5]})


def with_weights(weights: list[Any]) -> pl.DataFrame:
    return TABLE.with_columns(pl.Series("Freq", weights))


def small(codes: list[int], states: str, weights: Any) -> Dataset:
    return Dataset(np.array([codes]), ("a",), (tuple(states),), weights=np.array(weights))


def same(one: Dataset, other: Dataset) -> bool:
    return one.fingerprint == other.fingerprint


@given(weighted_datasets(), st.data())
def test_a_weighted_table_is_its_expansion(data: Dataset, draw: st.DataObject) -> None:
    whole = data.expanded()
    assert whole.weights is None
    assert whole.n_rows == whole.n_stored == data.n_rows
    assert data.to_frame().equals(whole.to_frame())
    assert data.missing_share == whole.missing_share
    assert data.summary() == whole.summary()
    # Without weights, rows are returned in the given order.
    rows = np.sort(draw.draw(st.lists(st.integers(0, data.n_rows - 1), min_size=1)))
    taken = data.take(rows)
    assert same(taken.expanded(), whole.take(rows))
    assert taken.n_rows == len(rows)
    columns = draw.draw(st.permutations(data.names))[: 1 + data.n_variables // 2]
    assert same(data.select(columns).expanded(), whole.select(columns))


@pytest.mark.filterwarnings("ignore:.* only one state")
@given(weighted_datasets())
def test_the_weights_are_part_of_the_table(data: Dataset) -> None:
    again = as_dataset(data.to_frame("how often?"), weights="how often?", missing=data.missing)
    assert same(again, data)
    assert same(data.expanded(), data) == (data.weights is None)
    if data.weights is not None:
        assert not same(replace(data, weights=data.weights + 1), data)


def test_weights_in_memory() -> None:
    data = small([0, 1, 2, 0], "xyz", [2, 1, 0, 3])
    assert data.codes.tolist() == [[0, 1, 0]]
    assert data.weights is not None
    assert data.weights.tolist() == [2, 1, 3]
    assert (data.n_rows, data.n_stored) == (6, 3)
    assert repr(data).endswith("stored: 3 rows, weights 1 to 3")
    assert "6 rows and 1 variable" in repr(data)
    assert small([0, 1], "xy", [1, 1]).weights is None
    assert data.take(np.array([True, False, False, True, False, True])).n_rows == 3
    for row in (-1, 6):
        with pytest.raises(IndexError):
            data.take(np.array([row]))


def test_rows_of_billions() -> None:
    data = small([0, 1, 2], "xyz", [1_000_000_000, 1, 999_999_999])
    taken = data.take(np.array([0, 999_999_999, 1_000_000_000, 1_999_999_999]))
    assert taken.weights is not None
    assert taken.weights.tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "weights must have one value per row, 2, got the shape (1,)"),
        ([[1, 2]], "weights must have one value per row, 2, got the shape (1, 2)"),
        ([0.5, 1.0], "weights must be integers, got float64"),
        ([1, -2], "weights must not be negative, got -2"),
        ([0, 0], "the table has no rows"),
        ([2**31, 1], "the weights stand for 2,147,483,648 rows, more than the limit of"),
        ([2**30, 2**30], "the table has 2,147,483,648 rows, more than the limit of"),
    ],
)
def test_wrong_weights_in_memory(weights: Any, message: str) -> None:
    with error(message):
        small([0, 1], "xy", weights)


def test_a_column_of_counts(tmp_path: Path) -> None:
    data = as_dataset(TABLE, weights="Freq")
    assert data.names == ("a", "b")
    assert data.weights is not None
    assert data.weights.tolist() == [3, 2, 5]
    assert same(as_dataset(with_weights([3.0, 0.0, 2.0, 5.0]), weights="Freq"), data)
    TABLE.write_csv(tmp_path / "table.csv")
    assert same(Dataset.read(tmp_path / "table.csv", weights="Freq"), data)
    (tmp_path / "schema.toml").write_text('weights = "Freq"\n')
    assert same(Dataset.read(tmp_path / "table.csv", schema=tmp_path / "schema.toml"), data)
    array = TABLE.with_columns(pl.col("b").replace_strict({"p": 0, "q": 1})).to_numpy()
    assert as_dataset(array, names=["a", "b", "n"], weights="n").n_rows == 10


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2, None, 3], "row 3 of column 'Freq' has no weight"),
        ([1.0, math.nan, 2.0, 3.0], "row 2 of column 'Freq' has no weight"),
        ([1.0, 2.0, 1.0, math.inf], "row 4 of column 'Freq' has the weight inf"),
        ([1, -1, 2, 3], "row 2 of column 'Freq' has the weight -1"),
        (["1", "2", "x", "3"], "row 3 of column 'Freq' has x, which is not a number"),
        ([True, False, True, True], "row 1 of column 'Freq' has true, which is not a number"),
        ([0, 0, 0, 0], "every weight in column 'Freq' is zero, so no rows are left"),
        ([1e9, 1e9, 1e9, 1.0], "the weights stand for 3,000,000,001 rows, more than the limit"),
        ([1e300, 1.0, 1.0, 1.0], "the weights stand for 1e+300 rows, more than the limit"),
    ],
)
def test_wrong_weights_in_a_column(weights: list[Any], message: str) -> None:
    with error(message):
        as_dataset(with_weights(weights), weights="Freq")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "Frq"}, "weights: there is no column 'Frq': did you mean \"Freq\"?"),
        ({"weights": 3}, "weights must be text, got 3"),
        ({"weights": "Freq", "drop": ["Freq"]}, "column 'Freq' is named in weights and in drop"),
        ({"weights": "Freq", "ordered": ["Freq"]}, "named in weights and in ordered"),
        ({"weights": "Freq", "bins": {"Freq": [1.5]}}, "named in weights and in bins"),
        ({"weights": "Freq", "drop": ["a", "b"]}, "no columns are left"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with error(message, ForebearError):
        as_dataset(TABLE, **options)


def test_rows_with_missing_values_are_dropped_by_weight() -> None:
    holes = TABLE.with_columns(pl.Series("b", ["p", "p", None, "q"]))
    with pytest.warns(match=r"left out 2 of 10 rows \(20.0%\)"):
        assert as_dataset(holes, weights="Freq", missing="drop").n_rows == 8


NUMBERS = st.floats(-1e3, 1e3).map(lambda number: round(number, 1))


@given(st.lists(st.tuples(NUMBERS, st.integers(1, 9)), min_size=1), st.integers(2, 12))
def test_quantiles_are_those_of_the_repeated_rows(rows: list[tuple[float, int]], bins: int) -> None:
    numbers, weights = (np.array(column) for column in zip(*rows, strict=True))
    repeated = np.repeat(numbers, weights)
    found = cut_points(numbers, "quantile", bins, weights)
    assert found.tolist() == cut_points(repeated, "quantile", bins).tolist()


@pytest.mark.parametrize("discretize", ["quantile", "uniform", "learned"])
def test_intervals_are_those_of_the_repeated_rows(discretize: Any) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    frame = pl.DataFrame(
        {
            "x": x,
            "y": x + rng.normal(scale=0.3, size=60),
            "z": pl.Series(x > 0).cast(pl.String),
            # Few enough values for states only where rows are repeated.
            "k": rng.permutation(60) % 36,
            "n": rng.integers(0, 40, 60),
        }
    ).with_columns(pl.when(pl.col("x") > 1.5).then(None).otherwise("y").alias("z"))
    times = frame["n"].to_numpy()
    repeated = frame[np.repeat(np.arange(60), times)].drop("n")
    how = ReadOptions(discretize=discretize, bins={"k": 4, None: 4}, ordered=["k"])
    weighted = Dataset.from_frame(frame, replace(how, weights="n"))
    whole = Dataset.from_frame(repeated, how)
    assert same(weighted.expanded(), whole)
    assert weighted.summary() == whole.summary()
    plain = {"discretize": discretize}
    assert same(as_dataset(frame, weights="n", **plain).expanded(), as_dataset(repeated, **plain))


@pytest.mark.filterwarnings("ignore:.* only one state")
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30).filter(lambda own: max(own) > 1e-3))
def test_real_weights_are_scaled(weights: list[float]) -> None:
    frame = pl.DataFrame({"row": [str(row) for row in range(len(weights))], "w": weights})
    data = Dataset.from_frame(frame, weights="w", categorical=["row"])
    counted = [weight for weight in weights if weight > 0]
    if all(weight.is_integer() for weight in counted):
        assert data.copies == 1
        assert data.n_rows == sum(counted)
        return
    assert data.n_rows == len(counted) * data.copies
    units = np.ones(data.n_stored) if data.weights is None else data.weights
    found = dict(zip(data.codes[0].tolist(), (units / data.copies).tolist(), strict=True))
    mean = sum(counted) / len(counted)
    for place, weight in enumerate(counted):
        assert found.get(place, 0.0) == pytest.approx(weight / mean, abs=1 / REAL_COPIES)


def test_what_real_weights_do_not_combine_with(tmp_path: Path) -> None:
    real = as_dataset(with_weights([0.5, 1.5, 2.0, 1.0]), weights="Freq")
    assert (real.n_stored, real.copies, real.n_rows) == (4, 5, 20)
    assert "4 rows and 2 variables" in repr(real)
    assert repr(real).endswith("stored: 4 rows, weights 0.4 to 1.6")
    assert real.to_frame("w")["w"].to_list() == [0.4, 1.2, 1.6, 0.8]
    assert real.summary().n_rows == 4
    with error("repeated a whole number of times only, but the weights are not whole"):
        real.to_frame()
    with error("a table file has whole rows, but the weights are not whole numbers"):
        write_table(real, tmp_path / "table.csv")
    holes = with_weights([0.5, 1.5, 2.0, 1.0]).with_columns(pl.Series("b", ["p", None, "q", "q"]))
    with error('missing="em" completes whole rows, so it cannot be combined with real'):
        as_dataset(holes, weights="Freq")
    assert as_dataset(holes, weights="Freq", missing="available").has_missing
    with pytest.warns(match=r"left out 1 of 4 rows"):
        kept = as_dataset(holes, weights="Freq", missing="drop")
    assert kept.n_rows == 3 * kept.copies
    numbers = TABLE.with_columns(pl.Series("a", [0.1, 0.2, 0.3, 0.4]), pl.lit(0.5).alias("Freq"))
    numbers[0, "Freq"] = 0.75
    with error('discretize="learned" counts whole rows, but the weights are not whole'):
        as_dataset(numbers, weights="Freq", discretize="learned")
    assert as_dataset(numbers, weights="Freq", discretize="quantile").n_stored == 4


def test_weights_that_are_rounded_to_0() -> None:
    frame = pl.DataFrame({"x": [None, 0.1, 0.2, 0.3], "y": ["a", "b", "a", "b"]}).with_columns(
        pl.Series("w", [1e9, 0.5, 1.0, 1.0])
    )
    data = as_dataset(frame, weights="w", missing="state", discretize="quantile", bins=3)
    assert (data.n_stored, data.n_rows) == (1, 4)
    assert data.states[0] == ("up_to_0.1", "from_0.1_to_0.2", "above_0.2", "missing")


@given(weighted_datasets())
def test_arrays_in_a_file(tmp_path_factory: pytest.TempPathFactory, data: Dataset) -> None:
    path = tmp_path_factory.mktemp("arrays") / "table.npz"
    write_arrays(data, path)
    assert same(read_arrays(path), data)
