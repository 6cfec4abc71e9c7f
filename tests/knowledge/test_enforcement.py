"""Enforcement: every algorithm respects the knowledge, over fixed and growing sets."""

from __future__ import annotations

from itertools import product
from typing import Any

import naive
import naive_scores
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import datasets

from forebear import (
    Dataset,
    ForebearError,
    ForebearWarning,
    Knowledge,
    Network,
    find_network,
    learn,
    score_parent_sets,
    simulate,
)
from forebear.learning.algorithms import ALGORITHMS


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return Knowledge(
        required=[("X1", "X2")],
        forbidden=[("X3", "X4"), ("X4", "X3")],
        before=[("X8", "X1"), ("X7", "X6")],
        not_ancestors=[("X5", "X2")],
        ancestors=[("X6", "X3")],
        adjacent=[("X2", "X7")],
        max_parents={"X5": 1, "X8": 0},
    )


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "exact"])
def test_every_algorithm_respects_the_knowledge(knowledge: Knowledge, algorithm: str) -> None:
    data = simulate(8, 300, max_parents=3, seed=4).data
    data = type(data)(data.codes, tuple(f"X{v}" for v in range(1, 9)), data.states)
    limit = {} if algorithm == "exact" else {"generations": 5}
    result = learn(
        data,
        max_parents=3,
        knowledge=knowledge,
        algorithm=algorithm,
        seed=1,
        **limit,  # type: ignore[arg-type]
    )
    assert knowledge.violations(result.network) == []
    free = learn(data, max_parents=3, seed=1, generations=20)
    assert result.score <= free.score + 1e-9
    assert knowledge.violations(free.network) != []


@settings(max_examples=40, deadline=None)
@given(datasets(min_variables=4, max_variables=4, max_rows=40, max_arity=3), st.data())
def test_the_best_of_all_networks_of_a_table(data: Dataset, draw: st.DataObject) -> None:
    """All networks are compared, because a path may require dominated sets."""
    pair = st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda p: p[0] != p[1])
    given_knowledge: dict[str, Any] = {
        name: draw.draw(st.lists(pair, max_size=2, unique=True))
        for name in ("required", "forbidden", "before", "ancestors", "not_ancestors", "adjacent")
    }
    tier = draw.draw(st.lists(st.none() | st.integers(0, 1), min_size=4, max_size=4))
    given_knowledge["tiers"] = [[v for v in range(4) if tier[v] == number] for number in (0, 1)]
    given_knowledge["max_parents"] = draw.draw(
        st.dictionaries(st.integers(0, 3), st.integers(0, 1), max_size=2)
    )
    try:
        knowledge = Knowledge(**given_knowledge).named(data.names)
    except ForebearError:  # contradictory
        return
    scored = [
        [
            (naive_scores.local_score(data, v, parents, "bic"), parents)
            for parents in naive.allowed_sets(4, v, 3)
        ]
        for v in range(4)
    ]
    best = -np.inf
    for chosen in product(*scored):
        parents = tuple(own for _, own in chosen)
        total = sum(score for score, _ in chosen)
        if total <= best or not naive.is_acyclic(parents):
            continue
        if not knowledge.violations(Network(data.names, parents)):
            best = total
    options: dict[str, Any] = {"score": "bic", "max_parents": 3, "seed": 1, "cache": False}
    options |= {"time_limit": 20, "threads": 1, "knowledge": knowledge}
    if best == -np.inf:
        with pytest.raises(ForebearError):
            learn(data, **options)
        return
    for algorithm in ("ps-minobs", "exact"):
        result = learn(data, algorithm=algorithm, **options)
        assert result.score == pytest.approx(best, rel=1e-9, abs=1e-6)
        assert result.status == "optimal"
        assert knowledge.violations(result) == []


def test_given_sets_are_searched_under_knowledge() -> None:
    sets = score_parent_sets("example:orchard", max_parents=3)
    known = Knowledge(
        forbidden=[("hail", "price")], ancestors=[("price", "winter")], max_parents={"price": 2}
    )
    with pytest.warns(ForebearWarning, match="parent sets alone do not enforce that price is"):
        kept = score_parent_sets("example:orchard", max_parents=3, knowledge=known)
    results = [
        find_network(kept, knowledge=known, seed=1),
        find_network(kept, knowledge=known, algorithm="exact", seed=1),
    ]
    for result in results:
        assert known.violations(result) == []
        assert result.status == "optimal"
        assert result.covers.startswith(f"among networks of the {len(kept):,} parent sets kept")
    assert results[0].score == pytest.approx(results[1].score, abs=1e-6)
    grown = find_network(
        sets, knowledge=known, data="example:orchard", generations=20, seed=1, certify=False
    )
    assert known.violations(grown) == []


def test_too_many_orders_for_a_fixed_collection() -> None:
    data = simulate(19, 60, seed=1).data
    crowd = Knowledge(before=[(v, 18) for v in range(18)])
    with pytest.raises(ForebearError, match="18 variables must come directly before"):
        learn(data, knowledge=crowd, algorithm="inobs", max_parents=2, generations=1)
    found = learn(data, knowledge=crowd, max_parents=2, generations=1)  # these sets grow
    assert crowd.violations(found) == []
