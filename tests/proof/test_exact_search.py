"""Exact search: the same optimum by every method, what is proven, and how it stops."""

from __future__ import annotations

import math
from typing import Any

import naive
import pytest
from certificates import FEW_CUTS
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import parent_set_collections, random_parent_sets
from watchers import AtOnce, Failing, Recorder

from forebear import Exact, Watcher, find_network
from forebear._util.errors import ForebearError, LimitError
from forebear.parentsets.collection import ParentSets
from forebear.proof.dynamic_programming import check_memory
from forebear.proof.exact_search import Method, find_exact
from forebear.proof.proof_run import Effort
from forebear.result import Result

METHODS: tuple[Method, ...] = ("dynamic", "branch-and-cut")

each_method = pytest.mark.parametrize("method", METHODS)


def exact(sets: ParentSets, method: Method = "auto", **options: Any) -> Result:
    options = {"time_limit": 1e6, **options}  # no result depends on the clock
    return find_exact(sets, Exact(method), seed=1, threads=1, **options)[0]


def check_proven(result: Result, optimum: float) -> None:
    assert result.score == pytest.approx(optimum, rel=1e-9, abs=1e-6)
    assert (result.stop_reason, result.status) == ("optimal", "optimal")
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


@pytest.mark.parametrize(
    "effort", [FEW_CUTS, Effort(ascent_rounds=1, most_sets=0)], ids=["slow", "many sets"]
)
def test_dynamic_programming_takes_over_from_branch_and_cut(effort: Effort) -> None:
    sets = random_parent_sets(22, 40, seed=5)
    check_proven(exact(sets, effort=effort), exact(sets, "dynamic").score)


def test_too_many_sets_for_linear_programs() -> None:
    sets = random_parent_sets(22, 40, seed=5)
    effort = Effort(most_sets=0)
    stopped = exact(sets, "branch-and-cut", effort=effort, proceed=StepLimit(20))
    check_unproven(stopped, "cancelled")


@settings(max_examples=30, deadline=None)
@given(parent_set_collections(max_variables=6, required_parents=True), st.integers(0, 2))
def test_cuts_of_every_depth_leave_the_optimum(sets: ParentSets, depth: int) -> None:
    optimum = naive.best_score(naive.as_lists(sets))
    if optimum > -math.inf:
        effort = Effort(ascent_rounds=1, few_cuts=10**6, depth=depth)
        check_proven(exact(sets, "branch-and-cut", effort=effort), optimum)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(7, 11),
    st.integers(2, 3),
    st.sampled_from([None, 3.0]),
    st.sampled_from([FEW_CUTS, Effort(rounds=(0, 0), progress=(1.0, 1.0))]),
)
def test_branch_and_cut_on_problems_that_need_nodes(
    seed: int, n: int, most: int, grid: float | None, effort: Effort
) -> None:
    sets = random_parent_sets(n, 25, max_parents=most, seed=seed, grid=grid)
    result = exact(sets, "branch-and-cut", effort=effort)
    check_proven(result, naive.best_score(naive.as_lists(sets)))


@each_method
def test_larger_problems_and_what_is_reported(method: Method) -> None:
    watcher = Recorder()
    sets = random_parent_sets(11, 60, seed=2)
    result = find_network(sets, algorithm=Exact(method), seed=1, watcher=watcher)
    check_proven(result, naive.best_score(naive.as_lists(sets)))
    assert result.settings == {"method": method}
    assert watcher.improvements == list(result.trace)
    assert watcher.improvements[-1].score == result.score


# ---- searches that end early -------------------------------------------------------------------

MIDDLING = random_parent_sets(14, 300, seed=4)
"""Sets that no method is done with at its second step."""


def check_unproven(result: Result, reason: str) -> None:
    assert (result.stop_reason, result.status) == (reason, "feasible")
    assert result.bound is not None
    assert result.score < result.bound < math.inf


def interrupt() -> bool:
    raise KeyboardInterrupt


@each_method
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"time_limit": 1e-9}, "time"),
        ({"proceed": lambda: False}, "cancelled"),
        ({"proceed": interrupt}, "interrupted"),
    ],
)
def test_stopped_searches_keep_the_best_so_far(
    method: Method, options: dict[str, Any], reason: str
) -> None:
    check_unproven(exact(MIDDLING, method, **options), reason)


@pytest.mark.parametrize(
    ("watcher", "reason"),
    [(AtOnce(), "cancelled"), (Failing("bounding", KeyboardInterrupt), "interrupted")],
)
@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_watchers_stop_searches(watcher: Watcher, reason: str) -> None:
    found = find_network(MIDDLING, algorithm=Exact("branch-and-cut"), seed=1, watcher=watcher)
    check_unproven(found, reason)


class StepLimit:
    """Allows some steps, and counts how often it is called."""

    def __init__(self, most: int) -> None:
        self.most, self.calls = most, 0

    def __call__(self) -> bool:
        self.calls += 1
        return self.calls <= self.most


def test_a_limit_on_steps_ends_a_proof_with_a_valid_bound() -> None:
    optimum = naive.best_score(naive.as_lists(MIDDLING))
    bounds = []
    for most in (2, 10, 40):
        limit = StepLimit(most)
        stopped = exact(MIDDLING, "branch-and-cut", effort=FEW_CUTS, proceed=limit)
        assert limit.calls == most + 1
        assert stopped.stop_reason == "cancelled"
        assert stopped.bound is not None
        assert stopped.score <= optimum + 1e-9
        assert stopped.bound >= optimum - 1e-9
        bounds.append(stopped.bound)
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < bounds[0]


# ---- mistakes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"time_limit": 0.0}, "time_limit must be positive, got 0"),
        ({"generations": 3}, "or at time_limit: leave out generations"),
        ({"checkpoint": "search.ckpt"}, "exact search cannot be resumed"),
    ],
)
def test_mistakes(given: dict[str, object], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        find_network(random_parent_sets(4, 5), algorithm="exact", **given)  # type: ignore[arg-type]


def test_what_no_method_can_do() -> None:
    with pytest.raises(ForebearError, match="method must be one of auto, dynamic, branch-and-cut"):
        Exact("astar")  # type: ignore[arg-type]
    with pytest.raises(ForebearError, match="at most 32 variables, got 45: use method"):
        find_network(random_parent_sets(45, 3), algorithm=Exact("dynamic"))
    with pytest.raises(LimitError, match=r"over 30 variables needs .* GB .* 1 GB are available"):
        check_memory(30, 1, limit=10**9)
