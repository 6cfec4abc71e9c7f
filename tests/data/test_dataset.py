"""Dataset: frames and arrays of every kind become the same codes, or one clear error."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from expected import error
from hypothesis import given
from hypothesis import strategies as st

from forebear._util.errors import ForebearError, ForebearWarning
from forebear.data.dataset import Dataset, as_dataset
from forebear.data.distinct import natural_key
from forebear.data.reading import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

WEATHER: dict[str, list[Any]] = {
    "sky": ["sun", "rain", "sun", "cloud"],
    "wind": [3, 1, 2, 3],
    "warm": [True, False, True, True],
}


def dropped() -> Any:
    return pytest.warns(ForebearWarning, match="left out")


class TestValidation:
    def test_codes_are_stored_small_and_contiguous(self) -> None:
        dataset = Dataset(np.array([[0, 1], [2, 0]]).T.T, ("a", "b"), (("x", "y"), ("p", "q", "r")))
        assert dataset.codes.dtype == np.uint8
        assert dataset.codes.flags.c_contiguous
        assert dataset.arities.tolist() == [2, 3]
        assert (dataset.n_variables, dataset.n_rows) == (2, 2)

    def test_lists_are_as_good_as_tuples(self) -> None:
        given: Any = ([[0, 1]], ["a"], [["x", "y"]])
        same = Dataset(np.array([[0, 1]]), ("a",), (("x", "y"),))
        assert Dataset(*given).fingerprint == same.fingerprint

    @pytest.mark.parametrize(("arity", "dtype"), [(256, np.uint8), (257, np.uint16)])
    def test_type_of_codes(self, arity: int, dtype: type) -> None:
        states = tuple(map(str, range(arity)))
        assert Dataset(np.array([[arity - 1, 0]]), ("a",), (states,)).codes.dtype == dtype

    @pytest.mark.parametrize(
        ("codes", "names", "states", "message"),
        [
            ([[0]], ("a", "b"), (("x",),), "the codes have 1 variable, but there are 2 names"),
            (
                [0],
                ("a",),
                (("x",),),
                "codes must have two dimensions, variables by rows, got 1 dimension",
            ),
            ([[0.5]], ("a",), (("x",),), "codes must be integers, got float64"),
            (
                [[2]],
                ("a",),
                (("x", "y"),),
                "'a' has a code outside 0 to 1, the indices of its states",
            ),
            ([[-1]], ("a",), (("x", "y"),), "column 'a' has a code outside 0 to 1"),
            (
                [[0], [0]],
                ("a", "a"),
                (("x",),) * 2,
                "several columns have the same name (a): rename them",
            ),
            ([[0]], ("a",), ((),), "column 'a' has no states"),
            ([[0]], ("a",), (("x", "x"),), "column 'a' has several states called x"),
            (np.empty((1, 0), int), ("a",), (("x",),), "the table has no rows"),
            (np.empty((0, 1), int), (), (), "the table has no columns"),
        ],
    )
    def test_errors(self, codes: Any, names: Any, states: Any, message: str) -> None:
        with error(message):
            Dataset(np.asarray(codes), names, states)

    def test_too_many_states(self) -> None:
        ids = [f"id-{i}" for i in range(65_536)]
        with error("column 'who' has 65,536 states, more than the limit of 65,535: it looks"):
            Dataset.from_frame(pl.DataFrame({"who": ids}))
        assert Dataset.from_frame(pl.DataFrame({"who": ids[:-1]})).codes.dtype == np.uint16


class TestStates:
    @pytest.mark.parametrize("first", [2**64 - 2, 10**26, 10**60])
    def test_numbers_beyond_64_bits_stay_apart(self, tmp_path: Path, first: int) -> None:
        texts = [str(first), str(first + 1)]
        (tmp_path / "t.csv").write_text("\n".join(["a,b", f"{texts[0]},1", f"{texts[1]},2"]))
        assert as_dataset(tmp_path / "t.csv").states == (tuple(texts), ("1", "2"))

    @pytest.mark.parametrize("first", [2**53, 2**64 - 2, 10**26, 10**60])
    @pytest.mark.parametrize("other", [7, None, 1.5])
    def test_numbers_as_objects_stay_apart(self, first: int, other: float | None) -> None:
        values = [first, first + 1, other]
        frame = pd.DataFrame({"a": pd.Series(values, dtype=object), "b": [1, 2, 2]})
        array = np.array(list(zip(values, [1, 2, 2], strict=True)), dtype=object)
        for read, table in ((Dataset.from_frame, frame), (Dataset.from_array, array)):
            made = read(table, missing="state")
            assert {str(first), str(first + 1)} <= set(made.states[0])

    def test_large_numbers_of_exact_types_stay_apart(self) -> None:
        values = [2**60, 2**60 + 1, None]
        for column in (
            pd.DataFrame({"a": pd.Series(values, dtype="Int64")}),
            pl.DataFrame({"a": pl.Series(values, dtype=pl.Decimal(38, 0))}),
        ):
            made = Dataset.from_frame(column, missing="state")
            assert made.states == ((str(2**60), str(2**60 + 1), "missing"),)

    def test_short_numbers_of_a_long_type(self) -> None:
        frame = pl.DataFrame({"a": pl.Series([2, None, 1], dtype=pl.Int128), "b": [1, 2, 1]})
        assert Dataset.from_frame(frame, missing="state").states[0] == ("1", "2", "missing")

    def test_weather(self) -> None:
        dataset = Dataset.from_frame(pl.DataFrame(WEATHER))
        assert dataset.names == ("sky", "wind", "warm")
        assert dataset.states == (("cloud", "rain", "sun"), ("1", "2", "3"), ("false", "true"))
        assert dataset.codes.tolist() == [[2, 1, 2, 0], [2, 0, 1, 2], [1, 0, 1, 1]]

    def test_every_library_gives_the_same_dataset(self) -> None:
        table = pl.DataFrame(WEATHER)
        array = np.array(list(zip(*WEATHER.values(), strict=True)), dtype=object)
        same = [
            table,
            table.lazy(),
            table.to_arrow(),
            pd.DataFrame(WEATHER),
            pd.DataFrame(WEATHER).convert_dtypes(),
            pd.DataFrame(WEATHER, dtype=object),
            pd.DataFrame(WEATHER).astype({"wind": float}),
        ]
        prints = {as_dataset(frame).fingerprint for frame in same}
        prints.add(Dataset.from_array(array, names=list(WEATHER)).fingerprint)
        assert prints == {Dataset.from_frame(table).fingerprint}

    def test_declared_categories_are_kept_in_their_order(self) -> None:
        order, values = ["low", "mid", "high"], ["high", "low", "low"]
        polars = pl.DataFrame({"c": pl.Series(values, dtype=pl.Enum(order))})
        pandas = pd.DataFrame({"c": pd.Categorical(values, categories=order)})
        ordered = pd.DataFrame({"c": pd.Categorical(values, categories=order, ordered=True)})
        arrow = pa.table({"c": pa.DictionaryArray.from_arrays(pa.array([2, 0, 0]), order)})
        for frame in (polars, pandas, ordered, arrow):
            dataset = Dataset.from_frame(frame)
            assert dataset.states == (("low", "mid", "high"),)
            assert dataset.codes.tolist() == [[2, 0, 0]]

    def test_polars_categoricals_declare_nothing(self) -> None:
        frame = pl.DataFrame({"c": pl.Series(["b", "a", "b"], dtype=pl.Categorical)})
        assert Dataset.from_frame(frame).states == (("a", "b"),)

    def test_arrow_dictionaries_that_differ_between_chunks(self) -> None:
        chunks = [pa.array(["x", "y"]), pa.array(["z", None])]
        column = pa.chunked_array([chunk.dictionary_encode() for chunk in chunks])
        dataset = Dataset.from_frame(pa.table({"c": column}), missing="state")
        assert dataset.states == (("x", "y", "z", "missing"),)
        assert dataset.codes.tolist() == [[0, 1, 2, 3]]

    def test_categories_that_are_not_text(self) -> None:
        frame = pd.DataFrame({"c": pd.Categorical([2, 0, 2], categories=[0, 1, 2])})
        frame["d"] = pd.cut([0.1, 0.9, 0.2], [0, 0.5, 1])
        dataset = Dataset.from_frame(frame)
        assert dataset.states == (("0", "1", "2"), ("(0.0, 0.5]", "(0.5, 1.0]"))
        assert dataset.codes.tolist() == [[2, 0, 2], [0, 1, 0]]

    def test_categories_with_one_name(self) -> None:
        frame = pd.DataFrame({"c": pd.Categorical([1, "1"], categories=[1, "1"])})
        with error("column 'c' has several states called 1"):
            Dataset.from_frame(frame)

    def test_both_booleans_are_declared(self) -> None:
        assert Dataset.from_array(np.ones((3, 1), dtype=bool)).states == (("false", "true"),)

    def test_natural_order(self) -> None:
        texts = ["x10", "b", "10", "x2", "-1", "2", "1e3", "a", "x2b"]
        assert sorted(texts, key=natural_key) == [
            *("-1", "2", "10", "1e3"),
            *("a", "b", "x2", "x2b", "x10"),
        ]

    def test_states_option(self) -> None:
        dataset = Dataset.from_frame(
            pl.DataFrame(WEATHER),
            states={
                "sky": ["sun", "cloud", "rain", "snow"],
                "wind": range(5),
                "warm": [True, False],
            },
        )
        assert dataset.states[0] == ("sun", "cloud", "rain", "snow")
        assert dataset.states[1:] == (("0", "1", "2", "3", "4"), ("true", "false"))
        assert dataset.codes.tolist() == [[0, 2, 0, 1], [3, 1, 2, 3], [0, 1, 0, 0]]

    def test_states_option_on_declared_and_continuous_columns(self) -> None:
        day = datetime.date(2024, 5, 1)
        frame = pl.DataFrame(
            {"c": pl.Series(["a"], dtype=pl.Enum(["z", "a"])), "f": [0.5], "d": [day]}
        )
        dataset = Dataset.from_frame(
            frame, states={"c": ["b", "a"], "f": [0.5, 1.0], "d": [day, "later"]}
        )
        assert dataset.states == (("b", "a"), ("0.5", "1"), ("2024-05-01", "later"))
        assert dataset.codes.tolist() == [[1], [0], [0]]

    def test_states_option_errors(self) -> None:
        frame = pl.DataFrame(WEATHER)
        with error(
            "column 'sky' has the value 'rain', which is not one of the states declared for it (sun"
        ):
            Dataset.from_frame(frame, states={"sky": ["sun"]})
        with error("states names columns that the table lacks: sea"):
            Dataset.from_frame(frame, states={"sea": ["blue"]})
        with error("column 'sky' has several states called sun"):
            Dataset.from_frame(frame, states={"sky": ["sun", "rain", "cloud", "sun"]})

    def test_constant_columns_are_kept_with_a_warning(self) -> None:
        with pytest.warns(ForebearWarning, match=r"2 columns have only one state \(a, c\)") as seen:
            dataset = Dataset.from_frame(pl.DataFrame({"a": [1, 1], "b": [1, 2], "c": ["x", "x"]}))
        assert dataset.arities.tolist() == [1, 2, 1]
        assert seen[0].filename == __file__

    def test_types_without_states(self) -> None:
        with error(
            "column 'a' has the type List(Int64), which has no discrete states: name it in drop"
        ):
            Dataset.from_frame(pl.DataFrame({"a": [[1], [2]]}))
        with error("column '0' has the type complex128"):
            Dataset.from_array(np.ones((2, 1), dtype=complex))

    @given(st.lists(st.text(st.characters(codec="utf-8"), max_size=5), min_size=1, max_size=20))
    def test_states_and_codes_give_back_the_values(self, values: list[str]) -> None:
        frame = pl.DataFrame({"a": values, "b": pl.Series([True] * len(values))})
        dataset = Dataset.from_frame(frame, states={"a": sorted({*values, "spare"})})
        assert [dataset.states[0][code] for code in dataset.codes[0]] == values
        assert dataset.to_frame()["a"].cast(pl.String).to_list() == values


class TestArrays:
    def test_names_default_to_places(self) -> None:
        dataset = Dataset.from_array(np.array([[0, 5], [1, 7], [0, 5]]))
        assert dataset.names == ("0", "1")
        assert dataset.states == (("0", "1"), ("5", "7"))
        assert dataset.codes.tolist() == [[0, 1, 0], [0, 1, 0]]

    @pytest.mark.parametrize(
        "array",
        [
            np.array([["1"], ["2"], ["10"]]),
            np.array([[b"1"], [b"2"], [b"10"]]),
            np.array([["1"], [2], [10.0]], dtype=object),
            np.array([[1], [2], [10]], dtype=np.int8),
            np.array([[1], [2], [10]], dtype=np.uint64),
            np.array([[1], [2], [10]], dtype=np.float16),
            np.array([[1], [2], [10]], dtype=np.longdouble),
        ],
    )
    def test_types(self, array: Any) -> None:
        dataset = Dataset.from_array(array)
        assert dataset.states == (("1", "2", "10"),)
        assert dataset.codes.tolist() == [[0, 1, 2]]

    def test_extreme_integers(self) -> None:
        array = np.array([[-(2**63)], [2**63 - 1]])
        assert Dataset.from_array(array).states == ((str(-(2**63)), str(2**63 - 1)),)
        array = np.array([[-(2**70)], [2**70]], dtype=object)
        assert Dataset.from_array(array).states == ((str(-(2**70)), str(2**70)),)

    def test_errors(self) -> None:
        with error("an array must have two dimensions, rows by columns, got 1 dimension"):
            Dataset.from_array(np.arange(3))
        with error("3 names given for 2 columns: give one name per column"):
            Dataset.from_array(np.zeros((1, 2)), names=["a", "b", "c"])
        with error("several columns have the same name (a): rename them"):
            Dataset.from_array(np.zeros((1, 2)), names=["a", "a"])
        with error("the table has no rows"):
            Dataset.from_array(np.zeros((0, 2)))
        with error("the table has no columns"):
            Dataset.from_array(np.zeros((2, 0)))


class TestAsDataset:
    def test_a_dataset_is_itself(self) -> None:
        dataset = Dataset.from_frame(pl.DataFrame(WEATHER))
        assert as_dataset(dataset) is dataset

    def test_arrays_and_options(self) -> None:
        assert as_dataset(np.eye(2, dtype=bool), names=["a", "b"]).names == ("a", "b")

    def test_read_options_as_an_object_or_one_by_one(self) -> None:
        frame = pl.DataFrame({"a": ["x", None, "y"], "b": [0.5, 1.5, 2.5]})
        read = ReadOptions(missing="drop", discretize="uniform", bins=2)
        with dropped():
            whole = as_dataset(frame, read)
        assert whole.n_rows == 2
        bins: Any = np.int64(2)
        with dropped():
            one_by_one = as_dataset(frame, missing="drop", discretize="uniform", bins=bins)
        assert one_by_one.fingerprint == whole.fingerprint
        with error("read and single options cannot be combined", ForebearError):
            as_dataset(frame, read, missing="drop")
        with error("read must be a ReadOptions object, got dict", ForebearError):
            as_dataset(frame, {"missing": "drop"})  # type: ignore[arg-type]

    def test_options_that_would_have_no_effect(self) -> None:
        dataset = Dataset.from_frame(pl.DataFrame(WEATHER))
        with error("missing has no effect on a Dataset, which is coded already"):
            as_dataset(dataset, missing="drop")
        with error("read has no effect on a Dataset"):
            as_dataset(dataset, ReadOptions())
        with error("names is for arrays"):
            as_dataset(pl.DataFrame(WEATHER), names=["a"])
        with error("header is for text files"):
            as_dataset(pl.DataFrame(WEATHER), header=True)

    def test_unknown_options(self) -> None:
        with error("ReadOptions() has no parameter 'mising': did you mean missing?", ForebearError):
            as_dataset(pl.DataFrame(WEATHER), mising="drop")  # type: ignore[call-arg]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (
                {"missing": "ignore"},
                "missing must be one of error, drop, state, available, em, got 'ignore'",
            ),
            ({"discretize": "k"}, "discretize must be one of quantile, uniform, learned, got 'k'"),
            ({"bins": 1.5}, "bins must be a whole number, got 1.5"),
            ({"bins": {"a": 1}, "discretize": "uniform"}, "bins must be at least 2, got 1"),
            ({"states": ["a"]}, "states must be a dictionary from column to states, got list"),
            ({"states": {"a": "xy"}}, "states of column 'a' must be a list, got 'xy'"),
            ({"header": "yes"}, "header must be True, False or None, got 'yes'"),
        ],
    )
    def test_options_are_checked_when_made(self, options: Any, message: str) -> None:
        with error(message, ForebearError):
            ReadOptions(**options)

    def test_anything_else(self) -> None:
        with error("a table is expected (a path, a data frame, a 2-D array or a Dataset), got int"):
            as_dataset(3)
        with error("a data frame is expected, got list"):
            Dataset.from_frame([1, 2])

    def test_frames_without_rows_or_columns(self) -> None:
        with error("the table has no columns"):
            as_dataset(pd.DataFrame())
        with error("the table has no rows"):
            as_dataset(pl.DataFrame({"a": []}))

    def test_pandas_names(self) -> None:
        frame = pd.DataFrame([[0, 1], [1, 0]])
        assert as_dataset(frame).names == ("0", "1")
        frame.columns = ["a", "a"]
        with error("several columns have the same name (a): rename them"):
            as_dataset(frame)


class TestShown:
    def test_repr_is_facts(self) -> None:
        codes = np.zeros((12, 7000), dtype=np.int64)
        states = (("a", "b"),) * 11 + (("a", "b", "c"),)
        dataset = Dataset(codes, tuple(f"x{i}" for i in range(12)), states)
        assert repr(dataset).splitlines() == [
            "Dataset with 7,000 rows and 12 variables",
            "  variables: x0, x1, x2, x3, x4, ...",
            "  states: 2 to 3 per variable",
        ]

    def test_html_shows_the_first_rows_escaped(self) -> None:
        codes = np.tile([0, 1], (12, 4))
        names = ("<b>&\n", *(f"x{i}" for i in range(11)))
        page = Dataset(codes, names, (("<i>", "no"),) * 12)._repr_html_()
        assert page.count("<tr>") == 1 + 5 + 1
        assert page.count("<th>") == 10 + 1
        assert "&lt;b&gt;&amp;" in page
        assert "&lt;i&gt;" in page
        assert "<i>" not in page
        assert "8 rows and 12 variables" in page
