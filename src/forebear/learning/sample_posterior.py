"""sample_posterior(): draw networks from the posterior, given a table or parent sets."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from forebear._util.checks import check_parameter_names, check_real, check_whole
from forebear._util.errors import (
    DataError,
    ForebearError,
    ForebearWarning,
    Parameter,
    warn_if_interrupted,
)
from forebear._util.progress import Progress
from forebear._util.watcher import Watcher
from forebear.budget import LEAST_STEP_SECONDS
from forebear.data.dataset import Dataset, as_dataset
from forebear.data.read_options import ReadOptions
from forebear.data.summarize_table import warn_of_suspicions
from forebear.knowledge.enforcement import Enforcement
from forebear.knowledge.knowledge import Knowledge, as_knowledge
from forebear.knowledge.relations import Relations
from forebear.learning.cache import as_cache
from forebear.learning.learn_table import check_memory
from forebear.learning.problem import Problem
from forebear.learning.run import Run
from forebear.learning.search_and_prove import search_and_prove
from forebear.learning.searchable_sets import SearchableSets, get_searchable_sets
from forebear.network.network import Network
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.parent_set_files import is_parent_sets
from forebear.posterior.chains import ChainSettings, run_chains, start_ranks
from forebear.posterior.posterior import Posterior
from forebear.posterior.sampled_sets import DEFAULT_MARGIN, DEFAULT_PRIOR, score_sampled_sets
from forebear.result import Result
from forebear.scoring.growing_sets import GrowingSets
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT, possible_max_parents
from forebear.scoring.priors import check_prior, with_prior
from forebear.scoring.scores import Score, as_score
from forebear.search.stop import MaxGenerations

DEFAULT_CHAINS = 4
"""The minimum that Vehtari et al. (2021) recommend."""

DEFAULT_TEMPERATURES = 3
"""Two hotter copies per chain. On tables of hailfinder, chains with one hotter copy stayed in local
modes; with two, they agreed within seconds, even from random orders. More copies cost time."""

NO_POSTERIOR = ("ll", "mit")
"""Scores that do not even approximate a log marginal likelihood."""

_SEARCH_GENERATIONS = 10
"""Generations of the search for the initial networks. On alarm, 5 and 20 gave the same
probabilities. In 25 s on hailfinder and win95pts, hundreds of generations found better networks,
but the chains then took longer to forget them (R-hat of up to 1.5 instead of 1.01)."""


@check_parameter_names
def sample_posterior(
    data: Any,
    *,
    score: Score | str | None = None,
    prior: str | float | None = None,
    max_parents: int | None = None,
    knowledge: Knowledge | Path | str | Sequence[Path | str] | None = None,
    chains: int = DEFAULT_CHAINS,
    temperatures: int = DEFAULT_TEMPERATURES,
    time_limit: float | None = None,
    sweeps: int | None = None,
    margin: float = DEFAULT_MARGIN,
    max_memory: int | str | None = None,
    threads: int | None = None,
    seed: int | None = None,
    start: Result | Network | Sequence[int] | None = None,
    cache: Path | str | bool | None = None,
    read: ReadOptions | None = None,
    watcher: Watcher | None = None,
) -> Posterior:
    """Draw networks from their posterior distribution.

    A search finds the initial networks. Markov chains then sample each network with its posterior
    probability. A move resamples the parents of one variable, reverses an arc, or resamples the
    parents of a variable and of its children. If the run is interrupted, the draws so far are
    returned.

    Parameters
    ----------
    data
        A table: a path, a data frame, an array of rows by columns, or a Dataset. Or parent sets:
        ``ParentSets``, or a ``.cps`` or ``.jkl`` file. Sets that are not in the collection have
        probability 0, so a table gives more accurate probabilities.
    score
        A name or an object such as ``BDeu(ess=10)``. The score must be a log marginal likelihood
        or, as "bic", an approximation of one; "ll" and "mit" are rejected. Default: BDeu, averaged
        over equivalent sample sizes if no prior is given either.
    prior
        The prior over networks. "uniform": all networks are equally probable. "sparse": all numbers
        of parents are equally probable, and so are all parent sets of the same size; sets of more
        than half of all variables are no more probable than those of half. A number above 0 and at
        most 0.5: the probability of an arc. Default: "sparse", also if a score is given; or the
        prior that a score object or the scores of the parent sets already include.
    max_parents
        The largest parent set. Default: no limit; parent sets that the search or the chains use are
        extended.
    knowledge
        A ``Knowledge`` object, or files of Bayesys, GOBNILP or bnlearn. Every draw respects it.
    chains
        Number of independent chains. Default 4.
    temperatures
        Number of temperatures per chain (parallel tempering). Hotter copies of a chain move between
        modes and exchange networks with it. The temperatures are adapted during the warm-up.
        Default 3.
    time_limit
        Total time limit in seconds. Default: 60; no limit with ``sweeps``.
    sweeps
        Stop after this many sweeps, each with one move per variable. The same seed then gives the
        same draws on any machine and any number of threads.
    margin
        A parent set is left out if a subset of it scores higher by this many nats. Default 8.
    max_memory
        Bytes, or text such as "4GB". Default: the free memory.
    threads
        Number of threads. Default: one per core.
    seed
        Random seed. Default: random.
    start
        A result, a network or an order to start the search from.
    cache
        Where to store parent sets for later runs, as in ``learn``.
    read
        How to read the table. Default: ``ReadOptions()``.
    watcher
        An object that is notified of every step and of the progress of the sampling.

    Returns
    -------
    Posterior
        The draws, the probabilities of arcs, and the diagnostics.

    Examples
    --------
    >>> import forebear
    >>> table = forebear.simulate(4, 300, seed=1).data
    >>> posterior = forebear.sample_posterior(table, sweeps=2000, seed=1)
    >>> 0.0 <= posterior.edge("X1", "X2") <= 1.0
    True
    """
    check_whole(1, chains=chains, temperatures=temperatures)
    check_real(0.0, margin=margin)
    if sweeps is not None:
        check_whole(1, sweeps=sweeps)
    if max_parents is not None:
        check_whole(1, MAX_PARENTS_LIMIT, max_parents=max_parents)
    run = Run.make(
        time_limit=time_limit,
        # With a number of sweeps, nothing may depend on time.
        generations=None if sweeps is None else _SEARCH_GENERATIONS,
        threads=threads,
        seed=seed,
        start=start,
        certify=False,
        watcher=Progress() if watcher is None else watcher,  # no display of the search
        max_memory=max_memory,
        cache=as_cache(cache, data),
    )
    if sweeps is None:
        run = replace(run, stop=MaxGenerations(_SEARCH_GENERATIONS))
    if prior is not None:
        check_prior(prior)
    if isinstance(data, ParentSets) or (isinstance(data, str | Path) and is_parent_sets(data)):
        _reject_for_sets(score=score is not None, max_parents=max_parents, knowledge=knowledge)
        sets = data if isinstance(data, ParentSets) else ParentSets.load(data)
        sampling_start = _search_sets(sets, run, prior)
    else:
        checked_score = as_score(score, prior=prior)
        if prior is None and checked_score.prior == "uniform":
            checked_score = replace(checked_score, prior=DEFAULT_PRIOR)
        _check_score(checked_score)
        statements = as_knowledge(knowledge)
        table = as_dataset(data, read)
        _check_complete(table)
        enforcement = Enforcement.of(statements, table.names)
        problem = Problem(table, checked_score, max_parents, enforcement)
        warn_of_suspicions(table, data)
        sampling_start = _search_table(problem, run, float(margin))
    posterior = _draw(sampling_start, run, int(chains), int(temperatures), sweeps, watcher)
    warn_if_interrupted(posterior.about["stop_reason"], "the result has the draws so far")
    return posterior


def _check_score(score: Score) -> None:
    if score.name in NO_POSTERIOR:
        raise ForebearError(
            Parameter("score", score.name),
            " is not a marginal likelihood, so it has no posterior: use bdeu, bds, k2 or bic",
        )


def _reject_for_sets(**parameters: Any) -> None:
    for name, value in parameters.items():
        if value:
            raise ForebearError(
                "parent sets are sampled as they are: leave out ",
                Parameter(name),
                ", or pass the table",
            )


def _check_complete(table: Dataset) -> None:
    """Reject a table with missing values.

    Available-case scores use different rows for every family. They are not log marginal
    likelihoods of the same table, so they do not define a posterior.
    """
    if table.has_missing:
        raise DataError(
            "the posterior of a table with missing values cannot be sampled: pass ",
            Parameter("missing", "drop"),
            " to leave out incomplete rows, or ",
            Parameter("missing", "state"),
            " to treat missing values as a state; bootstrap also accepts missing values",
        )


class _SamplingStart(NamedTuple):
    """What the chains start from: the sets to sample, and good networks of them."""

    sets: ParentSets
    result: Result
    relations: Relations
    growing: GrowingSets | None


def _search_sets(sets: ParentSets, run: Run, prior: str | float | None) -> _SamplingStart:
    """Search the given parent sets."""
    if sets.max_parents == 0 or sets.n_variables < 2:
        raise ForebearError(
            "these parent sets allow only one network, so there is nothing to sample"
        )
    sets = with_prior(sets, prior, DEFAULT_PRIOR)
    if "margin" not in sets.provenance:
        warnings.warn(
            ForebearWarning(
                "dominated sets were pruned from these parent sets, so probabilities are too "
                "extreme: sample the table instead"
            ),
            stacklevel=4,
        )
    return _SamplingStart(sets, _search(SearchableSets(sets), run), Relations(), None)


def _search_table(problem: Problem, run: Run, margin: float) -> _SamplingStart:
    """Search the table, and extend the parent sets of the search."""
    table, enforcement = problem.table, problem.enforcement
    searchable = get_searchable_sets(problem, run)
    check_memory(searchable.sets, run)
    result = _search(searchable, run)
    enforcement.check(result)
    grown = result.parent_sets if searchable.growth is not None else None
    sets = searchable.sets if grown is None else grown
    most = MAX_PARENTS_LIMIT if problem.max_parents is None else problem.max_parents
    most = min(most, table.n_variables - 1)
    # Larger sets are added one parent at a time.
    largest = max(1, min(most, sets.max_parents, possible_max_parents(table.n_variables)))
    growing = score_sampled_sets(
        sets,
        problem.job(largest, enforcement.constraints(largest), run.threads),
        problem.limits(most),
        margin=margin,
        clock=run.clock.part_of(0.5),
        max_memory=run.max_memory,
    )
    relations = Relations.of(enforcement.knowledge, table.names, enforcement.rules.required)
    sampled = growing.sets(run.threads)
    if grown is not None and run.start is None:
        # The chains would take long to find the networks of the many sets that were added.
        result = _search(SearchableSets(sampled, relations=searchable.relations), run)
        enforcement.check(result)
    return _SamplingStart(sampled, result, relations, growing)


def _search(searchable: SearchableSets, run: Run) -> Result:
    """Search in half of the time left. An interrupt ends the run: there are no draws yet."""
    # The sets that such a short search adds are not worth caching.
    run = replace(run, cache=None)
    result = search_and_prove(searchable, run, reserve=run.clock.half() or 0.0)
    if result.stop_reason == "interrupted":
        raise KeyboardInterrupt
    return result


def _draw(
    sampling_start: _SamplingStart,
    run: Run,
    chains: int,
    temperatures: int,
    sweeps: int | None,
    watcher: Watcher | None,
) -> Posterior:
    """Draw networks until the time limit, or for a number of sweeps."""
    sets, result, relations, growing = sampling_start
    check_memory(sets, run)
    networks = [result.network.parents, *(one.parents for one in result.alternatives)]
    starts = start_ranks(sets, list(dict.fromkeys(networks)), chains, relations.holds)
    seconds = run.clock.limit
    if sweeps is None:
        seconds = max(run.clock.left(), LEAST_STEP_SECONDS)
    else:
        sweeps = int(sweeps)
    return run_chains(
        sets,
        starts,
        ChainSettings(chains, temperatures, run.threads, run.seed, seconds, sweeps),
        replace(result, seconds=run.clock.spent()),
        relations=relations,
        growing=growing,
        watcher=watcher,
    )
