"""Parent sets that grow: scores against the definition, pruning, limits, constraints."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_missing import random_missing
from scoredsets import assert_by_definition, assert_identical

from forebear import Dataset, _core, score_parent_sets, simulate
from forebear.parentsets.collection import ParentSets
from forebear.scoring.constraints import Constraints
from forebear.scoring.growing_sets import FAMILY_BYTES, GrowingSets, network_sets
from forebear.scoring.job import make_job
from forebear.scoring.score_job import score_job
from forebear.scoring.scores import as_score
from forebear.search.chain import Solution

NO_LIMIT = _core.Budget(None)
MEMORY = 10**9


def members(sets: ParentSets, v: int) -> list[tuple[float, frozenset[int]]]:
    return [(one.score, frozenset(one.parents)) for one in sets.of(v)]


def scores(sets: ParentSets, v: int) -> dict[frozenset[int], float]:
    return {parents: score for score, parents in members(sets, v)}


def grown(
    data: Dataset,
    score: str = "bdeu",
    *,
    rounds: int = 3,
    most: int = 4,
    constraints: Constraints | None = None,
    candidates: list[list[int]] | None = None,
    memory: int = MEMORY,
    threads: int = 1,
) -> GrowingSets:
    """Grow around random networks, the same for the same table."""
    job = make_job(data, score=score, max_parents=1, constraints=constraints)
    first = score_job(job)
    growing = GrowingSets(first, job, [most] * data.n_variables, memory, candidates)
    rng = np.random.default_rng(0)
    for _ in range(rounds):
        counts = growing.sets().counts
        networks = [rng.integers(0, counts).astype(np.int32) for _ in range(3)]
        growing.grow(networks, threads, NO_LIMIT)
    return growing


@pytest.mark.parametrize("score", ["bdeu", "bds", "bic", "fnml", "mit"])
def test_rows_that_count_several_times(score: str) -> None:
    """Equal rows are stored as rows that count several times, and their scores are the same."""
    few = simulate(5, 40, max_parents=2, states=(2, 3), seed=2).data
    weights = np.random.default_rng(1).integers(1, 1000, few.n_rows)
    data = few.take(np.repeat(np.arange(few.n_rows), weights))
    growing = grown(data, score)
    assert growing.families > 40
    assert_by_definition(growing.sets(), data, score)


class Twin:
    """What growth does, in a few lines: the sets of every variable, and what was scored."""

    def __init__(self, data: Dataset, first: ParentSets, most: int) -> None:
        self.data, self.n, self.most = data, data.n_variables, most
        self.kept = [scores(first, v) for v in range(self.n)]
        self.known = [set(kept) for kept in self.kept]
        self.asked: list[set[frozenset[int]]] = [set() for _ in range(self.n)]

    def grow(self, networks: list[list[frozenset[int]]]) -> None:
        for network in networks:
            for v, parents in enumerate(network):
                for smaller in (parents, *(parents - {u} for u in sorted(parents))):
                    self._ask(v, smaller)

    def _ask(self, v: int, parents: frozenset[int]) -> None:
        if parents in self.asked[v] or len(parents) >= self.most:
            return
        self.asked[v].add(parents)
        known = self.known[v]
        for more in (parents | {u} for u in range(self.n) if u != v and u not in parents):
            if more in known:
                continue
            score = as_score("bdeu").local(self.data, v, more)
            kept = self.kept[v]
            rivals = [kept[s] for s in kept if s < more and len(s) in (0, 1, 2, len(more) - 1)]
            known.add(more)
            if score > max(rivals) + 1e-9:  # ties are exact in fixed point, not in floats
                kept[more] = score


@given(st.integers(3, 6), st.integers(5, 80), st.integers(2, 5), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_growth_equals_brute_force(n: int, rows: int, most: int, seed: int) -> None:
    data = simulate(n, rows, states=(2, 3), seed=seed).data
    job = make_job(data, max_parents=1)
    first = score_job(job)
    growing, twin = GrowingSets(first, job, [most] * n, MEMORY), Twin(data, first, most)
    rng = np.random.default_rng(seed)
    for _ in range(4):
        sets = growing.sets()
        networks = [rng.integers(0, sets.counts).astype(np.int32) for _ in range(3)]
        growing.grow(networks, 1, NO_LIMIT)
        twin.grow(
            [
                [frozenset(sets.at(v, int(rank) + 1).parents) for v, rank in enumerate(ranks)]
                for ranks in networks
            ]
        )
    after = growing.sets()
    for v in range(n):
        assert scores(after, v) == pytest.approx(twin.kept[v], rel=1e-11)


@given(st.integers(2, 8), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_the_sets_of_one_network(n: int, seed: int) -> None:
    sets = score_parent_sets(simulate(n, 100, seed=seed).data, max_parents=min(3, n - 1))
    ranks = np.random.default_rng(seed).integers(0, sets.counts)
    own, places = network_sets(sets, ranks)
    for v in range(n):
        assert own.at(v, int(places[v]) + 1)[1:] == sets.at(v, int(ranks[v]) + 1)[1:]
        wanted = {sets.at(v, int(ranks[v]) + 1).parents, ()}
        assert {one.parents for one in own.of(v)} == wanted
        assert scores(own, v).items() <= scores(sets, v).items()


@given(st.integers(4, 7), st.integers(20, 400), st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_a_restarted_collection_grows_like_a_fresh_one(n: int, rows: int, seed: int) -> None:
    """But no family is scored twice."""
    data = simulate(n, rows, states=(2, 3), seed=seed).data
    job = make_job(data, max_parents=1)
    first, pairs = score_job(job), score_parent_sets(data, max_parents=2)

    def grow(growing: GrowingSets) -> list[ParentSets]:
        rng, found = np.random.default_rng(seed), []
        for _ in range(3):
            found.append(growing.sets())
            networks = [rng.integers(0, found[-1].counts).astype(np.int32) for _ in range(3)]
            growing.grow(networks, 1, NO_LIMIT)
        return [*found, growing.sets()]

    growing = GrowingSets(first, job, [n - 1] * n, MEMORY)
    grow(growing)
    families = growing.families
    growing.restart(first)
    again = grow(growing)
    assert growing.families == families
    growing.restart(pairs)
    assert set(growing.complete) == {2}
    for mine, fresh in (
        (again, grow(GrowingSets(first, job, [n - 1] * n, MEMORY))),
        (grow(growing), grow(GrowingSets(pairs, job, [n - 1] * n, MEMORY))),
    ):
        for one, other in zip(mine, fresh, strict=True):
            assert_identical(one, other)


def test_requests_do_not_depend_on_stored_scores() -> None:
    data = simulate(8, 3000, states=(2, 2), max_parents=5, seed=4).data
    job = make_job(data, max_parents=1)
    whole = GrowingSets(score_job(job), job, [7] * 8, MEMORY)
    parts = GrowingSets(score_job(job), job, [7] * 8, MEMORY)
    rng = np.random.default_rng(1)
    for _ in range(8):
        before, sets, asked = parts.requests, parts.sets(), parts.requested()
        parts = GrowingSets(sets, job, [7] * 8, MEMORY, whole=True)
        parts.requests_before = before
        parts.note_requested(asked)
        networks = [rng.integers(0, np.minimum(sets.counts, 9)).astype(np.int32) for _ in range(3)]
        for growing in (whole, parts):
            growing.grow(networks, 1, NO_LIMIT)
        assert parts.requests == whole.requests > before
        assert_identical(parts.sets(), whole.sets())
    with pytest.raises(ValueError, match="other variables"):
        parts.note_requested({"counts": np.zeros(3), "keys": np.empty(0, dtype=np.uint64)})


def test_limits_candidates_and_constraints_hold() -> None:
    data = simulate(7, 400, seed=4).data
    few = [[u for u in range(7) if u != v][:3] for v in range(7)]
    for v in range(7):
        for _, parents in members(grown(data, most=2, candidates=few).sets(), v):
            assert len(parents) <= 2
            assert len(parents) < 2 or parents & set(few[v])
    constraints = Constraints.make(len(data.names), required={0: [1]}, forbidden={3: [2, 4, 5, 6]})
    sets = grown(data, constraints=constraints, rounds=4).sets()
    assert all(1 in parents for score, parents in members(sets, 0) if np.isfinite(score))
    assert all(not parents & {2, 4, 5, 6} for _, parents in members(sets, 3))


def test_the_worst_sets_are_dropped_except_those_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    data = simulate(8, 500, states=(2, 3), seed=5).data
    job = make_job(data, max_parents=1)
    first = score_parent_sets(data, max_parents=1)
    monkeypatch.setattr("forebear.scoring.growing_sets.SET_BYTES", MEMORY // (8 * 4))  # four each
    growing = GrowingSets(first, job, [6] * 8, MEMORY)
    used = (growing.sets().counts - 2).clip(0).astype(np.int32)
    wanted = [growing.sets().at(v, int(used[v]) + 1).parents for v in range(8)]
    for _ in range(3):
        growing.grow([used], 1, NO_LIMIT)
        used = growing.translate(used)
    sets = growing.sets()
    assert sets.counts.max() <= 5  # four, and one in use
    assert [sets.at(v, int(used[v]) + 1).parents for v in range(8)] == wanted
    assert all(members(sets, v)[-1][1] == frozenset() for v in range(8))


@pytest.mark.parametrize(("rows", "states"), [(2_000, (2, 2)), (300, (2, 20))])
def test_counting_by_bits_and_by_groups(rows: int, states: tuple[int, int]) -> None:
    """Variables with more than 16 states are counted by groups of rows, others by bits."""
    data = simulate(6, rows, states=states, seed=7).data
    sets = grown(data, rounds=5, most=5).sets()
    assert_by_definition(sets, data)


def test_the_number_of_stored_scores_is_limited() -> None:
    """Even within one round, and in the same way on any number of threads."""
    data = simulate(12, 300, seed=6).data
    free = grown(data, rounds=4)
    most = 30
    memory = most * FAMILY_BYTES * data.n_variables
    one, two = (grown(data, rounds=4, memory=memory, threads=t) for t in (1, 2))
    assert one.families < free.families
    assert one.families <= data.n_variables * (most + data.n_variables)
    np.testing.assert_array_equal(one.sets().scores, two.sets().scores)


@given(st.integers(4, 6), st.integers(5, 60), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_growth_under_other_constraints(n: int, rows: int, seed: int) -> None:
    """A collection that restarts has the allowed sets only, and the scores of the definition."""
    data = simulate(n, rows, states=(2, 3), seed=seed).data
    job = make_job(data, max_parents=n - 1)
    first = score_job(make_job(data, max_parents=1))
    growing = GrowingSets(first, job, [n - 1] * n, MEMORY)
    growing.grow([np.zeros(n, dtype=np.int32)], 1, NO_LIMIT)
    rng = np.random.default_rng(seed)
    child = int(rng.integers(n))
    others = [v for v in range(n) if v != child]
    required = frozenset(rng.permutation(others)[: rng.integers(1, 3)].tolist())
    barred = next(v for v in others if v not in required)
    constraints = Constraints.make(n, required={child: required}, forbidden={child: [barred]})
    growing.restart(growing.sets(), constraints=constraints)
    growing.score([(child, tuple(required))])
    for _ in range(3):
        networks = [rng.integers(0, growing.sets().counts).astype(np.int32) for _ in range(40)]
        growing.grow(networks, 1, NO_LIMIT)
    definition = as_score("bdeu")
    known = {own: found for found, own in members(growing.sets(), child) if np.isfinite(found)}
    assert required in known
    for parents, found in known.items():
        assert required <= parents
        assert barred not in parents
        assert found == pytest.approx(definition.local(data, child, sorted(parents)), rel=1e-11)
        assert parents == required or found > known[required]
    assert_by_definition(growing.sets().filter(growing.sets().child != child), data)
    # The required parents with one more, if that is better than the required parents alone.
    for u in set(others) - required - {barred}:
        score = definition.local(data, child, sorted(required | {u}))
        if score > known[required] + 1e-9:
            assert required | {u} in known


def test_gains_of_another_parent() -> None:
    data = simulate(6, 300, states=(2, 3), seed=4).data
    constraints = Constraints.make(data.n_variables, forbidden={3: [2]})
    growing = grown(data, most=2, constraints=constraints)
    sets = growing.sets()
    ranks = (sets.counts // 3).astype(np.int32)
    network = Solution(0.0, ranks, sets, ranks)
    gains, definition = growing.gains(network.parents, network.local_scores), as_score("bdeu")
    for v in range(6):
        score, parents = members(sets, v)[int(ranks[v])]
        bases = [parents - {p} for p in parents] + ([parents] if len(parents) < 2 else [])
        for u in range(6):
            if u in parents:
                assert gains[v, u] == 0.0
            elif u == v or (u, v) == (2, 3):
                assert gains[v, u] == -np.inf
            else:
                best = max(definition.local(data, v, sorted(base | {u})) for base in bases)
                assert gains[v, u] == pytest.approx(best - score, abs=1e-8)


@pytest.mark.parametrize("missing", [False, True])
def test_a_spent_budget_scores_nothing(missing: bool) -> None:
    data = simulate(6, 300, states=(2, 3), seed=2).data
    job = make_job(random_missing(data, 0.1) if missing else data, max_parents=1)
    growing = GrowingSets(score_job(job), job, [4] * 6, MEMORY)
    before, top, cancelled = growing.sets(), np.zeros(6, dtype=np.int32), _core.Budget(None)
    cancelled.cancel()
    for budget in (cancelled, _core.Budget(0.0)):
        assert growing.grow([top], 2, budget) == 0
        assert growing.families == 0
        np.testing.assert_array_equal(growing.translate(top), top)
        np.testing.assert_array_equal(growing.sets().scores, before.scores)
    assert growing.grow([top], 2, NO_LIMIT) > 0


@given(st.integers(1, 2), st.booleans(), st.integers(0, 10**6), st.integers(0, 15))
@settings(max_examples=40, deadline=None)
def test_growth_continues_after_its_budget_ended(
    threads: int, missing: bool, seed: int, late: int
) -> None:
    """Wherever it is cut: this differs from run to run, and what is tested holds for all places."""
    data = simulate(7, 4_000, states=(2, 20) if seed % 2 else (2, 3), seed=seed).data
    job = make_job(random_missing(data, 0.1, seed=seed) if missing else data, max_parents=1)
    first = score_job(job)
    whole, parts = (GrowingSets(first, job, [4] * 7, MEMORY) for _ in range(2))
    rng = np.random.default_rng(seed)
    for _ in range(3):
        counts = whole.sets().counts
        networks = [rng.integers(0, counts).astype(np.int32) for _ in range(3)]
        whole.grow(networks, threads, NO_LIMIT)
        budget = _core.Budget(None)
        with ThreadPoolExecutor(1) as pool:
            cut = pool.submit(parts.grow, networks, threads, budget)
            for _ in range(1 << late):
                cut.done()
            budget.cancel()
        after = parts.sets()
        for v in range(7):
            assert scores(after, v).items() <= scores(whole.sets(), v).items()
        assert parts.families <= whole.families
        parts.grow([parts.translate(ranks) for ranks in networks], threads, NO_LIMIT)
        assert parts.families == whole.families
        assert_identical(parts.sets(), whole.sets())
