"""The proof of learn: when it begins, what it leaves of a result, and how it ends."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from strategies import random_parent_sets

from forebear import find_network, learn, simulate
from forebear._util.errors import ForebearWarning, LimitError
from forebear._util.watcher import Watcher
from forebear.budget import Clock
from forebear.learning.proof import Proof
from forebear.learning.request import SearchRequest
from forebear.search.stop import AnyOf, NoImprovement, Target

if TYPE_CHECKING:
    from pathlib import Path

    from forebear import ParentSets, Result

SETS = random_parent_sets(24, 20, seed=4)
DATA = simulate(22, 300, seed=5).data


def proof(
    sets: ParentSets = SETS, limit: float = 30.0, *, certify: bool | None = None, **asked: Any
) -> Proof:
    request = SearchRequest.checked(
        time_limit=limit, threads=1, seed=1, certify=certify, watcher=Watcher()
    )
    return Proof(sets, request, Clock(limit), **asked)


@cache
def idle() -> Result:
    """A result as the search leaves it when it finds nothing better."""
    result = find_network(SETS, generations=1, seed=1)
    return replace(result, stop_reason="no improvement")


@pytest.mark.slow
def test_some_dozens_of_variables_are_proven_before_the_time_is_over() -> None:
    result = learn(DATA, time_limit=60, threads=1, seed=1, cache=False)
    assert (result.status, result.stop_reason) == ("optimal", "optimal")
    assert sum(result.phases.values()) == pytest.approx(result.seconds, abs=0.5)


def test_a_better_network_comes_with_all_that_a_result_has() -> None:
    found = idle()
    worst = list(range(24))
    poor = replace(found, order=tuple(worst)).over(SETS)
    poor = replace(poor, alternatives=found.alternatives[:1])
    prover = proof()
    prover.rule(None, 10.0)
    best = prover.of(poor, SETS)
    assert best.score > poor.score
    assert best.status == "optimal"
    assert best.alternatives[0].score == pytest.approx(best.score)
    assert best.alternatives[0].parents == best.network.parents
    assert [step.score for step in best.trace][-1] == best.score
    assert len(poor.trace) == len(best.trace) - 1


def test_why_the_search_ended_is_kept() -> None:
    asked = proof(limit=2.0)
    for reason in ("no improvement", "target", "time"):
        result = asked.of(replace(idle(), stop_reason=reason), SETS)
        assert result.stop_reason in (reason, "optimal")
    stopped = proof(limit=2.0).of(replace(idle(), stop_reason="interrupted"), SETS)
    assert stopped.bound is None


def test_idle_searches_end_for_the_proof() -> None:
    asked = proof(certify=True)
    assert asked.rule(None, 10.0) == AnyOf(NoImprovement(seconds=1.0))
    assert asked.rule(Target(-3.0), 100.0) == AnyOf(Target(-3.0), NoImprovement(seconds=8.0))
    assert asked.rule(None, None) is None
    assert asked.seconds_beside(0.0, math.inf) == math.inf


def test_a_proof_nobody_asked_for_takes_no_time_from_a_search_that_improves() -> None:
    unasked = proof()
    assert unasked.rule(None, 10.0) is None
    assert unasked.rule(Target(-3.0), 10.0) == AnyOf(Target(-3.0))
    near, far = 24 * 1.0, 24 * 3.0  # of 24 variables
    assert unasked.seconds_beside(0.0, near) == pytest.approx(1.0)
    assert unasked.seconds_beside(6.0, near) == pytest.approx(4.0)
    assert unasked.seconds_beside(6.0, far) == pytest.approx(1.0)


@pytest.mark.parametrize("error", [KeyboardInterrupt, LimitError, MemoryError])
def test_whatever_happens_the_network_is_kept(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("forebear.learning.prover.find_exact", fail)
    found = idle()
    prover = proof()
    prover.rule(None, 10.0)
    result = prover.of(found, SETS)
    assert result.network == found.network
    assert result.bound is None
    assert result.stop_reason == ("interrupted" if error is KeyboardInterrupt else "no improvement")


def test_a_certificate_that_is_not_written_is_told(tmp_path: Path) -> None:
    request = SearchRequest.checked(
        time_limit=10.0, threads=1, seed=1, watcher=Watcher(), certificate=tmp_path / "proof.cert"
    )
    prover = Proof(SETS, request, Clock(10.0), reserve=math.inf)
    with pytest.warns(ForebearWarning, match=r"proof\.cert was not written"):
        assert prover.of(idle(), SETS).bound is None
    assert not (tmp_path / "proof.cert").exists()


def test_time_for_the_check_is_left() -> None:
    prover = proof(limit=10.0, reserve=math.inf)
    prover.rule(None, 10.0)
    assert prover.of(idle(), SETS).bound is None
