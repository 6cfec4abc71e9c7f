"""resume_search(): a search goes on where its checkpoint was written."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from forebear.checkpoint import DEFAULT_INTERVAL, Checkpoint, Checkpointer, open_sets
from forebear.errors import FileError, ForebearError
from forebear.machine import cores
from forebear.search.find import DEFAULT_SECONDS, make_result
from forebear.search.inobs import SearchSpace
from forebear.search.recipes import algorithm_of, make_runner, stop_of
from forebear.search.run import run
from forebear.search.trace import Improvement, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from forebear.result import Result
    from forebear.search.stop import Standing


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
    checkpoint = Checkpoint.read(path)
    recipe = checkpoint.recipe
    sets = open_sets(recipe.parent_sets, path)
    stop = dict(recipe.stop)
    if time_limit is not None:
        if not time_limit > 0:
            raise ForebearError(f"time_limit must be positive, got {time_limit:g}")
        stop["seconds"] = checkpoint.seconds + time_limit
    elif stop.get("seconds", float("inf")) <= checkpoint.seconds:
        stop["seconds"] = checkpoint.seconds + DEFAULT_SECONDS
    algorithm = algorithm_of(recipe)
    if len(checkpoint.processes) != algorithm.n_processes:
        raise FileError(f"{path}: not a checkpoint of forebear: processes are missing")
    space = SearchSpace(sets)
    started = time.perf_counter() - checkpoint.seconds
    try:
        trace = Trace([Improvement(int(p), t, int(g), s) for p, t, g, s in checkpoint.trace])
        runners = [
            make_runner(algorithm, recipe, space, number, started, state)
            for number, state in enumerate(checkpoint.processes, 1)
        ]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FileError(f"{path}: not a checkpoint that this version can use: {error}") from error
    keeper = Checkpointer(path, recipe, algorithm.n_processes, checkpoint_interval)
    outcome = run(
        runners,
        stop=stop_of(stop),
        threads=threads or cores(),
        trace=trace,
        keeper=keeper,
        on_improvement=on_improvement,
        on_start=on_start,
        on_tick=on_tick,
    )
    return make_result(sets, outcome, recipe.algorithm, algorithm, recipe.seed)
