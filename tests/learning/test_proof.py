"""The proof in learn(): attempts between runs, interrupts and failures."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from strategies import random_parent_sets
from waiting import PATIENCE

from forebear import Target, find_network, learn, score_network, simulate
from forebear._util.errors import ForebearWarning, LimitError
from forebear._util.watcher import Watcher
from forebear.knowledge.relations import Relations
from forebear.learning.proof import Proof
from forebear.learning.run import Run
from forebear.search.incumbent import Incumbent

SETS = random_parent_sets(24, 20, seed=4)
DATA = simulate(22, 300, seed=5).data
SHORT: dict[str, Any] = {"generations": 1, "seed": 1, "threads": 1}


@pytest.mark.parametrize("threads", [1, 2])
def test_a_proof_between_runs_ends_the_search(threads: int) -> None:
    """Long before the time is over."""
    result = learn(DATA, time_limit=PATIENCE, threads=threads, seed=1, cache=False)
    assert (result.status, result.stop_reason) == ("optimal", "optimal")
    assert result.score == pytest.approx(score_network(result.network, DATA), rel=1e-9)
    assert result.seconds < PATIENCE


def test_a_proof_that_takes_all_the_time_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Proof, "_most_seconds", lambda self: 0.0)
    table = [[0, 0], [0, 0], [1, 1], [1, 0]]
    result = learn(np.array(table), time_limit=PATIENCE, threads=1, seed=1, cache=False)
    assert (result.status, result.stop_reason) == ("optimal", "optimal")


def test_an_optimum_of_few_sets_is_not_proven_after_the_time_limit() -> None:
    """If time is left neither for scoring nor for a bound, the sets are those of the start."""
    result = learn(DATA, **SHORT, cache=False, certify=False)
    run = Run.make(time_limit=PATIENCE)
    proof = Proof(Incumbent(Watcher()), DATA.n_variables, run, 0.0, Relations())
    unproven = replace(result, stop_reason="optimal")
    assert proof.attach_bound(unproven).stop_reason == "time"


class AtBound(Watcher):
    """Interrupts the run as soon as a proof has a bound, or cancels it."""

    def __init__(self, *, cancels: bool) -> None:
        self.cancels = cancels
        self.cancel: Callable[[], None] = lambda: None

    def started(self, cancel: Callable[[], None]) -> None:
        self.cancel = cancel

    def bounding(self, bound: float, score: float | None) -> None:
        if self.cancels:
            self.cancel()
        else:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
@pytest.mark.parametrize("cancels", [False, True])
def test_a_run_can_be_ended_in_a_proof(cancels: bool) -> None:
    watcher = AtBound(cancels=cancels)
    result = learn(DATA, time_limit=PATIENCE, threads=1, seed=1, cache=False, watcher=watcher)
    assert result.stop_reason == ("cancelled" if cancels else "interrupted")
    assert result.status != "optimal"
    assert result.score == pytest.approx(score_network(result.network, DATA), rel=1e-9)


def test_a_better_network_of_the_proof_is_a_complete_result() -> None:
    """Also where the search ended early: it had reached a target."""
    poor = find_network(SETS, certify=False, **SHORT)
    ends: dict[str, Any] = {"time_limit": PATIENCE, "generations": Target(poor.score - 1.0)}
    early = find_network(SETS, seed=1, certify=False, **ends)
    assert (early.stop_reason, early.bound) == ("target", None)
    best = find_network(SETS, seed=1, certify=True, **ends)
    exact = find_network(SETS, algorithm="exact", seed=1)
    assert best.score == pytest.approx(exact.score, abs=1e-6)
    assert best.score > early.score + 1
    assert best.status == "optimal"
    assert best.stop_reason in ("target", "optimal")
    assert best.alternatives[0].score == pytest.approx(best.score)
    assert best.alternatives[0].parents == best.network.parents
    assert [step.score for step in best.trace][-1] == best.score


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
@pytest.mark.parametrize("error", [KeyboardInterrupt, LimitError, MemoryError])
def test_the_network_is_kept_if_the_proof_fails(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    expected = find_network(SETS, certify=False, **SHORT)
    monkeypatch.setattr("forebear.learning.proof.find_exact", fail)
    with pytest.warns(ForebearWarning, match=r"proof\.cert was not written"):
        result = find_network(SETS, certify=tmp_path / "proof.cert", **SHORT)
    assert (result.network, result.bound) == (expected.network, None)
    assert (result.stop_reason == "interrupted") == (error is KeyboardInterrupt)
    if error is not KeyboardInterrupt:  # nor does a proof between runs end the search
        timed = find_network(SETS, time_limit=0.5, seed=1, threads=1)
        assert (timed.stop_reason, timed.bound) == ("time", None)
