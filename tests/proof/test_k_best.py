"""The k best networks: all of them, best first."""

from __future__ import annotations

import naive
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from naive_missing import random_missing
from strategies import pack, parent_set_collections

from forebear import score_parent_sets, simulate
from forebear._util.errors import ForebearError
from forebear.network.graphs import PartialGraph
from forebear.network.network import Network
from forebear.parentsets.collection import ParentSets
from forebear.proof.k_best import k_best_networks
from forebear.scoring.scores import SCORES


def close(scores: list[float]) -> object:
    return pytest.approx(scores, rel=1e-9, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(parent_set_collections(max_variables=4, required_parents=True), st.integers(1, 12))
def test_k_best(sets: ParentSets, k: int) -> None:
    scores = [score for score, _ in naive.all_networks(naive.as_lists(sets))[:k]]
    if not scores:
        with pytest.raises(ForebearError, match="there is no network"):
            k_best_networks(sets, k, seed=1)
        return
    found = k_best_networks(sets, k, seed=1, threads=1)
    assert [result.score for result in found] == close(scores)
    assert len({result.network for result in found}) == len(found)
    assert {result.stop_reason for result in found} == {"optimal"}
    assert found[0].status == "optimal"


UNEQUAL = pack(
    [
        [(-6.0, ()), (-13.0, (1,)), (-15.0, (1, 2)), (-19.0, (2,))],
        [(-16.0, ()), (-20.0, (0, 2))],
        [(-7.0, ()), (-9.0, (1,))],
    ]
)
"""Two networks of the complete class, of which the second found has the higher score."""


def best_of_classes(sets: ParentSets) -> dict[PartialGraph, float]:
    """Return the score of the best network of each class."""
    best: dict[PartialGraph, float] = {}
    for score, parents in naive.all_networks(naive.as_lists(sets)):
        best.setdefault(Network(sets.names, parents).cpdag(), score)
    return best


@settings(max_examples=100, deadline=None)
@given(parent_set_collections(max_variables=4, required_parents=True), st.integers(1, 8))
@example(UNEQUAL, 9)
def test_k_best_classes(sets: ParentSets, k: int) -> None:
    best = best_of_classes(sets)
    if not best:
        return
    found = k_best_networks(sets, k, classes=True, seed=1, threads=1)
    scores = sorted(best.values(), reverse=True)[:k]
    assert [result.score for result in found] == close(scores)
    assert len({result.network.cpdag() for result in found}) == len(found)
    assert [result.score for result in found] == close([best[one.network.cpdag()] for one in found])
    assert {result.stop_reason for result in found} == {"optimal"}


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("missing", [False, True])
def test_the_score_of_a_class_is_that_of_its_best_network(score: str, missing: bool) -> None:
    for seed in range(4):
        table = simulate(4, 40, seed=seed).data
        if missing:
            table = random_missing(table, 0.2, seed=seed)
        sets = score_parent_sets(table, score=score, max_parents=2)
        scores = sorted(best_of_classes(sets).values(), reverse=True)[:30]
        found = k_best_networks(sets, 30, classes=True, seed=1, threads=1)
        assert [result.score for result in found] == close(scores)


def test_scores_are_equivalent_where_they_say_so() -> None:
    """Under these, turning the only arc of a network changes nothing."""
    table = simulate(2, 50, seed=3).data
    for kind in SCORES.values():
        score = kind()
        one, other = (
            score.local(table, a) + score.local(table, b, [a]) for a, b in ((0, 1), (1, 0))
        )
        if score.equivalent:
            assert one == pytest.approx(other)
