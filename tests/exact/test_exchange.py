"""A solver beside a search: networks from elsewhere, sets that are left, and turns."""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING, Any

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import parent_set_collections, random_parent_sets
from waiting import PATIENCE, wait_until

from forebear.budget import Clock
from forebear.exact.exchange import Exchange
from forebear.exact.incumbents import Incumbents
from forebear.exact.problem import Solver
from forebear.exact.settings import Exact
from forebear.exact.solve import find_exact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.parentsets.collection import ParentSets


def ranks_of(sets: ParentSets, order: Sequence[int]) -> np.ndarray:
    return np.array([one.rank - 1 for one in sets.best_of_order(tuple(order))])


@settings(max_examples=60, deadline=None)
@given(parent_set_collections(max_variables=6), st.randoms(use_true_random=False))
def test_networks_from_elsewhere_spoil_no_proof(sets: ParentSets, random: object) -> None:
    optimum = naive.best_score(naive.as_lists(sets))
    order = list(range(sets.n_variables))
    incumbents = Incumbents(sets, 1)
    incumbents.add_order(order)
    seen: list[list[np.ndarray]] = []

    def pause(solver: Solver) -> None:
        random.shuffle(order)  # type: ignore[attr-defined]
        solver.take(ranks_of(sets, order))
        if (left := solver.survivors()) is not None:
            seen.append(left)

    solver = Solver(sets, incumbents, Clock(60.0), 1, dynamic_too=False, on_pause=pause)
    assert solver.run()
    assert incumbents.best == pytest.approx(optimum, rel=1e-9, abs=1e-6)
    assert solver.bound >= optimum - 1e-9
    # A network better than the incumbent has only sets that are left, and empty sets stay.
    best = next(iter(incumbents.all_ranks()))
    empty = [sets.find(v, ()) for v in range(sets.n_variables)]
    for left in seen:
        assert all(rank in own for rank, own in zip(best, left, strict=True))
        assert all(one is None or one.rank - 1 in own for one, own in zip(empty, left, strict=True))


def test_groups_are_put_together_from_the_better_halves() -> None:
    one = random_parent_sets(7, 10, seed=1)
    two = random_parent_sets(7, 10, seed=2)
    none = one.none
    both = type(one)(
        names=tuple(f"X{v}" for v in range(14)),
        offsets=np.concatenate([one.offsets, two.offsets[1:] + one.offsets[-1]]),
        scores=np.concatenate([one.scores, two.scores]),
        parents=np.concatenate(
            [one.parents, np.where(two.parents == none, none, two.parents + 7)], axis=1
        ),
    )
    best, *_ = find_exact(both, Exact("branch-and-cut"), time_limit=30, threads=1, seed=1)
    incumbents = Incumbents(both, 1)
    # The incumbent is good in the first half, what comes from elsewhere in the second.
    good = list(best.order)
    first = [v for v in good if v < 7] + list(range(13, 6, -1))
    second = list(range(7)) + [v for v in good if v >= 7]
    incumbents.add_order(first)
    told: list[float] = []

    def pause(solver: Solver) -> None:
        if solver._groups:
            solver.take(ranks_of(both, second))
            told.append(incumbents.best)

    solver = Solver(both, incumbents, Clock(30.0), 1, dynamic_too=False, on_pause=pause)
    assert solver.run()
    assert incumbents.best == pytest.approx(best.score)


def test_a_solver_works_only_in_its_turns() -> None:
    exchange = Exchange(1, 0.0)
    visits: list[float] = []
    going = True

    class Idle:
        """As much of a solver as the exchange needs."""

        incumbents = type("Nothing", (), {"best": -1.0})()

        def survivors(self) -> None:
            return None

        def order(self) -> np.ndarray:
            return np.arange(2)

        def use_threads(self, threads: int) -> None:
            assert threads == 1

    def work() -> None:
        with exchange.working():
            while going:
                visits.append(time.perf_counter())
                exchange.meet(Idle())  # type: ignore[arg-type]
                time.sleep(0.001)

    exchange.let_work(0.0)
    thread = threading.Thread(target=work)
    thread.start()
    exchange.wait()
    before = len(visits)
    time.sleep(0.05)
    assert len(visits) == before == 1
    exchange.let_work(PATIENCE)
    wait_until(lambda: len(visits) > before, "the solver does not come")
    exchange.let_work(0.0)
    exchange.wait()
    assert exchange.stands
    going = False
    exchange.let_work(PATIENCE)
    thread.join()
    exchange.wait()  # it has ended, so nobody waits for ever


def test_what_the_search_knows_is_no_news() -> None:
    sets = random_parent_sets(12, 10, seed=3)
    order = np.arange(12, dtype=np.int32)
    first = math.fsum(one.score for one in sets.best_of_order(order.tolist()))
    for known, told in ((first, False), (first - 1.0, True)):
        exchange = Exchange(1, known)
        exact = Exact("branch-and-cut")
        limits: dict[str, Any] = {"time_limit": 30, "threads": 1, "seed": 1, "warm_up": False}
        find_exact(sets, exact, orders=[order], exchange=exchange, **limits)
        _, news = exchange.news()
        assert news.survivors is not None
        assert (news.network is not None) == (told or exchange.known > first)


def test_only_better_networks_are_offered() -> None:
    exchange = Exchange(1, -10.0)
    exchange.offer(-11.0, np.zeros(2, dtype=np.int64))
    assert exchange.known == -10.0
    exchange.offer(-9.0, np.zeros(2, dtype=np.int64))
    assert exchange.known == -9.0
