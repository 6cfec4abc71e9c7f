"""The bound: never below any network, equal to the best where it says so."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import pack, parent_set_collections, random_parent_sets
from watchers import AtOnce, Failing, Recorder

from forebear import (
    Bound,
    ForebearError,
    ForebearWarning,
    ParentSets,
    Watcher,
    find_bound,
    surviving_sets,
)
from forebear.budget import Clock
from forebear.proof.bound import prove_bound
from forebear.proof.dynamic_programming import DYNAMIC_VARIABLES

COLLECTIONS = parent_set_collections(max_variables=6, required_parents=True)
POSSIBLE = parent_set_collections(max_variables=6)
SCALES = st.sampled_from([1.0, 2.0**-30, 2.0**-500, 2.0**30, 2.0**500])
EXACT = st.sampled_from([0, 3, 18])
SLOW = settings(deadline=None)
SMALLEST_RANGE = 2.0**-900  # of scores that the ticks still tell apart


def bound_of(sets: ParentSets, rounds: int, solvable: int, score: float | None = None) -> Bound:
    """Bound with another limit on what the core solves exactly."""
    return prove_bound(
        sets,
        score=score,
        clock=Clock(),
        rounds=rounds,
        threads=1,
        watcher=Watcher(),
        largest_dynamic=solvable,
    )


def scaled(sets: ParentSets, scale: float) -> ParentSets:
    """Multiply all scores by a power of two."""
    return replace(sets, scores=sets.scores * scale)


def slack(sets: ParentSets) -> float:
    """What rounding may add to a bound."""
    finite = np.abs(sets.scores[np.isfinite(sets.scores)])
    return 1e-12 * max(float(finite.sum()), SMALLEST_RANGE)


@SLOW
@given(COLLECTIONS, SCALES, st.integers(1, 8), EXACT)
def test_no_network_exceeds_it(sets: ParentSets, scale: float, rounds: int, exact: int) -> None:
    sets = scaled(sets, scale)
    best = naive.best_score(naive.as_lists(sets))
    if best == -math.inf:
        with pytest.raises(ForebearError, match="there is no network of these parent sets"):
            find_bound(sets, threads=1)
        return
    found = bound_of(sets, rounds, exact)
    assert found.bound >= best - slack(sets)  # brute force rounds, too
    if found.stop_reason == "optimal":
        assert found.bound <= best + slack(sets)
    else:
        assert exact < sets.n_variables
        assert (found.stop_reason, found.rounds) == ("rounds", rounds)


@SLOW
@given(POSSIBLE, st.integers(1, 12), EXACT, st.floats(0.0, 30.0))
def test_with_a_known_score(sets: ParentSets, rounds: int, exact: int, worse: float) -> None:
    """Whatever was dropped, the bound holds and the best network is still there."""
    best = naive.best_score(naive.as_lists(sets))
    found = bound_of(sets, rounds, exact, best - worse)
    assert found.bound >= best
    if found.stop_reason == "optimal":
        # Differences of up to a millionth of a nat are not told apart.
        assert found.bound <= best + max(slack(sets), 1e-6)
    left = surviving_sets(sets, found)
    assert found.sets_left == len(left)
    assert len(left) <= len(sets)
    assert naive.best_score(naive.as_lists(left)) == best


def test_a_score_that_was_rounded_up() -> None:
    """Adding up in another order may make it more than the sum is: the best network stays."""
    lists: naive.ScoredSets = [
        [(0.0, (1,)), (0.0, (2,)), (-1.0, (3,)), (-2.0, ())],
        [(0.0, (0,)), (0.0, (2,)), (-1.5, ())],
        [(0.0, (0,)), (0.0, (1,)), (-1.0, (3,)), (-1.5, ())],
        [(0.0, ())],
        [(-8191.238014033898, ())],
    ]
    sets = pack(lists)
    best = -8192.238014033897  # a bit above -8191.238014033898 - 1
    left = surviving_sets(sets, bound_of(sets, 3, 0, best))
    assert naive.best_score(naive.as_lists(left)) == naive.best_score(lists)


@given(POSSIBLE, st.floats(0.0, 30.0))
def test_a_score_that_no_network_has(sets: ParentSets, better: float) -> None:
    """The bound does not trust what it is told: it is never below the best."""
    top = math.fsum(sets.scores[sets.offsets[:-1]])
    best = min(naive.best_score(naive.as_lists(sets)), top)  # its sums are rounded
    score = min(best + better, top)
    found = bound_of(sets, 5, 0, score)
    assert found.bound >= max(score, best)


@settings(max_examples=25)
@given(st.integers(0, 1000), st.integers(1, 3))
def test_the_same_on_any_number_of_threads(seed: int, threads: int) -> None:
    sets = random_parent_sets(DYNAMIC_VARIABLES + 2, 40, seed=seed)
    one = find_bound(sets, rounds=5, threads=1)
    more = find_bound(sets, rounds=np.int64(5), threads=np.int64(threads))  # type: ignore[arg-type]
    assert (one.bound, one.clusters) == (more.bound, more.clusters)


def test_it_only_gets_better() -> None:
    sets = random_parent_sets(30, 200, seed=1)
    watcher = Recorder()
    found = find_bound(sets, rounds=20, threads=1, watcher=watcher)
    assert len(watcher.bounds) == found.rounds == 20
    assert all(after <= before for before, after in pairwise(watcher.bounds))
    assert watcher.bounds[-1] == found.bound < watcher.bounds[0]
    assert found.clusters > 0


def test_time_limit_and_cancel() -> None:
    sets = random_parent_sets(60, 200, seed=1)
    assert find_bound(sets, time_limit=1e-9, threads=1).stop_reason == "time"
    cancelled = find_bound(sets, time_limit=60, threads=1, watcher=AtOnce())
    assert (cancelled.stop_reason, cancelled.rounds) == ("cancelled", 1)
    top = math.fsum(sets.scores[sets.offsets[:-1]])
    assert top <= cancelled.bound <= top + slack(sets)


def test_interrupted_it_keeps_the_best_so_far() -> None:
    sets = random_parent_sets(30, 200, seed=1)
    watcher = Failing("bounding", KeyboardInterrupt, after=2)
    with pytest.warns(ForebearWarning, match="interrupted: the result is the best bound so far"):
        found = find_bound(sets, time_limit=60, threads=1, watcher=watcher)
    assert (found.stop_reason, found.rounds) == ("interrupted", 3)
    assert found.bound < math.fsum(sets.scores[sets.offsets[:-1]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_limit": 0}, "time_limit must be positive"),
        ({"rounds": 0}, "rounds must be at least 1"),
        ({"rounds": 2.5}, "rounds must be a whole number, got 2.5"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"score": 1e6}, "which no network of these parent sets has"),
        ({"score": math.nan}, "score must be a number, got nan"),
    ],
)
def test_mistakes(options: dict[str, float], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        find_bound(random_parent_sets(3, 5), **options)  # type: ignore[arg-type]


def test_survivors_need_a_score() -> None:
    sets = random_parent_sets(3, 5)
    with pytest.raises(ForebearError, match="pass score to find_bound"):
        surviving_sets(sets, find_bound(sets))
    with pytest.raises(ForebearError, match="other parent sets"):
        surviving_sets(random_parent_sets(4, 5), find_bound(sets, score=-1e4))
