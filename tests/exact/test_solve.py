"""Exact search: the same optimum by every method, what is proven, and how it stops."""

from __future__ import annotations

import _thread
import math
from typing import TYPE_CHECKING, Any, ClassVar

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import pack, parent_set_collections, random_parent_sets

from forebear import Knowledge, Watcher, find_network, score_parent_sets, simulate
from forebear._util.errors import ForebearError, LimitError
from forebear.bound.ascent import Ascent
from forebear.budget import Clock
from forebear.exact import branchcut, dynamic, problem, separation, solve
from forebear.exact.branchcut import BranchAndCut
from forebear.exact.flatsets import FlatSets
from forebear.exact.settings import Exact

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from forebear.exact.settings import Method
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.search.stop import Standing
    from forebear.search.trace import Improvement

METHODS: tuple[Method, ...] = ("dynamic", "branch-and-cut")

each_method = pytest.mark.parametrize("method", METHODS)


def close(score: float) -> object:
    return pytest.approx(score, rel=1e-9, abs=1e-6)


def exact(sets: ParentSets, method: Method = "auto", seconds: float = 60.0) -> Result:
    return find_network(sets, algorithm=Exact(method), time_limit=seconds, seed=1, threads=1)


def check_proven(result: Result, optimum: float) -> None:
    assert result.score == close(optimum)
    assert result.stop_reason == "optimal"
    assert result.status == "optimal"
    assert result.bound is not None
    assert result.bound >= optimum - 1e-9


@settings(max_examples=30, deadline=None)
@given(parent_set_collections(max_variables=6, required_parents=True))
def test_all_methods_find_what_trying_everything_finds(sets: ParentSets) -> None:
    optimum = naive.best_score(naive.as_lists(sets))
    for method in METHODS:
        if optimum == -math.inf:
            with pytest.raises(ForebearError, match="there is no network"):
                exact(sets, method)
        else:
            check_proven(exact(sets, method), optimum)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("grid", [None, 2.0])
def test_methods_agree_where_larger_sets_score_higher(seed: int, grid: float | None) -> None:
    sets = random_parent_sets(11, 60, seed=seed, grid=grid)
    optimum = naive.best_score(naive.as_lists(sets))
    for method in METHODS:
        check_proven(exact(sets, method), optimum)


@pytest.mark.parametrize("seed", range(4))
def test_cycles_are_cut_off_even_where_cuts_gain_little(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BranchAndCut, "_stalls", lambda *_: True)
    sets = random_parent_sets(8, 20, seed=seed, grid=2.0)
    check_proven(exact(sets, "branch-and-cut"), naive.best_score(naive.as_lists(sets)))


@pytest.mark.parametrize("seed", range(2))
def test_methods_agree_on_simulated_tables(seed: int) -> None:
    made = simulate(15 + seed, 500, max_parents=3, seed=seed)
    sets = score_parent_sets(made.data, max_parents=3)
    results = [exact(sets, method) for method in METHODS]
    for result in results:
        check_proven(result, results[0].score)


def by_dynamic_programming(sets: ParentSets) -> dynamic.BestOrder:
    found = dynamic.best_order(FlatSets.of(sets, 2.0**30), Clock(), 1)
    assert found is not None
    return found


def test_dynamic_programming_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = random_parent_sets(9, 40, seed=5, grid=2.0)
    whole = by_dynamic_programming(sets)
    monkeypatch.setattr(dynamic, "LOW_VARIABLES", 4)
    assert by_dynamic_programming(sets) == whole


def test_ties_go_to_the_smallest_last_variable() -> None:
    sets = pack([[(0.0, ())] for _ in range(4)])
    assert by_dynamic_programming(sets) == ((3, 2, 1, 0), 0)


@pytest.mark.parametrize("seed", range(3))
def test_dynamic_programming_takes_over_where_branch_and_cut_is_slow(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets = random_parent_sets(22, 40, seed=seed)
    monkeypatch.setattr(dynamic, "seconds_needed", lambda *_: 1e-6)
    monkeypatch.setattr(BranchAndCut, "_stalls", lambda *_: True)
    result = exact(sets)
    assert result.settings == {"method": "auto"}
    check_proven(result, exact(sets, "dynamic").score)


def test_too_many_sets_for_linear_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = random_parent_sets(22, 40, seed=5)
    monkeypatch.setattr(Ascent, "run", lambda self, budget, threads, **_: None)
    monkeypatch.setattr(problem, "SOLVABLE_SETS", 0)
    check_proven(exact(sets), exact(sets, "dynamic").score)
    check_unproven(exact(sets, "branch-and-cut", seconds=0.5), "time")


@settings(max_examples=30, deadline=None)
@given(parent_set_collections(max_variables=6, required_parents=True), st.integers(0, 3))
def test_cuts_of_every_depth_leave_the_optimum(sets: ParentSets, depth: int) -> None:
    optimum = naive.best_score(naive.as_lists(sets))
    if optimum == -math.inf:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ascent, "run", lambda self, budget, threads, **_: None)
        patch.setattr(separation, "_FEW", 10**6)
        patch.setattr(branchcut, "_DEPTH", {True: depth, False: depth})
        check_proven(exact(sets, "branch-and-cut"), optimum)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(7, 11), st.integers(2, 3), st.sampled_from([None, 3.0]))
def test_branch_and_cut_on_problems_that_need_nodes(
    seed: int, n: int, most: int, grid: float | None
) -> None:
    sets = random_parent_sets(n, 25, max_parents=most, seed=seed, grid=grid)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ascent, "run", lambda self, budget, threads, **_: None)
        patch.setattr(branchcut, "_DEPTH", {True: 0, False: 0})
        patch.setattr(branchcut, "_PATIENCE", {True: 1, False: 0})
        result = exact(sets, "branch-and-cut")
    check_proven(result, naive.best_score(naive.as_lists(sets)))


def test_few_variables_are_solved_by_dynamic_programming() -> None:
    assert exact(random_parent_sets(5, 10)).settings == {"method": "dynamic"}
    assert exact(random_parent_sets(21, 5)).settings == {"method": "auto"}


def test_required_and_forbidden_arcs_are_kept() -> None:
    made = simulate(8, 400, max_parents=2, seed=3)
    free = exact(score_parent_sets(made.data))
    forbidden = free.network.arc_names[:2]
    first, last = made.data.names[0], made.data.names[-1]
    knowledge = Knowledge(required=[(first, last)], forbidden=forbidden)
    sets = score_parent_sets(made.data, knowledge=knowledge)
    for method in METHODS:
        result = exact(sets, method)
        assert (first, last) in result.network.arc_names
        assert not set(forbidden) & set(result.network.arc_names)
        assert result.score == close(naive.best_score(naive.as_lists(sets)))


class Listening(Watcher):
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.steps: list[Improvement] = []
        self.standings: list[Standing] = []
        self.cancels: list[Callable[[], None]] = []

    def started(self, cancel: Callable[[], None]) -> None:
        self.cancels.append(cancel)

    def improved(self, improvement: Improvement) -> None:
        self.steps.append(improvement)

    def standing(self, chains: Sequence[Standing]) -> None:
        self.standings.extend(chains)


def test_the_result_is_whole() -> None:
    watcher = Listening()
    sets = random_parent_sets(10, 50, seed=2)
    result = find_network(sets, algorithm=Exact("branch-and-cut"), seed=1, watcher=watcher)
    assert result.algorithm == "exact"
    assert [choice.score for choice in result.choices] == [
        sets.at(v, choice.rank).score for v, choice in enumerate(result.choices)
    ]
    assert watcher.steps
    assert watcher.steps == list(result.trace)
    assert watcher.steps[-1].score == result.score
    assert watcher.standings
    assert watcher.standings[-1].score == result.score
    assert len(watcher.cancels) == 1


class Watched(Clock):
    """A clock that says when it is looked at; three looks are enough to be under way."""

    act: ClassVar[Callable[[Watched], None]]
    at: ClassVar[int] = 3
    looks = 0

    @property
    def expired(self) -> bool:
        self.looks += 1
        if self.looks == self.at:
            type(self).act(self)
        return super().expired


@pytest.fixture
def under_way(monkeypatch: pytest.MonkeyPatch) -> type[Watched]:
    """Have the methods look at the clock often, so that small problems are stopped midway."""
    monkeypatch.setattr(dynamic, "LOW_VARIABLES", 4)
    monkeypatch.setattr(dynamic, "_SLICE", 0.0)
    monkeypatch.setattr(Ascent, "run", lambda self, budget, threads, **_: None)

    class Clock(Watched):
        pass

    monkeypatch.setattr(solve, "Clock", Clock)
    return Clock


def check_unproven(result: Result, reason: str) -> None:
    assert result.stop_reason == reason
    assert result.status == "feasible"
    assert result.bound is not None
    assert result.bound > result.score
    assert math.isfinite(result.bound)


MIDDLING = random_parent_sets(14, 300, seed=4)
"""Sets that no method is done with at its third look at the clock."""


@each_method
def test_time_that_is_over_midway(method: Method, under_way: type[Watched]) -> None:
    under_way.act = lambda clock: setattr(clock, "limit", 0.0)
    check_unproven(exact(MIDDLING, method), "time")


@each_method
def test_cancelled_searches_keep_the_best_so_far(method: Method, under_way: type[Watched]) -> None:
    watcher = Listening()
    under_way.act = lambda _: watcher.cancels[0]()
    result = find_network(MIDDLING, algorithm=Exact(method), seed=1, threads=1, watcher=watcher)
    check_unproven(result, "cancelled")


@each_method
@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_interrupted_searches_keep_the_best_so_far(
    method: Method, under_way: type[Watched]
) -> None:
    under_way.act = lambda _: _thread.interrupt_main()
    check_unproven(exact(MIDDLING, method), "interrupted")


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_interrupted_before_the_proof_it_keeps_the_best_so_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Interrupting(Clock):
        looks = 0

        @property
        def cancelled(self) -> bool:  # the first search asks after every generation
            self.looks += 1
            if self.looks == 2:
                _thread.interrupt_main()
            return False

    monkeypatch.setattr(solve, "Clock", Interrupting)
    monkeypatch.setattr(solve, "WARM_UP_GENERATIONS", 10**6)
    check_unproven(exact(MIDDLING, "branch-and-cut"), "interrupted")


@pytest.mark.parametrize("look", [2, 10, 40])
def test_bounds_of_stopped_searches_hold(look: int, under_way: type[Watched]) -> None:
    optimum = naive.best_score(naive.as_lists(MIDDLING))
    under_way.at, under_way.act = look, Clock.cancel
    result = exact(MIDDLING, "branch-and-cut")
    assert result.bound is not None
    assert result.score <= optimum + 1e-9
    assert result.bound >= optimum - 1e-9


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"time_limit": 0.0}, "time_limit must be positive, got 0"),
        ({"generations": 3}, "ends with its proof or by time_limit: leave generations out"),
        ({"checkpoint": "search.ckpt"}, "exact search cannot be resumed"),
    ],
)
def test_mistakes(given: dict[str, object], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        find_network(random_parent_sets(4, 5), algorithm="exact", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["guessing", "astar"])
def test_methods_that_there_are_not(name: Any) -> None:
    with pytest.raises(ForebearError, match="method must be one of auto, dynamic, branch-and-cut"):
        Exact(name)


def test_too_many_variables_for_dynamic_programming() -> None:
    with pytest.raises(ForebearError, match="at most 32 variables, got 45: use method"):
        exact(random_parent_sets(45, 3), "dynamic")


def test_too_little_memory_for_dynamic_programming(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynamic, "memory_bytes", lambda: 10**9)
    with pytest.raises(LimitError, match=r"over 30 variables needs .* GB .* 1 GB are available"):
        exact(random_parent_sets(30, 3), "dynamic")
