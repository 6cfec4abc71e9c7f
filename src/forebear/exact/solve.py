"""find_exact(): exact search over parent sets, with a proof of how good the result is."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from secrets import randbits
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from forebear import __version__
from forebear._util.atomic import check_writable
from forebear._util.checks import check_run
from forebear._util.errors import ForebearError, LimitError, Parameter
from forebear._util.machine import thread_count
from forebear._util.watcher import Watcher
from forebear.bound.ascent import Ascent
from forebear.budget import (
    DEFAULT_SECONDS,
    WARM_UP_GENERATIONS,
    WARM_UP_SHARE,
    Clock,
)
from forebear.exact import dynamic
from forebear.exact.certificate import warn_of_no_certificate, write_tree
from forebear.exact.flatsets import FlatSets
from forebear.exact.incumbents import Incumbents
from forebear.exact.problem import Solver, possible, score_of
from forebear.exact.tree import Tree
from forebear.knowledge.orders import can_be_ordered, ordered_sets, predecessors
from forebear.network.network import Network
from forebear.parentsets.feasibility import feasible_order
from forebear.result import Result
from forebear.search.algorithm import search
from forebear.search.alternatives import Alternative, with_alternatives
from forebear.search.psminobs import PSMINOBS
from forebear.search.steering import NoRestrictionError
from forebear.search.stop import AnyOf, MaxSeconds, NoImprovement, Standing
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from forebear.exact.settings import Exact, Method
    from forebear.knowledge.relations import Relations
    from forebear.parentsets.collection import ParentSets
    from forebear.search.chain import FoundNetwork
    from forebear.search.runner import Outcome


class Proof(NamedTuple):
    """A score that no network exceeds, and why the search ended."""

    bound: float
    reason: str
    solver: Solver | None = None


@dataclass
class Progress:
    """The state of an exact search, which it reports to the watcher."""

    clock: Clock
    watcher: Watcher
    trace: Trace = field(default_factory=Trace)
    nodes: int = 0

    def better(self, score: float) -> None:
        """Report a better network."""
        step = Improvement(1, self.clock.spent(), self.nodes, score)
        self.trace.add(step)
        self.watcher.improved(step)

    def tick(self, nodes: int, bound: float) -> None:
        """Report the number of nodes explored, and the bound."""
        self.nodes = nodes
        last = self.trace.improvements[-1] if len(self.trace) else None
        score, when, node = (last.score, last.seconds, last.generation) if last else _NOTHING
        seconds = self.clock.spent()
        self.watcher.standing([Standing(seconds, nodes, score, seconds - when, nodes - node)])
        self.watcher.bounding(bound, score)

    @property
    def stopped(self) -> str:
        """Why no time is left."""
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
    watcher: Watcher | None = None,
    certificate: Path | str | None = None,
    warm_up: bool = True,
    relations: Relations | None = None,
    networks: Sequence[NDArray[np.integer]] = (),
    classes: bool = False,
    proceed: Callable[[], bool] | None = None,
) -> list[Result]:
    """Find the k best networks, best first; see ``find_network`` and ``k_best_networks``.

    All of them respect the relations; with ``classes``, no two are equivalent. Without ``warm_up``,
    the given networks (ranks from 0) and those of the given orders are the first incumbents. The
    search ends when ``proceed`` returns False; it is called before every round of the dual ascent
    and every linear program.
    """
    check_run(time_limit=time_limit, threads=threads, seed=seed, watcher=watcher)
    feasible_order(parent_sets)  # refuses sets of which there is no network
    limit = DEFAULT_SECONDS if time_limit is None else time_limit
    threads = thread_count(threads)
    method = settings.chosen(parent_sets.n_variables) if k == 1 else "branch-and-cut"
    tree = None
    said = relations
    relations, searched = _as_searched(parent_sets, relations, k, certificate)
    if relations:
        method = _respecting(settings)
    if certificate is not None:
        check_writable(certificate)
        tree = Tree()
        method = "branch-and-cut" if settings.method == "auto" else method
    if method == "dynamic":
        dynamic.check_memory(parent_sets.n_variables, threads)
    seed = randbits(63) if seed is None else int(seed)
    progress = Progress(Clock(limit, started), watcher or Watcher())
    progress.watcher.started(progress.clock.cancel)
    incumbents = Incumbents(searched, k, progress.better, relations, classes=classes)
    for ranks in networks:
        incumbents.add(ranks)
    for order in orders:
        incumbents.add_order(order.tolist())
    warm = None
    if warm_up:
        warm = _warm_up(searched, progress.clock, limit, orders, threads, seed, relations)
    if warm is not None and math.isfinite(warm.winner.score):
        incumbents.add(_best_of(warm).ranks.astype(np.int64))
        incumbents.add_order(_best_of(warm).order.tolist())
    proof = Proof(_top(parent_sets), "interrupted")
    interrupted = warm is not None and warm.stop_reason == "interrupted"
    if not interrupted:
        proof = _prove(method, searched, incumbents, progress, threads, tree, proceed)
    _check_found(incumbents, proof, said)
    about = {
        "algorithm": "exact",
        "settings": {"method": method} if k == 1 else {"method": method, "k": k},
        "seed": seed,
        "winner": 1,
        "stop_reason": proof.reason,
        "seconds": progress.clock.spent(),
        "generations": (progress.nodes,),
        "trace": progress.trace,
        "version": __version__,
        "bound": max(incumbents.best, min(proof.bound, _top(parent_sets))),
    }
    results = [_result(parent_sets, ranks, about) for ranks in incumbents.all_ranks()]
    alternatives = _alternatives(results, warm)
    if said:
        alternatives = tuple(one for one in alternatives if said.holds(one.parents))
    results[0] = replace(results[0], alternatives=alternatives)
    if certificate is not None and tree is not None:
        if proof.solver is None:
            warn_of_no_certificate(certificate)
        else:
            network = results[0].network.parents
            write_tree(certificate, parent_sets, tree, proof.solver, network)
    return results


def _as_searched(
    parent_sets: ParentSets, relations: Relations | None, k: int, certificate: Path | str | None
) -> tuple[Relations | None, ParentSets]:
    """Return relations, and sets of the same ranks to search under them.

    Orders are enforced by sets that need the variables that must come earlier: then every method
    can be used. A certificate is about the sets as they are.
    """
    if not relations or not relations.are_orders or k > 1 or certificate is not None:
        return relations, parent_sets
    earlier = predecessors(relations.before)
    if not can_be_ordered(parent_sets, earlier):
        return relations, parent_sets
    return None, ordered_sets(parent_sets, earlier)


def _respecting(settings: Exact) -> Method:
    """Return the method that takes relations; refuse the one that does not."""
    if settings.method == "dynamic":
        raise ForebearError(
            "dynamic programming cannot enforce ancestors, orders and adjacent pairs: use ",
            Parameter("method", "branch-and-cut"),
        )
    return "branch-and-cut"


def _alternatives(results: Sequence[Result], warm: Outcome | None) -> tuple[Alternative, ...]:
    """Return the networks found, and the good ones that the first search met."""
    first, *more = (Alternative(result.score, result.network.parents) for result in results)
    met = [] if warm is None else [one for runner in warm.runners for one in runner.networks()]
    return with_alternatives(first, [*more, *met])


def _warm_up(
    parent_sets: ParentSets,
    clock: Clock,
    limit: float,
    orders: Sequence[NDArray[np.int32]],
    threads: int | None,
    seed: int,
    relations: Relations | None,
) -> Outcome | None:
    """Search for a first incumbent: whatever cannot be better than it need not be explored.

    The search ends when nothing better is found for a few generations. Under relations it may not
    find a network.
    """

    def cancelled(standing: Standing) -> str | None:
        return "cancelled" if clock.cancelled else None

    idle = NoImprovement(generations=max(1, WARM_UP_GENERATIONS * parent_sets.n_variables))
    stop = AnyOf(MaxSeconds(WARM_UP_SHARE * limit), idle, cancelled)
    try:
        return search(
            parent_sets,
            PSMINOBS(),
            seed=seed,
            stop=stop,
            started=time.perf_counter(),
            orders=orders,
            relations=relations,
            threads=threads,
        )
    except NoRestrictionError:
        return None


def _best_of(warm: Outcome) -> FoundNetwork:
    """Return the best network of the first search."""
    if warm.winner.best is None:
        raise AssertionError("a search has at least one network")
    return warm.winner.best


def _prove(
    method: Method,
    parent_sets: ParentSets,
    incumbents: Incumbents,
    progress: Progress,
    threads: int,
    tree: Tree | None,
    proceed: Callable[[], bool] | None = None,
) -> Proof:
    """Search by one of the methods; if interrupted, return the bound known by then.

    A certificate is that of branch and cut, which then starts from what dynamic
    programming has found.
    """
    solver = None
    solved = None

    def step() -> None:
        if proceed is not None and not proceed():
            progress.clock.cancel()

    try:
        if method == "dynamic":
            solved = _by_dynamic_programming(parent_sets, incumbents, progress, threads)
        if solved is not None and (tree is None or incumbents.best == -math.inf):
            return solved
        solver = Solver(
            parent_sets,
            incumbents,
            progress.clock,
            threads,
            dynamic_too=method == "auto",
            tree=tree,
            on_node=progress.tick,
            on_step=step,
        )
        reason = "optimal" if solver.run() else progress.stopped
        if solved is not None and solved.reason == "optimal":
            # The certificate says as much as branch and cut has proven by now.
            return solved._replace(solver=solver)
        return Proof(solver.bound, reason, solver)
    except KeyboardInterrupt:
        return Proof(solver.bound if solver else math.inf, "interrupted", solver)


def _by_dynamic_programming(
    parent_sets: ParentSets, incumbents: Incumbents, progress: Progress, threads: int
) -> Proof:
    if not possible(parent_sets):
        return Proof(-math.inf, "optimal")
    ticks = Ascent(parent_sets, None, solvable=0).ticks
    sets = FlatSets.of(parent_sets, ticks)
    found = dynamic.best_order(sets, progress.clock, threads)
    if found is None:
        return Proof(math.inf, progress.stopped)
    if found.cost is None:
        return Proof(-math.inf, "optimal")
    incumbents.add_order(found.order)
    return Proof(score_of(parent_sets, found.cost, ticks), "optimal")


def _check_found(incumbents: Incumbents, proof: Proof, relations: Relations | None) -> None:
    """Raise an error if no network was found."""
    if incumbents.best > -math.inf:
        return
    which = "in which every variable has an allowed parent set"
    if relations:
        which += ", and which respects the knowledge"
    fewer = "state less" if relations else "require fewer arcs"
    if proof.reason == "optimal":
        raise ForebearError(
            f"there is no network {which}: {fewer}, or increase ", Parameter("max_parents")
        )
    raise LimitError(
        f"no network was found {which}: increase ", Parameter("time_limit"), f", or {fewer}"
    )


def _top(parent_sets: ParentSets) -> float:
    """Return the sum of every variable's best score, which no network exceeds."""
    return math.fsum(parent_sets.scores[parent_sets.offsets[:-1]])


def _result(parent_sets: ParentSets, ranks: NDArray[np.int64], about: dict[str, Any]) -> Result:
    chosen = [parent_sets.at(v, rank + 1) for v, rank in enumerate(ranks.tolist())]
    network = Network(parent_sets.names, tuple(choice.parents for choice in chosen))
    return Result.of_choices(parent_sets, chosen, order=network.topological_order(), **about)
