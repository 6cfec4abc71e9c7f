"""ReadOptions: what a person says of the columns holds, and what contradicts itself is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from expected import error

from forebear import Dataset, ForebearError, ReadOptions

TABLE = pl.DataFrame(
    {
        "id": [f"p{i}" for i in range(100)],
        "age": [i % 60 + 20 for i in range(100)],
        "size": (["low", "mid", "high", "low"] * 25),
        "income": [i * 1.5 for i in range(100)],
    }
)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"drop": ["id", "income", "age"]}, ("size",)),
        ({"keep": ["size"]}, ("size",)),
        ({"keep": ["size"], "categorical": ["age"]}, ("age", "size")),
    ],
)
def test_columns_can_be_dropped_and_kept(options: Any, names: tuple[str, ...]) -> None:
    # A column that is not used may hold anything.
    frame = TABLE.with_columns(pl.Series("list", [[1]] * 100))
    if "drop" in options:
        options = {"drop": [*options["drop"], "list"]}
    assert Dataset.from_frame(frame, **options).names == names


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (["size"], {"drop": ["size"]}, "no columns are left: change keep or drop"),
        (["size"], {"drop": ["wage"]}, "drop: there is no column 'wage'"),
        (["size"], {"ordered": {"size": ["low", "mid"]}}, "'size' has the value 'high', which is"),
        (["size"], {"continuous": ["size"]}, "continuous names column 'size', which has no numbe"),
        (["size"], {"bins": {"size": [3]}}, "bins names column 'size', which has no numbers to di"),
        (["size"], {"encoding": "cp1252"}, "encoding is for text files: this table is in memory"),
        (["size"], {"sheet": "one"}, "sheet is for a workbook: this table is in memory"),
    ],
)
def test_options_that_do_not_fit_the_table(columns: list[str], options: Any, message: str) -> None:
    with error(message):
        Dataset.from_frame(TABLE.select(columns), **options)


def test_an_order_of_states() -> None:
    order = {"size": ["low", "mid", "high"], "age": None}
    table = Dataset.from_frame(TABLE.select("size", "age"), ordered=order)
    assert table.states[0] == ("low", "mid", "high")
    assert table.states[1][:2] == ("20", "21")
    # Neighbours are merged.
    merged = Dataset.from_frame(
        TABLE.select("size", "age"),
        ordered=order,
        discretize="quantile",
        bins={"size": 2, "age": 4},
    )
    assert merged.states[0] == ("low", "mid_to_high")
    assert merged.codes[0][:4].tolist() == [0, 1, 1, 0]
    assert merged.arities.tolist() == [2, 4]
    assert merged.states[1][0].startswith("20_to_")


def test_cuts_and_numbers_of_intervals() -> None:
    table = Dataset.from_frame(TABLE.select("age", "size"), bins={"age": [29, 64.5]})
    assert table.states[0] == ("up_to_29", "from_29_to_64.5", "above_64.5")
    assert table.codes[0][[0, 9, 10, 44, 45]].tolist() == [0, 0, 1, 1, 2]
    table = Dataset.from_frame(
        TABLE.select("age", "income"), discretize="uniform", bins={"age": 2, None: 7}
    )
    assert table.arities.tolist() == [2, 7]


def test_kinds_that_a_column_does_not_look_like() -> None:
    frame = pl.DataFrame({"grade": [1, 2, 3, 4, 5, 6] * 5})
    table = Dataset.from_frame(frame, continuous=["grade"], discretize="quantile", bins=2)
    assert table.states == (("up_to_3", "above_3"),)
    with error("1 of 1 column looks continuous (grade)"):
        Dataset.from_frame(frame, continuous=["grade"])
    days = pl.DataFrame({"day": pl.Series(["2024-01-02", "2024-01-01"]).str.to_date()})
    assert Dataset.from_frame(days, categorical=["day"]).states == (("2024-01-01", "2024-01-02"),)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"drop": ["a"], "categorical": ["a"]}, "column 'a' is named in categorical and in drop"),
        ({"drop": ["a"], "keep": ["a"]}, "column 'a' is named in drop and in keep"),
        (
            {"bins": {"a": 2}, "categorical": ["a"], "discretize": "quantile"},
            "column 'a' is named in bins and in categorical: name it in one of them only",
        ),
        ({"drop": "a"}, "drop must be a list of columns, got 'a'"),
        ({"missing_tokens": "NA"}, "missing_tokens must be a list, got 'NA'"),
        (
            {"encoding": "klingon"},
            "encoding 'klingon' is not a known encoding: use for example utf-8",
        ),
        ({"encoding": "base64"}, "encoding 'base64' is not a known encoding"),
        ({"decimal_comma": 1}, "decimal_comma must be True, False or None, got 1"),
        ({"comment": ""}, "comment must be text, got ''"),
        ({"missing": "ignore"}, "missing must be one of error, drop, state, available, em, got"),
        ({"discretize": "k"}, "discretize must be one of quantile, uniform, learned, got 'k'"),
        ({"bins": 1.5}, "bins must be a whole number, got 1.5"),
        ({"bins": 1}, "bins must be at least 2, got 1"),
        ({"rows": 0}, "rows must be at least 1, got 0"),
        ({"bins": {"a": [3, 2]}}, "bins of column 'a' must be a number of intervals or a list of"),
        (
            {"bins": {"a": 3}},
            'bins for single columns requires discretize="quantile" or discretize="uniform"',
        ),
        ({"states": ["a"]}, "states must be a dictionary from column to states, got list"),
        ({"states": {"a": "xy"}}, "states of column 'a' must be a list, got 'xy'"),
    ],
)
def test_wrong_options(options: Any, message: str) -> None:
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
    table = Dataset.from_frame(enum, missing_tokens=["?"], missing="state")
    assert table.states == (("x", "z", "missing"),)


@pytest.mark.parametrize(
    ("tokens", "states"),
    [
        (
            {"a": ["-9"], "b": ["unknown"]},
            (("1", "2", "missing"), ("3", "4", "missing"), ("x", "missing")),
        ),
        (
            {"b": ["unknown"], None: ["-9", "NA"]},
            (("1", "2", "missing"), ("3", "4", "missing"), ("x", "missing")),
        ),
        ([], (("-9", "1", "2"), ("3", "4", "unknown"), ("NA", "x"))),
    ],
)
def test_tokens_in_a_text_file(tmp_path: Path, tokens: Any, states: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b,c\n1,unknown,NA\n2,3,x\n-9,4,x\n")
    assert Dataset.read(path, missing_tokens=tokens, missing="state").states == states
