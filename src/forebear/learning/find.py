"""find_network(): search parent sets for the network with the highest score."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from forebear._util.checks import known_parameters
from forebear._util.errors import warn_if_interrupted
from forebear.knowledge.enforcement import Enforced
from forebear.learning.run import Run
from forebear.learning.search_and_prove import search_and_prove
from forebear.learning.searchable_sets import SearchableSets, growth_from
from forebear.learning.start import find_start
from forebear.parentsets.collection import check_parent_sets

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from forebear._util.watcher import Watcher
    from forebear.data.read_options import ReadOptions
    from forebear.knowledge.knowledge import Knowledge
    from forebear.network.network import Network
    from forebear.parentsets.collection import ParentSets
    from forebear.result import Result
    from forebear.search.stop import StopRule


@known_parameters
def find_network(
    parent_sets: ParentSets,
    *,
    knowledge: Knowledge | Path | str | Sequence[Path | str] | None = None,
    algorithm: Any = "ps-minobs",
    time_limit: float | None = None,
    generations: int | StopRule | None = None,
    threads: int | None = None,
    seed: int | None = None,
    start: Result | Network | Sequence[int] | None = None,
    certify: bool | Path | str | None = None,
    executor: Any = None,
    checkpoint: Path | str | None = None,
    data: Any = None,
    read: ReadOptions | None = None,
    watcher: Watcher | None = None,
) -> Result:
    """Search parent sets for the network with the highest score.

    Interrupted by Ctrl-C or cancelled, it returns the best network so far; the ``stop_reason`` of
    the result is "interrupted", with a ``ForebearWarning``, or "cancelled".

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
        on any machine and any number of threads. Or another rule to stop by: ``Target``,
        ``NoImprovement``, ``AnyOf`` or a function.
    threads
        Number of threads. Default: one per core, or one per worker of an ``executor``. On this
        machine no more than one per core are started, or 16 where there are fewer cores.
    seed
        Random seed. Default: random.
    start
        A result, a network or an order to start from.
    certify
        Whether to prove how far from the optimum the network can be. True reserves half of the time
        for the proof, False none. Default: a tenth. Unless it is False, proofs are also tried
        between the runs of the search, which ends when its network is proven optimal. Or a file
        for the certificate of the proof, which ``forebear check`` verifies.
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
    watcher
        Hears of every step. Default: as in ``learn``.

    Returns
    -------
    Result
        The network, its score, the bound if one was proven, and how it was found.
    """
    run = Run.checked(
        algorithm=algorithm,
        time_limit=time_limit,
        generations=generations,
        threads=threads,
        seed=seed,
        start=start,
        certify=certify,
        executor=executor,
        checkpoint=checkpoint,
        watcher=watcher,
    )
    check_parent_sets(parent_sets)
    known = Enforced.of(knowledge, parent_sets.names, certified=run.certificate is not None)
    sets = known.allowed(parent_sets)
    growth = None if data is None else growth_from(sets, data, run, known, read)
    found = find_start(run.start, sets, known)
    result = search_and_prove(SearchableSets(sets, growth, found, known.relations), run)
    known.check(result)
    result = replace(result, seconds=run.clock.spent(), phases=run.clock.laps)
    run.watcher.found(result)
    warn_if_interrupted(result.stop_reason, "the result is the best network so far")
    return result
