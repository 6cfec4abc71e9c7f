"""Dynamic programming: which of the best orders, and what is refused."""

from __future__ import annotations

import pytest
from strategies import pack, random_parent_sets

from forebear import Exact, find_network
from forebear._util.errors import ForebearError, LimitError
from forebear.budget import Clock
from forebear.proof.dynamic_programming import best_order, check_memory
from forebear.proof.flat_sets import FlatSets


def test_ties_go_to_the_smallest_last_variable() -> None:
    sets = FlatSets.of(pack([[(0.0, ())] for _ in range(4)]), 1.0)
    assert best_order(sets, Clock(), 1) == ((3, 2, 1, 0), 0)


def test_it_ends_with_the_time() -> None:
    sets = FlatSets.of(random_parent_sets(9, 40, seed=5), 1.0)
    assert best_order(sets, Clock(0.0), 1) is None


def test_too_many_variables() -> None:
    with pytest.raises(ForebearError, match="at most 32 variables, got 45: use method"):
        find_network(random_parent_sets(45, 3), algorithm=Exact("dynamic"))


def test_too_little_memory() -> None:
    with pytest.raises(LimitError, match=r"over 30 variables needs .* GB .* 1 GB are available"):
        check_memory(30, 1, limit=10**9)
