"""Hill climbing over networks: each move is the best by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from climbs import total_ticks
from hypothesis import given
from hypothesis import strategies as st
from naive import arc_moves, as_lists
from strategies import pack, parent_set_collections, random_parent_sets

from forebear import _core
from forebear.parentsets.collection import ParentSets
from forebear.search.space import SearchSpace


@given(parent_set_collections(required_parents=True), st.integers(0, 2**32 - 1), st.data())
def test_the_best_arc_is_changed_after_random_moves(
    parent_sets: ParentSets, seed: int, data: st.DataObject
) -> None:
    space, scored = SearchSpace(parent_sets), as_lists(parent_sets)
    random = _core.Random([seed, 1, 2, 3])
    climber = _core.DagClimber(space.sets, 0, 0)
    for _ in range(data.draw(st.integers(0, 3))):
        climber.climb(data.draw(st.integers(0, 4)))
        climber.perturb(random, data.draw(st.integers(1, 6)))
        # A climb begins where the random moves end.
        ranks, score = climber.best_ranks.tolist(), climber.best_score
        assert score == total_ticks(space, ranks)
        moves = [after for *_, after in arc_moves(scored, ranks, parent_sets.parents.shape[0])]
        best = max((total_ticks(space, after) for after in moves), default=score)
        ended = climber.climb(1)
        assert ended == (best <= score)
        assert climber.best_score == max(best, score)
        if not ended:
            assert climber.best_ranks.tolist() in moves
            assert total_ticks(space, climber.best_ranks) == best


@pytest.mark.parametrize("n", [30, 300])
def test_a_climb_by_arcs_continues_like_a_new_one(n: int) -> None:
    space = SearchSpace(random_parent_sets(n, 40, seed=5))
    random = _core.Random([1, 2, 3, 4])
    climber = _core.DagClimber(space.sets, 10, 20)
    for _ in range(5):
        climber.climb(40)
        climber.perturb(random, 10)
        fresh = _core.DagClimber(space.sets, 10, 20)
        fresh.start(climber.best_ranks)
        for _ in range(30):
            assert climber.climb(1) == fresh.climb(1)
            np.testing.assert_array_equal(climber.best_ranks, fresh.best_ranks)
            assert climber.best_score == fresh.best_score == total_ticks(space, climber.best_ranks)
        order = _core.order_of(space.sets, climber.best_ranks, np.arange(n, dtype=np.int32))
        score, _ = _core.best_sets(space.sets, order)
        assert score >= climber.best_score


def test_a_network_with_a_cycle_is_rejected() -> None:
    space = SearchSpace(pack([[(-1.0, (1,)), (-2.0, ())], [(-1.0, (0,)), (-2.0, ())]]))
    climber = _core.DagClimber(space.sets, 0, 0)
    both = np.zeros(2, dtype=np.int32)
    with pytest.raises(ValueError, match="cycle"):
        climber.start(both)
    with pytest.raises(ValueError, match="cycle"):
        _core.order_of(space.sets, both, np.arange(2, dtype=np.int32))
    assert climber.best_ranks.tolist() == [1, 1]
    assert climber.climb(10)
    assert sorted(climber.best_ranks.tolist()) == [0, 1]
