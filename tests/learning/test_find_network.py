"""find_network(): proofs, notifications, stop rules and reproducibility."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from naive import ScoredSet
from strategies import pack, random_parent_sets
from waiting import PATIENCE
from watchers import AtOnce, Recorder

from forebear import (
    MINOBS,
    PSMINOBS,
    AnyOf,
    ForebearError,
    Knowledge,
    MaxGenerations,
    NoImprovement,
    Target,
    find_network,
    k_best_networks,
    score_parent_sets,
    simulate,
)
from forebear.learning.algorithms import ALGORITHMS

FEW = score_parent_sets(simulate(16, 2000, max_parents=3, seed=4).data, max_parents=3)
MORE = score_parent_sets(simulate(22, 300, seed=5).data, max_parents=2)
SMALL = MINOBS(population=3, crossovers=1, mutations=1)
SAMPLES = PSMINOBS(chains=4, rate=0.1, minobs=SMALL)


@pytest.mark.parametrize("sets", [FEW, MORE], ids=["before the search", "after it"])
def test_small_problems_are_proven_optimal(sets: Any) -> None:
    result = find_network(sets, time_limit=PATIENCE, seed=1)
    assert (result.status, result.stop_reason) == ("optimal", "optimal")
    assert result.bound == pytest.approx(result.score)
    assert result.score == pytest.approx(find_network(sets, algorithm="exact", seed=1).score)
    assert result.phases.keys() == {"search", "bound", "margins"}


def test_without_a_proof_there_is_no_bound() -> None:
    result = find_network(FEW, generations=2, seed=1, certify=False)
    assert (result.status, result.stop_reason) == ("feasible", "generations")
    assert result.bound is None
    assert result.phases.keys() == {"search"}


def test_under_a_generation_limit_larger_problems_are_proven_on_request() -> None:
    assert find_network(FEW, generations=30, seed=1).status == "optimal"
    assert find_network(MORE, generations=2, seed=1).bound is None
    asked = find_network(MORE, generations=2, seed=1, certify=True)
    assert asked.bound is not None
    assert asked.bound >= asked.score


@pytest.mark.parametrize("certify", [None, False])
@pytest.mark.parametrize("seed", [1, 4, 7])
def test_under_a_generation_limit_any_number_of_threads_gives_the_same(
    seed: int, certify: bool | None
) -> None:
    """Also where the optimum is known beforehand, and several networks have it."""
    results = [
        find_network(
            FEW, algorithm=SAMPLES, generations=40, seed=seed, threads=threads, certify=certify
        )
        for threads in (1, 2, 4)
    ]
    for result in results[1:]:
        assert result.network == results[0].network
        assert result.winner == results[0].winner
        assert result.generations == results[0].generations
        assert result.alternatives == results[0].alternatives
        assert result.bound == results[0].bound


def test_the_watcher_is_notified_of_the_search() -> None:
    heard = Recorder()
    result = find_network(MORE, algorithm=SAMPLES, generations=20, seed=1, watcher=heard)
    assert heard.improvements == list(result.trace)
    assert {step.chain for step in heard.improvements} == {1, 2, 3, 4}
    assert heard.cancel is not None
    assert [len(chains) for chains in heard.standings] == [4] * len(heard.standings)
    last = heard.standings[-1]
    assert tuple(chain.generation for chain in last) == result.generations
    assert max(chain.score for chain in last) <= result.score + 1e-6


def test_a_watcher_can_cancel() -> None:
    result = find_network(MORE, time_limit=PATIENCE, seed=1, certify=False, watcher=AtOnce())
    assert result.stop_reason == "cancelled"


def test_stop_rules() -> None:
    sets = random_parent_sets(30, 60, 2, seed=3)
    found = find_network(sets, generations=2, seed=1)
    again = find_network(
        sets, generations=Target(found.score), time_limit=PATIENCE, seed=1, certify=False
    )
    assert again.stop_reason == "target"
    both = AnyOf(MaxGenerations(2), Target(0.0))
    assert find_network(sets, generations=both, seed=1).network == found.network
    idle = find_network(sets, generations=NoImprovement(generations=3), seed=1, certify=False)
    assert idle.stop_reason == "no improvement"


_BARRED: ScoredSet = (-math.inf, ())
INFEASIBLE = pack([[(-1.0, (1,)), _BARRED], [(-2.0, (0,)), _BARRED], [(-1.0, ())]])
"""Each of the first two variables has only one set, with the other in it."""


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_sets_without_a_network_are_rejected(algorithm: str) -> None:
    with pytest.raises(ForebearError, match=r"there is no network of these parent sets.*X0, X1 "):
        find_network(INFEASIBLE, algorithm=algorithm, time_limit=1.0, seed=1)


def test_sets_without_a_network_under_the_knowledge_are_rejected() -> None:
    """What is left of them: X0 needs X1, and X1 needs X0 or X2."""
    only: list[ScoredSet] = [(-1.0, ())]
    sets = pack([[(-1.0, (1,)), _BARRED], [(-1.0, (0,)), (-2.0, (2,)), _BARRED], only])
    assert find_network(sets, generations=2, seed=1).score == -4.0
    knowledge = Knowledge(forbidden=[("X2", "X1")])
    for algorithm in ("ps-minobs", "exact"):
        with pytest.raises(ForebearError, match="there is no network of these parent sets"):
            find_network(sets, knowledge=knowledge, algorithm=algorithm, time_limit=1.0)
    with pytest.raises(ForebearError, match="there is no network of these parent sets"):
        k_best_networks(sets, 2, knowledge=knowledge)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_only_network_is_found(algorithm: str) -> None:
    """One order in 40 factorial has a network; no algorithm may report one that is not allowed."""
    chain = np.random.default_rng(1).permutation(40).tolist()
    sets: list[Any] = [[(-1.0, ())] for _ in chain]
    for parent, child in pairwise(chain):
        sets[child] = [(-1.0, (parent,)), _BARRED]
    settings: dict[str, Any] = {} if algorithm == "exact" else {"generations": 2}
    assert find_network(pack(sets), algorithm=algorithm, seed=1, **settings).score == -40.0
