"""find_network(): one search over parent sets, whatever the algorithm."""

from __future__ import annotations

import time
from dataclasses import replace
from inspect import signature
from secrets import randbits
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from forebear import __version__
from forebear.alternatives import as_alternatives, best_distinct
from forebear.checkpoint import DEFAULT_INTERVAL, Checkpointer, describe_sets
from forebear.errors import ForebearError
from forebear.exact.settings import Exact
from forebear.executors import check_executor, worker_count
from forebear.machine import cores
from forebear.network import Network
from forebear.result import Result
from forebear.search.asobs import ASOBS
from forebear.search.elsewhere import search_elsewhere
from forebear.search.hillclimb import HillClimbing, Tabu
from forebear.search.inobs import SearchSpace
from forebear.search.minobs import MINOBS
from forebear.search.obs import OBS
from forebear.search.psminobs import PSMINOBS
from forebear.search.recipes import make_recipe, settings_of
from forebear.search.restarts import INOBS
from forebear.search.run import Outcome, Process, run, start_runners
from forebear.search.stop import AnyOf, MaxGenerations, MaxSeconds, NoImprovement, StopRule, Target

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from forebear.parentsets import ParentSets
    from forebear.search.stop import Standing
    from forebear.search.trace import Improvement

DEFAULT_SECONDS = 60.0


class Algorithm(Protocol):
    """Settings that make the processes of a search."""

    resumable: ClassVar[bool]

    @property
    def n_processes(self) -> int:
        """How many processes, each with its own seed."""

    def process(
        self,
        space: SearchSpace,
        number: int,
        seed: np.random.SeedSequence,
        orders: Sequence[NDArray[np.int32]] = (),
    ) -> Process:
        """Make the process of that number, counted from 1."""

    def resumed(self, space: SearchSpace, number: int, state: dict[str, Any]) -> Process:
        """Make a process that goes on where another was."""


def make_processes(
    algorithm: Algorithm,
    space: SearchSpace,
    seeds: Sequence[np.random.SeedSequence],
    orders: Sequence[NDArray[np.int32]] = (),
) -> list[Process]:
    """Make one process a seed."""
    return [algorithm.process(space, s, seed, orders) for s, seed in enumerate(seeds, 1)]


def plain_minobs(**settings: Any) -> PSMINOBS:
    """MINOBS over all sets: the one sample that is everything."""
    return PSMINOBS(samples=1, rate=1.0, minobs=MINOBS(**settings))


ALGORITHMS: dict[str, Callable[..., Algorithm | Exact]] = {
    "ps-minobs": PSMINOBS,
    "minobs": plain_minobs,
    "inobs": INOBS,
    "obs": OBS,
    "asobs": ASOBS,
    "hill-climbing": HillClimbing,
    "tabu": Tabu,
    "exact": Exact,
}
"""Every algorithm by name."""


def make_algorithm(algorithm: Algorithm | Exact | str, **settings: Any) -> Algorithm | Exact:
    """Make an algorithm from its name and settings; those that are ``None`` keep their default."""
    given = {name: value for name, value in settings.items() if value is not None}
    if not isinstance(algorithm, str):
        if given:
            raise ForebearError(
                f"{', '.join(given)} go with an algorithm's name, not with its object"
            )
        return algorithm
    kind = ALGORITHMS.get(algorithm)
    if kind is None:
        raise ForebearError(
            f"no algorithm is called {algorithm!r}: there are {', '.join(ALGORITHMS)}"
        )
    known = signature(MINOBS if kind is plain_minobs else kind).parameters
    for name in given:
        if name not in known:
            raise ForebearError(f"{algorithm} has no setting {name}: it has {', '.join(known)}")
    return kind(**given)


def make_stop(
    time_limit: float | None = None,
    generations: int | None = None,
    target: float | None = None,
    no_improvement: float | None = None,
) -> StopRule:
    """Combine what limits a search; without any limit it is a minute."""
    rules: list[StopRule] = []
    if target is not None:
        rules.append(Target(target))
    if generations is not None:
        rules.append(MaxGenerations(generations))
    if no_improvement is not None:
        rules.append(NoImprovement(seconds=no_improvement))
    if time_limit is not None or not (generations or no_improvement):
        rules.append(MaxSeconds(DEFAULT_SECONDS if time_limit is None else time_limit))
    return AnyOf(*rules)


def check_seed(seed: int | None) -> None:
    """Refuse a seed that cannot be one."""
    if seed is not None and seed < 0:
        raise ForebearError(f"seed must not be negative, got {seed}")


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
    check_seed(seed)
    seed = randbits(63) if seed is None else seed
    if executor is not None:
        check_executor(executor)
        if generations is None and algorithm == "ps-minobs" and settings.get("samples") is None:
            settings["samples"] = worker_count(executor)
    made = make_algorithm(algorithm, **settings)
    if isinstance(made, Exact):
        from forebear.exact.solve import find_exact

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
            start=start,
            started=started,
            on_improvement=on_improvement,
            on_start=on_start,
            on_tick=on_tick,
        )[0]
    rule = stop or make_stop(time_limit, generations, target, no_improvement)
    orders = _warm_start(start, parent_sets)
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
    space = SearchSpace(parent_sets)
    seeds = np.random.SeedSequence(seed).spawn(made.n_processes)
    outcome = run(
        start_runners(make_processes(made, space, seeds, orders), started),
        stop=rule,
        threads=threads or cores(),
        keeper=keeper,
        on_improvement=on_improvement,
        on_start=on_start,
        on_tick=on_tick,
    )
    return make_result(parent_sets, outcome, name, made, seed)


def _check_no_rules(**rules: object) -> None:
    """Refuse rules that exact search does not stop by."""
    if given := [name for name, rule in rules.items() if rule is not None]:
        raise ForebearError(
            f"exact search stops when it has the proof, or by time_limit, not by {given[0]}"
        )


def _warm_start(
    start: Result | Network | Sequence[int] | None, parent_sets: ParentSets
) -> list[NDArray[np.int32]]:
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
    found = [row for runner in outcome.runners for row in runner.networks()]
    chosen = np.array([choice.rank - 1 for choice in result.choices])
    others = best_distinct(parent_sets, found)
    return replace(result, alternatives=as_alternatives(parent_sets, chosen, others))
