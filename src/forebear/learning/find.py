"""find_network(): one search over parent sets, whatever the algorithm."""

from __future__ import annotations

import time
from dataclasses import replace
from secrets import randbits
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import __version__
from forebear._util.checks import check_run
from forebear._util.errors import ForebearError
from forebear._util.executors import check_executor, worker_count
from forebear._util.watcher import Watcher
from forebear.exact.settings import Exact
from forebear.exact.solve import find_exact
from forebear.learning.algorithms import make_algorithm
from forebear.network.network import Network
from forebear.result import Result
from forebear.search.algorithm import search
from forebear.search.alternatives import alternatives_of
from forebear.search.distributed.shipping import search_elsewhere
from forebear.search.persistence.checkpoint import DEFAULT_INTERVAL, Checkpointer, describe_sets
from forebear.search.persistence.recipe import make_recipe, settings_of
from forebear.search.stop import make_stop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from forebear.parentsets.collection import ParentSets
    from forebear.search.algorithm import Algorithm
    from forebear.search.runner import Outcome
    from forebear.search.stop import Standing, StopRule
    from forebear.search.trace import Improvement


def find_network(
    parent_sets: ParentSets,
    *,
    algorithm: Algorithm | Exact | str = "ps-minobs",
    time_limit: float | None = None,
    generations: int | None = None,
    target: float | None = None,
    no_improvement: float | None = None,
    stop: StopRule | None = None,
    threads: int | None = None,
    seed: int | None = None,
    start: Result | Network | Sequence[int] | None = None,
    checkpoint: Path | str | None = None,
    checkpoint_interval: float = DEFAULT_INTERVAL,
    executor: Any = None,
    on_improvement: Callable[[Improvement], None] | None = None,
    on_start: Callable[[Callable[[], None]], None] | None = None,
    on_tick: Callable[[Sequence[Standing]], None] | None = None,
    **settings: Any,
) -> Result:
    """Search for the network of the highest score.

    It stops after ``time_limit`` seconds (60, if nothing else is given), after
    so many ``generations``, at a ``target`` score, after ``no_improvement``
    seconds without one, or by a ``stop`` rule; interrupted or cancelled, it
    returns the best so far. ``start`` is an order, a network or a result to
    start from. ``checkpoint`` is a file that is kept up to date every so many
    seconds and at the end; ``resume_search`` goes on from it. With an
    ``executor`` (of a Dask client, of MPI, a process pool), the processes of
    the search run there, each on ``threads`` of its own (1); without a limit of
    generations there are as many as it has workers, unless ``samples`` says
    otherwise. ``settings`` are the algorithm's own, such as ``samples`` and
    ``rate``. Under a limit of generations the same ``seed`` gives the same
    network, whatever the number of threads and wherever they are.

    The algorithm "exact" also proves how good the network is: its ``bound`` is
    the score if that is the highest there is. It stops when that is proven, or
    by ``time_limit``.
    """
    started = time.perf_counter()
    if threads is not None and threads < 1:
        raise ForebearError(f"threads must be at least 1, got {threads}")
    check_run(seed=seed)
    seed = randbits(63) if seed is None else seed
    if executor is not None:
        check_executor(executor)
        if generations is None and algorithm == "ps-minobs" and settings.get("samples") is None:
            settings["samples"] = worker_count(executor)
    made = make_algorithm(algorithm, **settings)
    orders = warm_start(start, parent_sets)
    if isinstance(made, Exact):
        if checkpoint is not None:
            raise ForebearError("exact search cannot be resumed, so it has no checkpoints")
        _check_no_rules(
            stop=stop, generations=generations, target=target, no_improvement=no_improvement
        )
        return find_exact(
            parent_sets,
            made,
            time_limit=time_limit,
            threads=threads,
            seed=seed,
            orders=orders,
            started=started,
            watcher=_Calling(on_improvement, on_start, on_tick),
        )[0]
    rule = stop or make_stop(time_limit, generations, target, no_improvement)
    name = algorithm if isinstance(algorithm, str) else type(made).__name__
    keeper = recipe = None
    if checkpoint is not None or executor is not None:
        about = describe_sets(parent_sets, checkpoint)
        recipe = make_recipe(made, name, seed, rule, orders, about)
        if checkpoint is not None:
            keeper = Checkpointer(checkpoint, recipe, made.n_processes, checkpoint_interval)
    if executor is not None and recipe is not None:
        outcome = search_elsewhere(
            executor,
            parent_sets,
            recipe,
            made.n_processes,
            threads=threads or 1,
            started=started,
            keeper=keeper,
            on_improvement=on_improvement,
            on_start=on_start,
            on_tick=on_tick,
        )
        return make_result(parent_sets, outcome, name, made, seed)
    outcome = search(
        parent_sets,
        made,
        seed=seed,
        stop=rule,
        started=started,
        orders=orders,
        threads=threads,
        keeper=keeper,
        on_improvement=on_improvement,
        on_start=on_start,
        on_tick=on_tick,
    )
    return make_result(parent_sets, outcome, name, made, seed)


class _Calling(Watcher):
    """Calls functions where they are given."""

    def __init__(
        self,
        on_improvement: Callable[[Improvement], None] | None,
        on_start: Callable[[Callable[[], None]], None] | None,
        on_tick: Callable[[Sequence[Standing]], None] | None,
    ) -> None:
        self.improved = on_improvement or super().improved  # type: ignore[assignment,method-assign]
        self.started = on_start or super().started  # type: ignore[assignment,method-assign]
        self.standing = on_tick or super().standing  # type: ignore[assignment,method-assign]


def _check_no_rules(**rules: object) -> None:
    """Refuse rules that exact search does not stop by."""
    if given := [name for name, rule in rules.items() if rule is not None]:
        raise ForebearError(
            f"exact search stops when it has the proof, or by time_limit, not by {given[0]}"
        )


def warm_start(
    start: Result | Network | Sequence[int] | None, parent_sets: ParentSets
) -> list[NDArray[np.int32]]:
    """Return the orders that a search starts from."""
    if start is None:
        return []
    if isinstance(start, Result | Network):
        network = start.network if isinstance(start, Result) else start
        if network.names != parent_sets.names:
            raise ForebearError("the network to start from has other variables")
        order: Sequence[int] = (
            start.order if isinstance(start, Result) else start.topological_order()
        )
    else:
        order = start
    if sorted(order) != list(range(parent_sets.n_variables)):
        raise ForebearError("the order to start from does not list every variable once")
    return [np.array(order, dtype=np.int32)]


def make_result(
    parent_sets: ParentSets, outcome: Outcome, name: str, made: Algorithm, seed: int
) -> Result:
    """Build the result of a search, scored from the parent sets alone."""
    winner = outcome.winner
    if winner.best is None:
        raise AssertionError("a search has at least one order")
    result = Result.of_order(
        parent_sets,
        tuple(int(v) for v in winner.best.order),
        algorithm=name,
        settings=settings_of(made),
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
    if result.score < winner.score - 1e-6:
        raise AssertionError(f"the search claims {winner.score}, the sets say {result.score}")
    chosen = np.array([choice.rank - 1 for choice in result.choices])
    return replace(result, alternatives=alternatives_of(parent_sets, outcome.runners, chosen))
