"""resume_search(): a search goes on where its checkpoint was written."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from forebear._util.errors import FileError, ForebearError
from forebear._util.machine import cores
from forebear.learning.find import make_result
from forebear.search.alternatives import check_networks
from forebear.search.minobs import map_orders
from forebear.search.persistence.checkpoint import (
    DEFAULT_INTERVAL,
    Checkpoint,
    Checkpointer,
    open_sets,
)
from forebear.search.persistence.recipe import algorithm_of, make_runner, stop_of
from forebear.search.runner import run
from forebear.search.space import SearchSpace
from forebear.search.stop import DEFAULT_SECONDS
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from forebear.result import Result
    from forebear.search.algorithm import Algorithm
    from forebear.search.runner import Runner
    from forebear.search.stop import Standing, StopRule

_UNUSABLE = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
"""What a checkpoint comes to whose contents are not what they should be."""


def resume_search(
    path: Path | str,
    *,
    time_limit: float | None = None,
    threads: int | None = None,
    checkpoint_interval: float = DEFAULT_INTERVAL,
    on_improvement: Callable[[Improvement], None] | None = None,
    on_start: Callable[[Callable[[], None]], None] | None = None,
    on_tick: Callable[[Sequence[Standing]], None] | None = None,
) -> Result:
    """Go on with a search from its checkpoint, which is kept up to date meanwhile.

    ``time_limit`` is for this time alone; without it, what was left of the
    first one (or a minute, if that is over). Other limits stay as they were:
    under a limit of generations the network is the one that an uninterrupted
    search finds.
    """
    if time_limit is not None and not time_limit > 0:
        raise ForebearError(f"time_limit must be positive, got {time_limit:g}")
    checkpoint = Checkpoint.read(path)
    recipe = checkpoint.recipe
    sets = open_sets(recipe.parent_sets, path)
    space = SearchSpace(sets)
    try:
        algorithm = algorithm_of(recipe)
        rule = _rule(checkpoint, time_limit)
        trace = _trace(checkpoint)
        runners = _runners(algorithm, checkpoint, space)
    except _UNUSABLE as error:
        reason = error if isinstance(error, ValueError) else type(error).__name__
        raise FileError(f"{path}: not a checkpoint that this version can use: {reason}") from error
    keeper = Checkpointer(path, recipe, algorithm.n_processes, checkpoint_interval)
    outcome = run(
        runners,
        stop=rule,
        threads=threads or cores(),
        trace=trace,
        keeper=keeper,
        on_improvement=on_improvement,
        on_start=on_start,
        on_tick=on_tick,
    )
    return make_result(sets, outcome, recipe.algorithm, algorithm, recipe.seed)


def _rule(checkpoint: Checkpoint, time_limit: float | None) -> StopRule:
    """The rule of the first time, with time for this one."""
    stop = dict(checkpoint.recipe.stop)
    if time_limit is not None:
        stop["seconds"] = checkpoint.seconds + time_limit
    elif stop.get("seconds", float("inf")) <= checkpoint.seconds:
        stop["seconds"] = checkpoint.seconds + DEFAULT_SECONDS
    return stop_of(stop)


def _trace(checkpoint: Checkpoint) -> Trace:
    steps = (Improvement(int(p), float(t), int(g), float(s)) for p, t, g, s in checkpoint.trace)
    return Trace(list(steps))


def _runners(algorithm: Algorithm, checkpoint: Checkpoint, space: SearchSpace) -> list[Runner]:
    if len(checkpoint.processes) != algorithm.n_processes:
        raise ValueError("processes are missing")
    for state in checkpoint.processes:
        kept = state["process"].get("kept", ()) if state else ()
        check_networks(space.parent_sets, space.counts, map_orders(kept))
    started = time.perf_counter() - checkpoint.seconds
    return [
        make_runner(algorithm, checkpoint.recipe, space, number, started, state)
        for number, state in enumerate(checkpoint.processes, 1)
    ]
