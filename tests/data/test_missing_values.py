"""Dataset: missing values are dropped, kept, made a state or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from expected import error

from forebear._util.errors import FileError, ForebearError, ForebearWarning
from forebear.data.dataset import Dataset
from forebear.data.formats.arrays import read_arrays, write_arrays

if TYPE_CHECKING:
    from pathlib import Path


class TestMissing:
    holes = pl.DataFrame(
        {"a": [1, None, 2, 1], "b": [None, "missing", "x", "x"], "c": [True, True, False, None]}
    )

    def test_error_names_columns_and_counts(self) -> None:
        with error(
            '3 of 3 columns have missing values (a: 1, b: 1, c: 1): pass missing="em" to learn '
            'from all rows, missing="drop" to leave out those rows, or missing="state" to make '
            "missing values a state of their own"
        ):
            Dataset.from_frame(self.holes, missing="error")
        with error("1 of 1 column has missing values (a: 1)"):
            Dataset.from_frame(self.holes.select("a"), missing="error")

    def test_long_lists_are_cut(self) -> None:
        frame = pl.DataFrame({f"x{i}": [None, 1] for i in range(9)})
        with error("9 of 9 columns have missing values (x0: 1, x1: 1, x2: 1, x3: 1, x4: 1, ...)"):
            Dataset.from_frame(frame, missing="error")

    @pytest.mark.filterwarnings("ignore::forebear.ForebearWarning")
    def test_drop(self) -> None:
        dataset = Dataset.from_frame(self.holes, missing="drop")
        assert dataset.codes.tolist() == [[0], [0], [0]]
        assert dataset.states == (("2",), ("x",), ("false", "true"))

    def test_drop_may_leave_nothing(self) -> None:
        with error('every row has a missing value, so missing="drop" leaves no rows'):
            Dataset.from_frame(pl.DataFrame({"a": [1, None], "b": [None, 1]}), missing="drop")

    def test_state(self) -> None:
        dataset = Dataset.from_frame(self.holes, missing="state")
        assert dataset.states[0] == ("1", "2", "missing")
        assert dataset.states[1] == ("missing", "x", "missing_2")
        assert dataset.states[2] == ("false", "true", "missing")
        assert dataset.codes.tolist() == [[0, 2, 1, 0], [2, 0, 1, 1], [1, 1, 0, 2]]

    @pytest.mark.parametrize("way", ["available", "em"])
    def test_gaps_can_stay(self, way: Any) -> None:
        dataset = Dataset.from_frame(self.holes, missing=way)
        assert dataset.states == (("1", "2"), ("missing", "x"), ("false", "true"))
        assert dataset.codes.tolist() == [[0, 2, 1, 0], [2, 0, 1, 1], [1, 1, 0, 2]]
        assert dataset.missing == way
        assert dataset.has_missing
        assert dataset.missing_share == 0.25
        assert dataset.gaps.tolist() == (dataset.codes == 2).tolist()
        assert "missing: 25 % of the values" in repr(dataset)
        again = Dataset.from_frame(dataset.to_frame(), missing=way)
        assert again.fingerprint == dataset.fingerprint
        assert dataset.take(np.array([2])).has_missing is False
        assert dataset.select([1]).codes.tolist() == [[2, 0, 1, 1]]
        assert dataset.select([dataset.names[1]]).codes.tolist() == [[2, 0, 1, 1]]
        with pytest.raises(ForebearError, match='no variable is called "nobody"'):
            dataset.select(["nobody"])
        assert "<td></td>" in dataset._repr_html_()

    def test_a_table_without_gaps_is_the_same_in_every_way(self) -> None:
        frame = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})
        datasets = [Dataset.from_frame(frame, missing=way) for way in ("error", "em", "available")]
        assert len({dataset.fingerprint for dataset in datasets}) == 1
        assert not any(dataset.has_missing for dataset in datasets)

    def test_a_gap_needs_a_way(self) -> None:
        with error("column 'a' has a code outside 0 to 1"):
            Dataset(np.array([[0, 2]]), ("a",), (("x", "y"),))

    def test_256_states_and_a_gap_need_two_bytes(self) -> None:
        names = tuple(str(k) for k in range(256))
        dataset = Dataset(np.arange(257)[np.newaxis], ("a",), (names,), missing="available")
        assert dataset.codes.dtype == np.uint16

    def test_arrays_keep_gaps(self, tmp_path: Path) -> None:
        dataset = Dataset.from_frame(self.holes, missing="available")
        write_arrays(dataset, tmp_path / "t.npz")
        again = read_arrays(tmp_path / "t.npz")
        assert (again.missing, again.fingerprint) == ("available", dataset.fingerprint)

    def test_arrays_with_an_unknown_way_are_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "t.npz"
        write_arrays(Dataset.from_frame(self.holes, missing="available"), path)
        with np.load(path) as file:
            codes, about = file["codes"], file["about"].tobytes()
        about = about.replace(b'"available"', b'"weighted"')
        np.savez(path, codes=codes, about=np.frombuffer(about, np.uint8))
        ways = "error, drop, state, available, em"
        with error(f"{path}: missing must be one of {ways}, got 'weighted'", FileError):
            read_arrays(path)

    def test_state_only_where_values_are_missing(self) -> None:
        dataset = Dataset.from_frame(pl.DataFrame({"a": [1, 2], "b": ["x", None]}), missing="state")
        assert dataset.states == (("1", "2"), ("x", "missing"))

    @pytest.mark.parametrize("way", ["em", "available"])
    def test_a_column_without_values_is_refused(self, way: Any) -> None:
        frame = pl.DataFrame({"a": [None, None], "b": [1, 2], "c": [None, None]})
        with error("2 columns have no values (a, c): name them in drop"):
            Dataset.from_frame(frame, missing=way)
        with error("1 column has no values (a): name it in drop"):
            Dataset.from_frame(frame.select("a", "b"), missing=way)

    def test_state_of_an_empty_column(self) -> None:
        with pytest.warns(ForebearWarning, match=r"1 column has only one state \(a\)"):
            dataset = Dataset.from_frame(pl.DataFrame({"a": [None, None]}), missing="state")
        assert dataset.states == (("missing",),)

    def test_every_sign_of_missing(self) -> None:
        frames = [
            pd.DataFrame({"a": [1, 2, None]}),
            pd.DataFrame({"a": pd.array([1, 2, None], dtype="Int64")}),
            pd.DataFrame({"a": pd.Series([1, 2, float("nan")], dtype=object)}),
            pd.DataFrame({"a": pd.Series(["1", "2", pd.NA], dtype=object)}),
            pd.DataFrame({"a": pd.Series(["1", "2", None], dtype="str")}),
            pd.DataFrame({"a": pd.Categorical([1, 2, None])}),
            pl.DataFrame({"a": [1.0, 2.0, float("nan")]}),
            pa.table({"a": [1, 2, None]}),
            pa.table({"a": pa.array(["1", "2", None]).dictionary_encode()}),
        ]
        datasets = [Dataset.from_frame(frame, missing="state") for frame in frames]
        arrays: list[Any] = [
            np.array([[1.0], [2.0], [np.nan]]),
            np.array([[1], [2], [None]], dtype=object),
            np.ma.masked_equal(np.array([[1], [2], [9]]), 9),
        ]
        datasets += [Dataset.from_array(array, ["a"], missing="state") for array in arrays]
        for dataset in datasets:
            assert dataset.states == (("1", "2", "missing"),)
            assert dataset.codes.tolist() == [[0, 1, 2]]

    def test_wrong_option(self) -> None:
        ways = "error, drop, state, available, em"
        with error(f"missing must be one of {ways}, got 'weighted'", ForebearError):
            Dataset.from_frame(self.holes, missing="weighted")  # type: ignore[arg-type]
