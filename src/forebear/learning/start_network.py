"""The network that the search starts from. Its parent sets are searched, so it cannot be lost.

``learn`` and ``find_network`` call ``match_start`` first; the other functions require that the
variables of the start are those of the table.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import ForebearError, ForebearWarning, Parameter
from forebear._util.text import counted, listing
from forebear._util.variable_names import with_hints
from forebear.knowledge.enforcement import Enforcement
from forebear.knowledge.relations import Relations
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import Network, as_network
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.coverage import SCORED_UP_TO
from forebear.parentsets.feasibility import feasible_order, needs_parents
from forebear.result import Result
from forebear.scoring.growing_sets import network_sets
from forebear.scoring.job import Job
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT
from forebear.scoring.network_score import family_scores
from forebear.search.chain import Solution

Start: TypeAlias = Result | Network | tuple[int, ...] | None
"""What a search starts from: a network over the variables of the table, or an order of these."""


def match_start(start: Any, names: Sequence[str]) -> Start:
    """Return a start with these variables, in this order.

    Variables of a network that are not among these are dropped, and their children lose them as
    parents; those that the network lacks are added without arcs. A warning lists both.
    """
    if start is None:
        return None
    if isinstance(start, Result | Network | FittedNetwork):
        network = as_network(start)
        if network.names != tuple(names):
            return _with_variables(network, tuple(names))
        return start if isinstance(start, Result) else network
    order = tuple(start)
    try:
        complete = sorted(order) == list(range(len(names)))
    except (TypeError, ValueError):  # not numbers, or arrays
        complete = False
    if not complete:
        raise ForebearError(
            Parameter("start"), " must be a Result, a Network or an order of all variables"
        )
    return order


def _with_variables(network: Network, names: tuple[str, ...]) -> Network:
    """Return a network over other variables, and warn of those that are dropped or added."""
    kept = set(names).intersection(network.names)
    dropped = [name for name in network.names if name not in kept]
    added = [name for name in names if name not in kept]
    if not kept:
        raise ForebearError(
            "the network given as ",
            Parameter("start"),
            f" has none of the variables of the data: it has {listing(network.names)}, the data "
            f"have {listing(names)}",
        )
    parts = []
    for some, others, what in (
        (dropped, added, "dropped with the arcs, because the data lack them"),
        (added, (), "added without arcs"),
    ):
        if some:
            are = counted(len(some), "variable is", "variables are")
            parts.append(f"{are} {what} ({with_hints(some, others)})")
    if parts:
        warnings.warn(
            ForebearWarning(
                "in the network given as ", Parameter("start"), f", {' and '.join(parts)}"
            ),
            stacklevel=4,
        )
    arcs = [(p, v) for p, v in network.arc_names if p in kept and v in kept]
    return Network.from_arcs(names, arcs)


def score_start(
    start: Start, job: Job, max_parents: int | None, enforcement: Enforcement
) -> Solution | None:
    """Score the start network on a table; None if there is none, or if it is not allowed.

    If it violates the knowledge or exceeds a limit on parents, a warning gives the reason.
    """
    network = _network_of(start)
    if network is None or not _is_allowed(network, max_parents, enforcement):
        return None
    return make_solution(network, family_scores(network, job.data, job.score), job)


def make_solution(network: Network, scores: Sequence[float], job: Job) -> Solution:
    """Return a network as a solution of the search, given the scores of its families."""
    sets = _sets_of(network, scores, job)
    chosen = [sets.find(v, own) for v, own in enumerate(network.parents)]
    ranks = np.array([0 if one is None else one.rank - 1 for one in chosen], dtype=np.int32)
    return Solution(math.fsum(scores), _order_of(network), sets, ranks)


def start_from_sets(start: Start, sets: ParentSets, enforcement: Enforcement) -> Solution | None:
    """Approximate the start network by parent sets of a collection; None if that is impossible.

    Every variable gets its best set that is a subset of its parents in the network. A warning lists
    the variables whose parents in the network may score higher.
    """
    network = _network_of(start)
    if network is None or not _is_allowed(network, None, enforcement):
        return None
    _warn_of_absent_sets(network, sets)
    chosen = [sets.best(v, own) for v, own in enumerate(network.parents)]
    approximation = Network(sets.names, tuple(one.parents for one in chosen))
    score = math.fsum(one.score for one in chosen)
    if enforcement.knowledge.violations(approximation) or math.isinf(score):
        return None
    ranks = np.array([one.rank - 1 for one in chosen])
    return Solution(score, _order_of(approximation), *network_sets(sets, ranks))


def _order_of(network: Network) -> NDArray[np.int32]:
    return np.array(network.order, dtype=np.int32)


def _network_of(start: Start) -> Network | None:
    """Return the network to start from; None without a start, or if it is an order."""
    return as_network(start) if isinstance(start, Result | Network) else None


def initial_orders(start: Start, sets: ParentSets, relations: Relations) -> list[NDArray[np.int32]]:
    """Return the initial orders of a search: the user's order, and one that is feasible.

    The second is needed if variables have required parents. Few orders then allow a network, and an
    algorithm that tries few orders may find none. Raise ForebearError if no order allows a network.
    """
    orders = []
    if start is not None:
        own = start.order if isinstance(start, Result | Network) else start
        orders.append(np.array(own, dtype=np.int32))
    feasible = feasible_order(sets)
    if needs_parents(sets).any() and not relations:
        orders.append(feasible)
    return orders


def _warn_of_absent_sets(network: Network, sets: ParentSets) -> None:
    """Warn if a collection lacks parent sets of the start network.

    Pruned sets are not reported, because a subset scores at least as high.
    """
    absent = [
        name
        for name, own, size in zip(sets.names, network.parents, sets.complete, strict=True)
        if len(own) > size and sets.find(name, own) is None
    ]
    if absent:
        warnings.warn(
            ForebearWarning(
                f"the parents of {listing(absent)} in the network given as ",
                Parameter("start"),
                " are not among the given parent sets, so the result may have a lower score",
            ),
            stacklevel=4,
        )


def _is_allowed(network: Network, max_parents: int | None, enforcement: Enforcement) -> bool:
    """Return whether a network is allowed as the result; warn if not."""
    most = MAX_PARENTS_LIMIT if max_parents is None else max_parents
    largest = max(map(len, network.parents))
    if violations := enforcement.knowledge.violations(network):
        why = f"violates the knowledge ({listing(violations)})"
    elif largest > most:
        why = f"has a variable with {counted(largest, 'parent')}, and the limit is {most}"
    else:
        return True
    warnings.warn(
        ForebearWarning(
            "the network given as ", Parameter("start"), f" {why}: only its order is used"
        ),
        stacklevel=3,
    )
    return False


def _sets_of(network: Network, scores: Sequence[float], job: Job) -> ParentSets:
    """Return the parent sets of a network and the empty sets, as a collection."""
    n = network.n_variables
    empty = family_scores(Network(network.names, ((),) * n), job.data, job.score)
    lists = [
        {(scores[v], own), (-math.inf if job.constraints.required.get(v) else empty[v], ())}
        for v, own in enumerate(network.parents)
    ]
    width = max(1, *map(len, network.parents))
    provenance = {**replace(job, max_parents=width).provenance, SCORED_UP_TO: 0}
    return ParentSets.of_lists(network.names, lists, provenance)
