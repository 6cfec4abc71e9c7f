"""Growing sets in learn(): limits, knowledge, threads, executors and checkpoints."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import relations_of
from waiting import PATIENCE

from forebear import (
    PSMINOBS,
    FileError,
    ForebearError,
    ForebearWarning,
    Knowledge,
    Network,
    ParentSets,
    Result,
    find_network,
    learn,
    resume_search,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear._util.watcher import Watcher
from forebear.data.formats.arrays import write_arrays
from forebear.knowledge.relations import Relations
from forebear.search.checkpoint import Checkpoint
from forebear.search.restriction_schedule import NoRestrictionError

TABLE = simulate(22, 500, states=(2, 3), max_parents=4, seed=11).data
NAMES = TABLE.names
UNPROVEN: dict[str, Any] = {"seed": 3, "certify": False}


def pairs(*given: tuple[int, int]) -> list[tuple[str, str]]:
    return [(NAMES[a], NAMES[b]) for a, b in given]


KNOWN = {
    "local": Knowledge(
        required=pairs((3, 7)),
        forbidden=pairs((0, 1), (1, 0)),
        tiers=[NAMES[:12], NAMES[12:]],
        max_parents={NAMES[5]: 1},
    ),
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
SETTINGS: dict[str, dict[str, Any]] = {
    "one chain": {},
    "two chains": {"algorithm": PSMINOBS(chains=2)},
    "another score": {"score": "bic"},
    "a start": {"start": Network(NAMES, ((), *((v,) for v in range(21))))},
    **{name: {"knowledge": known} for name, known in KNOWN.items()},
}


@pytest.fixture(params=SETTINGS)
def chosen(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {**UNPROVEN, **SETTINGS[request.param]}


def assert_same(one: Result, other: Result) -> None:
    assert one.network == other.network
    assert one.score == other.score
    assert one.generations == other.generations
    assert one.alternatives == other.alternatives


def assert_holds(result: Result, how: dict[str, Any]) -> None:
    """The score is that of the table, and the knowledge holds in all networks."""
    data, score = TABLE, how.get("score")
    assert result.score == pytest.approx(score_network(result.network, data, score), rel=1e-9)
    assert result.alternatives[0].parents == result.network.parents
    for other in result.alternatives[:10]:
        network = Network(NAMES, other.parents)
        assert other.score == pytest.approx(score_network(network, data, score), rel=1e-9)
        assert "knowledge" not in how or how["knowledge"].violations(network) == []


def test_the_same_on_any_number_of_threads_and_on_an_executor(chosen: dict[str, Any]) -> None:
    one, two = (learn(TABLE, generations=12, threads=threads, **chosen) for threads in (1, 2))
    assert_same(one, two)
    assert_holds(one, chosen)
    assert one.provenance["grown_families"] > 0
    with ThreadPoolExecutor(2) as executor:
        assert_same(learn(TABLE, generations=12, executor=executor, **chosen), one)


def test_a_search_is_stopped_and_resumed(chosen: dict[str, Any], tmp_path: Path) -> None:
    """It goes on as if nothing had happened."""
    whole = learn(TABLE, generations=45, **chosen)
    state = tmp_path / "state"
    learn(TABLE, generations=4, checkpoint=state, **chosen)
    for generations in (9, 30, 45):
        checkpoint = Checkpoint.read(state)
        assert checkpoint.recipe.growth is not None
        checkpoint.recipe.stop["generations"] = generations
        checkpoint.write(state)
        resumed = resume_search(state, threads=2)
    assert_same(resumed, whole)
    assert_holds(resumed, chosen)


def test_checkpoints_of_another_table_are_rejected(tmp_path: Path) -> None:
    state = tmp_path / "state"
    learn(TABLE, generations=2, checkpoint=state, **UNPROVEN)
    write_arrays(simulate(22, 500, max_parents=4, seed=12).data, f"{state}.npz")
    with pytest.raises(FileError, match="now holds another table"):
        resume_search(state)
    Path(f"{state}.npz").unlink()
    with pytest.raises(FileError, match="its table no longer exists"):
        resume_search(state)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_max_parents_is_a_hard_limit(most: int) -> None:
    found = learn(TABLE, generations=5, max_parents=most, **UNPROVEN)
    assert max(map(len, found.network.parents)) <= most


def test_few_variables_grow_where_scoring_all_sets_takes_too_long() -> None:
    data = simulate(12, 60_000, states=(2, 4), max_parents=3, seed=1).data
    found = learn(data, time_limit=1.0, **UNPROVEN)
    assert found.score > score_network(Network(data.names, ((),) * 12), data)


def test_the_next_run_starts_from_the_sets_of_this_one(tmp_path: Path) -> None:
    heard: list[int] = []

    class Listener(Watcher):
        def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
            heard.append(len(parent_sets))

    how: dict[str, Any] = {"certify": False, "watcher": Listener(), "threads": 1}
    for seed in (1, 2):
        found = learn(TABLE, cache=tmp_path, time_limit=2.0, seed=seed, **how)
        assert found.score == pytest.approx(score_network(found.network, TABLE), rel=1e-9)
    assert heard[1] > heard[0]
    learn(TABLE, cache=tmp_path, max_parents=3, time_limit=1.0, **how)  # other limits
    assert heard[2] == heard[0]
    # Under a generation limit the network does not depend on earlier runs.
    one, other = (learn(TABLE, cache=c, generations=3, seed=1, **how) for c in (tmp_path, False))
    assert one.score == other.score


def test_extended_sets_are_cached(tmp_path: Path) -> None:
    found = learn(TABLE, generations=8, **UNPROVEN)
    sets = found.parent_sets
    assert sets is not None
    assert sets.max_parents == found.provenance["max_parents"] > 2
    again = find_network(sets, start=found, generations=1, certify=False)
    assert again.score >= found.score
    found.save(tmp_path / "grown.json")
    assert Result.load(tmp_path / "grown.json").parent_sets is None
    assert pickle.loads(pickle.dumps(found)).parent_sets is None


@pytest.mark.parametrize("name", KNOWN)
def test_a_fixed_collection_grows(name: str) -> None:
    known = KNOWN[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForebearWarning)  # the sets alone do not enforce it
        first = score_parent_sets(TABLE, max_parents=1, knowledge=known)
    found = find_network(first, data=TABLE, knowledge=known, generations=12, **UNPROVEN)
    assert known.violations(found) == []
    sets = found.parent_sets
    assert sets is not None
    assert all(sets.find(v, own) is not None for v, own in enumerate(found.network.parents))


def test_networks_that_the_bound_covers() -> None:
    small = simulate(5, 100, seed=1).data
    known = Knowledge(tiers=[small.names[:2], small.names[2:]])
    scored: dict[str, dict[str, Any]] = {
        "among networks with at most 2 parents": {"max_parents": 2},
        "among networks of the 4 best parent sets of each variable": {
            "max_parents": 2,
            "max_sets_per_variable": 4,
        },
        "among networks with at most 2 parents, from 3 allowed candidates of each variable": {
            "max_parents": 2,
            "max_candidates": 3,
        },
        "among all networks that respect the constraints": {"max_parents": 4, "knowledge": known},
    }
    for covered, how in scored.items():
        assert find_network(score_parent_sets(small, **how), generations=1).covers == covered
    assert re.fullmatch(
        r"among networks of the [\d,]+ parent sets kept "
        r"\(all with up to 2 parents were scored, and some with up to \d+\)",
        learn(TABLE, generations=6, **UNPROVEN).covers,
    )


# ---- knowledge -------------------------------------------------------------------------

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


@settings(max_examples=40, deadline=None)
@given(relations_of(7, most=8), st.integers(0, 99))
@pytest.mark.filterwarnings("ignore:a short search")  # few rows: arcs may be due to chance
@example(
    Relations(before=((0, 1),), adjacent=((0, 1),), ancestors=((2, 0),), not_ancestors=((2, 1),)), 0
)
def test_any_statements_are_respected(relations: Relations, seed: int) -> None:
    """Checked by the definition of every statement, which shares nothing with the search."""
    known = knowledge_of(relations)
    if known is None:
        return
    try:
        found = learn(SMALL, knowledge=known, generations=12, seed=seed, certify=False, threads=1)
    except NoRestrictionError:  # a contradiction that several statements together amount to
        assert not possible(relations)
        return
    assert not known.violations(found.network)
    assert found.score == pytest.approx(score_network(found.network, SMALL), rel=1e-9)


def test_knowledge_that_holds_costs_nothing() -> None:
    free = learn(TABLE, generations=40, **UNPROVEN)
    arcs = free.network.arc_names
    known = Knowledge(ancestors=arcs[:3], adjacent=arcs[3:5], not_ancestors=[arcs[0][::-1]])
    found = learn(TABLE, generations=80, knowledge=known, **UNPROVEN)
    assert found.score >= free.score - 1e-6


def test_arcs_that_no_search_would_choose() -> None:
    """Independent variables: every arc of a path lowers the score."""
    codes = np.random.default_rng(1).integers(0, 2, (20, 400), dtype=np.uint8)
    data = type(TABLE)(codes, tuple(f"X{v}" for v in range(20)), (("0", "1"),) * 20)
    known = Knowledge(ancestors=[(0, 1), (2, 3)], adjacent=[(4, 5)], not_ancestors=[(0, 3)])
    found = learn(data, generations=20, score="bdeu", knowledge=known, **UNPROVEN)
    assert known.violations(found) == []
    free = learn(data, generations=20, score="bdeu", **UNPROVEN).network
    for side in ((4, 5), (5, 4)):
        arcs = {*free.arcs, (0, 1), (2, 3), side}
        direct = Network.from_arcs(data.names, [(data.names[a], data.names[b]) for a, b in arcs])
        assert found.score >= score_network(direct, data, "bdeu") - 1e-6


@pytest.mark.parametrize("grows", [False, True])
def test_a_proof_between_runs_respects_it(grows: bool) -> None:
    data = simulate(12, 300, states=(2, 2), max_parents=2, seed=2).data
    known = Knowledge(ancestors=[(0, 5), (3, 9)], not_ancestors=[(1, 2), (4, 6)], adjacent=[(7, 8)])
    how: dict[str, Any] = {"knowledge": known, "seed": 1, "time_limit": PATIENCE, "threads": 1}
    if grows:
        found = find_network(score_parent_sets(data, max_parents=2), data=data, **how)
    else:
        with pytest.warns(match="parent sets alone do not enforce"):
            sets = score_parent_sets(data, max_parents=2, knowledge=known)
        found = find_network(sets, **how)
        exact = find_network(sets, algorithm="exact", knowledge=known, seed=1)
        assert found.score == pytest.approx(exact.score, abs=1e-6)
    assert (found.status, found.stop_reason) == ("optimal", "optimal")
    assert known.violations(found) == []


def test_knowledge_without_a_network_is_rejected() -> None:
    known = Knowledge(
        ancestors=pairs((0, 5), (1, 5)), forbidden=[(a, NAMES[5]) for a in NAMES if a != NAMES[5]]
    )
    with pytest.raises(ForebearError, match="no network was found that respects the knowledge"):
        learn(TABLE, knowledge=known, generations=1)


def test_few_candidates_include_the_direct_arcs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebear.search.growth.GROWTH_MANY_VARIABLES", 10)
    monkeypatch.setattr("forebear.search.growth.GROWTH_CANDIDATES", 2)
    found = learn(TABLE, generations=12, knowledge=KNOWN["all"], **UNPROVEN)
    assert KNOWN["all"].violations(found) == []


def test_too_many_variables_for_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebear.learning.searchable_sets.GROWTH_PATH_VARIABLES", 20)
    sets = score_parent_sets(TABLE, max_parents=1)
    how: dict[str, Any] = {"data": TABLE, "generations": 2, **UNPROVEN}
    with pytest.raises(ForebearError, match="up to 20 variables under knowledge about paths"):
        find_network(sets, knowledge=KNOWN["ancestors"], **how)
    found = find_network(sets, knowledge=KNOWN["orders"], **how)
    assert KNOWN["orders"].violations(found) == []
