"""learn(): the whole way from a table to a network, under one budget."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forebear._util.checks import check_run
from forebear._util.errors import ForebearError
from forebear._util.watcher import LogWatcher, Watcher
from forebear.data.dataset import as_dataset
from forebear.data.encoding import DEFAULT_BINS
from forebear.exact.settings import Exact
from forebear.knowledge.enforcement import Enforced
from forebear.learning.algorithms import make_algorithm
from forebear.learning.cache import as_cache
from forebear.learning.deepening import deepen
from forebear.learning.find import find_network
from forebear.learning.plan import preferred_max_parents
from forebear.learning.proof import Proof
from forebear.learning.steps import (
    Clock,
    Means,
    check_against_data,
    check_memory,
    check_seconds,
    get_parent_sets,
    get_parent_sets_in_time,
    plan_job,
    reading_options,
    search_seconds,
)
from forebear.scoring.candidates import restrict_candidates
from forebear.scoring.constraints import as_pairs
from forebear.scoring.scoring import make_job
from forebear.search.persistence.checkpoint import DEFAULT_INTERVAL

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from forebear.data.discretization import Discretize
    from forebear.data.encoding import Missing
    from forebear.knowledge.knowledge import Knowledge
    from forebear.network.network import Network
    from forebear.result import Result
    from forebear.scoring.constraints import Arcs, Variable
    from forebear.scoring.scores import Score
    from forebear.search.algorithm import Algorithm

AUTO_SECONDS = 60.0
AUTO_IDLE_SECONDS = 10.0
"""Left to choose, the time is a minute, or less if nothing better is found for long."""


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
    knowledge: Knowledge | Path | str | Sequence[Path | str] | None = None,
    max_sets_per_variable: int | None = None,
    max_candidates: int | None = None,
    algorithm: Algorithm | Exact | str = "ps-minobs",
    generations: int | None = None,
    target: float | None = None,
    no_improvement: float | None = None,
    start: Result | Network | Sequence[int] | None = None,
    certify: bool | None = None,
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
    for: up to 6 for a few variables; for hundreds 2 or 3 of all, and up to 5 of
    those 20 or 30 that the best sets consist of. Under a limit of
    ``generations`` it depends on the number of variables alone, so that the
    same ``seed`` gives the same network everywhere.

    With ``max_candidates`` only so many parents of each variable are considered,
    those that explain it best one by one; of thousands of variables it is done
    anyway where two parents would not fit otherwise, and told.

    ``required`` and ``forbidden`` arcs are (parent, child) pairs, or parents by
    child; a variable of an earlier one of the ``tiers`` has no parent in a
    later one. ``knowledge`` is an object that says such things and more, or
    files of Bayesys, GOBNILP or bnlearn that do; whatever it says is kept to by
    every algorithm, and checked on the network. Parent sets are kept in a
    ``cache`` folder: by default beside the data if that is a file; ``False``
    keeps none.

    With an ``executor`` (of a Dask client, of MPI, a process pool), scoring and
    search go to its workers. ``checkpoint`` is a file that the search keeps up
    to date every so many seconds; ``resume_search`` goes on from it.

    How far from the best the network may be is proven where that is cheap: of
    a few variables always; of some dozens once the search has found nothing
    better for a while, and if that proves the network the best, learning is
    over; of others in the last tenth of the time. ``certify=True`` takes half
    of it for a closer proof, ``False`` none.

    ``watcher`` hears of every step; without one, the steps go to the logger
    "forebear". ``settings`` are those of the algorithm, such as ``samples`` and
    ``rate``. Interrupted while searching, it returns the best so far.
    """
    clock = Clock(AUTO_SECONDS if time_limit is None and not generations else time_limit)
    # Mistakes are told before the work, not after.
    made = make_algorithm(algorithm, **settings)
    auto = time_limit is None and generations is None and not isinstance(made, Exact)
    watcher = watcher or LogWatcher()
    check_run(seed=seed)
    kept = as_cache(cache, data)
    table = as_dataset(data, **reading_options(data, missing, discretize, bins))
    watcher.loaded(table)
    clock.lap("load")
    known = Enforced.of(knowledge, table.names)
    job = make_job(
        table,
        score=score,
        max_parents=preferred_max_parents(table.n_variables)
        if max_parents is None
        else max_parents,
        threads=threads,
        required=[*as_pairs(required), *known.arcs.required],
        forbidden=[*as_pairs(forbidden), *known.arcs.forbidden],
        tiers=tiers or known.arcs.tiers or None,
        max_sets_per_variable=max_sets_per_variable,
    )
    if max_candidates is not None:
        job = restrict_candidates(job, max_candidates, seconds=clock.limit and clock.left())
    means = Means(clock, max_memory, kept, watcher, executor)
    plan = plan_job(
        job,
        means,
        algorithm=algorithm if isinstance(algorithm, str) else type(algorithm).__name__,
        fixed=max_parents is not None or generations is not None,
    )
    watcher.planned(plan)
    if max_parents is None and generations is None:
        plan, sets = get_parent_sets_in_time(plan, means)
    else:
        sets = get_parent_sets(plan, means)
    if max_parents is None and max_candidates is None:
        most = known.most_parents(table.n_variables)
        sets = deepen(sets, plan, means, most=most, timed=generations is None)
    scored, sets = known.limited(sets), known.ordered(sets)
    if known.orders and checkpoint is not None:
        raise ForebearError("what comes before what cannot be kept in a checkpoint")
    check_memory(sets, plan.job.threads, max_memory)
    if isinstance(made, Exact):  # it proves what it finds
        certify = False
    proof = Proof(
        sets,
        clock,
        plan.job.threads,
        certify,
        watcher,
        timed=generations is None,
        reserve=check_seconds(clock, table),
    )
    left = None if clock.limit is None else proof.leave_time(search_seconds(clock, table))
    idle = proof.patience(no_improvement, left)
    watcher.searching(left)
    result = find_network(
        sets,
        algorithm=algorithm,
        time_limit=left,
        generations=generations,
        target=proof.target(target),
        no_improvement=AUTO_IDLE_SECONDS if idle is None and auto else idle,
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
    result = known.settle(proof.of(result), scored)
    with suppress(KeyboardInterrupt):  # the check may be cut short; what was found is not lost
        check_against_data(result, table, plan.job.score)
    result = replace(result, seconds=clock.spent(), phases=clock.laps)
    watcher.found(result)
    return result
