"""ReadOptions: what a person says of the columns holds, and what contradicts itself is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from expected import error

from forebear import Dataset, ForebearError, ForebearWarning, ReadOptions
from forebear._util.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pl.DataFrame(
    {
        "id": [f"p{i}" for i in range(100)],
        "age": [i % 60 + 20 for i in range(100)],
        "size": (["low", "mid", "high", "low"] * 25),
        "income": [i * 1.5 for i in range(100)],
    }
)


def test_columns_can_be_dropped_and_kept() -> None:
    assert Dataset.from_frame(TABLE, drop=["id", "income", "age"]).names == ("size",)
    assert Dataset.from_frame(TABLE, keep=["size"]).names == ("size",)
    both = Dataset.from_frame(TABLE, keep=["size"], categorical=["age"])
    assert both.names == ("age", "size")
    with error("no columns are left: change keep or drop"):
        Dataset.from_frame(TABLE, drop=TABLE.columns)
    with error("drop names columns that the table lacks: wage"):
        Dataset.from_frame(TABLE, drop=["wage"])


def test_a_dropped_column_may_hold_anything() -> None:
    frame = TABLE.with_columns(pl.Series("list", [[1]] * 100)).select("size", "list")
    assert Dataset.from_frame(frame, drop=["list"]).names == ("size",)


def test_whole_numbers_with_many_values_can_be_states() -> None:
    with error("1 of 2 columns looks continuous (age)"):
        Dataset.from_frame(TABLE.select("age", "size"))
    table = Dataset.from_frame(TABLE.select("age", "size"), categorical=["age"])
    assert table.arities.tolist() == [60, 3]


def test_dates_can_be_states() -> None:
    frame = pl.DataFrame({"day": pl.Series(["2024-01-02", "2024-01-01"]).str.to_date()})
    with error("1 of 1 column looks continuous (day)"):
        Dataset.from_frame(frame)
    assert Dataset.from_frame(frame, categorical=["day"]).states == (("2024-01-01", "2024-01-02"),)


def test_an_order_of_states() -> None:
    table = Dataset.from_frame(
        TABLE.select("size", "age"), ordered={"size": ["low", "mid", "high"], "age": None}
    )
    assert table.states[0] == ("low", "mid", "high")
    assert table.states[1][:2] == ("20", "21")
    with error("column 'size' has the value 'high', which is not one of the states declared"):
        Dataset.from_frame(TABLE.select("size"), ordered={"size": ["low", "mid"]})


def test_neighbours_in_an_order_are_merged() -> None:
    table = Dataset.from_frame(
        TABLE.select("size"),
        ordered={"size": ["low", "mid", "high"]},
        discretize="quantile",
        bins={"size": 2},
    )
    assert table.states == (("low", "mid_to_high"),)
    assert table.codes[0][:4].tolist() == [0, 1, 1, 0]
    whole = Dataset.from_frame(
        TABLE.select("age"), ordered=["age"], discretize="quantile", bins={"age": 4}
    )
    assert whole.arities.tolist() == [4]
    assert whole.states[0][0].startswith("20_to_")


def test_cuts_of_ones_own_need_no_method() -> None:
    table = Dataset.from_frame(TABLE.select("age", "size"), bins={"age": [29, 64.5]})
    assert table.states[0] == ("up_to_29", "from_29_to_64.5", "above_64.5")
    assert table.codes[0][[0, 9, 10, 44, 45]].tolist() == [0, 0, 1, 1, 2]
    with error("bins of column 'age' must be a number of intervals or a list of", ForebearError):
        ReadOptions(bins={"age": [3, 2]})


def test_bins_of_the_other_columns() -> None:
    table = Dataset.from_frame(
        TABLE.select("age", "income"), discretize="uniform", bins={"age": 2, None: 7}
    )
    assert table.arities.tolist() == [2, 7]


def test_continuous_although_it_does_not_look_so() -> None:
    frame = pl.DataFrame({"grade": [1, 2, 3, 4, 5, 6] * 5})
    table = Dataset.from_frame(frame, continuous=["grade"], discretize="quantile", bins=2)
    assert table.states == (("up_to_3", "above_3"),)
    with error("1 of 1 column looks continuous (grade)"):
        Dataset.from_frame(frame, continuous=["grade"])
    with error("continuous names column 'size', which has no numbers to cut"):
        Dataset.from_frame(TABLE.select("size"), continuous=["size"], discretize="quantile")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop": ["a"], "categorical": ["a"]}, "column 'a' is named in categorical and in drop"),
        ({"drop": ["a"], "keep": ["a"]}, "column 'a' is named in drop and in keep"),
        ({"ordered": ["a"], "continuous": ["a"]}, "is named in ordered and in continuous"),
        (
            {"bins": {"a": 2}, "categorical": ["a"], "discretize": "quantile"},
            "column 'a' is named in bins and in categorical: say one thing",
        ),
        ({"drop": "a"}, "drop must be a list of columns, got 'a'"),
        ({"missing_tokens": "NA"}, "missing_tokens must be a list, got 'NA'"),
        ({"encoding": "klingon"}, "encoding 'klingon' is not known: name one such as utf-8"),
        ({"encoding": "base64"}, "encoding 'base64' is not known"),
        ({"decimal_comma": 1}, "decimal_comma must be True, False or None, got 1"),
        ({"comment": ""}, "comment must be text, got ''"),
    ],
)
def test_contradictions(options: Any, message: str) -> None:
    with error(message, ForebearError):
        ReadOptions(**options)


def test_tokens_of_missing_values() -> None:
    frame = pl.DataFrame({"a": ["x", "?", "y"], "b": [1, -99, 2], "c": [0.0, 1.0, -99.0]})
    everywhere = Dataset.from_frame(frame, missing_tokens=["?", "-99"], missing="state")
    assert everywhere.states == (
        ("x", "y", "missing"),
        ("1", "2", "missing"),
        ("0", "1", "missing"),
    )
    single = Dataset.from_frame(frame, missing_tokens={"b": ["-99"]}, missing="state")
    assert single.states == (("?", "x", "y"), ("1", "2", "missing"), ("-99", "0", "1"))
    enum = pl.DataFrame({"a": pl.Series(["x", "?"], dtype=pl.Enum(["?", "x", "z"]))})
    assert Dataset.from_frame(enum, missing_tokens=["?"], missing="state").states == (
        ("x", "z", "missing"),
    )


def test_tokens_in_a_text_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b,c\n1,unknown,NA\n2,3,x\n-9,4,x\n")
    table = Dataset.read(path, missing_tokens={"a": ["-9"], "b": ["unknown"]}, missing="state")
    assert table.states == (("1", "2", "missing"), ("3", "4", "missing"), ("x", "missing"))
    none = Dataset.read(path, missing_tokens=[])
    assert none.states == (("-9", "1", "2"), ("3", "4", "unknown"), ("NA", "x"))
    both = Dataset.read(
        path, missing_tokens={"b": ["unknown"], None: ["-9", "NA"]}, missing="state"
    )
    assert both.states == (("1", "2", "missing"), ("3", "4", "missing"), ("x", "missing"))


def test_gaps_and_continuous_columns_are_told_together() -> None:
    frame = TABLE.with_columns(pl.when(pl.col("size") == "mid").then(None).otherwise("size"))
    with pytest.raises(DataError) as caught:
        Dataset.from_frame(TABLE.with_columns(frame["literal"].alias("size")), missing="error")
    told = str(caught.value)
    assert "1 of 4 columns has missing values (size: 25)" in told
    assert "; also, 2 of 4 columns look continuous (age, income)" in told
    assert "name them in drop or categorical" in told
    assert "\n" not in told


def test_dropped_rows_are_counted() -> None:
    frame = pl.DataFrame({"a": [0, None, 1, 1], "b": [1, 0, None, 0]})
    with pytest.warns(ForebearWarning, match=r'missing="drop" left out 2 of 4 rows \(50.0%\)'):
        assert Dataset.from_frame(frame, missing="drop").n_rows == 2


def test_options_about_files_are_for_files() -> None:
    for option in ({"encoding": "cp1252"}, {"comment": "#"}, {"decimal_comma": True}):
        with error("is for text files: this table is in memory"):
            Dataset.from_frame(TABLE, **option)
    with error("sheet is for a workbook: this table is in memory"):
        Dataset.from_array(np.eye(2, dtype=int), sheet="one")
