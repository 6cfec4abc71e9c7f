"""find_exact(): the best networks, with a proven bound on the score of any network."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import randbits
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from forebear import __version__
from forebear._util.atomic import check_writable
from forebear._util.checks import check_choice, check_run
from forebear._util.errors import ForebearError, LimitError, Parameter
from forebear._util.machine import thread_count
from forebear._util.watcher import Watcher
from forebear.budget import DEFAULT_SECONDS, LEAST_STEP_SECONDS, Clock
from forebear.knowledge.relations import Relations, can_be_ordered, ordered_sets, predecessors
from forebear.network.network import Network
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.feasibility import feasible_order
from forebear.proof import dynamic_programming
from forebear.proof.certificate import ProofTree, write_certificate
from forebear.proof.dynamic_programming import DYNAMIC_VARIABLES, MOST_VARIABLES
from forebear.proof.incumbents import Incumbents
from forebear.proof.integer_costs import IntegerCosts
from forebear.proof.proof_run import USUAL_EFFORT, Effort, ProofRun
from forebear.proof.solver import Solver
from forebear.result import Result
from forebear.search.algorithm import search
from forebear.search.alternatives import Alternative, with_alternatives
from forebear.search.psminobs import PSMINOBS
from forebear.search.restriction_schedule import NoRestrictionError
from forebear.search.runner import Outcome
from forebear.search.stop import AnyOf, MaxGenerations, MaxSeconds, Standing
from forebear.search.trace import Improvement, Trace

Method: TypeAlias = Literal["auto", "dynamic", "branch-and-cut"]


@dataclass(frozen=True)
class Exact:
    """Exact search: find the best network and prove that no network scores higher.

    With a few dozen variables, optimality is usually proven within seconds. If the time limit is
    reached first, the result is the best network found so far, with a bound on the score of any
    network.

    Parameters
    ----------
    method
        ``"auto"`` (default): dynamic programming with up to 20 variables. With more, dual ascent
        drops parent sets, and branch and cut or dynamic programming solves the remaining problem.
        ``"dynamic"``: dynamic programming over sets of variables, up to 32. Time and memory double
        with every variable, regardless of the parent sets; 26 variables require 0.5 GB.
        ``"branch-and-cut"``: dual ascent, then integer programming with cutting planes, for any
        number of variables.

    Raises
    ------
    ForebearError
        If ``method`` is not one of these.

    Examples
    --------
    >>> import forebear
    >>> sets = forebear.score_parent_sets("example:orchard", max_parents=3)
    >>> result = forebear.find_network(sets, algorithm=forebear.Exact("branch-and-cut"))
    >>> result.status
    'optimal'
    """

    method: Method = "auto"

    def __post_init__(self) -> None:
        check_choice(get_args(Method), method=self.method)

    @property
    def largest_dynamic(self) -> int:
        """The largest group of dependent variables that dynamic programming solves."""
        sizes = {"auto": DYNAMIC_VARIABLES, "dynamic": MOST_VARIABLES, "branch-and-cut": 0}
        return sizes[self.method]


@dataclass
class ExactSearchProgress:
    """Reports the state of an exact search to the watcher, and records its trace."""

    clock: Clock
    watcher: Watcher
    trace: Trace = field(default_factory=Trace)
    nodes: int = 0

    def report_network(self, score: float) -> None:
        """Report a better network."""
        improvement = Improvement(1, self.clock.spent(), self.nodes, score)
        self.trace.add(improvement)
        self.watcher.improved(improvement)

    def report_bound(self, nodes: int, bound: float) -> None:
        """Report the number of nodes explored, and the bound."""
        self.nodes = nodes
        nothing = Improvement(1, 0.0, 0, -math.inf)
        _, when, node, score = self.trace.improvements[-1] if len(self.trace) else nothing
        seconds = self.clock.spent()
        self.watcher.standing([Standing(seconds, nodes, score, seconds - when, nodes - node)])
        self.watcher.bounding(bound, score)


_WARM_UP_GENERATIONS = 100
"""Generations of the search for a first incumbent. With 100 it had the best network of nine tables
of 26 to 57 variables with each of three seeds, in 0.1 s or less; with 50 it missed that of wdbc
once, by 0.5 nats, and with 200 it took twice as long."""


def find_exact(
    parent_sets: ParentSets,
    settings: Exact,
    *,
    k: int = 1,
    classes: bool = False,
    relations: Relations | None = None,
    orders: Sequence[NDArray[np.int32]] = (),
    networks: Sequence[NDArray[np.integer]] = (),
    warm_up: bool = True,
    time_limit: float | None = None,
    threads: int | None = None,
    seed: int | None = None,
    watcher: Watcher | None = None,
    certificate: Path | str | None = None,
    proceed: Callable[[], bool] | None = None,
    solved: Callable[[Solver], None] | None = None,
    effort: Effort = USUAL_EFFORT,
) -> list[Result]:
    """Find the k best networks, best first; see ``find_network`` and ``k_best_networks``.

    All of them respect the relations. With ``classes``, no two are equivalent. The given networks
    (ranks from 0) and those of the given orders are the first incumbents; with ``warm_up``, a short
    search adds another. ``proceed`` is called before every round of the dual ascent and every
    linear program. If it returns False, the search ends. ``solved`` is called at the end.
    """
    check_run(time_limit=time_limit, threads=threads, seed=seed, watcher=watcher)
    feasible_order(parent_sets)  # raises an error if there is no network of these sets
    threads = thread_count(threads)
    seed = randbits(63) if seed is None else int(seed)
    solver_relations, solver_sets = _enforce_orders(parent_sets, relations, k, certificate)
    method = _method(settings, parent_sets.n_variables, k, solver_relations)
    if certificate is not None:
        check_writable(certificate)
    elif method == "dynamic":
        dynamic_programming.check_memory(parent_sets.n_variables, threads)
    clock = Clock(DEFAULT_SECONDS if time_limit is None else time_limit)
    progress = ExactSearchProgress(clock, watcher or Watcher())
    progress.watcher.started(clock.cancel)
    costs = IntegerCosts(solver_sets)
    incumbents = Incumbents(costs, k, progress.report_network, solver_relations, classes=classes)
    for ranks in networks:
        incumbents.offer(ranks)
    for order in orders:
        incumbents.offer_order(order.tolist())
    search = _warm_up(incumbents, clock, orders, threads, seed) if warm_up else None

    def step() -> None:
        if proceed is not None and not proceed():
            clock.cancel()

    tree = None if certificate is None else ProofTree()
    run = ProofRun(clock, threads, effort, tree, step, progress.report_bound)
    solver = Solver(incumbents, run, largest_dynamic=settings.largest_dynamic)
    reason = "interrupted"
    if search is None or search.stop_reason != "interrupted":
        with suppress(KeyboardInterrupt):
            solver.run()
            reason = solver.stop_reason
    _check_found(incumbents, reason, relations)
    about = {
        "settings": {"method": method} if k == 1 else {"method": method, "k": k},
        "seed": seed,
        "stop_reason": reason,
        "bound": max(incumbents.best, solver.bound),
    }
    results = _results(parent_sets, incumbents, progress, about)
    results[0] = replace(results[0], alternatives=_alternatives(results, search, relations))
    if certificate is not None:
        write_certificate(certificate, solver, results[0].network.parents)
    if solved is not None:
        solved(solver)
    return results


def _enforce_orders(
    parent_sets: ParentSets, relations: Relations | None, k: int, certificate: Path | str | None
) -> tuple[Relations | None, ParentSets]:
    """Enforce orders by the parent sets if possible; return the other relations and the sets.

    The sets then contain the variables that must come earlier, so every method can be used. Their
    ranks are the same. A certificate is about the sets as they are.
    """
    if not relations or not relations.are_orders or k > 1 or certificate is not None:
        return relations, parent_sets
    earlier = predecessors(relations.before)
    if not can_be_ordered(parent_sets, earlier):
        return relations, parent_sets
    return None, ordered_sets(parent_sets, earlier)


def _method(settings: Exact, n: int, k: int, relations: Relations | None) -> Method:
    """Return the name of the method for the result; reject a method that cannot be used."""
    if settings.method == "dynamic" and relations:
        raise ForebearError(
            "dynamic programming cannot enforce ancestors, orders and adjacent pairs: use ",
            Parameter("method", "branch-and-cut"),
        )
    if k > 1 or relations:
        return "branch-and-cut"
    small = settings.method == "auto" and n <= DYNAMIC_VARIABLES
    return "dynamic" if small else settings.method


def _alternatives(
    results: Sequence[Result], search: Outcome | None, relations: Relations | None
) -> tuple[Alternative, ...]:
    """Return the other results, and good networks of the first search."""
    first, *more = (Alternative(result.score, result.network.parents) for result in results)
    alternatives = with_alternatives(first, [*more, *(search.networks() if search else [])])
    return tuple(one for one in alternatives if not relations or relations.holds(one.parents))


def _warm_up(
    incumbents: Incumbents,
    clock: Clock,
    orders: Sequence[NDArray[np.int32]],
    threads: int,
    seed: int,
) -> Outcome | None:
    """Search for a first incumbent, because parent sets that cannot improve on it are dropped.

    Returns None if there is no network to start from under the relations.
    """

    def cancelled(standing: Standing) -> str | None:
        return "cancelled" if clock.cancelled else None

    seconds = MaxSeconds(max(LEAST_STEP_SECONDS, clock.left()))
    try:
        outcome = search(
            incumbents.costs.parent_sets,
            PSMINOBS(),
            seed=seed,
            stop=AnyOf(seconds, MaxGenerations(_WARM_UP_GENERATIONS), cancelled),
            started=time.perf_counter(),
            orders=orders,
            relations=incumbents.relations,
            threads=threads,
        )
    except NoRestrictionError:
        return None
    best = outcome.winner.best
    if best is not None and math.isfinite(outcome.winner.score):
        incumbents.offer(best.ranks)
        incumbents.offer_order(best.order.tolist())
    return outcome


def _check_found(incumbents: Incumbents, reason: str, relations: Relations | None) -> None:
    """Raise an error if no network was found."""
    if incumbents.best > -math.inf:
        return
    which = "in which every variable has an allowed parent set"
    if relations:
        which += " and which respects the knowledge"
    fewer = "relax a constraint" if relations else "require fewer arcs"
    if reason == "optimal":
        raise ForebearError(
            f"there is no network {which}: {fewer}, or increase ", Parameter("max_parents")
        )
    raise LimitError(
        f"no network was found {which}: increase ", Parameter("time_limit"), f", or {fewer}"
    )


def _results(
    parent_sets: ParentSets,
    incumbents: Incumbents,
    progress: ExactSearchProgress,
    about: dict[str, Any],
) -> list[Result]:
    """Return the incumbents as results, best first; ``about`` has further fields."""
    about |= {
        "algorithm": "exact",
        "winner": 1,
        "seconds": progress.clock.spent(),
        "generations": (progress.nodes,),
        "trace": progress.trace,
        "version": __version__,
    }
    results = []
    for ranks in incumbents.all_ranks():
        chosen = [parent_sets.at(v, rank + 1) for v, rank in enumerate(ranks.tolist())]
        network = Network(parent_sets.names, tuple(choice.parents for choice in chosen))
        order = network.order
        results.append(Result.of_choices(parent_sets, chosen, order=order, **about))
    return results
