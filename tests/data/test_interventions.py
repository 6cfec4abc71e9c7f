"""Tables with experiments: what was set is read from a column or a mask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from expected import error
from hypothesis import given
from strategies import experiments

from forebear import DataError, Dataset, ForebearError, ReadOptions, as_dataset, summarize_table
from forebear.data.interventions import joined_names, split_names
from forebear.data.writing import write_table

FRAME = pl.DataFrame(
    {
        "a": ["0", "1", "1", "0"],
        "b": ["0", "0", "1", "1"],
        "c": ["0", "1", "0", "1"],
        "set": [None, "a", "a; c", ""],
    }
)
MASK = np.array([[0, 1, 1, 0], [0, 0, 0, 0], [0, 0, 1, 0]], dtype=np.bool_)


def mask_of(data: Dataset) -> Any:
    return None if data.intervened is None else data.intervened.tolist()


def test_a_column_names_the_variables() -> None:
    data = as_dataset(FRAME, intervened="set")
    assert data.names == ("a", "b", "c")
    assert mask_of(data) == MASK.tolist()
    assert data.row_sets == (1, 0, 2)
    assert repr(data).splitlines()[-1] == "  set: 2 variables in 2 rows (experiments)"
    assert [data.rows_not_set(v) is None for v in range(3)] == [False, True, False]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_files(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"table{suffix}"
    if suffix == ".parquet":
        FRAME.write_parquet(path)
    else:
        FRAME.write_csv(path, separator="," if suffix == ".csv" else "\t")
    assert mask_of(as_dataset(path, intervened="set")) == MASK.tolist()
    sample = as_dataset(path, intervened="set", rows=3)
    assert sample.n_rows == 3
    assert sample.intervened is not None


def test_masks() -> None:
    table = FRAME.drop("set")
    expected = as_dataset(FRAME, intervened="set")
    named = pl.DataFrame({"c": MASK[2], "a": MASK[0]})  # b was never set
    for mask in (MASK.T, MASK.T.tolist(), named, named.to_pandas()):
        read = ReadOptions(intervened=mask)
        assert as_dataset(table, read).fingerprint == expected.fingerprint
        assert "mask" in repr(read)
        assert read == read
    assert as_dataset(table, intervened=np.zeros((4, 3), dtype=np.bool_)).intervened is None
    assert as_dataset(table, intervened=np.zeros((4, 3), dtype=np.bool_)).row_sets is None


def test_rows_that_are_left_out() -> None:
    frame = FRAME.with_columns(n=pl.Series([2, 1, 0, 3]), b=pl.Series(["0", None, "1", "1"]))
    weighted = as_dataset(frame.drop("b"), weights="n", intervened="set")
    assert mask_of(weighted) == [[False, True, False], [False, False, False]]
    assert mask_of(weighted.expanded()) == [[0, 0, 1, 0, 0, 0], [0] * 6]
    assert mask_of(weighted.take(np.array([0, 2, 2]))) == [[0, 1], [0, 0]]
    assert weighted.take(np.array([0, 3])).intervened is None
    with pytest.warns(match="left out 1 of 4 rows"):
        dropped = as_dataset(frame.drop("n"), intervened="set", missing="drop")
    assert mask_of(dropped) == [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
    mask = pl.DataFrame({"a": MASK[0]})
    assert mask_of(as_dataset(frame, weights="n", intervened=mask, drop=["set", "b"])) == (
        mask_of(weighted)
    )


def test_columns_that_are_left_out() -> None:
    data = as_dataset(FRAME, intervened="set", drop=["c"])
    assert mask_of(data) == MASK[:2].tolist()
    with error("row 3 of column 'set' names 'c', which is no variable of the table"):
        as_dataset(FRAME, intervened="set", keep=["a", "b"])
    assert mask_of(data.select(["b", "a"])) == MASK[[1, 0]].tolist()
    assert data.select(["b"]).intervened is None
    assert mask_of(as_dataset(FRAME, intervened="set").select([2, 1])) == MASK[[2, 1]].tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"intervened": "sett"}, "intervened: there is no column 'sett': did you mean \"set\"?"),
        ({"intervened": "a"}, "row 1 of column 'a' names '0', which is no variable of the table"),
        ({"intervened": MASK}, "must have the shape of the table, 4 rows by 4 columns in use, got"),
        (
            {"intervened": pl.DataFrame({"a": MASK[0, :2]})},
            "intervened has 2 rows, but the table has 4",
        ),
        (
            {"intervened": pl.DataFrame({"bb": MASK[0]})},
            "intervened: there is no column 'bb': did you mean \"b\"?",
        ),
    ],
)
def test_what_does_not_fit_the_table(options: dict[str, Any], message: str) -> None:
    with error(message):
        as_dataset(FRAME, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"intervened": ""}, "intervened must be text, got ''"),
        ({"intervened": 3}, "must be the name of a column, or an array or a data frame of boo"),
        ({"intervened": MASK.astype(int)}, "of booleans, rows by columns, got the type int64"),
        ({"intervened": "x", "drop": ["x"]}, "column 'x' is named in intervened and in drop"),
        ({"intervened": "x", "weights": "x"}, "column 'x' is named in weights and in intervened"),
        ({"intervened": MASK.T, "rows": 3}, "rows reads a sample, whose rows a mask does not have"),
    ],
)
def test_invalid_options(options: dict[str, Any], message: str) -> None:
    with error(message, ForebearError):
        ReadOptions(**options)


def test_unknown_names() -> None:
    frame = FRAME.with_columns(set=pl.Series(["a", "", "none", "A;b"]))
    with error("(leave the field empty if no variable was set, and separate several names by ';')"):
        as_dataset(frame, intervened="set")
    tokens = {"set": ["none"]}
    with error("row 4 of column 'set' names 'A', which is no variable of the table: did you mean"):
        as_dataset(frame, intervened="set", missing_tokens=tokens)
    fixed = frame.with_columns(set=pl.Series(["a", "", "none", "a;b"]))
    data = as_dataset(fixed, intervened="set", missing_tokens=tokens)
    assert mask_of(data) == [[1, 0, 0, 1], [0, 0, 0, 1], [0] * 4]


def test_missing_values_are_rejected() -> None:
    frame = FRAME.with_columns(b=pl.Series(["0", None, "1", "1"]))
    message = 'missing values cannot be combined with intervened: pass missing="drop" or miss'
    for missing in ("em", "available"):
        with error(message):
            as_dataset(frame, intervened="set", missing=missing)
    assert mask_of(as_dataset(frame, intervened="set", missing="state")) == MASK.tolist()


def test_masks_of_datasets() -> None:
    data = as_dataset(FRAME, intervened="set")
    with error("intervened must be booleans of the shape of the codes, (3, 4), got the type int64"):
        Dataset(data.codes, data.names, data.states, intervened=MASK.astype(int))
    with error("got the type bool and the shape (4, 3)"):
        Dataset(data.codes, data.names, data.states, intervened=MASK.T)


@pytest.mark.filterwarnings("ignore::forebear.ForebearWarning")
@given(experiments())
def test_a_frame_states_what_was_set(data: Dataset) -> None:
    frame = data.to_frame("n", "set")
    again = as_dataset(frame, weights="n", intervened="set")
    assert mask_of(again) == mask_of(data)
    assert "set" not in data.to_frame().columns
    with error("several columns have the same name (X0)"):
        data.to_frame(intervened="X0")


def test_names_with_semicolons(tmp_path: Path) -> None:
    names = ("a;b", "c")
    assert split_names("a;b", names) == ["a;b"]
    assert split_names(" c ; d;", names) == ["c", "d"]
    data = as_dataset(
        pl.DataFrame({"a;b": ["0", "1"], "c": ["1", "0"], "set": ["a;b", ""]}), intervened="set"
    )
    assert mask_of(data) == [[True, False], [False, False]]
    assert data.intervened is not None
    with error("a column cannot name 'a;b' among several variables"):
        joined_names(data.names, data.intervened)
    with error("a table file has no place for interventions", DataError):
        write_table(data, tmp_path / "table.csv")


def test_summaries_leave_the_column_out() -> None:
    summary = summarize_table(FRAME, intervened="set")
    assert [column.name for column in summary.columns] == ["a", "b", "c"]


def test_schema_files(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text('intervened = "set"\n')
    data = as_dataset(FRAME, schema=tmp_path / "table.toml")
    assert mask_of(data) == MASK.tolist()
