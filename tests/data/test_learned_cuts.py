"""Learned cuts: the best of all for a fixed network, in every way to read a table."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import Dataset, ForebearError
from forebear.data.learned_cuts import (
    Continuous,
    Discrete,
    Term,
    best_cuts,
    cut_cost,
    cut_finely,
    joint_cells,
    learn_cuts,
)


def log_likelihood(child: np.ndarray[Any, Any], given_: list[np.ndarray[Any, Any]]) -> float:
    """Of a column given others, by counting row by row."""
    pairs: dict[Any, int] = {}
    alone: dict[Any, int] = {}
    for row, state in enumerate(child.tolist()):
        key = tuple(int(own[row]) for own in given_)
        pairs[key, state] = pairs.get((key, state), 0) + 1
        alone[key] = alone.get(key, 0) + 1
    return float(sum(n * np.log(n / alone[key]) for (key, _), n in pairs.items()))


@given(st.integers(0, 2**31), st.integers(4, 40), st.integers(2, 4))
def test_the_best_of_all_cuts(seed: int, rows: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 12, rows) / 2 if seed % 2 else rng.normal(size=rows)
    parent, other, child = (rng.integers(0, k, rows) for k in (2, 3, 2))
    pieces = cut_finely(x, places=6)
    parameters = (-2.0, 2.0 + 3 * 1)
    terms = [
        Term(parent, 1),
        Term(joint_cells([other, child], [3, 2], [0, 1]), 1),
        Term(other, -1),
    ]
    found = best_cuts(pieces, terms, parameters, most)

    def score(cuts: np.ndarray[Any, Any]) -> float:
        codes = np.searchsorted(cuts, x, side="left")
        edges = np.concatenate([[x.min()], cuts, [x.max()]])
        density = -np.log(np.diff(edges)[codes]).sum()
        told = log_likelihood(codes, [parent]) + log_likelihood(child, [codes, other])
        cost = cut_cost(len(cuts) + 1, len(pieces.cuts), rows, parameters)
        return float(told + density - cost)

    if len(pieces.cuts) == 0:
        assert len(found) == 0
        return
    every = [
        pieces.cuts[list(chosen)]
        for k in range(1, min(most, len(pieces.cuts) + 1))
        for chosen in combinations(range(len(pieces.cuts)), k)
    ]
    assert 1 <= len(found) < most
    assert score(found) == pytest.approx(max(map(score, every)), abs=1e-8)


def test_cuts_are_where_the_dependence_changes() -> None:
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 1, 2000)
    state = (x > 0.62).astype(np.int64)
    cuts = learn_cuts([Discrete(state, 2), Continuous(x, 12)])
    assert list(cuts) == [1]
    assert np.abs(cuts[1] - 0.62).min() < 0.02


def test_places_between_values_that_repeat() -> None:
    pieces = cut_finely(np.array([0.0] * 90 + [1.0] * 5 + [2.0] * 5))
    assert pieces.cuts.tolist() == [0.5, 1.5]
    assert np.bincount(pieces.of_rows).tolist() == [90, 5, 5]
    assert cut_finely(np.array([3.0, 3.0])).cuts.tolist() == []
    close = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert cut_finely(close).cuts.tolist() == []  # nothing lies between


def mixed(rows: int = 400, seed: int = 3) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, rows)
    x = rng.normal(4 * kind, 1.0)
    y = np.where(x > 2, rng.normal(5, 1, rows), rng.exponential(1, rows))
    return pl.DataFrame({"kind": kind, "x": x, "y": y})


def test_tables_are_cut_as_learnt() -> None:
    table = Dataset.from_frame(mixed(), discretize="learned")
    assert table.states[0] == ("0", "1")
    assert all(2 <= arity <= 12 for arity in table.arities[1:])
    assert table.states[1][0].startswith("up_to_")
    assert Dataset.from_frame(mixed(), discretize="learned").fingerprint == table.fingerprint
    few = Dataset.from_frame(mixed(), discretize="learned", bins={"y": 2, None: 3})
    assert (few.arities[1:] <= [3, 2]).all()
    own = Dataset.from_frame(mixed(), discretize="learned", bins={"y": [1.0, 4.0]})
    assert own.states[2] == ("up_to_1", "from_1_to_4", "above_4")


def test_missing_values_and_dates() -> None:
    frame = mixed().with_columns(
        pl.when(pl.col("kind") == 0).then(None).otherwise(pl.col("y")).alias("y"),
        pl.Series("day", range(400)).cast(pl.Int32).cast(pl.Date),
    )
    table = Dataset.from_frame(frame, discretize="learned", missing="state")
    assert table.states[2][-1] == "missing"
    assert (table.codes[2] == table.arities[2] - 1).sum() == (frame["kind"] == 0).sum()
    assert table.states[3][0].startswith("up_to_197")
    with pytest.raises(ForebearError, match="column 'x' has infinite values"):
        Dataset.from_frame(pl.DataFrame({"x": [0.5, float("inf")]}), discretize="learned")


@pytest.mark.filterwarnings("ignore::forebear.ForebearWarning")
def test_columns_with_few_values() -> None:
    frame = pl.DataFrame({"a": [0.5, 0.5, 0.5], "b": [0.5, 1.5, 0.5]})
    table = Dataset.from_frame(frame, discretize="learned")
    assert table.states == (("any",), ("up_to_1", "above_1"))
