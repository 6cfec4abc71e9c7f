"""find_exact(): exact search, from parent sets to results that say what is proven."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from secrets import randbits
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear import __version__
from forebear._util.errors import ForebearError, LimitError
from forebear.bound.bound import find_bound
from forebear.exact import astar, dynamic
from forebear.exact.branchcut import BranchAndCut
from forebear.exact.clock import Clock
from forebear.exact.known import Known
from forebear.network.network import Network
from forebear.result import Result
from forebear.search.algorithm import search
from forebear.search.alternatives import Alternative, alternatives_of, within_limits
from forebear.search.psminobs import PSMINOBS
from forebear.search.stop import DEFAULT_SECONDS, AnyOf, MaxSeconds, NoImprovement, Standing
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear.bound.bound import Bound
    from forebear.exact.settings import Exact, Method
    from forebear.parentsets.collection import ParentSets
    from forebear.search.runner import Outcome

_WARM_SHARE = 0.2  # of the time, at most, goes to a search for a good network
_WARM_GENERATIONS = 3  # a variable: so many without improvement end it
_MANY_SETS = 50_000  # so many, and a first bound pays
_BOUND_SHARE = 0.1  # of the time left goes to it, at most


class Proof(NamedTuple):
    """A score that no network exceeds, and why the search ended."""

    bound: float
    reason: str


@dataclass
class Watch:
    """What is told while it works."""

    clock: Clock
    on_improvement: Callable[[Improvement], None] | None = None
    on_tick: Callable[[Sequence[Standing]], None] | None = None
    trace: Trace = field(default_factory=Trace)
    nodes: int = 0

    def better(self, score: float) -> None:
        """Tell of a better network."""
        step = Improvement(1, self.clock.seconds, self.nodes, score)
        self.trace.add(step)
        if self.on_improvement:
            self.on_improvement(step)

    def tick(self, nodes: int) -> None:
        """Tell how far it is."""
        self.nodes = nodes
        if self.on_tick:
            last = self.trace.improvements[-1] if len(self.trace) else None
            score, when, node = (last.score, last.seconds, last.generation) if last else _NOTHING
            seconds = self.clock.seconds
            self.on_tick([Standing(seconds, nodes, score, seconds - when, nodes - node)])

    @property
    def stopped(self) -> str:
        """Why there is no time left."""
        return "cancelled" if self.clock.cancelled else "time"


_NOTHING = (-math.inf, 0.0, 0)


def find_exact(
    parent_sets: ParentSets,
    settings: Exact,
    *,
    k: int = 1,
    time_limit: float | None = None,
    threads: int | None = None,
    seed: int | None = None,
    orders: Sequence[NDArray[np.int32]] = (),
    started: float | None = None,
    on_improvement: Callable[[Improvement], None] | None = None,
    on_start: Callable[[Callable[[], None]], None] | None = None,
    on_tick: Callable[[Sequence[Standing]], None] | None = None,
) -> list[Result]:
    """Find the k best networks, best first; see ``find_network`` and ``k_best_networks``."""
    limit = DEFAULT_SECONDS if time_limit is None else time_limit
    MaxSeconds(limit)  # refuses what is not positive
    method = settings.chosen(parent_sets.n_variables) if k == 1 else "branch-and-cut"
    if method == "dynamic":
        dynamic.check_memory(parent_sets.n_variables)
    seed = randbits(63) if seed is None else seed
    watch = Watch(Clock(limit, started), on_improvement, on_tick)
    if on_start:
        on_start(watch.clock.cancel)
    known = Known(parent_sets, k, watch.better)
    warm = _warm_up(parent_sets, watch.clock, limit, orders, threads, seed)
    known.add_order(warm_order(warm))
    proof = Proof(_top(parent_sets), warm.stop_reason)
    if warm.stop_reason != "interrupted" and not watch.clock.spent:
        proof = _prove(method, parent_sets, known, watch)
    _check_found(known, proof)
    about = {
        "algorithm": "exact",
        "settings": {"method": method} if k == 1 else {"method": method, "k": k},
        "seed": seed,
        "winner": 1,
        "stop_reason": proof.reason,
        "seconds": watch.clock.seconds,
        "generations": (watch.nodes,),
        "trace": watch.trace,
        "version": __version__,
        "bound": max(known.best, min(proof.bound, _top(parent_sets))),
    }
    results = [_result(parent_sets, ranks, about) for ranks in known.all_ranks()]
    results[0] = replace(results[0], alternatives=_alternatives(parent_sets, results, warm))
    return results


def _alternatives(
    parent_sets: ParentSets, results: Sequence[Result], warm: Outcome
) -> tuple[Alternative, ...]:
    """The networks found, and those that the first search met."""
    first, *more = (Alternative(result.score, result.network.parents) for result in results)
    best = parent_sets.best_of_order(warm_order(warm))
    met = alternatives_of(parent_sets, warm.runners, np.array([one.rank - 1 for one in best]))
    others = dict.fromkeys(one for one in (*more, *met) if one != first)
    return within_limits([first, *sorted(others, key=lambda one: -one.score)])


def _warm_up(
    parent_sets: ParentSets,
    clock: Clock,
    limit: float,
    orders: Sequence[NDArray[np.int32]],
    threads: int | None,
    seed: int,
) -> Outcome:
    """Find a good network first: whatever cannot be better than it need not be looked at."""

    def cancelled(standing: Standing) -> str | None:
        return "cancelled" if clock.cancelled else None

    seconds = MaxSeconds(_WARM_SHARE * limit)
    idle = NoImprovement(generations=max(1, _WARM_GENERATIONS * parent_sets.n_variables))
    stop = AnyOf(seconds, idle, cancelled)
    return search(
        parent_sets,
        PSMINOBS(),
        seed=seed,
        stop=stop,
        started=time.perf_counter(),
        orders=orders,
        threads=threads,
    )


def warm_order(warm: Outcome) -> tuple[int, ...]:
    """The order of the best network of the first search."""
    if warm.winner.best is None:
        raise AssertionError("a search has at least one order")
    return tuple(warm.winner.best.order.tolist())


def _prove(method: Method, parent_sets: ParentSets, known: Known, watch: Watch) -> Proof:
    """Search by one of the methods. Interrupted, it tells the bound that holds by then."""
    search = None
    try:
        if method == "branch-and-cut":
            first = _first_bound(parent_sets, known, watch.clock)
            search = BranchAndCut(parent_sets, known, watch.clock, watch.tick, first)
            reason = "optimal" if search.run() else watch.stopped
            return Proof(search.bound, reason)
        if method == "astar":
            return _by_astar(parent_sets, known, watch)
        return _by_dynamic_programming(parent_sets, known, watch)
    except KeyboardInterrupt:
        return Proof(search.bound if search else math.inf, "interrupted")


def _first_bound(parent_sets: ParentSets, known: Known, clock: Clock) -> Bound | None:
    """Drop sets that are in no better network, where there are many: it is quicker than cutting."""
    if known.worst == -math.inf or len(parent_sets) < _MANY_SETS:
        return None
    cancels: list[Callable[[], None]] = []

    def look(_: object) -> None:
        if clock.cancelled:
            cancels[0]()

    bound = find_bound(
        parent_sets,
        score=known.worst,
        time_limit=_BOUND_SHARE * clock.left,
        threads=1,
        on_start=cancels.append,
        on_progress=look,
    )
    if bound.stop_reason == "interrupted":
        raise KeyboardInterrupt
    return bound


def _by_astar(parent_sets: ParentSets, known: Known, watch: Watch) -> Proof:
    reached = astar.best_order(parent_sets, watch.clock)
    watch.nodes = reached.nodes
    if reached.order is not None:
        known.add_order(reached.order)
    # Without an order there either is no network at all, or no time.
    done = reached.order is not None or reached.bound == -math.inf
    return Proof(reached.bound, "optimal" if done else watch.stopped)


def _by_dynamic_programming(parent_sets: ParentSets, known: Known, watch: Watch) -> Proof:
    found = dynamic.best_order(parent_sets, watch.clock)
    if found is None:
        return Proof(math.inf, watch.stopped)
    known.add_order(found.order)
    return Proof(found.score, "optimal")


def _check_found(known: Known, proof: Proof) -> None:
    if known.best > -math.inf:
        return
    if proof.reason == "optimal":
        raise ForebearError(
            "there is no network in which every variable has a parent set that it may have: "
            "require fewer arcs, or allow more parents"
        )
    raise LimitError(
        "no network was found in which every variable has a parent set that it may have: "
        "give it more time, or require fewer arcs"
    )


def _top(parent_sets: ParentSets) -> float:
    """Add up the best score of every variable: no network has more."""
    return math.fsum(parent_sets.scores[parent_sets.offsets[:-1]])


def _result(parent_sets: ParentSets, ranks: NDArray[np.int64], about: dict[str, Any]) -> Result:
    chosen = [parent_sets.at(v, rank + 1) for v, rank in enumerate(ranks.tolist())]
    network = Network(parent_sets.names, tuple(choice.parents for choice in chosen))
    return Result.of_choices(parent_sets, chosen, order=network.topological_order(), **about)
