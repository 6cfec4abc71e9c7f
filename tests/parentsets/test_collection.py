"""Collections of parent sets: lookups against brute force, and invalid collections."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import parent_set_collections

from forebear import _core
from forebear._util.errors import ForebearError
from forebear.parentsets.collection import ParentSets


@given(parent_set_collections(required_parents=True))
def test_of_and_at_list_the_sets_by_rank(sets: ParentSets) -> None:
    for v, expected in enumerate(naive.as_lists(sets)):
        listed = list(sets.of(sets.names[v]))
        assert [(score, parents) for _, score, parents in listed] == expected
        assert [rank for rank, _, _ in listed] == list(range(1, len(expected) + 1))
        assert listed == [sets.at(v, rank) for rank in range(1, len(expected) + 1)]
        assert list(sets.of(v, first=2, last=3)) == listed[1:3]
        assert list(sets.of(v, last=10**9)) == listed


@given(parent_set_collections(required_parents=True), st.data())
def test_find_and_best_equal_brute_force(sets: ParentSets, draw: st.DataObject) -> None:
    n = sets.n_variables
    some = draw.draw(st.lists(st.integers(0, n - 1), unique=True))
    for v, listed in enumerate(naive.as_lists(sets)):
        others = tuple(sorted(set(some) - {v}))
        places = {parents: rank for rank, (_, parents) in enumerate(listed, 1)}
        found = sets.find(v, others)
        assert (found.rank if found else None) == places.get(others)
        feasible = [item for item in listed if set(item[1]) <= set(others)]
        assert sets.best(v, [sets.names[p] for p in others]).parents == feasible[0][1]


def test_best_looks_past_the_first_block() -> None:
    """Ranks far down are found: here only the empty set is allowed, after 10,000 others."""
    count = 10_000
    first: list[naive.ScoredSet] = [(-float(v), (v + 1,)) for v in range(count)]
    lists: naive.ScoredSets = [[*first, (-float(count), ())]]
    lists += [[(0.0, ())] for _ in range(count)]
    sets = ParentSets.of_lists(tuple(map(str, range(count + 1))), lists)
    assert sets.best(0, []).rank == count + 1
    assert sets.best(0, [count]).rank == count


def two_variables(**changes: Any) -> ParentSets:
    """Make the sets {1}, {} of variable 0 and {} of variable 1, with something changed."""
    none = np.iinfo(np.uint16).max
    parts: dict[str, Any] = {
        "names": ("a", "b"),
        "offsets": np.array([0, 2, 3]),
        "scores": np.array([-1.0, -2.0, -3.0]),
        "parents": np.array([[1, none, none]], dtype=np.uint16),
    }
    return ParentSets(**(parts | changes))


NONE = np.iinfo(np.uint16).max


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ("a",)}, "lengths that do not fit together"),
        ({"names": ("a", "a")}, "variable a is named twice"),
        ({"scores": np.zeros(2)}, "lengths that do not fit together"),
        ({"offsets": np.array([0, 1, 2])}, "do not add up"),
        ({"scores": np.array([-1.0, np.nan, -3.0])}, r"not a number \(variable 0, rank 2\)"),
        ({"scores": np.array([-2.0, -1.0, -3.0])}, r"not sorted best first \(variable 0, rank 2\)"),
        ({"parents": np.array([[0, NONE, NONE]], np.uint16)}, "parents are not valid"),
        ({"parents": np.array([[NONE, NONE, NONE]], np.uint16)}, "the empty set is there twice"),
        ({"offsets": np.array([0, 1, 3])}, "lacks the empty set|there twice"),
        ({"parents": np.array([[NONE] * 3, [1, NONE, NONE]], np.uint16)}, "parents are not valid"),
        ({"parents": np.zeros((1, 3), np.int64)}, "parents must be uint16 or uint32"),
        ({"parents": np.zeros(3, np.uint16)}, "parents must have two dimensions, parents by sets"),
    ],
)
def test_invalid_arrays_are_rejected(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        two_variables(**changes)


@given(parent_set_collections(required_parents=True), st.data())
def test_defects_equal_brute_force(sets: ParentSets, draw: st.DataObject) -> None:
    """Change a few places of valid sets. What is found does not depend on the threads."""
    scores, parents = sets.scores.copy(), sets.parents.copy()
    for _ in range(draw.draw(st.integers(0, 3))):
        at = draw.draw(st.integers(0, len(scores) - 1))
        if draw.draw(st.booleans()) or not len(parents):
            near = [scores[at - 1], scores[(at + 1) % len(scores)], np.nan, np.inf, -np.inf]
            scores[at] = draw.draw(st.sampled_from(near))
        else:
            slot = draw.draw(st.integers(0, len(parents) - 1))
            parents[slot, at] = draw.draw(
                st.sampled_from([*range(sets.n_variables + 1), sets.none])
            )
    valid = naive.is_valid(sets.offsets.tolist(), scores.tolist(), parents.T.tolist(), sets.none)
    found = {_core.find_defect(sets.offsets, scores, parents, threads) for threads in (1, 3)}
    assert len(found) == 1
    assert (found == {""}) == valid


def test_no_variables() -> None:
    with pytest.raises(ForebearError, match="there are no variables"):
        ParentSets((), np.zeros(1, np.int64), np.zeros(0), np.zeros((0, 0), np.uint16))


def test_unknown_variables_and_ranks() -> None:
    sets = two_variables()
    with pytest.raises(ForebearError, match='no variable is called "x"'):
        sets.at("x", 1)
    with pytest.raises(ForebearError, match="there is no variable 2: there are 2 variables"):
        sets.find(0, [2])
    with pytest.raises(ForebearError, match="rank must be at most 2, got 3"):
        sets.at("a", 3)
    assert sets.find("a", ["b"]) == (1, -1.0, (1,))
    assert sets.find("a", [0, 1]) is None


def test_shown_as_facts() -> None:
    sets = replace(two_variables(), provenance={"score": "bdeu"}, path=Path("<sets>.cps"))
    assert repr(sets).splitlines() == [
        f"ParentSets with {len(sets)} parent sets of 2 variables",
        "  variables: a, b",
        "  sets: up to 1 parent per set, score bdeu",
        "  file: <sets>.cps",
    ]
    page = sets._repr_html_()
    assert "&lt;sets&gt;.cps" in page
    assert "<sets>" not in page
