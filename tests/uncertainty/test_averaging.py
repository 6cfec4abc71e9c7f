"""Averages of networks: against brute force, at the edges, and as a network."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import naive_averages
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results import random_dag
from strategies import networks

from forebear import (
    Dataset,
    ForebearError,
    ForebearWarning,
    averaged_network,
    bootstrap_averages,
    learn,
    simulate,
)
from forebear.learning.bootstrap import resampled
from forebear.learning.dispatch import learn_table
from forebear.uncertainty.averaging import average

NAMES = ("a", "b", "c", "d")
CHAIN = ((), (0,), (1,), (2,))
FORK = ((), (0,), (0,), (0,))
COLLIDER = ((), (), (), (0, 1, 2))


@st.composite
def weighted_networks(draw: st.DrawFn) -> tuple[list[Any], list[int]]:
    """Draw networks over the same variables with whole weights, some of them 0."""
    n = draw(st.integers(1, 5))
    drawn = draw(st.lists(networks(max_variables=n, min_variables=n), min_size=1, max_size=6))
    weights = draw(st.lists(st.integers(0, 3), min_size=len(drawn), max_size=len(drawn)))
    return [network.parents for network in drawn], [max(weights[0], 1), *weights[1:]]


@settings(max_examples=200, deadline=None)
@given(weighted_networks())
def test_averages_are_the_naive_ones(drawn: tuple[list[Any], list[int]]) -> None:
    found, weights = drawn
    averages = average([f"X{v}" for v in range(len(found[0]))], found, [float(w) for w in weights])
    expected = naive_averages.feature_probabilities(found, [Fraction(w) for w in weights])
    for ours, theirs in zip(
        (averages.arcs, averages.edges, averages.blankets), expected, strict=True
    ):
        assert ours.keys() == {pair for pair, share in theirs.items() if share}
        for pair, share in theirs.items():
            assert ours.get(pair, 0.0) == pytest.approx(float(share))
            # What all networks have is certain, to the last bit.
            assert (ours.get(pair) == 1.0) == (share == 1)
    assert averages.n_networks == len(found)
    squares = sum(w * w for w in weights)
    assert averages.effective == pytest.approx(sum(weights) ** 2 / squares)


@settings(max_examples=200, deadline=None)
@given(weighted_networks(), st.floats(0.05, 1.0))
def test_the_averaged_network(drawn: tuple[list[Any], list[int]], threshold: float) -> None:
    """It has exactly the edges above the threshold, each the more probable way if it can."""
    found, weights = drawn
    averages = average([f"X{v}" for v in range(len(found[0]))], found, [float(w) for w in weights])
    made = averaged_network(averages, threshold)
    assert set(made.skeleton()) == {e for e, share in averages.edges.items() if share >= threshold}
    n = len(averages.names)
    assert set(made.arcs) == naive_averages.averaged_arcs(
        n, averages.arcs, averages.edges, threshold
    )


def test_names_and_indices() -> None:
    averages = average(NAMES, [CHAIN, FORK, COLLIDER], [3.0, 1.0, 3.0])
    assert averages.arc("a", "b") == pytest.approx(4 / 7)
    assert averages.arc("b", "a") == 0.0
    assert averages.edge("b", "a") == pytest.approx(4 / 7)
    assert averages.arc(0, 3) == pytest.approx(4 / 7)
    assert averages.blanket("d", "a") == pytest.approx(4 / 7)
    assert averages.blanket("a", "b") == 1.0
    assert averages.effective == pytest.approx(49 / 19)
    with pytest.raises(ForebearError, match='no variable is called "e"'):
        averages.arc("e", "a")


def test_one_network() -> None:
    averages = average(NAMES, [CHAIN], [1.0])
    assert set(averages.arcs.values()) == {1.0}
    assert averages.effective == averages.n_networks == 1
    assert averaged_network(averages, 1.0).parents == CHAIN


def test_ties() -> None:
    averages = average(NAMES, [CHAIN, COLLIDER], [1.0, 1.0])
    assert set(averages.arcs.values()) == {0.5, 1.0}
    assert set(averaged_network(averages).arcs) == {(0, 1), (1, 2), (2, 3), (0, 3), (1, 3)}
    assert averaged_network(averages, 0.51).arcs == ((2, 3),)


def test_cycles_are_broken_where_they_are_least_sure() -> None:
    """Three arcs of two thirds make a cycle: the last one is turned round."""
    found = [((), (0,), (1,)), ((2,), (), (1,)), ((2,), (0,), ())]
    averages = average(NAMES[:3], found, [3.0, 2.0, 2.5])
    assert averages.arc(0, 1) > averages.arc(1, 2) > averages.arc(2, 0) > 0.5
    assert averaged_network(averages).arcs == ((0, 1), (0, 2), (1, 2))


def test_what_cannot_be_averaged() -> None:
    with pytest.raises(ForebearError, match="a positive weight"):
        average(NAMES, [CHAIN], [0.0])
    averages = average(NAMES, [CHAIN], [1.0])
    for threshold in (0.0, -1.0, 1.1):
        with pytest.raises(ForebearError, match=r"threshold must be in \(0, 1\]"):
            averaged_network(averages, threshold)
    with pytest.raises(ForebearError, match="threshold must be a number, got nan"):
        averaged_network(averages, math.nan)


def test_the_frame() -> None:
    frame = average(NAMES, [CHAIN, FORK], [3.0, 1.0]).to_frame()
    assert frame.columns == ["parent", "child", "probability", "either_direction"]
    assert frame.row(0) == ("a", "b", 1.0, 1.0)
    shares = frame["probability"].to_list()
    assert all(before >= after for before, after in pairwise(shares))
    assert average(NAMES, [((),) * 4], [1.0]).to_frame().is_empty()


def test_many_variables() -> None:
    found = [random_dag(900, 3, seed=seed).parents for seed in range(20)]
    averages = average(random_dag(900, 3).names, found, [1.0] * 20)
    assert len(averaged_network(averages, 0.05).arcs) == len(averages.edges)


@pytest.fixture(scope="module")
def data() -> Dataset:
    return simulate(6, 300, max_parents=2, seed=3).data


def test_resampled_rows(data: Dataset) -> None:
    drawn = resampled(data, np.random.default_rng(1))
    assert (drawn.names, drawn.states, drawn.n_rows) == (data.names, data.states, data.n_rows)
    rows = {tuple(row) for row in data.codes.T.tolist()}
    assert {tuple(row) for row in drawn.codes.T.tolist()} <= rows
    assert not np.array_equal(drawn.codes, data.codes)


def test_the_bootstrap(data: Dataset) -> None:
    seen: list[Any] = []
    about: dict[str, Any] = {"replicates": 6, "generations": 2, "max_parents": 2, "seed": 7}
    averages = bootstrap_averages(data, **about, on_replicate=lambda n, r: seen.append((n, r)))
    assert [number for number, _ in seen] == [1, 2, 3, 4, 5, 6]
    assert averages.n_networks == averages.effective == 6
    expected = naive_averages.feature_probabilities(
        [r.network.parents for _, r in seen], [Fraction(1)] * 6
    )
    for ours, theirs in zip(
        (averages.arcs, averages.edges, averages.blankets), expected, strict=True
    ):
        assert ours == pytest.approx(
            {pair: float(share) for pair, share in theirs.items() if share}
        )
    assert len({r.network for _, r in seen}) > 1
    again = bootstrap_averages(data, **about, threads=2)
    assert again.arcs == averages.arcs
    assert bootstrap_averages(data, **{**about, "seed": 8}).arcs != averages.arcs


def test_the_bootstrap_keeps_to_its_time(data: Dataset) -> None:
    averages = bootstrap_averages(data.codes.T, replicates=3, time_limit=1.5, max_parents=1)
    assert averages.n_networks == 3


def test_an_interrupted_bootstrap(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def interrupted(*args: Any, **options: Any) -> Any:
        result = learn(*args, **options)
        made.append(result)
        return replace(result, stop_reason="interrupted") if len(made) % 3 == 0 else result

    monkeypatch.setattr("forebear.learning.bootstrap.learn", interrupted)
    with pytest.warns(ForebearWarning, match="interrupted: the averages are of 2 of 5 networks"):
        averages = bootstrap_averages(data, replicates=5, generations=1, seed=1)
    assert (averages.n_networks, averages.requested, len(made)) == (2, 5, 3)
    assert averages.stop_reason == "interrupted"
    assert repr(averages).startswith("Averages of 2 of 5 networks (interrupted) of ")
    del made[:1]
    with pytest.raises(KeyboardInterrupt):
        bootstrap_averages(data, replicates=5, generations=1, seed=1)


def test_an_interrupt_before_a_replicate_has_a_network_keeps_the_others(
    data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    def interrupted(*args: Any, **options: Any) -> Any:
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(learn(*args, **options))
        return made[-1]

    monkeypatch.setattr("forebear.learning.bootstrap.learn", interrupted)
    with pytest.warns(ForebearWarning, match="2 of 5 networks"):
        assert bootstrap_averages(data, replicates=5, generations=1, seed=1).n_networks == 2


def test_only_the_bootstrap_itself_warns(data: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def interrupted(*args: Any, **options: Any) -> Any:
        made.append(learn_table(*args, **options))
        return replace(made[-1], stop_reason="interrupted" if len(made) > 1 else "time")

    monkeypatch.setattr("forebear.learning.learn.learn_table", interrupted)
    with pytest.warns(ForebearWarning) as warned:
        averages = bootstrap_averages(data, replicates=4, generations=1, seed=1)
    assert averages.n_networks == 1
    assert [str(one.message) for one in warned] == [
        "interrupted: the averages are of 1 of 4 networks"
    ]
    assert warned[0].filename == __file__


def test_averages_are_shown_in_short(data: Dataset) -> None:
    averages = bootstrap_averages(data, replicates=2, generations=1, seed=1)
    assert averages.stop_reason == "replicates"
    shown = repr(averages)
    assert shown.startswith(f"Averages of 2 networks of {data.n_variables} variables\n  arcs: ")
    assert "most probable: " in shown
    assert len(shown) < 500
    assert "<th>either direction</th>" in averages._repr_html_()
    empty = average(("a", "b"), [((), ())], [1.0])
    assert repr(empty).endswith("arcs: 0, of which 0 have a probability of at least 0.5")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replicates": 0}, "replicates must be at least 1"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"time_limit": 0.0}, "time_limit must be positive"),
        ({"cache": "folder"}, "leave cache out"),
        ({"checkpoint": "file"}, "leave checkpoint out"),
        ({"speed": 11}, "has no parameter 'speed'"),
    ],
)
def test_mistakes_of_the_bootstrap(data: Dataset, options: Any, message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        bootstrap_averages(data, **options)
