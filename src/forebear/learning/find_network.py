"""find_network(): search parent sets for the network with the highest score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from forebear._util.checks import check_parameter_names
from forebear._util.errors import warn_if_interrupted
from forebear._util.watcher import Watcher
from forebear.data.read_options import ReadOptions
from forebear.knowledge.enforcement import Enforcement
from forebear.knowledge.knowledge import Knowledge
from forebear.learning.certify_arcs import with_margins
from forebear.learning.run import Run
from forebear.learning.search_and_prove import search_and_prove
from forebear.learning.searchable_sets import SearchableSets, make_growth_from_sets
from forebear.learning.start_network import match_start, start_from_sets
from forebear.network.network import Network
from forebear.parentsets.collection import ParentSets, check_parent_sets
from forebear.result import Result
from forebear.scoring.priors import with_prior
from forebear.search.stop import StopRule


@check_parameter_names
def find_network(
    parent_sets: ParentSets,
    *,
    prior: str | float | None = None,
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

    If the search is interrupted by Ctrl-C or cancelled, the best network so far is returned. The
    ``stop_reason`` of the result is then "interrupted", with a ``ForebearWarning``, or "cancelled".

    Parameters
    ----------
    parent_sets
        The candidate parent sets of every variable.
    prior
        A prior over networks to add to the scores: "uniform", "sparse" or the probability of an
        arc, as in ``learn``. Default: none, or the one that the scores already include.
    knowledge
        A ``Knowledge`` object, or files of Bayesys, GOBNILP or bnlearn. The search is limited to
        the given parent sets, so score them with the same knowledge: this keeps the sets that the
        knowledge may require.
    algorithm
        A name ("ps-minobs", "minobs", "inobs", "obs", "asobs", "hill-climbing", "tabu", "exact")
        or settings such as ``PSMINOBS(chains=4, rate=0.25)`` or ``Exact()``.
    time_limit
        Time limit for the search and the proof, in seconds. Default: 60, and the run ends earlier
        after 10 seconds without improvement; no limit with ``generations``.
    generations
        Stop every chain after this many generations. The same seed then gives the same network on
        any machine and any number of threads. Or a stop rule: ``Target``, ``NoImprovement``,
        ``AnyOf`` or a function.
    threads
        Number of threads. Default: one per core, or one per worker of an ``executor``. At most 16
        threads are started on this machine, or one per core if it has more cores.
    seed
        Random seed. Default: random.
    start
        A result, a network or an order to start from, as in ``learn``.
    certify
        Whether to prove a bound on the optimal score. True reserves half of the time limit for the
        proof, False none. Default: a tenth. Unless this is False, proofs are also attempted between
        the runs of the search, and the search ends when its network is proven optimal. Or the path
        of a certificate file, which ``forebear check`` verifies.
    executor
        A ``concurrent.futures`` executor that runs the chains, such as that of a Dask client or of
        MPI. With "ps-minobs" and no generation limit, each worker runs one chain. Default: threads
        on this machine.
    checkpoint
        A file in which the search saves its state, for ``resume_search``. Default: none.
    data
        The table that the parent sets were scored on. With it, the search can score further sets.
        Default: only the given sets are searched.
    read
        How to read that table. Default: missing values are handled as when the sets were scored.
    watcher
        An object that is notified of every step. Default: as in ``learn``.

    Returns
    -------
    Result
        The network, its score, the bound if one was proven, and details of the search.
    """
    run = Run.make(
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
    run = replace(run, start=match_start(start, parent_sets.names))
    enforcement = Enforcement.of(
        knowledge, parent_sets.names, certified=run.certificate is not None
    )
    sets = enforcement.apply_rules(with_prior(parent_sets, prior))
    growth = None if data is None else make_growth_from_sets(sets, data, run, enforcement, read)
    solution = start_from_sets(run.start, sets, enforcement)
    result = search_and_prove(SearchableSets(sets, growth, solution, enforcement.relations), run)
    enforcement.check(result)
    result = with_margins(result, enforcement.relations, run)
    result = replace(result, seconds=run.clock.spent(), phases=run.clock.laps)
    run.watcher.finished(result)
    warn_if_interrupted(result.stop_reason, "the result is the best network so far")
    return result
