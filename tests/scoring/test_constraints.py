"""What constraints mean, and which are refused."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from scoredsets import assert_same_sets
from tables import random_table

from forebear import Knowledge, score_parent_sets
from forebear._util.errors import ForebearError
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import make_job

NAMES = ("a", "b", "c", "d", "e")


def test_without_constraints_nothing_is_tabulated() -> None:
    assert Constraints.make(NAMES).allowed is None
    assert Constraints.make(NAMES, required={"a": ["b"]}).allowed is None
    assert Constraints.make(NAMES, forbidden={"a": []}, tiers=[["a", "b"]]).allowed is None
    assert Constraints.make(NAMES, forbidden={"a": ["a"]}).allowed is None


def test_names_and_numbers_are_the_same() -> None:
    by_name = Constraints.make(NAMES, forbidden={"a": ["b", "e"]}, required={"c": ["d", "a"]})
    by_number = Constraints.make(NAMES, forbidden={0: [1, 4]}, required={2: [0, 3]})
    np.testing.assert_array_equal(by_name.allowed, by_number.allowed)
    assert by_name.required == by_number.required == {2: (0, 3)}


def test_tiers_forbid_later_parents_only() -> None:
    """Within a tier, and for variables in none, everything is allowed."""
    allowed = Constraints.make(NAMES, tiers=[["b"], ["a", "c"], ["d"]]).allowed
    assert allowed is not None
    forbidden = {(NAMES[c], NAMES[p]) for c, p in zip(*np.nonzero(~allowed), strict=True)}
    assert forbidden == {("b", "a"), ("b", "c"), ("b", "d"), ("a", "d"), ("c", "d")}


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"forbidden": {"x": ["a"]}}, "constraints name 'x', which is not a variable"),
        ({"required": {"a": [5]}}, "constraints name 5, which is not a variable"),
        ({"required": {"a": [-1]}}, "constraints name -1, which is not a variable"),
        ({"tiers": [["a"], ["b", "a"]]}, "variable 'a' is in two tiers"),
        ({"required": {"a": ["a"]}}, "variable 'a' is required to be its own parent"),
        (
            {"required": {"a": ["b"]}, "forbidden": {"a": ["b"]}},
            "the arc b -> a is both required and forbidden",
        ),
        (
            {"required": {"a": ["b"]}, "tiers": [["a"], ["b"]]},
            "the arc b -> a is both required and forbidden",
        ),
        (
            {"required": {"a": ["b"], "b": ["c"], "c": ["a"]}},
            "the required arcs form a cycle: ",
        ),
    ],
)
def test_what_is_refused(constraints: dict[str, Any], message: str) -> None:
    with pytest.raises(ForebearError, match=f"^{message}"):
        Constraints.make(NAMES, **constraints)


def test_more_required_parents_than_allowed() -> None:
    data = random_table([2, 2, 2, 2], 20)
    constraints = Constraints.make(data.names, required={0: [1, 2]})
    with pytest.raises(ForebearError, match="'X0' must have 2 parents, but max_parents is 1"):
        make_job(data, max_parents=1, constraints=constraints)


@pytest.mark.parametrize("score", ["bdeu", "bds", "k2"])
def test_all_kinds_at_once_equal_brute_force(score: str) -> None:
    data = random_table([2, 3, 2, 2, 3, 2], 120, seed=3)
    required, forbidden = {3: [1], 5: [0, 2]}, {0: [4], 3: [5, 0], 1: [0, 2, 3, 4, 5]}
    tiers = [[1], [0, 2], [4, 5]]
    known = Knowledge(required=required, forbidden=forbidden, tiers=tiers)
    sets = score_parent_sets(data, score=score, max_parents=3, knowledge=known)
    later = {1: {0, 2, 4, 5}, 0: {4, 5}, 2: {4, 5}}
    barred = {v: set(forbidden.get(v, ())) | later.get(v, set()) for v in range(6)}
    expected = naive.parent_sets(data, 3, score, required, barred)
    assert_same_sets(naive.as_lists(sets), expected)
    assert sets.provenance["constrained"] is True


def test_families_are_counted_exactly() -> None:
    required, forbidden = {0: [1, 2]}, {3: [0, 1]}
    constraints = Constraints.make(NAMES, required=required, forbidden=forbidden)
    for most in range(2, 5):
        listed = [
            naive.allowed_sets(5, v, most, required.get(v, ()), forbidden.get(v, ()))
            for v in range(5)
        ]
        assert constraints.families(most) == sum(map(len, listed))
        sizes = [sum(len(s) == k for sets in listed for s in sets) for k in range(most + 1)]
        assert constraints.families_by_size(most) == sizes
