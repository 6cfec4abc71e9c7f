"""FlatSets: the sets of a group of variables."""

from __future__ import annotations

from strategies import pack

from forebear.proof.flat_sets import FlatSets

LISTS: list[list[tuple[float, tuple[int, ...]]]] = [
    [(-1.0, (1, 2)), (-2.0, (1,)), (-2.5, (2,)), (-3.0, ())],
    [(-1.0, (0,)), (-4.0, ())],
    [(-1.0, ())],
]


def test_sets_within_a_group() -> None:
    whole = FlatSets.of(pack(LISTS), 1.0).within([0, 1])
    assert whole.place.tolist() == [0, 1, 2, 3, 4, 5]
    assert whole.parents.tolist() == [[1, 2], [1, 2], [2, 2], [2, 2], [0, 2], [2, 2]]


def test_cheapest_sets_of_an_order() -> None:
    sets = FlatSets.of(pack(LISTS), 1.0)
    assert sets.cheapest(sets.cost).tolist() == [0, 4, 6]
    chosen = sets.best_of_order([2, 0, 1])
    assert chosen is not None
    assert chosen.tolist() == [2, 4, 6]
    assert sets.best_of_order([]) is None
