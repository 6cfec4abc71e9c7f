"""learn(): the whole way from a table to a network, under one budget."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forebear.cache import as_cache
from forebear.candidates import restrict_candidates
from forebear.checkpoint import DEFAULT_INTERVAL
from forebear.cost import Limits, check, check_room
from forebear.data import Dataset, as_dataset
from forebear.errors import ForebearError, LimitError
from forebear.exact.settings import Exact
from forebear.formats.encoding import DEFAULT_BINS
from forebear.machine import memory_bytes, parse_bytes, resident_bytes, show_bytes, show_seconds
from forebear.plan import SCORING_SHARE, Plan, fit_max_parents, preferred_max_parents
from forebear.progress import LogWatcher, Watcher
from forebear.rescoring import score_network
from forebear.scattered import score_elsewhere
from forebear.scorefile import choose_parts, score_to_file
from forebear.scoring import make_job, score_job
from forebear.search.find import check_seed, find_network, make_algorithm
from forebear.search.inobs import bytes_needed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from forebear.cache import Cache
    from forebear.constraints import Arcs, Variable
    from forebear.discretize import Discretize
    from forebear.formats.encoding import Missing
    from forebear.native import Job
    from forebear.network import Network
    from forebear.parentsets import ParentSets
    from forebear.result import Result
    from forebear.scores import Score
    from forebear.search.find import Algorithm

AUTO_SECONDS = 60.0
AUTO_IDLE_SECONDS = 10.0
"""Left to choose, the time is a minute, or less if nothing better is found for long."""

_LEAST_SEARCH = 0.05  # seconds; what the search gets even if scoring took all the time
_SEARCH_SHARE = 0.1  # of the time is kept for the search when the user fixed the in-degree
_CHECK_SECONDS = 3e-8  # a row and variable: what scoring the network anew takes, at most
_TOLERANCE = 1e-9  # relative; both sums are exact to a few units in the last place


def learn(
    data: Any,
    *,
    score: Score | str = "bdeu",
    max_parents: int | None = None,
    time_limit: float | None = 60.0,
    max_memory: int | str | None = None,
    threads: int | None = None,
    seed: int | None = None,
    required: Arcs | None = None,
    forbidden: Arcs | None = None,
    tiers: Sequence[Collection[Variable]] | None = None,
    max_sets_per_variable: int | None = None,
    max_candidates: int | None = None,
    algorithm: Algorithm | Exact | str = "ps-minobs",
    generations: int | None = None,
    target: float | None = None,
    no_improvement: float | None = None,
    start: Result | Network | Sequence[int] | None = None,
    cache: Path | str | bool | None = None,
    executor: Any = None,
    checkpoint: Path | str | None = None,
    checkpoint_interval: float = DEFAULT_INTERVAL,
    missing: Missing = "error",
    discretize: Discretize | None = None,
    bins: int | Mapping[str, int] = DEFAULT_BINS,
    watcher: Watcher | None = None,
    **settings: Any,
) -> Result:
    """Learn the network of the highest score from a table.

    ``data`` is a path, a data frame (pandas, Polars, pyarrow, ...), an array of
    rows by columns, or a Dataset. ``missing``, ``discretize`` and ``bins`` are
    those of ``Dataset.from_frame``.

    ``time_limit`` covers everything: reading, scoring and the search; ``None``
    leaves it to forebear, which stops after a minute, or when nothing better
    is found for long. ``max_memory`` (bytes, or such as "4GB") holds for all of
    it, too. Without ``max_parents`` it is as many as there is time and memory
    for: up to 6 for a few variables, 2 for hundreds. Under a limit of
    ``generations`` it depends on the number of variables alone, so that the
    same ``seed`` gives the same network everywhere.

    With ``max_candidates`` only so many parents of each variable are considered,
    those that explain it best one by one; of thousands of variables it is done
    anyway where two parents would not fit otherwise, and told.

    ``required`` and ``forbidden`` arcs are (parent, child) pairs, or parents by
    child; a variable of an earlier one of the ``tiers`` has no parent in a
    later one. Parent sets are kept in a ``cache`` folder: by default beside the
    data if that is a file; ``False`` keeps none.

    With an ``executor`` (of a Dask client, of MPI, a process pool), scoring and
    search go to its workers. ``checkpoint`` is a file that the search keeps up
    to date every so many seconds; ``resume_search`` goes on from it.

    ``watcher`` hears of every step; without one, the steps go to the logger
    "forebear". ``settings`` are those of the algorithm, such as ``samples`` and
    ``rate``. Interrupted while searching, it returns the best so far.
    """
    clock = _Clock(AUTO_SECONDS if time_limit is None and not generations else time_limit)
    # Mistakes are told before the work, not after.
    made = make_algorithm(algorithm, **settings)
    auto = time_limit is None and generations is None and no_improvement is None
    if auto and not isinstance(made, Exact):
        no_improvement = AUTO_IDLE_SECONDS
    watcher = watcher or LogWatcher()
    check_seed(seed)
    kept = as_cache(cache, data)
    table = as_dataset(data, **_reading(data, missing, discretize, bins))
    watcher.loaded(table)
    clock.lap("load")
    job = make_job(
        table,
        score=score,
        max_parents=preferred_max_parents(table.n_variables)
        if max_parents is None
        else max_parents,
        threads=threads,
        required=required,
        forbidden=forbidden,
        tiers=tiers,
        max_sets_per_variable=max_sets_per_variable,
    )
    if max_candidates is not None:
        job = restrict_candidates(job, max_candidates, seconds=clock.limit and clock.left())
    plan = _plan(
        job,
        clock,
        Limits.given(None if max_memory is None else parse_bytes(max_memory), None),
        kept,
        algorithm=algorithm if isinstance(algorithm, str) else type(algorithm).__name__,
        fixed=max_parents is not None or generations is not None,
    )
    watcher.planned(plan)
    sets = _parent_sets(plan, clock, max_memory, kept, watcher, executor)
    _check_memory(sets, plan.job.threads, max_memory)
    left = None if clock.limit is None else _search_seconds(clock, table)
    watcher.searching(left)
    result = find_network(
        sets,
        algorithm=algorithm,
        time_limit=left,
        generations=generations,
        target=target,
        no_improvement=no_improvement,
        threads=plan.job.threads if executor is None else threads,
        seed=seed,
        start=start,
        executor=executor,
        checkpoint=checkpoint,
        checkpoint_interval=checkpoint_interval,
        on_improvement=watcher.improved,
        on_tick=watcher.standing,
        **settings,
    )
    clock.lap("search")
    check_against_data(result, table, plan.job.score)
    result = replace(result, seconds=clock.spent(), phases=clock.laps)
    watcher.found(result)
    return result


class _Clock:
    """One budget for all steps, and what each of them took."""

    def __init__(self, limit: float | None) -> None:
        if limit is not None and not limit > 0:
            raise ForebearError(f"time_limit must be positive, got {limit:g}")
        self.limit = limit
        self.laps: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def spent(self) -> float:
        return time.perf_counter() - self._start

    def left(self) -> float:
        return math.inf if self.limit is None else self.limit - self.spent()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = now - self._last
        self._last = now


def _search_seconds(clock: _Clock, data: Dataset) -> float:
    """What is left for the search, if the check of its network is to be in time, too."""
    check = min(_CHECK_SECONDS * data.n_rows * data.n_variables, 0.2 * max(clock.left(), 0.0))
    return max(clock.left() - check, _LEAST_SEARCH)


def _reading(
    data: Any, missing: Missing, discretize: Discretize | None, bins: int | Mapping[str, int]
) -> dict[str, Any]:
    if isinstance(data, Dataset):
        return {}
    return {"missing": missing, "discretize": discretize, "bins": bins}


def _plan(
    job: Job, clock: _Clock, limits: Limits, cache: Cache | None, *, algorithm: str, fixed: bool
) -> Plan:
    """Choose the in-degree, unless it is given."""

    def find_cached(job: Job) -> Path | None:
        return cache.find(job) if cache else None

    if fixed:
        return Plan(job, clock.limit, algorithm, None, find_cached(job))
    share = None if clock.limit is None else max(clock.left(), 0.0) * SCORING_SHARE
    chosen, cost, cached = fit_max_parents(job, limits._replace(seconds=share), find_cached)
    note = ""
    if chosen.max_parents < job.max_parents:
        note = f" (more would not fit the limits: {job.max_parents} with more time or memory)"
    return Plan(chosen, clock.limit, algorithm, cost, cached, note)


def _parent_sets(
    plan: Plan,
    clock: _Clock,
    max_memory: int | str | None,
    cache: Cache | None,
    watcher: Watcher,
    executor: Any,
) -> ParentSets:
    """Open the sets if they are cached; score them otherwise, and keep them."""
    sets = None
    if plan.cached is not None and cache is not None:
        sets = cache.read(plan.cached, plan.job)
    found = plan.cached if sets is not None else None
    if sets is None:
        if clock.left() <= 0:
            raise LimitError(
                f"reading the table took {show_seconds(clock.spent())}; "
                f"the limit is {show_seconds(clock.limit or 0)}"
            )
        limit = None if clock.limit is None else clock.left() * (1 - _SEARCH_SHARE)
    if sets is None and executor is not None:
        sets = score_elsewhere(
            executor, replace(plan.job, threads=1), time_limit=limit, on_progress=watcher.scoring
        )
    elif sets is None:
        sets = _score_here(plan, limit, max_memory, cache, watcher)
    clock.lap("score")
    watcher.scored(sets, clock.laps["score"], found)
    if found is None and cache is not None and sets.path is None:
        written = cache.write(sets, plan.job)
        sets = replace(sets, path=written)
        clock.lap("cache")
    return sets


def _scoring_limits(memory: int | None, seconds: float | None, *, anything: bool) -> Limits:
    """With a cache, what does not fit in memory goes there in parts."""
    limits = Limits.given(memory, seconds)
    return limits._replace(bytes=1 << 62) if anything else limits


def _score_here(
    plan: Plan,
    limit: float | None,
    max_memory: int | str | None,
    cache: Cache | None,
    watcher: Watcher,
) -> ParentSets:
    """Score in memory; what is long or large is kept in the cache part by part, if there is one."""
    memory = None if max_memory is None else parse_bytes(max_memory)
    check_room(plan.job, Limits.given(memory, None))
    cost = plan.cost or check(plan.job, _scoring_limits(memory, limit, anything=cache is not None))
    if cache is not None and choose_parts(plan.job, Limits.given(memory, None), cost) > 1:
        return score_to_file(
            plan.job,
            cache.new_path(plan.job),
            max_memory=memory,
            time_limit=limit,
            cost=cost,
            on_progress=watcher.scoring,
        )
    return score_job(
        plan.job, time_limit=limit, max_memory=memory, cost=cost, on_progress=watcher.scoring
    )


def _check_memory(sets: ParentSets, threads: int, max_memory: int | str | None) -> None:
    """Refuse a search that would not fit."""
    limit = memory_bytes() if max_memory is None else parse_bytes(max_memory)
    needed = resident_bytes() + sets.nbytes // 4 + bytes_needed(sets.n_variables, 1, threads)
    if needed > limit:
        raise LimitError(
            f"searching {len(sets):,} parent sets needs about {show_bytes(needed)} of memory; "
            f"the limit is {show_bytes(limit)}. Lower max_parents, or keep fewer sets with "
            "max_sets_per_variable"
        )


def check_against_data(result: Result, data: Dataset, score: Score | str) -> None:
    """Score the network anew from the data alone; what was promised must be what it has."""
    again = score_network(result.network, data, score)
    if abs(again - result.score) > _TOLERANCE * max(1.0, abs(again)):
        raise AssertionError(f"the search claims {result.score!r}, the data say {again!r}")
