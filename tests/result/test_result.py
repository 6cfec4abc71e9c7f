"""Results: scored from their parent sets, saved, read back, shown as frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import parent_set_collections

from forebear import (
    PSMINOBS,
    ParentSets,
    Result,
    find_network,
    score_parent_sets,
    simulate,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    return score_parent_sets(simulate(12, 500, max_parents=2, seed=4).data, max_parents=3)


@pytest.fixture(scope="module")
def found(sets: ParentSets) -> Result:
    return find_network(sets, generations=10, seed=1, algorithm=PSMINOBS(chains=2))


@given(parent_set_collections(required_parents=True), st.data())
def test_an_order_gives_its_best_sets(sets: ParentSets, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(sets.n_variables)))
    about = {"algorithm": "", "settings": {}, "seed": 0, "winner": 1, "stop_reason": ""}
    about |= {"seconds": 0.0, "generations": (), "trace": None, "version": ""}
    result = Result.of_order(sets, tuple(order), **about)
    expected = naive.order_parents(naive.as_lists(sets), order)
    assert [choice.score for choice in result.choices] == [score for score, _ in expected]
    assert list(result.network.parents) == [parents for _, parents in expected]


def test_round_trip(found: Result, tmp_path: Path) -> None:
    found.save(tmp_path / "result.json")
    again = Result.load(tmp_path / "result.json")
    assert again.network == found.network
    assert again.trace.improvements == found.trace.improvements
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "result.json").read_bytes()


def test_frame_and_trace(found: Result) -> None:
    frame = found.to_frame()
    assert frame["variable"].to_list() == list(found.network.names)
    assert frame["rank"].min() >= 1  # type: ignore[operator]
    assert found.trace.to_frame().columns == ["chain", "seconds", "generation", "score"]
    for chain in (1, 2):
        scores = [step.score for step in found.trace.of(chain)]
        assert scores == sorted(scores)
    assert max(step.score for step in found.trace) == pytest.approx(found.score)
