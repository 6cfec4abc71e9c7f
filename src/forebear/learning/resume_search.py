"""resume_search(): continue a search from its checkpoint."""

from __future__ import annotations

import time
from pathlib import Path

from forebear._util.checks import check_parameter_names, check_run
from forebear._util.errors import FileError, warn_if_interrupted
from forebear._util.machine import thread_count
from forebear._util.progress import default_watcher
from forebear._util.watcher import Watcher
from forebear.budget import DEFAULT_SECONDS
from forebear.learning.algorithms import NamedAlgorithm
from forebear.learning.search_and_prove import make_result, make_search_record
from forebear.parentsets.feasibility import feasible_order
from forebear.result import Result
from forebear.search.algorithm import Search
from forebear.search.alternatives import check_networks
from forebear.search.checkpoint import Checkpoint, Checkpointer
from forebear.search.incumbent import Incumbent
from forebear.search.recipe import open_sets, open_table, stop_of
from forebear.search.runner import Runner, run
from forebear.search.space import as_orders
from forebear.search.stop import StopRule
from forebear.search.trace import Improvement, Trace

_UNUSABLE = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
"""The errors that a damaged checkpoint causes."""


@check_parameter_names
def resume_search(
    path: Path | str,
    *,
    time_limit: float | None = None,
    threads: int | None = None,
    watcher: Watcher | None = None,
) -> Result:
    """Continue a search from its checkpoint, and keep saving its state there.

    The other limits do not change. With a generation limit, the result is the network that an
    uninterrupted search finds. If the search is interrupted again, it returns the best network so
    far with a ``ForebearWarning``, as ``find_network`` does.

    Parameters
    ----------
    path
        The checkpoint file.
    time_limit
        Time limit in seconds, counted from this call. Default: the remaining time of the original
        limit, or 60 if none remains.
    threads
        Number of threads. Default: one per core.
    watcher
        An object that is notified of the search. Default: as in ``learn``.

    Returns
    -------
    Result
        The best network of the whole search.
    """
    check_run(time_limit=time_limit, threads=threads, watcher=watcher)
    checkpoint = Checkpoint.read(path)
    recipe = checkpoint.recipe
    watcher = watcher or default_watcher()
    threads = thread_count(threads)
    sets = open_sets(recipe.parent_sets, path, threads=threads)
    feasible_order(sets)  # rejects sets that no network can use
    try:
        rule = _rule(checkpoint, time_limit)
        incumbent = Incumbent(watcher, _trace(checkpoint))
        table = None if recipe.growth is None else open_table(recipe.growth, path)
        search = recipe.search(sets, table, threads)
        runners = _runners(search, checkpoint)
    except _UNUSABLE as error:
        reason = error if isinstance(error, ValueError) else type(error).__name__
        raise FileError(f"{path}: not a checkpoint that this version can use: {reason}") from error
    keeper = Checkpointer(path, recipe, search.algorithm.chains)
    watcher.searching(time_limit)
    outcome = run(
        runners,
        stop=rule,
        threads=threads,
        incumbent=incumbent,
        keeper=keeper,
        watcher=watcher,
    )
    algorithm = NamedAlgorithm(recipe.algorithm, search.algorithm)
    record = make_search_record(outcome, algorithm, recipe.seed)
    result = make_result(outcome.winner.chain.parent_sets(), incumbent, record, search.relations)
    watcher.finished(result)
    warn_if_interrupted(result.stop_reason, "the result is the best network so far")
    return result


def _rule(checkpoint: Checkpoint, time_limit: float | None) -> StopRule:
    """Return the stop rule of the original search, with more time."""
    stop = dict(checkpoint.recipe.stop)
    if time_limit is not None:
        stop["seconds"] = checkpoint.seconds + time_limit
    elif stop.get("seconds", float("inf")) <= checkpoint.seconds:
        stop["seconds"] = checkpoint.seconds + DEFAULT_SECONDS
    return stop_of(stop)


def _trace(checkpoint: Checkpoint) -> Trace:
    steps = (Improvement(int(p), float(t), int(g), float(s)) for p, t, g, s in checkpoint.trace)
    return Trace(list(steps))


def _runners(search: Search, checkpoint: Checkpoint) -> list[Runner]:
    if len(checkpoint.chains) != search.algorithm.chains:
        raise ValueError("the number of chains does not match")
    started = time.perf_counter() - checkpoint.seconds
    runners = []
    for number, state in enumerate(checkpoint.chains, 1):
        runner = search.runner(number, started, state)
        runner.improved_at = (
            checkpoint.seconds,
            runner.improved_at[1],
        )  # idle time counts from now on
        runners.append(runner)
        if search.growth is None:
            kept = state["chain"].get("kept", ()) if state else ()
            sets = search.parent_sets
            counts = sets.counts if search.relations else search.space.counts
            check_networks(sets, counts, as_orders(kept))
    return runners
