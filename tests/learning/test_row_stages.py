"""search_samples(): the search starts on samples, and the result is learned from all rows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from forebear import Dataset, Knowledge, Network, Result, Watcher, learn, score_network, simulate
from forebear.learning.row_stages import FIRST_ROWS, STAGE_FACTOR, stage_sizes
from forebear.search.trace import Improvement


@pytest.fixture(scope="module")
def table() -> Dataset:
    """A table that has as few rows as are searched in stages."""
    return simulate(22, 4 * FIRST_ROWS, max_parents=2, states=(2, 3), seed=3).data


def learn_quickly(table: Dataset, **options: object) -> Result:
    return learn(table, seed=1, generations=4, cache=False, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "sizes"),
    [
        (1, []),
        (4 * FIRST_ROWS - 1, []),
        (4 * FIRST_ROWS, [FIRST_ROWS]),
        (4 * FIRST_ROWS * STAGE_FACTOR, [FIRST_ROWS, FIRST_ROWS * STAGE_FACTOR]),
    ],
)
def test_samples_have_at_most_a_quarter_of_the_rows(rows: int, sizes: list[int]) -> None:
    assert stage_sizes(rows) == sizes


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
