"""Dataset: checks of its parts, states that are declared, options, and how it is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from expected import error

from forebear import Dataset, ForebearError, ForebearWarning, ReadOptions, as_dataset

WEATHER = pl.DataFrame(
    {
        "sky": ["sun", "rain", "sun", "cloud"],
        "wind": [3, 1, 2, 3],
        "warm": [True, False, True, True],
    }
)


class TestStates:
    def test_the_option(self) -> None:
        states = {
            "sky": ["sun", "cloud", "rain", "snow"],
            "wind": range(5),
            "warm": [True, False],
        }
        dataset = Dataset.from_frame(WEATHER, states=states)
        assert dataset.states[0] == ("sun", "cloud", "rain", "snow")
        assert dataset.states[1:] == (("0", "1", "2", "3", "4"), ("true", "false"))
        assert dataset.codes.tolist() == [[0, 2, 0, 1], [3, 1, 2, 3], [0, 1, 0, 0]]
        with error("has the value 'rain', which is not one of the states declared for"):
            Dataset.from_frame(WEATHER, states={"sky": ["sun"]})

    def test_constant_columns_are_kept_with_a_warning(self) -> None:
        frame = pl.DataFrame({"a": [1, 1], "b": [1, 2], "c": ["x", "x"]})
        for read in (Dataset.from_frame, as_dataset):
            match = r"2 columns have only one state \(a, c\)"
            with pytest.warns(ForebearWarning, match=match) as seen:
                assert read(frame).arities.tolist() == [1, 2, 1]
            assert seen[0].filename == __file__


class TestAsDataset:
    def test_a_dataset_is_itself(self) -> None:
        dataset = Dataset.from_frame(WEATHER)
        assert as_dataset(dataset) is dataset
        with error("missing has no effect on a Dataset, which is coded already"):
            as_dataset(dataset, missing="drop")
        with error("read has no effect on a Dataset"):
            as_dataset(dataset, ReadOptions())

    def test_other_tables(self) -> None:
        assert as_dataset(np.eye(2, dtype=bool), names=["a", "b"]).names == ("a", "b")
        with error("names is for arrays"):
            as_dataset(WEATHER, names=["a"])
        with error("a table is expected (a path, a list of paths, a file object, a data frame"):
            as_dataset(3)

    @pytest.mark.filterwarnings("ignore:.*left out:forebear.ForebearWarning")
    def test_read_options_as_an_object_or_one_by_one(self) -> None:
        frame = pl.DataFrame({"a": ["x", None, "y"], "b": [0.5, 1.5, 2.5]})
        read = ReadOptions(missing="drop", discretize="uniform", bins=2)
        whole = as_dataset(frame, read)
        assert whole.n_rows == 2
        bins: Any = np.int64(2)
        one_by_one = as_dataset(frame, missing="drop", discretize="uniform", bins=bins)
        assert one_by_one.fingerprint == whole.fingerprint
        with error("read and single options cannot be combined", ForebearError):
            as_dataset(frame, read, missing="drop")
        with error("read must be a ReadOptions object, got dict", ForebearError):
            as_dataset(frame, {"missing": "drop"})  # type: ignore[arg-type]
        with error("ReadOptions() has no parameter 'mising': did you mean missing?", ForebearError):
            as_dataset(frame, mising="drop")


class TestShown:
    def test_html_shows_the_first_rows_escaped(self) -> None:
        codes = np.tile([0, 1], (12, 4))
        names = ("<b>&\n", *(f"x{i}" for i in range(11)))
        page = Dataset(codes, names, (("<i>", "no"),) * 12)._repr_html_()
        assert page.count("<tr>") == 1 + 5 + 1
        assert page.count("<th>") == 10 + 1
        assert all(text in page for text in ("&lt;b&gt;&amp;", "&lt;i&gt;", "8 rows and 12 var"))
        assert "<i>" not in page
