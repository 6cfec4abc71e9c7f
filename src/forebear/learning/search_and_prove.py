"""search_and_prove(): search parent sets, and prove a bound on the score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear import __version__
from forebear._util.errors import LimitError, Parameter
from forebear.budget import DEFAULT_SECONDS, LEAST_STEP_SECONDS, Clock
from forebear.knowledge.relations import Relations
from forebear.learning.algorithms import NamedAlgorithm
from forebear.learning.proof import Proof
from forebear.learning.run import Run
from forebear.learning.searchable_sets import SearchableSets
from forebear.learning.start_network import initial_orders
from forebear.network.network import Network
from forebear.parentsets.collection import ParentSets
from forebear.proof.exact_search import Exact, find_exact
from forebear.result import Result, negligible
from forebear.search.algorithm import Search
from forebear.search.alternatives import Alternative, with_alternatives
from forebear.search.checkpoint import Checkpointer
from forebear.search.executor_search import search_on_executor
from forebear.search.incumbent import Incumbent
from forebear.search.recipe import make_recipe, settings_of
from forebear.search.restriction_schedule import NoRestrictionError
from forebear.search.runner import Outcome
from forebear.search.runner import run as run_chains
from forebear.search.stop import StopRule, make_stop


def search_and_prove(searchable: SearchableSets, run: Run, *, reserve: float = 0.0) -> Result:
    """Search parent sets, and prove a bound; leave ``reserve`` seconds of the time limit unused.

    All networks respect the relations. The result never scores lower than the start network. If
    the parent sets grow, the result has the extended sets, which are also cached.
    """
    parent_sets, growth, start = searchable.sets, searchable.growth, searchable.start
    relations, clock = searchable.relations, run.clock
    orders = initial_orders(run.start, parent_sets, relations)
    if start is not None and growth is None:
        orders.append(start.order)
    if run.exact is not None:
        return _search_exactly(searchable, run.exact, run, reserve, orders)
    incumbent = Incumbent(run.watcher)
    if start is not None:
        incumbent.offer(start)
    proof = Proof(incumbent, parent_sets.n_variables, run, reserve, relations)
    left = None if clock.limit is None else max(clock.left() - reserve, LEAST_STEP_SECONDS)
    limit = None if left is None else proof.leave_time(left)
    rule = make_stop(run.stop, time_limit=limit, generations=run.generations)
    run.watcher.searching(limit)
    try:
        outcome = _run_chains(searchable, run, rule, orders, proof)
    except NoRestrictionError:
        if growth is not None:
            raise
        # Few networks, or none, respect the knowledge: only exact search can decide.
        return _search_exactly(searchable, Exact(), run, reserve, orders)
    clock.lap("search")
    record = make_search_record(outcome, run.algorithm, run.seed)
    sets = outcome.winner.chain.parent_sets()
    sets = incumbent.added_to(sets, dominated=bool(relations.n_arc_requirements))
    del outcome  # freeing extended sets may take two seconds of the time for the proof
    if growth is not None and run.timed and run.cache is not None:
        run.cache.write(sets, run.cache.grown_path(growth.job, growth.max_parents))
        clock.lap("cache")
    proof.prove(sets, record)
    return proof.attach_bound(make_result(sets, incumbent, record, relations))


def _search_exactly(
    searchable: SearchableSets,
    settings: Exact,
    run: Run,
    reserve: float,
    orders: Sequence[NDArray[np.int32]],
) -> Result:
    clock = run.clock
    limit = max(clock.left() - reserve, LEAST_STEP_SECONDS)
    if clock.limit is None:
        limit = DEFAULT_SECONDS
    run.watcher.searching(limit)
    result, *_ = find_exact(
        searchable.sets,
        settings,
        time_limit=limit,
        threads=run.threads,
        seed=run.seed,
        orders=orders,
        watcher=run.watcher,
        certificate=run.certificate,
        relations=searchable.relations,
    )
    clock.lap("search")
    return result


def _run_chains(
    searchable: SearchableSets,
    run: Run,
    rule: StopRule,
    orders: Sequence[NDArray[np.int32]],
    proof: Proof,
) -> Outcome:
    """Run the chains in this process or on an executor."""
    started = Clock().started
    name, algorithm = run.algorithm.name, run.algorithm.search
    growth, relations = searchable.growth, searchable.relations
    search = Search(searchable.sets, algorithm, run.seed, orders, growth, relations, run.threads)
    keeper = recipe = None
    if run.checkpoint is not None or run.executor is not None:
        recipe = make_recipe(search, name, rule, run.checkpoint)
        if run.checkpoint is not None:
            keeper = Checkpointer(run.checkpoint, recipe, algorithm.chains)
    if run.executor is not None and recipe is not None:
        return search_on_executor(
            run.executor,
            search,
            recipe,
            started=started,
            incumbent=proof.incumbent,
            keeper=keeper,
            watcher=run.watcher,
        )
    return run_chains(
        search.runners(started),
        stop=rule,
        threads=run.threads,
        incumbent=proof.incumbent,
        keeper=keeper,
        watcher=run.watcher,
        between=proof.between_runs,
    )


@dataclass
class SearchRecord:
    """Details of a search that its result has besides the network.

    Attributes
    ----------
    fields
        Fields of ``Result``.
    alternatives
        Other good networks of the chains.
    """

    fields: dict[str, Any]
    alternatives: list[Alternative]


def make_search_record(outcome: Outcome, algorithm: NamedAlgorithm, seed: int) -> SearchRecord:
    """Return the details of a finished search."""
    fields: dict[str, Any] = {
        "algorithm": algorithm.name,
        "settings": settings_of(algorithm.search),
        "seed": seed,
        "winner": outcome.winner.number,
        "stop_reason": outcome.stop_reason,
        "seconds": outcome.seconds,
        "generations": tuple(runner.generation for runner in outcome.runners),
        "lost": outcome.lost,
        "version": __version__,
    }
    return SearchRecord(fields, outcome.networks())


def make_result(
    parent_sets: ParentSets,
    incumbent: Incumbent,
    record: SearchRecord,
    relations: Relations | None = None,
) -> Result:
    """Build the result of a search from the incumbent, scored from the parent sets alone."""
    best, fields = incumbent.best, {**record.fields, "trace": incumbent.trace}
    if relations is None or relations.are_orders:
        result = Result.of_order(parent_sets, tuple(int(v) for v in best.order), **fields)
    else:  # the best network of the order may violate the relations
        network = Network(parent_sets.names, best.parents)
        choices = [parent_sets.find(v, own) for v, own in enumerate(network.parents)]
        chosen = [choice for choice in choices if choice is not None]
        order = network.order
        result = Result.of_choices(parent_sets, chosen, order=order, **fields)
    if result.score == -math.inf:
        raise LimitError(
            "no network was found in which every variable has an allowed parent set: use ",
            Parameter("algorithm", "exact"),
        )
    # With all sets, the network of an order scores at least as high as with a sample. The core adds
    # scores as integers.
    if result.score < best.score - negligible(best.score):
        raise AssertionError(
            f"the search returned {best.score}, but the parent sets give {result.score}"
        )
    own = Alternative(result.score, result.network.parents)
    return replace(result, alternatives=with_alternatives(own, record.alternatives))
