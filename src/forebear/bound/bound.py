"""find_bound(): a score that no network exceeds, proven. The work is native."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forebear import _core
from forebear._util.errors import ForebearError
from forebear._util.machine import cores
from forebear.parentsets.collection import ParentSets

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

DEFAULT_SECONDS = 60.0
LARGEST_EXACT = 18


@dataclass(frozen=True, eq=False)
class Bound:
    """A score that no network of some parent sets exceeds.

    ``score`` is the known network's, if one was given. ``clusters`` counts the
    sets of variables that the proof rests on. ``stop_reason`` is ``optimal``
    if the bound is the best score itself, up to rounding (or that of the known
    network, if one was given), else what ended the work: ``time``, ``rounds``,
    ``interrupted`` or ``cancelled``. ``survivors[v]`` lists the ranks (from 0)
    of the sets that variable ``v`` may have in a network at least as good as
    the known one, and of the empty set; ``None`` if no score was given.
    """

    bound: float
    score: float | None
    seconds: float
    rounds: int
    clusters: int
    stop_reason: str
    survivors: tuple[NDArray[np.int32], ...] | None

    @property
    def gap_nats(self) -> float | None:
        """How far the known score may be from the best there is."""
        return None if self.score is None else max(0.0, self.bound - self.score)

    @property
    def gap(self) -> float | None:
        """Likewise, as a share of the known score."""
        nats = self.gap_nats
        return None if self.score is None or nats is None else nats / (abs(self.score) or 1.0)

    @property
    def sets_left(self) -> int | None:
        """How many sets survive."""
        return None if self.survivors is None else sum(map(len, self.survivors))


@dataclass(frozen=True)
class BoundStanding:
    """How far the proof is after a round."""

    seconds: float
    rounds: int
    clusters: int
    bound: float


def find_bound(
    parent_sets: ParentSets,
    *,
    score: float | None = None,
    time_limit: float | None = None,
    rounds: int | None = None,
    threads: int | None = None,
    largest_exact: int = LARGEST_EXACT,
    on_progress: Callable[[BoundStanding], None] | None = None,
    on_start: Callable[[Callable[[], None]], None] | None = None,
) -> Bound:
    """Prove a score that no network of these parent sets exceeds.

    It stops when the bound cannot be better, after ``time_limit`` seconds (60,
    if nothing else is given) or so many ``rounds``; interrupted or cancelled,
    it returns the best so far. With the ``score`` of a known network it drops
    sets that no network as good has, which helps, and tells which are left.
    The bound holds even if there is no such network: it is never below
    ``score``. Under a limit of rounds the result is always the same.
    Variables of which no more than ``largest_exact`` may depend on each other
    (18; more takes too much memory) are solved exactly.
    ``on_progress`` hears of every round; ``on_start`` receives a function that
    cancels.
    """
    _check_limits(parent_sets, time_limit, rounds, threads)
    started = time.perf_counter()
    threads = threads or cores()
    proof = _Proof(parent_sets, score, largest_exact)
    if time_limit is None and rounds is None:
        time_limit = DEFAULT_SECONDS
    budget = _core.Budget(time_limit)
    if on_start:
        on_start(budget.cancel)
    reason = None
    try:
        while reason is None:
            proof.advance(budget, threads)
            if on_progress:
                seconds = time.perf_counter() - started
                on_progress(BoundStanding(seconds, proof.rounds, proof.clusters, proof.bound))
            reason = _reason(proof, budget, rounds)
    except KeyboardInterrupt:
        reason = "interrupted"
    return Bound(
        bound=proof.bound,
        score=score,
        seconds=time.perf_counter() - started,
        rounds=proof.rounds,
        clusters=proof.clusters,
        stop_reason=reason,
        survivors=proof.survivors(threads),
    )


def surviving_sets(parent_sets: ParentSets, bound: Bound) -> ParentSets:
    """Return the sets that networks at least as good as the known one are made of.

    The best network of these sets is the best of all. Every variable keeps its
    empty set.
    """
    if bound.survivors is None:
        raise ForebearError("the sets that survive are known only if the bound was given a score")
    if len(bound.survivors) != parent_sets.n_variables:
        raise ForebearError("this bound is about other parent sets")
    columns = np.concatenate(
        [start + own for start, own in zip(parent_sets.offsets, bound.survivors, strict=False)]
    )
    return ParentSets(
        names=parent_sets.names,
        offsets=np.cumsum([0, *map(len, bound.survivors)], dtype=np.int64),
        scores=parent_sets.scores[columns],
        parents=np.ascontiguousarray(parent_sets.parents[:, columns]),
        provenance={**parent_sets.provenance, "surviving": bound.score},
    )


def ranks_by_reduced_cost(
    parent_sets: ParentSets, *, rounds: int, threads: int | None = None
) -> list[NDArray[np.int32]]:
    """Rank every variable's sets by what they would cost a network, by the bound's multipliers.

    A set's score says how good it is by itself; its reduced cost allows for the
    cycles that it would close. Ranks count from 0, by score, up to the empty set.
    """
    _check_limits(parent_sets, None, rounds, threads)
    proof = _Proof(parent_sets, None, 0)
    budget = _core.Budget(None)
    while proof.rounds < rounds and not proof.closed:
        proof.advance(budget, threads or cores())
    return proof.by_reduced_cost(threads or cores())


def _check_limits(
    parent_sets: ParentSets, time_limit: float | None, rounds: int | None, threads: int | None
) -> None:
    if parent_sets.parents.dtype != np.uint16:
        raise ForebearError("networks of more than 65,534 variables cannot be bounded")
    if time_limit is not None and not time_limit > 0:
        raise ForebearError(f"time_limit must be positive, got {time_limit:g}")
    if rounds is not None and rounds < 1:
        raise ForebearError(f"rounds must be at least 1, got {rounds}")
    if threads is not None and threads < 1:
        raise ForebearError(f"threads must be at least 1, got {threads}")


def _reason(proof: _Proof, budget: _core.Budget, rounds: int | None) -> str | None:
    if proof.closed:
        return "optimal"
    if budget.spent:
        return "cancelled" if budget.cancelled else "time"
    return "rounds" if rounds is not None and proof.rounds >= rounds else None


def _sum_upwards(parts: list[float]) -> float:
    """Return the least number that is not below the sum."""
    total = math.fsum(parts)
    return math.nextafter(total, math.inf) if math.fsum([*parts, -total]) > 0 else total


class _Proof:
    """The native run, which counts whole ticks; and here the one place that rounds.

    Ticks are counted downwards from the sum of the best sets, and the native
    part proves what every network costs at least. All rounding is upwards, so
    that the bound stays one.
    """

    def __init__(self, parent_sets: ParentSets, score: float | None, largest_exact: int) -> None:
        self.parent_sets = parent_sets
        self.score = score
        self.rounds = 0
        self._best = parent_sets.scores[parent_sets.offsets[:-1]].tolist()
        self._run = _core.Bound(
            np.ascontiguousarray(parent_sets.offsets),
            np.ascontiguousarray(parent_sets.scores),
            np.ascontiguousarray(parent_sets.parents),
            min(largest_exact, LARGEST_EXACT),
        )
        if score is not None:
            self._know(score)

    def _know(self, score: float) -> None:
        below = _sum_upwards([*self._best, -score])
        if not (math.isfinite(score) and below >= -1e-9 * abs(score)):
            raise ForebearError(f"no network of these parent sets has the score {score}")
        if math.isfinite(below):
            ticks = [nats * self._run.ticks_per_nat for nats in (below, self._rounding(below))]
            self._run.know(*(max(0, math.ceil(min(each, 2.0**56))) for each in ticks))

    def _rounding(self, cost: float) -> float:
        """What adding up the scores of a network in some order may be off by: a bit each time."""
        return len(self._best) * 2.0**-53 * (math.fsum(map(abs, self._best)) + cost)

    def advance(self, budget: _core.Budget, threads: int) -> None:
        self._run.advance(budget, threads)
        self.rounds += 1

    @property
    def closed(self) -> bool:
        return self._run.closed

    @property
    def clusters(self) -> int:
        return self._run.clusters

    @property
    def bound(self) -> float:
        cost = self._run.least_cost
        if cost is None:  # there is no network
            return -math.inf if self.score is None else self.score
        nats = cost / self._run.ticks_per_nat
        # Whoever adds up the scores of a network may have rounded up.
        proven = _sum_upwards([*self._best, -nats, self._rounding(nats)])
        return proven if self.score is None else max(proven, self.score)

    def by_reduced_cost(self, threads: int) -> list[NDArray[np.int32]]:
        return self._run.by_reduced_cost(threads)

    def survivors(self, threads: int) -> tuple[NDArray[np.int32], ...] | None:
        return None if self.score is None else tuple(self._run.survivors(threads))
