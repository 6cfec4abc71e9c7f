"""Ancestors, non-ancestors, adjacent pairs and orders as constraints of exact search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import naive
import pytest
from certificates import check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import parent_set_collections, random_parent_sets, relations_of

from forebear import Exact, ForebearError, Knowledge, ParentSets, k_best_networks
from forebear.knowledge.relations import Relations, as_orders
from forebear.proof.exact_search import find_exact


def respects(parents: Sequence[Sequence[int]], relations: Relations) -> bool:
    """Check by definition, with paths that are followed one by one."""

    def leads(a: int, b: int) -> bool:
        return any(p == a or leads(a, p) for p in parents[b])

    later = [{*own, *(a for a, b in relations.before if b == v)} for v, own in enumerate(parents)]
    return (
        naive.is_acyclic(later)
        and all(leads(a, b) for a, b in relations.ancestors)
        and not any(leads(a, b) for a, b in relations.not_ancestors)
        and all(a in parents[b] or b in parents[a] for a, b in relations.adjacent)
    )


def respecting(
    sets: ParentSets, relations: Relations
) -> list[tuple[float, tuple[tuple[int, ...], ...]]]:
    """List the networks that respect relations, with their scores, best first."""
    every = naive.all_networks(naive.as_lists(sets))
    return [one for one in every if respects(one[1], relations)]


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(1, 4))
def test_the_best_of_all_networks_that_respect_them(data: st.DataObject, k: int) -> None:
    sets = data.draw(parent_set_collections(min_variables=3, max_variables=4, max_parents=2))
    relations = data.draw(relations_of(sets.n_variables))
    every = respecting(sets, relations)
    how: dict[str, Any] = {"relations": relations, "time_limit": 60, "seed": 1, "threads": 1}
    if not every:
        with pytest.raises(ForebearError, match=r"there is no network .* respects the knowledge"):
            find_exact(sets, Exact(), k=k, **how)
        return
    best = find_exact(sets, Exact(), k=k, **how)
    expected = [score for score, _ in every[:k]]
    assert [one.score for one in best] == pytest.approx(expected, rel=1e-9, abs=1e-6)
    assert all(respects(one.network.parents, relations) for one in best)
    assert best[0].status == "optimal"
    assert best[0].bound is not None
    assert best[0].bound >= every[0][0] - 1e-9


@given(st.data())
def test_relations_are_what_the_statements_say(data: st.DataObject) -> None:
    sets = data.draw(parent_set_collections(min_variables=3, max_variables=4, max_parents=2))
    relations = data.draw(relations_of(sets.n_variables))
    orders = as_orders(relations)
    for _, parents in naive.all_networks(naive.as_lists(sets))[:30]:
        assert relations.holds(parents) == respects(parents, relations)
        if orders is not None:
            assert respects(parents, relations) == respects(parents, Relations(before=orders))


def test_dynamic_programming_is_refused() -> None:
    sets = random_parent_sets(5, 8, seed=1)
    with pytest.raises(ForebearError, match="dynamic programming cannot enforce ancestors"):
        find_exact(sets, Exact("dynamic"), relations=Relations(ancestors=((0, 1),)))


def test_the_k_best_under_knowledge() -> None:
    sets = random_parent_sets(5, 8, max_parents=2, seed=3)
    known = Knowledge(ancestors=[("X0", "X3")], not_ancestors=[("X1", "X2"), ("X2", "X1")])
    best = k_best_networks(sets, 3, knowledge=known, seed=1)
    relations = Relations(ancestors=((0, 3),), not_ancestors=((1, 2), (2, 1)))
    every = [score for score, _ in respecting(sets, relations)]
    assert [one.score for one in best] == pytest.approx(every[:3], abs=1e-6)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_certificates_under_relations(data: st.DataObject, tmp_path: Path) -> None:
    sets = data.draw(parent_set_collections(min_variables=3, max_variables=4, max_parents=2))
    relations = data.draw(relations_of(sets.n_variables))
    every = respecting(sets, relations)
    if not every:
        return
    path = tmp_path / "proof.cert"
    find_exact(sets, Exact(), relations=relations, seed=1, threads=1, certificate=path)
    checked = check(path, sets)
    assert every[0][0] - 1e-9 <= float(checked.bound) <= every[0][0] + 2e-5
    assert checked.score is not None
    assert float(checked.score) == pytest.approx(every[0][0], rel=1e-9, abs=1e-6)
    for name, pairs in asdict(relations).items():
        assert tuple(checked.statements[name]) == pairs
