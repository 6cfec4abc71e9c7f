"""Growth in learn(): limits and knowledge hold, the same on any number of threads."""

from __future__ import annotations

import pytest

from forebear import (
    Knowledge,
    Network,
    find_network,
    learn,
    score_network,
    score_parent_sets,
    simulate,
)

TABLE = simulate(25, 600, states=(2, 3), max_parents=4, seed=11).data


def largest(network: Network) -> int:
    return max(map(len, network.parents))


def test_the_same_network_on_any_number_of_threads() -> None:
    one = learn(TABLE, generations=6, seed=3, threads=1)
    two = learn(TABLE, generations=6, seed=3, threads=2)
    assert one.network == two.network
    assert one.score == two.score
    assert one.generations == (6,)


def test_growth_is_at_least_as_good_as_the_sets_it_starts_from() -> None:
    pairs = find_network(
        score_parent_sets(TABLE, max_parents=2), generations=12, seed=3, certify=False
    )
    grown = learn(TABLE, generations=12, seed=3, certify=False)
    assert grown.score >= pairs.score
    assert grown.score == pytest.approx(score_network(grown.network, TABLE), rel=1e-9)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_max_parents_is_a_hard_limit(most: int) -> None:
    found = learn(TABLE, generations=5, seed=1, max_parents=most, certify=False)
    assert largest(found.network) <= most


def test_knowledge_holds() -> None:
    names = TABLE.names
    knowledge = Knowledge(
        required=[(names[3], names[7])],
        forbidden=[(names[0], names[1]), (names[1], names[0])],
        tiers=[names[:12], names[12:]],
        max_parents={names[5]: 1},
    )
    found = learn(TABLE, generations=6, seed=2, knowledge=knowledge, certify=False)
    assert knowledge.violations(found) == []
    assert len(found.network.parents[5]) <= 1


def test_the_alternatives_are_networks_of_the_final_sets() -> None:
    found = learn(TABLE, generations=8, seed=4, certify=False)
    assert found.alternatives[0].parents == found.network.parents
    for other in found.alternatives[:10]:
        network = Network(TABLE.names, other.parents)
        assert other.score == pytest.approx(score_network(network, TABLE), rel=1e-9)


def test_few_variables_grow_where_scoring_all_sets_takes_too_long() -> None:
    data = simulate(12, 60_000, states=(2, 4), max_parents=3, seed=1).data
    found = learn(data, time_limit=1.0, seed=1, certify=False)
    empty = Network(data.names, ((),) * 12)
    assert found.score > score_network(empty, data)
