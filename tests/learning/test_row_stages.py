"""search_samples(): the search starts on samples, and the result is learned from all rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import Dataset, Knowledge, Network, Result, Watcher, learn, score_network, simulate
from forebear.learning.row_stages import (
    LARGEST_DIVISOR,
    LEAST_ROWS,
    STAGE_FACTOR,
    draw_rows,
    stage_sizes,
)
from forebear.search.trace import Improvement

FEWEST = LARGEST_DIVISOR * LEAST_ROWS


@pytest.fixture(scope="module")
def table() -> Dataset:
    """A table that has as few rows as are searched in stages."""
    return simulate(22, FEWEST, max_parents=2, states=(2, 3), seed=3).data


def learn_quickly(table: Dataset, **options: object) -> Result:
    return learn(table, seed=1, generations=4, cache=False, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "sizes"),
    [
        (1, []),
        (FEWEST - 1, []),
        (FEWEST, [LEAST_ROWS]),
        (FEWEST * STAGE_FACTOR - 1, [FEWEST * STAGE_FACTOR // LARGEST_DIVISOR - 1]),
        (FEWEST * STAGE_FACTOR, [LEAST_ROWS, LEAST_ROWS * STAGE_FACTOR]),
    ],
)
def test_samples_are_shares_of_the_rows(rows: int, sizes: list[int]) -> None:
    assert stage_sizes(rows) == sizes


@given(st.integers(1, 2**31), st.data())
def test_a_sample_has_a_row_of_every_part(n_rows: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, min(n_rows, 1000)))
    rows = draw_rows(n_rows, size, np.random.default_rng(data.draw(st.integers(0, 9))))
    assert len(rows) == size
    assert all(part * n_rows // size <= row for part, row in enumerate(rows.tolist()))
    assert all(row < part * n_rows // size for part, row in enumerate(rows.tolist(), 1))


def test_every_row_is_drawn() -> None:
    draws = [draw_rows(12, 3, np.random.default_rng(seed)) for seed in range(60)]
    assert set(np.concatenate(draws).tolist()) == set(range(12))


def test_rows_with_weights_are_drawn_as_if_repeated(table: Dataset) -> None:
    weights = np.random.default_rng(1).integers(1, 3, table.n_rows)
    weighted = replace(table, weights=weights)
    one, two = learn_quickly(weighted), learn_quickly(weighted.expanded())
    assert one.network == two.network
    assert one.score == two.score


class Improvements(Watcher):
    """Records the scores that are reported."""

    def __init__(self) -> None:
        self.improvements: list[Improvement] = []

    def improved(self, improvement: Improvement) -> None:
        self.improvements.append(improvement)


def test_all_scores_are_those_of_all_rows(table: Dataset) -> None:
    watcher = Improvements()
    result = learn_quickly(table, watcher=watcher)
    assert result.score == pytest.approx(score_network(result.network, table))
    first = watcher.improvements[0]
    assert first.generation == 0  # of a sample
    # A sample of a quarter of the rows has a quarter of the score.
    assert 1.2 * result.score < first.score <= result.score


def test_threads_do_not_change_the_network(table: Dataset) -> None:
    one, two = (learn_quickly(table, threads=threads) for threads in (1, 2))
    assert one.network == two.network
    assert one.score == two.score


def test_a_start_network_is_searched_on_all_rows_at_once(table: Dataset) -> None:
    watcher = Improvements()
    empty = Network(table.names, ((),) * table.n_variables)
    learn_quickly(table, start=empty, watcher=watcher)
    assert all(one.generation > 0 for one in watcher.improvements)


def test_required_arcs_are_in_the_networks_of_all_samples(table: Dataset) -> None:
    names = table.names
    knowledge = Knowledge(required=[(names[0], names[3]), (names[1], names[3])])
    result = learn_quickly(table, knowledge=knowledge)
    assert {names[0], names[1]} <= set(result.network.parents_of(names[3]))


class CancelsAtOnce(Watcher):
    """Ends the first search that starts, which is that of a sample."""

    def started(self, cancel: Callable[[], None]) -> None:
        cancel()


def test_a_run_that_is_ended_in_a_stage_returns_its_network(table: Dataset) -> None:
    result = learn(table, seed=1, time_limit=60, cache=False, watcher=CancelsAtOnce())
    assert result.stop_reason == "cancelled"
    assert result.score == pytest.approx(score_network(result.network, table))
