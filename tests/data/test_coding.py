"""The coding of a table, applied to other rows."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from expected import error
from hypothesis import given
from hypothesis import strategies as st

from forebear import DataError, Dataset, ForebearError, ReadOptions, as_dataset
from forebear.data.coding import Coding, ColumnCoding, coding_of_states
from forebear.data.matching import rows_as, table_as

N = 60
RNG = np.random.default_rng(5)
DAYS = RNG.integers(0, 900, N)
FRAME = pl.DataFrame(
    {
        "number": RNG.normal(size=N),
        "date": [dt.date(2020, 1, 1) + dt.timedelta(days=int(day)) for day in DAYS],
        "moment": [dt.datetime(2020, 1, 1) + dt.timedelta(hours=int(day)) for day in DAYS],
        "span": [dt.timedelta(minutes=int(day)) for day in DAYS],
        "clock": [dt.time(int(day) % 24) for day in DAYS],
        "order": RNG.choice(["low", "mid", "high", "top"], N).tolist(),
        "word": [None if day % 7 == 0 else "ab"[day % 2] for day in DAYS],
        "yes": (DAYS % 2 == 0).tolist(),
    }
)
READ = ReadOptions(
    missing="state",
    discretize="quantile",
    bins={None: 4, "order": 2},
    ordered={"order": ["low", "mid", "high", "top"]},
)


def coded(data: Any = FRAME, read: ReadOptions = READ) -> tuple[Dataset, Coding]:
    table = as_dataset(data, read)
    assert table.coding is not None
    return table, table.coding


def naive_codes(values: list[Any], own: ColumnCoding) -> list[int]:
    """Code values one by one; cuts are compared with them as numbers."""
    found = []
    for value in values:
        if value is None:
            found.append(len(own.states) - own.missing_state)
        elif own.cuts is not None:
            found.append(sum(value > cut for cut in own.cuts))
        elif own.merged is not None and value not in own.states:
            found.append(own.merged[value])
        else:
            found.append(own.states.index(value))
    return found


def test_the_same_rows_get_the_same_codes() -> None:
    table, coding = coded()
    for rows in (np.arange(N), np.array([3]), RNG.permutation(N)[:20]):
        again = rows_as(FRAME[rows.tolist()], coding)
        assert again.states == table.states
        np.testing.assert_array_equal(again.codes, table.codes[:, rows])
        fitted = table_as(FRAME[rows.tolist()], coding, None)
        np.testing.assert_array_equal(fitted.codes, table.codes[:, rows])


def test_names_of_states_are_understood_as_well() -> None:
    table, coding = coded()
    np.testing.assert_array_equal(rows_as(table.to_frame(), coding).codes, table.codes)
    np.testing.assert_array_equal(
        rows_as(table.to_frame().cast(pl.String), coding).codes, table.codes
    )


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30, unique=True),
    st.lists(st.none() | st.floats(-2e6, 2e6), min_size=1, max_size=20),
)
def test_numbers_are_cut_as_one_by_one(learned: list[float], later: list[float | None]) -> None:
    frame = pl.DataFrame({"x": learned}, schema={"x": pl.Float64})
    _, coding = coded(frame, ReadOptions(discretize="quantile", bins=3, continuous=["x"]))
    rows = pl.DataFrame({"x": later}, schema={"x": pl.Float64})
    expected = naive_codes(later, coding.columns["x"])
    assert rows_as(rows, coding).codes[0].tolist() == expected
    assert rows_as(rows.cast(pl.String), coding).codes[0].tolist() == expected  # as text


def test_merged_states_and_missing_states_one_by_one() -> None:
    _, coding = coded()
    for name in ("order", "word"):
        values = FRAME[name].to_list()
        expected = naive_codes(values, coding.columns[name])
        assert table_as(FRAME, coding, None).codes[FRAME.columns.index(name)].tolist() == expected


def test_a_coding_survives_a_file() -> None:
    import json

    _, coding = coded()
    fields = json.loads(json.dumps(coding.to_fields()))
    assert Coding.of_fields(fields) == coding


@pytest.mark.parametrize(
    "change",
    [
        {"states": ["a", 3]},
        {"states": {"a": 1}},
        {"states": ["a"], "missing_tokens": [["?"]]},
        {"states": ["a"], "missing_state": "yes"},
        {"states": ["a", "b"], "cuts": [1.0, 2.0]},
        {"states": ["a", "b", "c"], "cuts": [2.0, 1.0]},
        {"states": ["a"], "merged": {"x": 1}},
        {"states": ["a"], "kind": "color"},
    ],
)
def test_damaged_codings_are_rejected(change: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        ColumnCoding.of_fields(change)
    with pytest.raises((ValueError, TypeError)):
        Coding.of_fields({"columns": {"x": {"states": ["a"]}}, "options": {"drop": [{}]}})


def test_unseen_values() -> None:
    _, coding = coded(FRAME.select("number", "order", "yes"))
    rows = (
        FRAME.select("number", "order", "yes").head(2).with_columns(order=pl.Series(["low", "x"]))
    )
    message = (
        "column 'order' has the value 'x', which is none of its states in the network "
        '(low_to_mid, high_to_top): pass unseen="missing" to treat such values as missing'
    )
    states = ", ".join(coding.columns["order"].states)
    with error(message.replace("low_to_mid, high_to_top", states), DataError):
        rows_as(rows, coding)
    found = rows_as(rows, coding, unseen="missing")
    assert found.is_missing.tolist() == [[False, False], [False, True], [False, False]]
    with error("unseen must be one of error, missing, got 'ignore'", ForebearError):
        rows_as(rows, coding, unseen="ignore")  # type: ignore[arg-type]
    # A column of another kind has no states at all.
    with pytest.raises(DataError, match="column 'number' has the value"):
        rows_as(FRAME.select(pl.col("date").alias("number"), "order", "yes"), coding)
    other = as_dataset(rows.select("order"))
    assert rows_as_part(other, coding).is_missing.tolist() == [[False, True]]


def rows_as_part(table: Dataset, coding: Coding) -> Dataset:
    part = Coding({name: coding.columns[name] for name in table.names})
    named = Dataset(table.codes, table.names, ((part.columns["order"].states[0], "x"),))
    return rows_as(named, part, unseen="missing")


def test_missing_values_without_a_state_for_them() -> None:
    _, coding = coded(FRAME.select("order", "yes"))
    rows = pl.DataFrame({"order": ["low", None], "yes": [True, False]})
    with error("1 column has missing values (order), but the network has no state for them"):
        rows_as(rows, coding)
    assert rows_as(rows, coding, unseen="missing").is_missing.sum() == 1
    assert rows_as(rows, Coding(coding.columns)).is_missing.sum() == 1  # not observed


def test_missing_tokens_and_options_of_files_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id;größe;n;x\n1;-;1;0,5\n2;klein;2;1,5\n3;groß;1;-9\n", encoding="cp1252")
    read = ReadOptions(
        encoding="cp1252",
        missing_tokens={"größe": ["-"], "x": ["-9"]},
        drop=["id"],
        weights="n",
        bins={"x": [1.0]},
    )
    table, coding = coded(path, read)
    again = table_as(path, coding, None)
    assert again.fingerprint == table.fingerprint
    assert Coding.of_fields(coding.to_fields()) == coding
    rows = pl.DataFrame({"größe": ["groß", "-"], "x": [0.9, -9.0]})
    assert rows_as(rows, coding).codes.tolist() == [[0, 2], [0, 2]]  # no encoding, no weights
    assert rows_as(path, coding).n_rows == 3  # every row once


def test_the_names_of_intervals_imply_a_coding() -> None:
    own = coding_of_states(("up_to_1", "above_1", "missing"))
    assert own.cuts == (1.0,)
    assert own.missing_state
