"""Adding sets to a collection: compared with a list that is sorted by definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from forebear import ParentSets, score_parent_sets, simulate
from forebear.parentsets.merging import complete_up_to, with_sets
from forebear.scoring.growing import network_sets

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSet


def listed(sets: ParentSets, v: int) -> list[tuple[float, tuple[int, ...]]]:
    return [(one.score, one.parents) for one in sets.of(v)]


def naive_union(
    sets: ParentSets, more: ParentSets, v: int, *, dominated: bool
) -> list[tuple[float, tuple[int, ...]]]:
    """Return the sets of both, less those of the second that a subset in the first beats."""

    def stays(one: ParentSet) -> bool:
        subsets = [own for own in sets.of(v) if set(own.parents) <= set(one.parents)]
        if dominated:
            return all(own.parents != one.parents for own in subsets)
        return all(own.score < one.score for own in subsets)

    both = [*listed(sets, v), *((one.score, one.parents) for one in more.of(v) if stays(one))]
    return sorted(both, key=lambda one: (-one[0], len(one[1]), one[1]))


@given(st.integers(0, 999), st.integers(1, 2), st.booleans())
def test_adding_sets(seed: int, few: int, dominated: bool) -> None:
    rng = np.random.default_rng(seed)
    table = simulate(6, 60, seed=seed).data
    sets, all_sets = (score_parent_sets(table, max_parents=most) for most in (few, 4))
    ranks = np.array([rng.integers(count) for count in all_sets.counts])
    network, _ = network_sets(all_sets, ranks)
    both = with_sets(sets, network, dominated=dominated)
    for v in range(6):
        assert listed(both, v) == naive_union(sets, network, v, dominated=dominated)
    assert complete_up_to(both) == few
    assert with_sets(both, network, dominated=dominated) is both
