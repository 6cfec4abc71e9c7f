"""search_and_prove(): search parent sets, and prove how good the network is."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forebear import __version__
from forebear._util.errors import LimitError, Parameter
from forebear.budget import LEAST_SEARCH_SECONDS, PROOF_MOST_SECONDS, Clock
from forebear.exact.settings import Exact
from forebear.exact.solve import find_exact
from forebear.learning.proof import Proof
from forebear.learning.start import initial_orders
from forebear.network.network import Network
from forebear.result import Result
from forebear.search.algorithm import make_runners
from forebear.search.alternatives import Alternative, with_alternatives
from forebear.search.distributed.shipping import search_elsewhere
from forebear.search.persistence.checkpoint import Checkpointer, describe_sets
from forebear.search.persistence.grown import describe_growth
from forebear.search.persistence.recipe import make_recipe, settings_of
from forebear.search.runner import run
from forebear.search.steering import NoRestrictionError
from forebear.search.stop import make_stop
from forebear.search.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from forebear.knowledge.relations import Relations
    from forebear.learning.first_network import FirstNetwork
    from forebear.learning.request import SearchRequest
    from forebear.learning.start import StartNetwork
    from forebear.parentsets.collection import ParentSets
    from forebear.search.algorithm import Algorithm
    from forebear.search.growth import Growth
    from forebear.search.runner import Outcome
    from forebear.search.stop import StopRule

_ROUNDING = 1e-6
"""The core adds scores as integers; the sum may differ from the exact one by this many nats."""


def search_and_prove(
    parent_sets: ParentSets,
    request: SearchRequest,
    clock: Clock,
    reserve: float = 0.0,
    growth: Growth | None = None,
    keep: Callable[[ParentSets], None] | None = None,
    relations: Relations | None = None,
    start: StartNetwork | None = None,
    first: FirstNetwork | None = None,
) -> Result:
    """Search, and prove how good the network is; leave ``reserve`` seconds of the clock.

    With ``growth`` the parent sets grow while they are searched. ``keep`` gets the sets as they
    are after the search. All networks respect the relations. The result is never worse than the
    ``start`` network. Its trace begins with that of the ``first`` network.
    """
    orders = initial_orders(request.start, parent_sets, relations)
    if request.exact is not None:
        if keep is not None:
            keep(parent_sets)
        if start is not None:
            orders.append(start.order)
        begun = clock.spent()
        result = _search_exactly(
            parent_sets, request.exact, request, clock, reserve, orders, relations
        )
        return _not_below(start, result, parent_sets, first, begun)[0]
    grows = growth is not None
    proof = Proof(parent_sets, request, clock, reserve, grows=grows, relations=relations)
    # Where the best score is known, the search is short, and goes as it would without a start.
    if start is not None and not grows and not proof.solved:
        orders.append(start.order)
    left = None if clock.limit is None else max(clock.left() - reserve, LEAST_SEARCH_SECONDS)
    limit = None if left is None else proof.leave_time(left)
    rule = make_stop(proof.rule(request.stop), time_limit=limit, generations=request.generations)
    request.watcher.searching(limit)
    begun = clock.spent()
    try:
        outcome = _run(parent_sets, request, rule, orders, growth, proof, relations)
        clock.lap("search")
        made = request.algorithm
        parent_sets = outcome.winner.parent_sets() or parent_sets
        result = make_result(parent_sets, outcome, made.name, made.search, request.seed, relations)
        result, parent_sets = _not_below(start, result, parent_sets, first, begun)
        del outcome  # freeing what has grown may take a second or two, at the expense of the proof
        if keep is not None:
            keep(parent_sets)
        return proof.of(result, parent_sets)
    except NoRestrictionError:
        if growth is not None:
            raise
        if keep is not None:
            keep(parent_sets)
        # Few networks respect the statements, or none: only a systematic search can tell.
        return _search_exactly(parent_sets, Exact(), request, clock, reserve, orders, relations)


def _not_below(
    start: StartNetwork | None,
    result: Result,
    sets: ParentSets,
    first: FirstNetwork | None,
    begun: float,
) -> tuple[Result, ParentSets]:
    """Return the result, or the start network if that is better; put both traces together.

    The search began some seconds after the start of the run.
    """
    if start is not None:
        result, sets = start.unless_better(result, sets)
    if first is not None:
        later = begun - first.begun
        shifted = (one._replace(seconds=one.seconds + later) for one in result.trace)
        result = replace(result, trace=Trace([*first.result.trace, *shifted]))
    return result, sets


def _search_exactly(
    parent_sets: ParentSets,
    settings: Exact,
    request: SearchRequest,
    clock: Clock,
    reserve: float,
    orders: Sequence[NDArray[np.int32]],
    relations: Relations | None,
) -> Result:
    limit = max(clock.left() - reserve, LEAST_SEARCH_SECONDS)
    if clock.limit is None:
        limit = PROOF_MOST_SECONDS
    request.watcher.searching(limit)
    result, *_ = find_exact(
        parent_sets,
        settings,
        time_limit=limit,
        threads=request.threads,
        seed=request.seed,
        orders=orders,
        watcher=request.watcher,
        certificate=request.certificate,
        relations=relations,
    )
    clock.lap("search")
    return result


def _run(
    parent_sets: ParentSets,
    request: SearchRequest,
    rule: StopRule,
    orders: Sequence[NDArray[np.int32]],
    growth: Growth | None,
    proof: Proof,
    relations: Relations | None,
) -> Outcome:
    """Run the chains here, or on an executor."""
    started = Clock().started
    name, algorithm = request.algorithm.name, request.algorithm.search
    keeper = recipe = None
    if request.checkpoint is not None or request.executor is not None:
        about = describe_sets(parent_sets, request.checkpoint)
        grown = None if growth is None else describe_growth(growth, request.checkpoint)
        recipe = make_recipe(algorithm, name, request.seed, rule, orders, about, grown, relations)
        if request.checkpoint is not None:
            keeper = Checkpointer(request.checkpoint, recipe, algorithm.chains)
    if request.executor is not None and recipe is not None:
        return search_elsewhere(
            request.executor,
            parent_sets,
            recipe,
            algorithm.chains,
            threads=request.threads,
            started=started,
            growth=growth,
            keeper=keeper,
            watcher=request.watcher,
        )
    runners = make_runners(
        parent_sets,
        algorithm,
        seed=request.seed,
        started=started,
        orders=orders,
        growth=growth,
        relations=relations,
        threads=request.threads,
    )
    return run(
        runners,
        stop=rule,
        threads=request.threads,
        keeper=keeper,
        watcher=request.watcher,
        between=proof.between_runs,
    )


def make_result(
    parent_sets: ParentSets,
    outcome: Outcome,
    name: str,
    algorithm: Algorithm,
    seed: int,
    relations: Relations | None = None,
) -> Result:
    """Build the result of a search, scored from the parent sets alone."""
    winner = outcome.winner
    if winner.best is None:
        raise AssertionError("a search has at least one order")
    about: dict[str, Any] = {
        "algorithm": name,
        "settings": settings_of(algorithm),
        "seed": seed,
        "winner": winner.number,
        "stop_reason": outcome.stop_reason,
        "seconds": outcome.seconds,
        "generations": tuple(runner.generation for runner in outcome.runners),
        "trace": outcome.trace,
        "lost": outcome.lost,
        "version": __version__,
    }
    if relations is None or relations.are_orders:
        order = tuple(int(v) for v in winner.best.order)
        result = Result.of_order(parent_sets, order, **about)
    else:  # other networks of the order may violate them
        network = Network(parent_sets.names, winner.best.parents)
        found = [parent_sets.find(v, own) for v, own in enumerate(network.parents)]
        chosen = [one for one in found if one is not None]
        order = network.topological_order()
        result = Result.of_choices(parent_sets, chosen, order=order, **about)
    if result.score == -math.inf:
        raise LimitError(
            "no network was found in which every variable has an allowed parent set: use ",
            Parameter("algorithm", "exact"),
        )
    # The network of an order over all sets is at least as good as over a sample.
    if result.score < winner.score - _ROUNDING:
        raise AssertionError(f"the search claims {winner.score}, the sets say {result.score}")
    own = Alternative(result.score, result.network.parents)
    met = [one for runner in outcome.runners for one in runner.networks()]
    return replace(result, alternatives=with_alternatives(own, met))
