"""Search and proof beside each other: they share what they find, and the threads."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from strategies import random_parent_sets
from waiting import wait_until

from forebear import PSMINOBS, Exact, ParentSets, find_bound, find_network, learn, simulate
from forebear._util.watcher import Watcher
from forebear.exact.exchange import Exchange
from forebear.learning import beside, proof
from forebear.learning.prover import Prover
from forebear.search.algorithm import make_runners
from forebear.search.psminobs import SampleChain
from forebear.search.runner import Runner
from forebear.search.threads import Workers

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

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


@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_a_chain_goes_on_with_the_sets_that_are_left(
    rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebear.search.psminobs.WORTH_NARROWING", 1.0)
    left = find_bound(SETS, score=OPTIMUM - 1.0, rounds=40, threads=1).survivors
    assert left is not None
    assert sum(map(len, left)) < len(SETS)
    runner, *_ = make_runners(SETS, PSMINOBS(rate=rate, widen=False), seed=1, started=0.0)
    chain = runner.chain
    assert isinstance(chain, SampleChain)
    with Workers(1) as workers:
        chain.narrow(workers, left)  # nobody is there yet
        for _ in range(10):
            chain.advance(workers)
        before = int(chain.space.counts.sum())
        known = [chain.space.full_ranks(member.ranks) for member in chain.population.members]
        chain.narrow(workers, left)
        assert int(chain.space.counts.sum()) < before
        for _ in range(10):
            chain.advance(workers)
        for member in chain.population.members:
            ranks = chain.space.full_ranks(member.ranks)
            for v, rank in enumerate(ranks):
                # Where sets are sampled, those of known networks join them.
                assert rank in left[v] or (rate < 1.0 and rank in [one[v] for one in known])
        if rate == 1.0:
            assert chain.space.score(chain.best.ranks) == pytest.approx(OPTIMUM)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_proof_covers_the_sets_as_they_are_at_the_end(threads: int, tmp_path: Path) -> None:
    data = simulate(22, 300, seed=5).data
    path = tmp_path / "grown.cps"
    result = learn(data, time_limit=20, threads=threads, seed=1, cache=False, save_sets=path)
    assert result.status == "optimal"
    sets = ParentSets.load(path)
    best = find_network(sets, algorithm=Exact(), threads=1, seed=1)
    assert result.score == pytest.approx(best.score)


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_an_interruption_while_it_waits_keeps_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Exchange) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Exchange, "wait", interrupt)
    result = find_network(SETS, time_limit=30, threads=1, seed=1)
    assert result.stop_reason in ("interrupted", "optimal")
    assert result.score <= OPTIMUM + 1e-6


def ranks_of(sets: ParentSets, order: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.array([one.rank - 1 for one in sets.best_of_order(tuple(order.tolist()))])


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_an_interrupted_proof_keeps_its_bound() -> None:
    hard = random_parent_sets(40, 300, seed=1)
    order = np.arange(40, dtype=np.int32)
    score = math.fsum(one.score for one in hard.best_of_order(order.tolist()))
    how: dict[str, Any] = {"seconds": 60, "threads": 1, "seed": 1, "watcher": Watcher()}
    prover = Prover(hard, order, score, ranks_of(hard, order), certificate=None, **how)

    class InterruptedOnce(threading.Event):
        """Ctrl-C comes while the proof is waited for, and has a bound."""

        def wait(self, timeout: float | None = None) -> bool:
            if timeout is None:
                return super().wait()
            wait_until(lambda: math.isfinite(prover.gap), "there is no bound")
            raise KeyboardInterrupt

    prover._ended = InterruptedOnce()
    result = prover.result(60.0, 1)
    assert result.stop_reason == "interrupted"
    assert result.bound is not None
    assert result.bound > result.score
    assert prover.ended


def test_a_proof_that_is_void_leaves_no_certificate(tmp_path: Path) -> None:
    path = tmp_path / "proof.cert"
    order = np.arange(24, dtype=np.int32)
    score = math.fsum(one.score for one in SETS.best_of_order(order.tolist()))
    how: dict[str, Any] = {"seconds": 60, "threads": 1, "seed": 1, "watcher": Watcher()}
    prover = Prover(SETS, order, score, ranks_of(SETS, order), certificate=path, **how)
    prover.exchange.wait()
    prover.discard()
    assert not path.exists()
    wanted = Prover(SETS, order, score, ranks_of(SETS, order), certificate=path, **how)
    assert wanted.result(60.0, 1).stop_reason == "optimal"
    wanted.discard()
    assert path.exists()


def test_exact_search_keeps_the_sets(tmp_path: Path) -> None:
    find_network(SETS, algorithm="exact", save_sets=tmp_path / "kept.cps", threads=1, seed=1)
    assert len(ParentSets.load(tmp_path / "kept.cps")) == len(SETS)


def test_networks_of_the_proof_join_the_population() -> None:
    sets = random_parent_sets(12, 10, seed=3)
    best = find_network(sets, algorithm=Exact(), threads=1, seed=1)
    runners = make_runners(sets, PSMINOBS(), seed=1, started=0.0)
    chain = runners[0].chain
    assert isinstance(chain, SampleChain)
    with Workers(1) as workers:
        order = np.array(best.order, dtype=np.int32)
        ranks = ranks_of(sets, order).astype(np.int32)
        chain.welcome(workers, order, ranks)  # nobody is there yet
        chain.advance(workers)
        chain.welcome(workers, order, ranks)
        assert chain.space.score(chain.best.ranks) == pytest.approx(best.score)
