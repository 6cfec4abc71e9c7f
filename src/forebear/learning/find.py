"""find_network(): search parent sets for the network with the highest score."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import __version__
from forebear._util.atomic import check_writable
from forebear._util.checks import known_parameters
from forebear._util.errors import ForebearError, Parameter
from forebear.budget import LEAST_SEARCH_SECONDS, Clock
from forebear.exact.solve import find_exact
from forebear.learning.growth import growth_from
from forebear.learning.proof import Proof
from forebear.learning.request import SearchRequest
from forebear.network.fitted import FittedNetwork
from forebear.network.network import Network, as_network
from forebear.parentsets.collection import ParentSets
from forebear.result import Result
from forebear.search.algorithm import search
from forebear.search.alternatives import alternatives_of
from forebear.search.distributed.shipping import search_elsewhere
from forebear.search.persistence.checkpoint import Checkpointer, describe_sets
from forebear.search.persistence.grown import describe_growth
from forebear.search.persistence.recipe import make_recipe, settings_of, stop_fields
from forebear.search.stop import StopRule, make_stop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from forebear._util.watcher import Watcher
    from forebear.data.reading import ReadOptions
    from forebear.knowledge.knowledge import Knowledge
    from forebear.search.algorithm import Algorithm
    from forebear.search.growth import Growth
    from forebear.search.runner import Outcome

_ROUNDING = 1e-6
"""The core adds scores as integers; the sum may differ from the exact one by this many nats."""


@known_parameters
def find_network(
    parent_sets: ParentSets,
    *,
    knowledge: Knowledge | Path | str | Sequence[Path | str] | None = None,
    algorithm: Any = "ps-minobs",
    time_limit: float | None = None,
    generations: int | None = None,
    stop: StopRule | None = None,
    threads: int | None = None,
    seed: int | None = None,
    start: Result | Network | Sequence[int] | None = None,
    certify: bool | None = None,
    certificate: Path | str | None = None,
    executor: Any = None,
    checkpoint: Path | str | None = None,
    data: Any = None,
    read: ReadOptions | None = None,
    save_sets: Path | str | None = None,
    watcher: Watcher | None = None,
) -> Result:
    """Search parent sets for the network with the highest score.

    Interrupted or cancelled, it returns the best network so far.

    Parameters
    ----------
    parent_sets
        The candidate parent sets of every variable.
    knowledge
        A ``Knowledge`` object, or files of Bayesys, GOBNILP or bnlearn. Only networks of the given
        sets are searched; sets that were scored with the same knowledge have those it may need.
    algorithm
        A name ("ps-minobs", "minobs", "inobs", "obs", "asobs", "hill-climbing", "tabu", "exact")
        or settings such as ``PSMINOBS(chains=4, rate=0.25)`` or ``Exact()``.
    time_limit
        Seconds for the search and the proof. Default: up to 60, less if nothing better is found
        for 10 seconds; no limit with ``generations``.
    generations
        Stop every chain after this many generations. The same seed then gives the same network
        on any machine and any number of threads.
    stop
        Another rule to stop by: ``Target``, ``NoImprovement``, ``AnyOf`` or a function.
    threads
        Number of threads. Default: one per core, or one per worker of an ``executor``.
    seed
        Random seed. Default: random.
    start
        A result, a network or an order to start from.
    certify
        Whether to prove how far from the optimum the network can be: True takes half of the time,
        False none. Default: a tenth, or all that is left as soon as the search is idle; the search
        ends when the network is proven optimal.
    certificate
        A file for the proof, which ``forebear check`` verifies. Default: none.
    executor
        Where the chains run: a ``concurrent.futures`` executor, also that of a Dask client or
        of MPI. With "ps-minobs" and no generation limit there is one chain per worker.
    checkpoint
        A file that is kept up to date, for ``resume_search``.
    data
        The table that the parent sets come from: lets the search ask for further sets. Default:
        only the given sets are searched.
    read
        How to read that table. Default: gaps are handled as when the sets were scored.
    save_sets
        A ``.cps`` file for the parent sets as they are after the search.
    watcher
        Hears of every step. Default: as in ``learn``.

    Returns
    -------
    Result
        The network, its score, the bound if one was proven, and how it was found.
    """
    request = SearchRequest.checked(
        algorithm=algorithm,
        time_limit=time_limit,
        generations=generations,
        stop=stop,
        threads=threads,
        seed=seed,
        start=start,
        certify=certify,
        certificate=certificate,
        executor=executor,
        checkpoint=checkpoint,
        watcher=watcher,
    )
    if not isinstance(parent_sets, ParentSets):
        raise ForebearError(
            f"parent_sets must be ParentSets, got {type(parent_sets).__name__}: "
            "score_parent_sets makes them from a table, ParentSets.load reads a file"
        )
    clock = Clock(request.time_limit)
    check_sets_file(save_sets)
    if knowledge is not None:
        from forebear.learning.respecting import find_under  # which searches by what is below

        for name, value in (("data", data), ("save_sets", save_sets)):
            if value is not None:
                raise ForebearError(
                    Parameter("knowledge"), " cannot be combined with ", Parameter(name)
                )
        result = find_under(parent_sets, knowledge, request, clock)
    else:
        growth = None if data is None else growth_from(parent_sets, data, request, clock, read)
        keep = None if save_sets is None else partial(ParentSets.save, path=save_sets)
        result = search_and_prove(parent_sets, request, clock, growth=growth, keep=keep)
    result = replace(result, seconds=clock.spent(), phases=clock.laps)
    request.watcher.found(result)
    return result


def check_sets_file(path: Path | str | None) -> None:
    """Refuse a file that parent sets cannot be saved to, before any work."""
    if path is None:
        return
    if Path(path).suffix != ".cps":
        raise ForebearError(Parameter("save_sets"), f" must be a .cps file, got {path}")
    check_writable(path)


def search_and_prove(
    parent_sets: ParentSets,
    request: SearchRequest,
    clock: Clock,
    reserve: float = 0.0,
    growth: Growth | None = None,
    keep: Callable[[ParentSets], None] | None = None,
) -> Result:
    """Search, and prove how good the network is; leave ``reserve`` seconds of the clock.

    With ``growth`` the parent sets grow while they are searched. ``keep`` gets the sets as they
    are after the search.
    """
    orders = warm_start(request.start, parent_sets)
    if request.exact is not None:
        return _search_exactly(parent_sets, request, clock, reserve, orders)
    proof = Proof(parent_sets, request, clock, reserve, grows=growth is not None)
    left = None if clock.limit is None else max(clock.left() - reserve, LEAST_SEARCH_SECONDS)
    limit = None if left is None else proof.leave_time(left)
    # A search that is resumed has no proof that it would have to leave time for.
    rule, kept = (
        make_stop(proof.rule(request.stop, s), time_limit=limit, generations=request.generations)
        for s in (limit, None)
    )
    request.watcher.searching(limit)
    outcome = _run(parent_sets, request, rule, kept, orders, growth)
    clock.lap("search")
    made = request.algorithm
    if growth is not None:
        parent_sets = outcome.parent_sets or parent_sets
    result = make_result(parent_sets, outcome, made.name, made.search, request.seed)
    del outcome  # freeing what has grown may take a second or two, at the expense of the proof
    if keep is not None:
        keep(parent_sets)
    return proof.of(result, parent_sets)


def _search_exactly(
    parent_sets: ParentSets,
    request: SearchRequest,
    clock: Clock,
    reserve: float,
    orders: Sequence[NDArray[np.int32]],
) -> Result:
    if request.exact is None:
        raise AssertionError("another algorithm was asked for")
    limit = max(clock.left() - reserve, LEAST_SEARCH_SECONDS)
    request.watcher.searching(limit)
    result, *_ = find_exact(
        parent_sets,
        request.exact,
        time_limit=limit,
        threads=request.threads,
        seed=request.seed,
        orders=orders,
        watcher=request.watcher,
        certificate=request.certificate,
    )
    clock.lap("search")
    return result


def _run(
    parent_sets: ParentSets,
    request: SearchRequest,
    rule: StopRule,
    kept: StopRule,
    orders: Sequence[NDArray[np.int32]],
    growth: Growth | None,
) -> Outcome:
    """Run the chains here, or on an executor; ``kept`` is the rule that a checkpoint holds."""
    started = Clock().started
    name, algorithm = request.algorithm.name, request.algorithm.search
    keeper = recipe = None
    if request.checkpoint is not None or request.executor is not None:
        about = describe_sets(parent_sets, request.checkpoint)
        grown = None if growth is None else describe_growth(growth, request.checkpoint)
        recipe = make_recipe(algorithm, name, request.seed, rule, orders, about, grown)
        if request.checkpoint is not None:
            resumed = replace(recipe, stop=stop_fields(kept))
            keeper = Checkpointer(request.checkpoint, resumed, algorithm.chains)
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
    return search(
        parent_sets,
        algorithm,
        seed=request.seed,
        stop=rule,
        started=started,
        orders=orders,
        growth=growth,
        threads=request.threads,
        keeper=keeper,
        watcher=request.watcher,
    )


def warm_start(
    start: Result | Network | Sequence[int] | None, parent_sets: ParentSets
) -> list[NDArray[np.int32]]:
    """Return the orders that a search starts from."""
    if start is None:
        return []
    order: Any = start
    if isinstance(start, Result | Network | FittedNetwork):
        network = as_network(start)
        if set(network.names) != set(parent_sets.names):
            raise ForebearError("the network given as ", Parameter("start"), " has other variables")
        if network.names == parent_sets.names and isinstance(start, Result):
            order = start.order
        else:  # lists of arcs and model strings may have the variables in another order
            order = network.reordered(parent_sets.names).topological_order()
    try:
        complete = sorted(order) == list(range(parent_sets.n_variables))
    except TypeError:
        complete = False
    if not complete:
        raise ForebearError(
            Parameter("start"), " must be a Result, a Network or an order of all variables"
        )
    return [np.array(order, dtype=np.int32)]


def make_result(
    parent_sets: ParentSets, outcome: Outcome, name: str, algorithm: Algorithm, seed: int
) -> Result:
    """Build the result of a search, scored from the parent sets alone."""
    winner = outcome.winner
    if winner.best is None:
        raise AssertionError("a search has at least one order")
    result = Result.of_order(
        parent_sets,
        tuple(int(v) for v in winner.best.order),
        algorithm=name,
        settings=settings_of(algorithm),
        seed=seed,
        winner=winner.number,
        stop_reason=outcome.stop_reason,
        seconds=outcome.seconds,
        generations=tuple(runner.generation for runner in outcome.runners),
        trace=outcome.trace,
        lost=outcome.lost,
        version=__version__,
    )
    # The network of an order over all sets is at least as good as over a sample.
    if result.score < winner.score - _ROUNDING:
        raise AssertionError(f"the search claims {winner.score}, the sets say {result.score}")
    chosen = np.array([choice.rank - 1 for choice in result.choices])
    # The ranks of other chains are those of other sets, if these grew.
    same = [runner for runner in outcome.runners if runner.sets_are(parent_sets)]
    return replace(result, alternatives=alternatives_of(parent_sets, same, chosen))
