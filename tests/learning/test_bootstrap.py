"""bootstrap_averages(): against brute force, time limit, interrupts and errors."""

from __future__ import annotations

import os
import signal
from fractions import Fraction
from typing import Any

import naive_averages
import numpy as np
import pytest

from forebear import (
    Dataset,
    ForebearError,
    ForebearWarning,
    bootstrap_averages,
    simulate,
)
from forebear.learning.bootstrap import resample


@pytest.fixture(scope="module")
def data() -> Dataset:
    return simulate(6, 300, max_parents=2, seed=3).data


def test_resampled_rows(data: Dataset) -> None:
    drawn = resample(data, np.random.default_rng(1))
    assert (drawn.names, drawn.states, drawn.n_rows) == (data.names, data.states, data.n_rows)
    rows = {tuple(row) for row in data.codes.T.tolist()}
    assert {tuple(row) for row in drawn.codes.T.tolist()} <= rows
    assert not np.array_equal(drawn.codes, data.codes)


def test_the_bootstrap(data: Dataset) -> None:
    seen: list[Any] = []
    about: dict[str, Any] = {"replicates": 6, "generations": 2, "max_parents": 2, "seed": 7}
    averages = bootstrap_averages(data, **about, on_replicate=lambda n, r: seen.append((n, r)))
    assert [number for number, _ in seen] == [1, 2, 3, 4, 5, 6]
    assert averages.n_networks == 6
    assert averages.stop_reason == "replicates"
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


def test_an_interrupted_bootstrap_keeps_the_finished_replicates(data: Dataset) -> None:
    def interrupt(number: int, _: object) -> None:
        if number == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.warns(ForebearWarning) as warned:
        averages = bootstrap_averages(
            data, replicates=5, generations=1, seed=1, on_replicate=interrupt
        )
    assert (averages.n_networks, averages.requested) == (2, 5)
    assert averages.stop_reason == "interrupted"
    assert repr(averages).startswith("Averages of 2 of 5 networks (interrupted) of ")
    # Only the bootstrap itself warns.
    message = "interrupted: the averages are of 2 of 5 networks"
    assert [str(one.message) for one in warned] == [message]
    assert warned[0].filename == __file__


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replicates": 0}, "replicates must be at least 1"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"time_limit": 0.0}, "time_limit must be positive"),
        ({"cache": "folder"}, "leave out cache"),
        ({"checkpoint": "file"}, "leave out checkpoint"),
        ({"speed": 11}, "has no parameter 'speed'"),
    ],
)
def test_invalid_options_of_the_bootstrap_are_rejected(
    data: Dataset, options: Any, message: str
) -> None:
    with pytest.raises(ForebearError, match=message):
        bootstrap_averages(data, **options)
