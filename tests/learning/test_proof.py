"""The proof of learn: when it begins, what it leaves of a result, and how it ends."""

from __future__ import annotations

import math
import os
import signal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from strategies import random_parent_sets
from waiting import PATIENCE, wait_until
from watchers import AtOnce

from forebear import MINOBS, PSMINOBS, find_network, learn, score_network, simulate
from forebear._util.errors import ForebearWarning, LimitError
from forebear._util.watcher import Watcher
from forebear.learning.proof import Proof
from forebear.learning.run import Run
from forebear.learning.search_and_prove import SearchRecord, make_result
from forebear.proof.exact_search import find_exact
from forebear.search.chain import FoundNetwork
from forebear.search.incumbent import Incumbent
from forebear.search.runner import Runner
from forebear.search.space import SearchSpace
from forebear.search.threads import Workers
from forebear.search.trace import Improvement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from forebear import ParentSets, Result

SETS = random_parent_sets(24, 20, seed=4)
DATA = simulate(22, 300, seed=5).data


def proof(
    incumbent: Incumbent | None = None,
    limit: float = 30.0,
    *,
    certify: bool | Path | None = None,
    watcher: Watcher | None = None,
    **asked: Any,
) -> Proof:
    run = Run.checked(
        time_limit=limit, threads=1, seed=1, certify=certify, watcher=watcher or Watcher()
    )
    return Proof(incumbent or Incumbent(), SETS.n_variables, run, **asked)


def network_of(order: Sequence[int]) -> FoundNetwork:
    """Return the best network of an order."""
    chosen = SETS.best_of_order(order)
    score = math.fsum(one.score for one in chosen)
    ranks = np.array([one.rank - 1 for one in chosen], dtype=np.int32)
    return FoundNetwork(score, np.array(order, dtype=np.int32), SETS, ranks)


def ended(reason: str = "no improvement") -> SearchRecord:
    """Return what a search that ended for some reason leaves."""
    fields = {
        "algorithm": "ps-minobs",
        "settings": {},
        "seed": 1,
        "winner": 1,
        "stop_reason": reason,
        "seconds": 1.0,
        "generations": (1,),
        "lost": (),
        "version": "",
    }
    return SearchRecord(fields, [])


def proven(
    reason: str = "no improvement", found: FoundNetwork | None = None, **asked: Any
) -> Result:
    """Return a result after the proof that follows a search."""
    incumbent = Incumbent()
    incumbent.offer(found or network_of(range(SETS.n_variables)), Improvement(1, 0.5, 1, 0.0))
    prover, about = proof(incumbent, **asked), ended(reason)
    prover.prove(SETS, about)
    return prover.attach_bound(make_result(SETS, incumbent, about))


def failing(error: type[BaseException]) -> Callable[..., None]:
    """Return exact search that fails."""

    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


class Solved:
    """Exact search that notes how it ended, and may do something before."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reasons: list[str] = []
        self.before: Callable[[Callable[[], bool] | None], object] = lambda proceed: None
        monkeypatch.setattr("forebear.learning.proof.find_exact", self)

    def __call__(self, *given: Any, **named: Any) -> list[Result]:
        self.before(named["proceed"])
        found = find_exact(*given, **named)
        self.reasons.append(found[0].stop_reason)
        return found


@pytest.mark.parametrize("threads", [1, 2])
def test_a_proof_between_runs_ends_the_search(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before the time is over, and it is not made again after the search."""
    solved = Solved(monkeypatch)
    result = learn(DATA, time_limit=PATIENCE, threads=threads, seed=1, cache=False)
    assert (result.status, result.stop_reason) == ("optimal", "optimal")
    assert result.score == pytest.approx(score_network(result.network, DATA), rel=1e-9)
    assert solved.reasons.count("optimal") <= 2  # once more with the sets of all sources
    assert solved.reasons[-1] == "optimal"


def between_runs(
    prover: Proof, most_runs: int, sets: ParentSets = SETS, seed: int = 1
) -> tuple[Runner, str | None]:
    """Search some runs of fixed sets, and try a proof after each."""
    settings = PSMINOBS(minobs=MINOBS(population=4, crossovers=3, mutations=1, patience=1.0))
    chain = settings.chain(SearchSpace(sets), 1, np.random.SeedSequence(seed))
    runner = Runner(1, chain, 0.0)
    call, reason = prover.between_runs, None
    assert call is not None
    with Workers(1) as workers:
        while reason is None and chain.runs < most_runs:
            runner.step(workers)
            prover.incumbent.offer(chain.best)
            reason = call(runner, workers)
            runner.take_best()
    return runner, reason


def test_a_proof_that_is_cut_by_its_steps_leaves_the_search_going(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("forebear.learning.proof.STEPS_PER_RUN", 1)
    monkeypatch.setattr("forebear.learning.proof.STEPS_FACTOR", 1)
    solved = Solved(monkeypatch)
    runner, reason = between_runs(proof(), 3)
    assert reason is None
    assert solved.reasons == ["cancelled"] * 3  # one after each run
    assert runner.best is not None
    monkeypatch.setattr("forebear.learning.proof.STEPS_PER_RUN", 10**6)
    assert between_runs(proof(), 99)[1] == "optimal"


def test_a_better_network_of_a_proof_joins_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebear.learning.proof.STEPS_PER_RUN", 10**6)
    runner, reason = between_runs(proof(), 99)
    exact = find_network(SETS, algorithm="exact", seed=1)
    assert reason == "optimal"
    assert runner.score == pytest.approx(exact.score, abs=1e-6)
    assert runner.chain is not None
    monkeypatch.setattr("forebear.learning.proof.find_exact", failing(LimitError))
    alone, _ = between_runs(proof(), runner.chain.runs)
    assert alone.score < runner.score - 1


@pytest.mark.parametrize("error", [LimitError, MemoryError])
def test_a_proof_that_fails_leaves_the_search_going(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebear.learning.proof.find_exact", failing(error))
    assert between_runs(proof(), 2)[1] is None


def test_no_proof_between_runs() -> None:
    """The result of several chains or a generation limit must not depend on when it ends."""
    assert proof(certify=False).between_runs is None
    for asked in ({"generations": 5}, {"time_limit": 5.0, "algorithm": PSMINOBS(chains=2)}):
        run = Run.checked(threads=1, seed=1, certify=True, watcher=Watcher(), **asked)
        assert Proof(Incumbent(), 24, run).between_runs is None


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_interrupted_in_a_proof_between_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebear.learning.proof.STEPS_PER_RUN", 10**9)

    def interrupt(proceed: Callable[[], bool] | None) -> None:
        assert proceed is not None
        os.kill(os.getpid(), signal.SIGINT)
        wait_until(lambda: not proceed(), "the proof should end")

    solved = Solved(monkeypatch)
    solved.before = interrupt
    result = learn(DATA, time_limit=PATIENCE, threads=1, seed=1, cache=False)
    assert result.stop_reason == "interrupted"
    assert result.score == pytest.approx(score_network(result.network, DATA), rel=1e-9)
    assert solved.reasons == ["cancelled"]


def test_cancelling_ends_the_proof_after_the_search() -> None:
    result = proven(watcher=AtOnce())
    assert result.bound is not None
    assert result.status != "optimal"


def test_a_better_network_comes_with_all_that_a_result_has() -> None:
    poor = network_of(range(SETS.n_variables))
    best = proven(found=poor)
    assert best.score > poor.score
    assert best.status == "optimal"
    assert best.alternatives[0].score == pytest.approx(best.score)
    assert best.alternatives[0].parents == best.network.parents
    assert [step.score for step in best.trace][-1] == best.score
    assert len(best.trace) == 2


@pytest.mark.parametrize("reason", ["no improvement", "target", "time"])
def test_why_the_search_ended_is_kept(reason: str) -> None:
    assert proven(reason, limit=2.0).stop_reason in (reason, "optimal")
    assert proven("interrupted", limit=2.0).bound is None


@pytest.mark.parametrize("error", [KeyboardInterrupt, LimitError, MemoryError])
def test_whatever_happens_the_network_is_kept(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebear.learning.proof.find_exact", failing(error))
    found = network_of(range(SETS.n_variables))
    result = proven(found=found)
    assert result.network.parents == found.parents
    assert result.bound is None
    assert result.stop_reason == ("interrupted" if error is KeyboardInterrupt else "no improvement")


def test_a_certificate_that_is_not_written_is_told(tmp_path: Path) -> None:
    with pytest.warns(ForebearWarning, match=r"proof\.cert was not written"):
        assert proven(certify=tmp_path / "proof.cert", reserve=math.inf).bound is None
    assert not (tmp_path / "proof.cert").exists()


def test_time_for_the_check_is_left() -> None:
    assert proven(limit=10.0, reserve=math.inf).bound is None
