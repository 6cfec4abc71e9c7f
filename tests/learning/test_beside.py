"""Search and proof beside each other: they share what they find, and the threads."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from strategies import random_parent_sets

from forebear import PSMINOBS, Exact, ParentSets, find_network, learn, simulate
from forebear.exact.exchange import Exchange
from forebear.learning import beside, proof
from forebear.search.algorithm import make_runners
from forebear.search.psminobs import SampleChain
from forebear.search.runner import Runner
from forebear.search.threads import Workers

if TYPE_CHECKING:
    from pathlib import Path

    from forebear.exact.problem import Solver

SETS = random_parent_sets(24, 20, seed=4)
OPTIMUM = find_network(SETS, algorithm=Exact(), threads=1, seed=1).score


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proofs start soon, and take short turns."""
    monkeypatch.setattr(proof, "PROOF_LEAST_QUIET", 0.02)
    monkeypatch.setattr(proof, "PROOF_QUIET_SHARE", 0.0)
    monkeypatch.setattr(beside, "TURN_SECONDS", 0.02)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("certify", [None, True])
@pytest.mark.parametrize("chains", [1, 3])
def test_a_proof_ends_the_search(threads: int, certify: bool | None, chains: int) -> None:
    result = find_network(
        SETS,
        algorithm=PSMINOBS(chains=chains),
        time_limit=60,
        threads=threads,
        seed=1,
        certify=certify,
    )
    assert (result.status, result.stop_reason) == ("optimal", "optimal")
    assert result.score == pytest.approx(OPTIMUM)
    # Without the proof, the search would have been idle for some seconds before it ended.
    assert result.phases["search"] < 4.0


@pytest.mark.parametrize("threads", [1, 2])
def test_one_thread_is_never_used_by_both(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    searching = threading.Event()
    both = []
    step, meet = Runner.step, Exchange.meet

    def slow_step(self: Runner, workers: Any) -> Any:
        searching.set()
        try:
            return step(self, workers)
        finally:
            searching.clear()

    def watched_meet(self: Exchange, solver: Solver) -> None:
        # It comes from its work.
        both.append(searching.is_set())
        meet(self, solver)

    monkeypatch.setattr(Runner, "step", slow_step)
    monkeypatch.setattr(Exchange, "meet", watched_meet)
    find_network(SETS, time_limit=30, threads=threads, seed=1)
    assert both
    if threads == 1:
        assert not any(both)


def test_the_search_goes_on_with_the_sets_that_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    narrowed: list[int] = []
    narrow = SampleChain.narrow

    def noted(self: SampleChain, workers: Any, survivors: Any) -> None:
        narrow(self, workers, survivors)
        narrowed.append(int(self.space.counts.sum()))
        for members in self.population.members:
            ranks = self.space.full_ranks(members.ranks)
            if self._survivors is not None:
                assert all(r in own for r, own in zip(ranks, self._survivors, strict=True))

    monkeypatch.setattr(SampleChain, "narrow", noted)
    monkeypatch.setattr("forebear.search.psminobs.WORTH_NARROWING", 0.99)
    sets = random_parent_sets(26, 25, seed=2)
    result = find_network(sets, time_limit=10, threads=2, seed=1, certify=True)
    assert narrowed
    assert min(narrowed) < len(sets)
    best = find_network(sets, algorithm=Exact(), threads=1, seed=1)
    assert result.score == pytest.approx(best.score)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_proof_covers_the_sets_as_they_are_at_the_end(threads: int, tmp_path: Path) -> None:
    data = simulate(22, 300, seed=5).data
    path = tmp_path / "grown.cps"
    result = learn(data, time_limit=20, threads=threads, seed=1, cache=False, save_sets=path)
    assert result.status == "optimal"
    sets = ParentSets.load(path)
    best = find_network(sets, algorithm=Exact(), threads=1, seed=1)
    assert result.score == pytest.approx(best.score)


def test_an_interruption_while_it_waits_keeps_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Exchange) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Exchange, "wait", interrupt)
    result = find_network(SETS, time_limit=30, threads=1, seed=1)
    assert result.stop_reason in ("interrupted", "optimal")
    assert result.score <= OPTIMUM + 1e-6


def test_networks_of_the_proof_join_the_population() -> None:
    sets = random_parent_sets(12, 10, seed=3)
    best = find_network(sets, algorithm=Exact(), threads=1, seed=1)
    runners = make_runners(sets, PSMINOBS(), seed=1, started=0.0)
    chain = runners[0].chain
    assert isinstance(chain, SampleChain)
    with Workers(1) as workers:
        chain.welcome(workers, np.array(best.order, dtype=np.int32))  # nobody is there yet
        chain.advance(workers)
        chain.welcome(workers, np.array(best.order, dtype=np.int32))
        assert chain.space.score(chain.best.ranks) == pytest.approx(best.score)
