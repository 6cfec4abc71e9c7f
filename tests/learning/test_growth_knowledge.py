"""Growth under knowledge about orders, paths and adjacent pairs."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import relations_of
from waiting import PATIENCE

from forebear import (
    PSMINOBS,
    Exact,
    ForebearError,
    ForebearWarning,
    Knowledge,
    find_network,
    learn,
    resume_search,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear.knowledge.enforcement import Enforced
from forebear.knowledge.relations import Relations
from forebear.learning.run import Run
from forebear.learning.searchable_sets import growth_from
from forebear.network.network import Network
from forebear.proof.exact_search import find_exact
from forebear.search.chain import FoundNetwork
from forebear.search.checkpoint import Checkpoint
from forebear.search.constrained_growing_chain import ConstrainedGrowingChain
from forebear.search.restriction_schedule import NoRestrictionError
from forebear.search.threads import Workers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebear import Result

TABLE = simulate(22, 500, states=(2, 3), max_parents=4, seed=11).data
NAMES = TABLE.names


def pairs(*given: tuple[int, int]) -> list[tuple[str, str]]:
    return [(NAMES[a], NAMES[b]) for a, b in given]


KNOWN = {
    "orders": Knowledge(before=pairs((3, 7), (7, 1), (1, 20), (9, 4), (4, 3))),
    "a crowd": Knowledge(before=pairs(*((v, 21) for v in range(20)))),
    "ancestors": Knowledge(ancestors=pairs((3, 7), (1, 20))),
    "non-ancestors": Knowledge(not_ancestors=pairs((2, 8), (6, 11), (8, 2), (0, 1))),
    "adjacent": Knowledge(adjacent=pairs((12, 13), (0, 19))),
    "all": Knowledge(
        required=pairs((3, 7)),
        forbidden=pairs((0, 1)),
        before=pairs((14, 15)),
        ancestors=pairs((0, 5), (9, 4)),
        not_ancestors=pairs((2, 8), (6, 11)),
        adjacent=pairs((12, 13)),
        max_parents={NAMES[5]: 1, NAMES[8]: 2},
    ),
}


@pytest.fixture(params=KNOWN)
def known(request: pytest.FixtureRequest) -> Knowledge:
    return KNOWN[request.param]


def same(one: Result, other: Result) -> bool:
    return (one.network, one.score, one.generations) == (
        other.network,
        other.score,
        other.generations,
    )


def test_it_is_respected_the_same_on_any_number_of_threads(known: Knowledge) -> None:
    how: dict[str, Any] = {"generations": 25, "seed": 3, "certify": False, "knowledge": known}
    one, two = (learn(TABLE, threads=threads, **how) for threads in (1, 2))
    assert same(one, two)
    assert known.violations(one) == []
    assert one.score == pytest.approx(score_network(one.network, TABLE), rel=1e-9)
    assert one.provenance["grown_families"] > 0
    for other in one.alternatives:
        assert known.violations(Network(NAMES, other.parents)) == []


SMALL = simulate(20, 80, states=(2, 3), max_parents=3, seed=5).data


def knowledge_of(relations: Relations) -> Knowledge | None:
    """Return knowledge that says the same; None if it is contradictory."""
    fields = ("before", "ancestors", "not_ancestors", "adjacent")
    try:
        return Knowledge(**{name: getattr(relations, name) for name in fields}).named(SMALL.names)
    except ForebearError:
        return None


def reachable(arcs: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the pairs that a path leads from and to."""
    pairs = set(arcs)
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs |= more
    return pairs


def possible(relations: Relations) -> bool:
    """Whether a network respects all: one with an arc for each statement does, if any does."""
    for sides in product((True, False), repeat=len(relations.adjacent)):
        pairs = zip(relations.adjacent, sides, strict=True)
        joined = [(a, b) if side else (b, a) for (a, b), side in pairs]
        arcs = [*relations.ancestors, *joined]
        acyclic = all(a != b for a, b in reachable([*arcs, *relations.before]))
        if acyclic and not reachable(arcs) & set(relations.not_ancestors):
            return True
    return False


ONE_ARC_TOO_MANY = Relations(
    before=((0, 1),), ancestors=((2, 0),), not_ancestors=((2, 1),), adjacent=((0, 1),)
)


@settings(max_examples=40, deadline=None)
@given(relations_of(7, most=8), st.integers(0, 99))
@example(
    Relations(before=((0, 1),), adjacent=((0, 1),), ancestors=((2, 0),), not_ancestors=((2, 1),)), 0
)
def test_any_statements_are_respected(relations: Relations, seed: int) -> None:
    """Checked by the definition of every statement, which shares nothing with the search."""
    said = knowledge_of(relations)
    if said is None:
        return
    try:
        found = learn(SMALL, knowledge=said, generations=12, seed=seed, certify=False, threads=1)
    except NoRestrictionError:  # a contradiction that several statements together amount to
        assert not possible(relations)
        return
    assert not said.violations(found.network)
    assert found.score == pytest.approx(score_network(found.network, SMALL), rel=1e-9)


def test_knowledge_that_holds_costs_nothing() -> None:
    free = learn(TABLE, generations=40, seed=3, certify=False)
    arcs = free.network.arc_names
    said = Knowledge(ancestors=arcs[:3], adjacent=arcs[3:5], not_ancestors=[arcs[0][::-1]])
    found = learn(TABLE, generations=80, seed=3, certify=False, knowledge=said)
    assert found.score >= free.score - 1e-6


def test_arcs_that_no_search_would_choose() -> None:
    """Independent variables: every arc of a path lowers the score."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (20, 400), dtype=np.uint8)
    data = type(TABLE)(codes, tuple(f"X{v}" for v in range(20)), (("0", "1"),) * 20)
    said = Knowledge(ancestors=[(0, 1), (2, 3)], adjacent=[(4, 5)], not_ancestors=[(0, 3)])
    found = learn(data, generations=20, seed=1, certify=False, knowledge=said)
    free = learn(data, generations=20, seed=1, certify=False)
    assert said.violations(found) == []
    arcs = {(0, 1), (2, 3)}
    direct = [
        score_network(Network(data.names, _with(free.network.parents, arcs | {side})), data)
        for side in ((4, 5), (5, 4))
    ]
    assert found.score >= max(direct) - 1e-6


def _with(
    parents: tuple[tuple[int, ...], ...], arcs: set[tuple[int, int]]
) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(sorted({*own, *(a for a, b in arcs if b == v)})) for v, own in enumerate(parents)
    )


def test_a_checkpoint_holds_it(
    known: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how: dict[str, Any] = {"seed": 3, "certify": False, "knowledge": known, "threads": 1}
    whole = learn(TABLE, generations=45, **how)
    path = tmp_path / "state"
    states: list[Checkpoint] = []
    write = Checkpoint.write

    def keep(self: Checkpoint, where: Any) -> None:
        states.append(self)
        write(self, where)

    monkeypatch.setattr(Checkpoint, "write", keep)
    learn(TABLE, generations=9, checkpoint=path, **how)
    stop = {**states[-1].recipe.stop, "generations": 45}
    longer = type(states[-1].recipe)(**{**states[-1].recipe.__dict__, "stop": stop})
    write(Checkpoint(longer, states[-1].seconds, states[-1].chains, states[-1].trace), path)
    resumed = resume_search(path, threads=2)
    assert same(resumed, whole)
    assert known.violations(resumed) == []


@pytest.mark.parametrize("chains", [1, 2])
def test_on_an_executor(known: Knowledge, chains: int) -> None:
    how: dict[str, Any] = {
        "algorithm": PSMINOBS(chains=chains),
        "generations": 8,
        "seed": 3,
        "certify": False,
        "knowledge": known,
    }
    here = learn(TABLE, **how)
    with ThreadPoolExecutor(2) as executor:
        there = learn(TABLE, executor=executor, **how)
    assert same(there, here)
    assert known.violations(there) == []


def test_the_next_run_starts_from_the_sets_of_this_one(known: Knowledge, tmp_path: Path) -> None:
    how: dict[str, Any] = {"certify": False, "knowledge": known, "threads": 1, "cache": tmp_path}
    for seed in (1, 2):
        found = learn(TABLE, time_limit=1.0, seed=seed, **how)
        assert known.violations(found) == []
        assert found.score == pytest.approx(score_network(found.network, TABLE), rel=1e-9)


def test_a_fixed_collection_grows_under_it(known: Knowledge) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForebearWarning)  # the sets alone do not enforce it
        first = score_parent_sets(TABLE, max_parents=1, knowledge=known)
    found = find_network(first, data=TABLE, knowledge=known, generations=12, seed=1, certify=False)
    assert known.violations(found) == []
    sets = found.parent_sets
    assert sets is not None
    for v, parents in enumerate(found.network.parents):
        assert sets.find(v, parents) is not None


@pytest.mark.parametrize("grows", [False, True])
def test_a_proof_between_runs_respects_it(grows: bool) -> None:
    data = simulate(12, 300, states=(2, 2), max_parents=2, seed=2).data
    said = Knowledge(ancestors=[(0, 5), (3, 9)], not_ancestors=[(1, 2), (4, 6)], adjacent=[(7, 8)])
    how: dict[str, Any] = {"knowledge": said, "seed": 1, "time_limit": PATIENCE, "threads": 1}
    if grows:
        sets = score_parent_sets(data, max_parents=2)
        found = find_network(sets, data=data, **how)
    else:
        with pytest.warns(match="parent sets alone do not enforce"):
            sets = score_parent_sets(data, max_parents=2, knowledge=said)
        found = find_network(sets, **how)
        exact = find_network(sets, algorithm="exact", knowledge=said, seed=1)
        assert found.score == pytest.approx(exact.score, abs=1e-6)
    assert (found.status, found.stop_reason) == ("optimal", "optimal")
    assert said.violations(found) == []


def constrained(said: Knowledge) -> ConstrainedGrowingChain:
    """Return a chain under knowledge."""
    sets = score_parent_sets(TABLE, max_parents=2)
    run = Run.checked(generations=5, threads=1, seed=1)
    growth = growth_from(sets, TABLE, run, Enforced.of(said, NAMES))
    chain = growth.chain(PSMINOBS(), np.random.SeedSequence(1))
    assert isinstance(chain, ConstrainedGrowingChain)
    return chain


def proven(chain: ConstrainedGrowingChain) -> FoundNetwork:
    """Return the best network of the sets of a chain that respects the relations."""
    sets, relations = chain.parent_sets(), chain.growth.relations
    result, *_ = find_exact(sets, Exact(), relations=relations, seed=1, threads=1)
    ranks = np.array([choice.rank - 1 for choice in result.choices], dtype=np.int32)
    return FoundNetwork(result.score, np.array(result.order, dtype=np.int32), sets, ranks)


@pytest.mark.parametrize("between_runs", [False, True])
def test_a_chain_takes_up_what_the_proof_finds(between_runs: bool) -> None:
    """Also between two runs, when there are no members."""
    chain = constrained(KNOWN["non-ancestors"])
    with Workers(1) as workers:
        chain.advance(workers)
        found = proven(chain)
        assert found.score > chain.best.score + 1e-6
        if between_runs:
            chain.population.begin_again(chain.population.space, 4)
        chain.offer(workers, found)
        assert chain.best.score >= found.score - 1e-6
        chain.advance(workers)
    assert chain.best.score >= found.score - 1e-6
    assert chain.growth.relations.holds(chain.best.parents)


def test_a_network_that_violates_it_is_not_taken_up() -> None:
    chain = constrained(KNOWN["non-ancestors"])
    other = constrained(Knowledge(ancestors=pairs((0, 1))))
    with Workers(1) as workers:
        for one in (chain, other):
            one.advance(workers)
        before = chain.best
        chain.offer(workers, replace(other.best, score=0.0))
    assert chain.best is before


def test_contradictions_are_refused_in_one_sentence() -> None:
    for said in (
        {"ancestors": pairs((0, 1), (1, 2), (2, 0))},
        {"ancestors": pairs((0, 1)), "not_ancestors": pairs((0, 1))},
        {"before": pairs((0, 1)), "ancestors": pairs((1, 0))},
        {"adjacent": pairs((0, 1)), "forbidden": pairs((0, 1), (1, 0))},
        {"tiers": [[NAMES[0]], [NAMES[1]]], "required": pairs((1, 0))},
    ):
        with pytest.raises(ForebearError, match=r"contradict") as caught:
            learn(TABLE, knowledge=Knowledge(**said), generations=1)
        assert "\n" not in str(caught.value)


def test_what_leaves_no_network_is_refused() -> None:
    said = Knowledge(
        ancestors=pairs((0, 5), (1, 5)), forbidden=[(a, NAMES[5]) for a in NAMES if a != NAMES[5]]
    )
    with pytest.raises(ForebearError, match="no network was found that respects the knowledge"):
        learn(TABLE, knowledge=said, generations=1)


def test_few_candidates_include_the_direct_arcs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebear.search.growth.GROWTH_MANY_VARIABLES", 10)
    monkeypatch.setattr("forebear.search.growth.GROWTH_CANDIDATES", 2)
    known = KNOWN["all"]
    found = learn(TABLE, generations=12, seed=1, certify=False, knowledge=known)
    assert known.violations(found) == []


def test_too_many_variables_for_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebear.learning.searchable_sets.GROWTH_PATH_VARIABLES", 20)
    sets = score_parent_sets(TABLE, max_parents=1)
    how: dict[str, Any] = {"data": TABLE, "generations": 2, "seed": 1, "certify": False}
    with pytest.raises(ForebearError, match="up to 20 variables under knowledge about paths"):
        find_network(sets, knowledge=KNOWN["ancestors"], **how)
    found = find_network(sets, knowledge=KNOWN["orders"], **how)
    assert KNOWN["orders"].violations(found) == []
