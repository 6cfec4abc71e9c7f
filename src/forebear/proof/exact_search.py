"""find_exact() and k_best_networks(): the best networks, with a bound on the optimum."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from secrets import randbits
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from forebear import __version__
from forebear._util.atomic import check_writable
from forebear._util.checks import check_choice, check_parameter_names, check_run, check_whole
from forebear._util.errors import ForebearError, LimitError, Parameter, warn_if_interrupted
from forebear._util.machine import thread_count
from forebear._util.watcher import Watcher
from forebear.budget import DEFAULT_SECONDS, LEAST_SEARCH_SECONDS, Clock
from forebear.knowledge.enforcement import Enforcement
from forebear.knowledge.relations import can_be_ordered, ordered_sets, predecessors
from forebear.network.network import Network
from forebear.parentsets.collection import check_parent_sets
from forebear.parentsets.feasibility import feasible_order
from forebear.proof import dynamic_programming
from forebear.proof.branching import USUAL_EFFORT, Effort
from forebear.proof.certificate import Tree, write_certificate
from forebear.proof.dynamic_programming import DYNAMIC_VARIABLES, MOST_VARIABLES
from forebear.proof.incumbents import Incumbents
from forebear.proof.solver import Solver
from forebear.result import Result
from forebear.search.algorithm import search
from forebear.search.alternatives import Alternative, with_alternatives
from forebear.search.psminobs import PSMINOBS
from forebear.search.restriction_schedule import NoRestrictionError
from forebear.search.stop import AnyOf, MaxGenerations, MaxSeconds, Standing
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from forebear.knowledge.knowledge import Knowledge
    from forebear.knowledge.relations import Relations
    from forebear.parentsets.collection import ParentSets
    from forebear.search.runner import Outcome


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
        If ``method`` is none of these.

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
class SolverProgress:
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
    effort: Effort = USUAL_EFFORT,
) -> list[Result]:
    """Find the k best networks, best first; see ``find_network`` and ``k_best_networks``.

    All of them respect the relations. With ``classes``, no two are equivalent. Without ``warm_up``,
    the given networks (ranks from 0) and those of the given orders are the first incumbents.
    ``proceed`` is called before every round of the dual ascent and every linear program; the search
    ends when it returns False.
    """
    check_run(time_limit=time_limit, threads=threads, seed=seed, watcher=watcher)
    feasible_order(parent_sets)  # refuses sets of which there is no network
    limit = DEFAULT_SECONDS if time_limit is None else time_limit
    threads = thread_count(threads)
    stated = relations
    relations, searched = _as_searched(parent_sets, relations, k, certificate)
    method = _method(settings, parent_sets.n_variables, k, relations)
    if certificate is not None:
        check_writable(certificate)
    elif method == "dynamic":
        dynamic_programming.check_memory(parent_sets.n_variables, threads)
    seed = randbits(63) if seed is None else int(seed)
    progress = SolverProgress(Clock(limit, started), watcher or Watcher())
    progress.watcher.started(progress.clock.cancel)
    incumbents = Incumbents(searched, k, progress.better, relations, classes=classes)
    for ranks in networks:
        incumbents.add(ranks)
    for order in orders:
        incumbents.add_order(order.tolist())
    warm = None
    if warm_up:
        warm = _warm_up(searched, progress.clock, orders, threads, seed, relations)
    if warm is not None and warm.winner.best is not None and math.isfinite(warm.winner.score):
        incumbents.add(warm.winner.best.ranks)
        incumbents.add_order(warm.winner.best.order.tolist())

    def step() -> None:
        if proceed is not None and not proceed():
            progress.clock.cancel()

    solver = Solver(
        searched,
        incumbents,
        progress.clock,
        threads,
        largest_dynamic=settings.largest_dynamic,
        tree=None if certificate is None else Tree(),
        on_node=progress.tick,
        on_step=step,
        effort=effort,
    )
    reason = "interrupted"
    if warm is None or warm.stop_reason != "interrupted":
        with suppress(KeyboardInterrupt):
            solver.run()
            reason = solver.stop_reason
    _check_found(incumbents, reason, stated)
    about = {
        "algorithm": "exact",
        "settings": {"method": method} if k == 1 else {"method": method, "k": k},
        "seed": seed,
        "winner": 1,
        "stop_reason": reason,
        "seconds": progress.clock.spent(),
        "generations": (progress.nodes,),
        "trace": progress.trace,
        "version": __version__,
        "bound": max(incumbents.best, solver.bound),
    }
    results = [_result(parent_sets, ranks, about) for ranks in incumbents.all_ranks()]
    alternatives = _alternatives(results, warm)
    if stated:
        alternatives = tuple(one for one in alternatives if stated.holds(one.parents))
    results[0] = replace(results[0], alternatives=alternatives)
    if certificate is not None:
        write_certificate(certificate, parent_sets, solver, results[0].network.parents)
    return results


@check_parameter_names
def k_best_networks(
    parent_sets: ParentSets,
    k: int,
    *,
    classes: bool = False,
    knowledge: Knowledge | Path | str | Sequence[Path | str] | None = None,
    time_limit: float | None = None,
    threads: int | None = None,
    seed: int | None = None,
    watcher: Watcher | None = None,
) -> list[Result]:
    """Find the k networks or equivalence classes with the highest scores, by branch and cut.

    The networks consist of the given parent sets. Scoring prunes a parent set if one of its subsets
    scores at least as high, so the results contain no networks with such sets.

    Parameters
    ----------
    parent_sets
        The parent sets of every variable, as ``score_parent_sets`` returns them.
    k
        Number of networks, at least 1.
    classes
        Whether to find the best network of each of the k best equivalence classes. This takes
        longer if equivalent networks can have different scores: under K2, fNML, BDs and MIT, with
        missing values, and if the score of the sets is unknown. Default: the k best networks, many
        of which may be equivalent.
    knowledge
        A ``Knowledge`` object, or files of Bayesys, GOBNILP or bnlearn, that all networks respect.
    time_limit
        Time limit in seconds. Default: 60.
    threads
        Number of threads of the search for the first incumbent. Default: one per core.
    seed
        Random seed of that search. Default: random.
    watcher
        An object that is notified when the search starts and improves. Default: none.

    Returns
    -------
    list of Result
        The networks, best first; fewer than ``k`` if there are no more. If ``stop_reason`` is
        ``"optimal"``, they are proven to be the k best. Otherwise they are the best networks found
        before the time limit or, with a ``ForebearWarning``, before an interrupt. The ``bound`` of
        every result holds for all networks, so its ``gap`` limits the distance to the best network.

    Raises
    ------
    ForebearError
        If a parameter is invalid, or if no network has only allowed parent sets.
    LimitError
        If no network with only allowed parent sets was found in time.

    Examples
    --------
    >>> import forebear
    >>> sets = forebear.score_parent_sets("example:orchard", max_parents=3)
    >>> best = forebear.k_best_networks(sets, 3, seed=1)
    >>> [result.stop_reason for result in best]
    ['optimal', 'optimal', 'optimal']
    >>> best[0].network.equivalent(best[1])
    True
    >>> first, second = forebear.k_best_networks(sets, 2, classes=True, seed=1)
    >>> first.network.equivalent(second)
    False
    """
    check_parent_sets(parent_sets)
    check_whole(1, math.inf, k=k)
    known = Enforcement.of(knowledge, parent_sets.names)
    found = find_exact(
        known.allowed(parent_sets),
        Exact("branch-and-cut"),
        k=int(k),
        classes=bool(classes) and k > 1,
        relations=known.relations,
        time_limit=time_limit,
        threads=threads,
        seed=seed,
        watcher=watcher,
    )
    warn_if_interrupted(found[0].stop_reason, "the results are the best networks so far")
    return found


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


def _alternatives(results: Sequence[Result], warm: Outcome | None) -> tuple[Alternative, ...]:
    """Return the networks found, and the good ones that the first search met."""
    first, *more = (Alternative(result.score, result.network.parents) for result in results)
    met = [] if warm is None else warm.networks()
    return with_alternatives(first, [*more, *met])


def _warm_up(
    parent_sets: ParentSets,
    clock: Clock,
    orders: Sequence[NDArray[np.int32]],
    threads: int | None,
    seed: int,
    relations: Relations | None,
) -> Outcome | None:
    """Search for a first incumbent: whatever cannot be better than it need not be explored.

    Under relations the search may not find a network.
    """

    def cancelled(standing: Standing) -> str | None:
        return "cancelled" if clock.cancelled else None

    generations = MaxGenerations(_WARM_UP_GENERATIONS)
    stop = AnyOf(MaxSeconds(max(LEAST_SEARCH_SECONDS, clock.left())), generations, cancelled)
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


def _check_found(incumbents: Incumbents, reason: str, relations: Relations | None) -> None:
    """Raise an error if no network was found."""
    if incumbents.best > -math.inf:
        return
    which = "in which every variable has an allowed parent set"
    if relations:
        which += ", and which respects the knowledge"
    fewer = "relax a constraint" if relations else "require fewer arcs"
    if reason == "optimal":
        raise ForebearError(
            f"there is no network {which}: {fewer}, or increase ", Parameter("max_parents")
        )
    raise LimitError(
        f"no network was found {which}: increase ", Parameter("time_limit"), f", or {fewer}"
    )


def _result(parent_sets: ParentSets, ranks: NDArray[np.int64], about: dict[str, Any]) -> Result:
    chosen = [parent_sets.at(v, rank + 1) for v, rank in enumerate(ranks.tolist())]
    network = Network(parent_sets.names, tuple(choice.parents for choice in chosen))
    return Result.of_choices(parent_sets, chosen, order=network.topological_order(), **about)
