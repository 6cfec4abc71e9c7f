"""The values of a table as the states of a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from expected import error

from forebear import DataError, Dataset, ForebearError, ReadOptions
from forebear.data.coding import Coding
from forebear.data.matching import observed_codes

NAMES = ("size", "age", "ok")
STATES = (("small", "large"), ("up_to_18", "from_18_to_65", "above_65"), ("no", "yes", "missing"))

CODING = Coding({}).for_network(NAMES, STATES)


def dataset(codes: Any, names: Any, states: Any, missing: Any = "error") -> Dataset:
    return Dataset(codes, names, states, missing)


def codes(data: Any, read: ReadOptions | None = None) -> list[list[int]]:
    found: list[list[int]] = observed_codes(data, NAMES, CODING, read).codes.tolist()
    return found


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            {"ok": ["yes", None], "more": [0.5, 0.7], "size": ["large", "small"]},
            [[1, 0], [-1, -1], [1, -1]],
        ),
        ({"age": [18, 19, None]}, [[-1] * 3, [0, 1, -1], [-1] * 3]),  # put into intervals
        ({"age": ["above_65", None]}, [[-1] * 2, [2, -1], [-1] * 2]),  # their names
    ],
)
def test_columns_and_states_are_matched_by_name(columns: Any, expected: list[list[int]]) -> None:
    assert codes(pl.DataFrame(columns)) == expected


def test_a_dataset_may_declare_other_states_in_another_order() -> None:
    table = dataset([[0, 1], [0, 2]], ["size", "age"], [["large", "small"], STATES[1]])
    assert codes(table) == [[1, 0], [0, 2], [-1, -1]]
    holes = dataset([[0, 2]], ["size"], [["large", "small"]], missing="available")
    assert codes(holes) == [[1, -1], [-1, -1], [-1, -1]]


def test_options_may_say_otherwise(tmp_path: Path) -> None:
    # Cut as the caller says: the names must be those of the network.
    read = ReadOptions(bins={"age": [18, 65]})
    assert codes(pl.DataFrame({"age": [1, 100]}), read)[1] == [0, 2]
    with pytest.raises(DataError, match="column 'age' has the state 'up_to_30', which the network"):
        codes(pl.DataFrame({"age": [1, 100]}), ReadOptions(bins={"age": [30]}))
    # The same options as for learning do no harm.
    learnt = ReadOptions(discretize="quantile", categorical=["size"], drop=["id"])
    frame = pl.DataFrame({"id": [1, 2], "age": [1.5, 30.0], "size": ["small", "large"]})
    assert codes(frame, learnt) == [[0, 1], [0, 1], [-1, -1]]
    path = tmp_path / "t.csv"
    path.write_text("size;age\nsmall;-\nlarge;20\n")
    assert codes(path, ReadOptions(missing_tokens=["-"])) == [[0, 1], [-1, 1], [-1, -1]]


def test_a_missing_value_can_be_a_state() -> None:
    frame = pl.DataFrame({"ok": ["yes", None]})
    assert codes(frame)[2] == [1, -1]
    assert codes(frame, ReadOptions(missing="state"))[2] == [1, 2]


@pytest.mark.parametrize(
    ("data", "read", "message"),
    [
        (
            pl.DataFrame({"ok": ["yes", None]}),
            ReadOptions(missing="drop"),
            'missing="drop" would drop rows: leave it out, since missing values are allowed here',
        ),
        (
            pl.DataFrame({"ok": ["yes", "maybe"]}),
            None,
            "column 'ok' has the value 'maybe', which is none of its states in the network "
            '(no, yes, missing): pass unseen="missing" to treat such values as missing',
        ),
        (dataset([[0]], ["ok"], [["no"]]), ReadOptions(), "read has no effect on a Dataset"),
        (
            np.array([[1, 2]]),
            None,
            "the table has none of the variables of the network: its columns",
        ),
    ],
)
def test_mistakes(data: Any, read: ReadOptions | None, message: str) -> None:
    with error(message, ForebearError):
        codes(data, read)
