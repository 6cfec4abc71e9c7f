"""Continuous columns: which count as such, and how they are cut into intervals."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from expected import error
from hypothesis import given
from hypothesis import strategies as st

from forebear.data.dataset import Dataset
from forebear.data.discretization import (
    as_numbers,
    cut_points,
    cuts_of,
    discretize_column,
    interval_names,
)
from forebear.data.raw_table import Column


def states_of(dataset: Dataset, name: str) -> tuple[str, ...]:
    return dataset.states[dataset.names.index(name)]


class TestContinuous:
    mixed = pl.DataFrame(
        {
            "code": [0, 1] * 50,
            "age": [float(i) + 0.5 for i in range(100)],
            "income": list(range(100)),
            "born": [
                datetime.datetime(2000, 1, 1) + datetime.timedelta(days=i) for i in range(100)
            ],
        }
    )

    def test_error_names_the_columns(self) -> None:
        with error(
            "3 of 4 columns look continuous (age, income, born): "
            'pass discretize="quantile", or name them in drop or categorical'
        ):
            Dataset.from_frame(self.mixed)

    @pytest.mark.parametrize("method", ["quantile", "uniform"])
    def test_discretize(self, method: Any) -> None:
        dataset = Dataset.from_frame(self.mixed, discretize=method, bins=4)
        assert dataset.arities.tolist() == [2, 4, 4, 4]
        for row in dataset.codes[1:]:
            assert np.bincount(row).tolist() == [25, 25, 25, 25]
            assert (np.diff(row.astype(int)) >= 0).all()
        assert states_of(dataset, "income")[:2] in (
            ("up_to_24", "from_24_to_49"),
            ("up_to_24.75", "from_24.75_to_49.5"),
        )
        assert states_of(dataset, "born")[0].startswith("up_to_2000-01-")

    def test_every_kind_of_time(self) -> None:
        days = [datetime.date(2024, 1, day) for day in (1, 11, 21, 31)]
        times = [datetime.time(hour) for hour in (0, 6, 12, 18)]
        spans = [datetime.timedelta(hours=hour) for hour in (1, 2, 3, 4)]
        frame = pl.DataFrame({"day": days, "time": times, "span": spans})
        dataset = Dataset.from_frame(frame, discretize="uniform", bins=2)
        assert (dataset.codes == [0, 0, 1, 1]).all()
        assert states_of(dataset, "day") == ("up_to_2024-01-16", "above_2024-01-16")
        assert states_of(dataset, "time")[0] == "up_to_09.00.00"
        assert states_of(dataset, "span") == ("up_to_2.30.00", "above_2.30.00")

    def test_pandas_times_and_decimals(self) -> None:
        when = pd.to_datetime(["2024-01-01", "2024-02-01"])
        frame = pd.DataFrame(
            {"a": when, "b": when.tz_localize("UTC"), "c": [Decimal(1), Decimal(2)]}
        )
        dataset = Dataset.from_frame(frame, discretize="uniform", bins=2)
        assert dataset.codes.tolist() == [[0, 1]] * 3
        assert Dataset.from_frame(pl.DataFrame({"c": [Decimal(1), Decimal(2)]})).arities == [2]

    @given(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40),
        st.integers(2, 8),
    )
    def test_quantile_bins_are_never_empty(self, values: list[float], bins: int) -> None:
        column = Column.of_series(pl.Series("a", values))
        places, states, _ = discretize_column(column, "quantile", bins)
        codes = places[column.codes]
        assert set(codes.tolist()) == set(range(len(states)))
        assert len(set(states)) == len(states) <= bins
        by_value = codes[np.argsort(values, kind="stable")]
        assert (np.diff(by_value) >= 0).all()

    @given(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40),
        st.integers(2, 8),
    )
    def test_quantiles_are_those_of_numpy(self, values: list[float], bins: int) -> None:
        shares = np.linspace(0, 1, bins + 1)[1:-1]
        expected = np.unique(np.quantile(values, shares, method="inverted_cdf"))
        distinct, counts = np.unique(values, return_counts=True)
        cuts = cut_points(distinct, "quantile", bins, counts)
        np.testing.assert_array_equal(cuts, expected[expected < max(values)])
        np.testing.assert_array_equal(cut_points(np.array(values), "quantile", bins), cuts)

    @given(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40),
        st.integers(2, 8),
    )
    def test_uniform_cuts_lie_inside(self, values: list[float], bins: int) -> None:
        numbers = np.array(values)
        cuts = cut_points(numbers, "uniform", bins)
        assert len(cuts) < bins
        assert ((cuts >= numbers.min()) & (cuts < numbers.max())).all()
        column = Column.of_series(pl.Series("a", values))
        _, states, _ = discretize_column(column, "uniform", bins)
        assert len(set(states)) == len(states) == len(cuts) + 1


class TestCutsOfNames:
    @given(
        # Nearer to the largest number, a rounded one would be infinite.
        st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=8, unique=True)
    )
    def test_names_state_their_cuts(self, values: list[float]) -> None:
        cuts = np.sort(values)
        cuts = cuts[np.diff(cuts, prepend=-np.inf) > 0]
        found = cuts_of(interval_names(cuts, pl.Float64()))
        assert found is not None
        np.testing.assert_allclose(found[1], cuts, rtol=1e-3)

    @given(st.lists(st.datetimes(), min_size=1, max_size=8, unique=True), st.booleans())
    def test_names_state_their_dates(self, moments: list[datetime.datetime], whole: bool) -> None:
        dates = {moment.date() for moment in moments}
        values = pl.Series(sorted(dates if whole else moments))
        cuts = as_numbers(values)
        found = cuts_of(interval_names(cuts, values.dtype))
        assert found is not None
        if not whole and found[0] == pl.Date:  # moments at midnight
            values = values.dt.date()
            cuts = as_numbers(values)
        assert found[0] == values.dtype
        np.testing.assert_array_equal(found[1], cuts)

    @pytest.mark.parametrize(
        "states",
        [
            ("any",),
            ("up_to_1", "yes"),
            ("up_to_1", "above_2"),
            ("up_to_1", "from_1_to_3", "above_2"),
            ("up_to_nan", "above_nan"),
            ("up_to_2024-01-32", "above_2024-01-32"),
            ("up_to_2024-01-02", "from_2024-01-02_to_2024-01-01", "above_2024-01-01"),
            ("up_to_12.30.00", "above_12.30.00"),
            ("up_to_", "above_"),
        ],
    )
    def test_other_names_state_none(self, states: tuple[str, ...]) -> None:
        assert cuts_of(states) is None
