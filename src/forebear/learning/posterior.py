"""sample_posterior(): from a table or parent sets to networks drawn from the posterior."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import randbits
from typing import TYPE_CHECKING, Any

from forebear import _core
from forebear._util.checks import check_real, check_run, check_whole, known_parameters
from forebear._util.errors import (
    DataError,
    ForebearError,
    ForebearWarning,
    Parameter,
    warn_if_interrupted,
)
from forebear._util.machine import thread_count
from forebear._util.text import memory_limit
from forebear._util.watcher import LogWatcher, Watcher
from forebear.budget import (
    DEFAULT_SECONDS,
    LEAST_SEARCH_SECONDS,
    POSTERIOR_SEARCH_GENERATIONS,
    POSTERIOR_SEARCH_SHARE,
    POSTERIOR_WIDENING_SHARE,
    Clock,
)
from forebear.data.dataset import as_dataset
from forebear.data.looking import repeat_suspicions
from forebear.knowledge.enforcement import Enforced
from forebear.knowledge.knowledge import as_knowledge
from forebear.knowledge.relations import Relations
from forebear.learning.cache import as_cache
from forebear.learning.find import check_sets_file
from forebear.learning.request import SearchRequest
from forebear.learning.scored import choose_and_score
from forebear.learning.searching import search_and_prove
from forebear.learning.steps import Means, check_memory
from forebear.parentsets.collection import ParentSets
from forebear.posterior.priors import DEFAULT_PRIOR, check_prior, prior_to_add, with_prior
from forebear.posterior.sampling import ChainSettings, run_chains, starts_of
from forebear.posterior.widening import DEFAULT_MARGIN, widened
from forebear.scoring.job import make_job
from forebear.scoring.max_parents import LARGEST, possible_max_parents
from forebear.scoring.scores import as_score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.data.dataset import Dataset
    from forebear.data.reading import ReadOptions
    from forebear.knowledge.knowledge import Knowledge
    from forebear.network.network import Network
    from forebear.posterior.posterior import Posterior
    from forebear.posterior.widening import Widening
    from forebear.result import Result
    from forebear.scoring.scores import Score

DEFAULT_CHAINS = 4
"""What Vehtari et al. (2021) recommend at least."""

DEFAULT_TEMPERATURES = 3
"""Two helpers per chain. On tables of hailfinder, chains with one helper stayed in valleys; with
two, they agreed within seconds even if they began at random orders. More cost time."""

NO_POSTERIOR = ("ll", "mit")
"""Scores that are not, even roughly, the logarithm of a probability of the data."""

_SET_FILES = (".cps", ".jkl", ".gz")


@dataclass(frozen=True)
class _Wish:
    """What was asked for, checked."""

    prior: str | float | None
    margin: float
    settings: ChainSettings
    start: Any
    max_memory: int | None
    save_sets: Path | str | None
    watcher: Watcher | None


@known_parameters
def sample_posterior(
    data: Any,
    *,
    score: Score | str = "bdeu",
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
    save_sets: Path | str | None = None,
    read: ReadOptions | None = None,
    watcher: Watcher | None = None,
) -> Posterior:
    """Draw networks from their posterior distribution.

    A search finds networks to start from. Markov chains then walk from network to network, so
    that each is met as often as its posterior probability says. Moves give new parents to one
    variable, reverse an arc, or give new parents to a variable and its children. Interrupted, the
    draws so far are returned.

    Parameters
    ----------
    data
        A table: a path, a data frame, an array of rows by columns, or a Dataset. Or parent sets:
        ``ParentSets``, or a ``.cps`` or ``.jkl`` file. Sets that are not in the collection count
        as impossible, so a table gives better probabilities.
    score
        A name or an object such as ``BDeu(ess=10)``: the log marginal likelihood of the table.
        "bic" is an approximation of it. "ll" and "mit" are not possible.
    prior
        "uniform": all networks are equally probable before the data. "sparse": all numbers of
        parents are, and all sets of one size. A number above 0 and below 1: the probability of an
        arc. Default: "sparse", or the prior that the scores of parent sets contain already.
    max_parents
        The largest parent set. Default: no limit; sets grow where the search or the chains use
        them.
    knowledge
        A ``Knowledge`` object, or files of Bayesys, GOBNILP or bnlearn. Every draw obeys it.
    chains
        Number of independent chains. Default 4.
    temperatures
        Number of temperatures per chain: hotter copies of each chain cross valleys and exchange
        networks with it. How hot they are is adjusted during the warm-up. Default 3.
    time_limit
        Seconds for everything. Default: 60; no limit with ``sweeps``.
    sweeps
        Stop after this many sweeps, each with one move per variable. The same seed then gives the
        same draws on any machine and any number of threads.
    margin
        A parent set is left out if one of its subsets scores more by this many nats. Default 8.
    max_memory
        Bytes, or text such as "4GB". Default: what is free.
    threads
        Number of threads. Default: one per core.
    seed
        Random seed. Default: random.
    start
        A result, a network or an order that the search starts from.
    cache
        Where parent sets are kept for the next run, as for ``learn``.
    save_sets
        A ``.cps`` file for the parent sets that were sampled, with the prior in their scores.
    read
        How to read the table. Default: ``ReadOptions()``.
    watcher
        Hears of every step, and of the progress of the sampling.

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
    check_run(time_limit=time_limit, threads=threads, seed=seed, watcher=watcher)
    _check_numbers(chains, temperatures, margin, sweeps, max_parents)
    if time_limit is None and sweeps is None:
        time_limit = DEFAULT_SECONDS
    check_sets_file(save_sets)
    settings = ChainSettings(
        chains=int(chains),
        temperatures=int(temperatures),
        threads=thread_count(threads),
        seed=randbits(63) if seed is None else int(seed),
        seconds=time_limit,
        sweeps=None if sweeps is None else int(sweeps),
    )
    memory = memory_limit(max_memory)
    wanted = None if prior is None else check_prior(prior)
    wish = _Wish(wanted, float(margin), settings, start, memory, save_sets, watcher)
    clock = Clock(time_limit)
    if is_parent_sets(data):
        _refuse_for_sets(score=score != "bdeu", max_parents=max_parents, knowledge=knowledge)
        found = _sample_sets(data, wish, clock)
        warn_if_interrupted(found.about["stop_reason"], "the result has the draws so far")
        return found
    made = as_score(score)
    _check_score(made)
    said = as_knowledge(knowledge)
    kept = as_cache(cache, data)
    table = as_dataset(data, read)
    if table.n_variables < 2:
        raise DataError(f"the table has one column, {table.names[0]!r}: a network needs two")
    _refuse_gaps(table)
    repeat_suspicions(table, data)
    known = Enforced.of(said, table.names)
    found = _sample_table(table, made, max_parents, known, kept, wish, clock)
    warn_if_interrupted(found.about["stop_reason"], "the result has the draws so far")
    return found


def _check_numbers(
    chains: int, temperatures: int, margin: float, sweeps: int | None, max_parents: int | None
) -> None:
    check_whole(1, chains=chains)
    check_whole(1, temperatures=temperatures)
    check_real(0.0, margin=margin)
    if sweeps is not None:
        check_whole(1, sweeps=sweeps)
    if max_parents is not None:
        check_whole(1, LARGEST, max_parents=max_parents)


def _check_score(score: Score) -> None:
    if score.name in NO_POSTERIOR:
        raise ForebearError(
            Parameter("score", score.name),
            " is no probability of the data, so it has no posterior: use bdeu, bds, k2 or bic",
        )


def is_parent_sets(data: Any) -> bool:
    """Whether these are parent sets, or a file of them."""
    if isinstance(data, ParentSets):
        return True
    return (
        isinstance(data, str | Path)
        and Path(data).suffix.lower() in _SET_FILES
        and (".csv" not in str(data).lower())
    )


def _refuse_for_sets(**given: Any) -> None:
    for name, value in given.items():
        if value:
            raise ForebearError(
                "parent sets are sampled as they are: leave ",
                Parameter(name),
                " out, or give the table",
            )


def _refuse_gaps(table: Dataset) -> None:
    """Refuse a table with gaps.

    Available-case scores use other rows for every family. They are not logarithms of
    probabilities of the same table, so weights made of them are no posterior.
    """
    if table.has_missing:
        raise DataError(
            "the posterior of a table with missing values cannot be sampled: pass ",
            Parameter("missing", "drop"),
            " to leave out rows, or ",
            Parameter("missing", "state"),
            " to make a missing value a state of its own; bootstrap takes missing values as well",
        )


def _sample_sets(data: Any, wish: _Wish, clock: Clock) -> Posterior:
    """Sample parent sets as they are."""
    sets = data if isinstance(data, ParentSets) else ParentSets.load(data)
    if sets.max_parents == 0 or sets.n_variables < 2:
        raise ForebearError("these parent sets allow one network only: there is nothing to sample")
    if "margin" not in sets.provenance:
        warnings.warn(
            ForebearWarning(
                "these parent sets were made for a search: those that a subset beats are not "
                "there and count as impossible, so probabilities are too near to 0 and 1. "
                "Sample the table itself"
            ),
            stacklevel=4,
        )
    sets = with_prior(sets, prior_to_add(sets, wish.prior))
    request = _request(wish, clock)
    result = search_and_prove(sets, request, clock, _kept_for_sampling(clock))
    _end_if_interrupted(result)
    return _sample(sets, result, wish, clock)


def _sample_table(
    table: Dataset,
    score: Score,
    max_parents: int | None,
    known: Enforced,
    cache: Any,
    wish: _Wish,
    clock: Clock,
) -> Posterior:
    """Search the table, widen the sets of the search, and sample them."""
    request = _request(wish, clock)
    means = Means(clock, wish.max_memory, cache, request.watcher)
    scored = choose_and_score(table, score, max_parents, known, request, means)
    first, growth = scored.sets, scored.growth
    found: list[ParentSets] = []
    check_memory(first, request.threads, wish.max_memory)
    kept = _kept_for_sampling(clock)
    if scored.ended and scored.first is not None:
        result = scored.first.final()
    else:
        result = search_and_prove(
            first, request, clock, kept, growth, found.append, known.relations, scored.start
        )
    _end_if_interrupted(result)
    known.check(result)
    sets = found[0] if found and growth is not None else first
    most = min(LARGEST if max_parents is None else max_parents, table.n_variables - 1)
    limits = known.knowledge.max_parents
    # Larger sets come one parent at a time.
    scorable = possible_max_parents(table.n_variables)
    found_useful = max(1, min(most, sets.max_parents, scorable))
    job = make_job(
        table,
        score=score,
        max_parents=found_useful,
        constraints=known.constraints(table.names, found_useful),
        threads=request.threads,
    )
    wide = widened(
        sets,
        job,
        [min(most, limits.get(name, most)) for name in table.names],
        prior=DEFAULT_PRIOR if wish.prior is None else wish.prior,
        margin=wish.margin,
        budget=_core.Budget(clock.share(POSTERIOR_WIDENING_SHARE)),
    )
    said = Relations.of(known.knowledge, table.names, known.arcs.required)
    return _sample(wide.sets, result, wish, clock, said, wide)


def _end_if_interrupted(result: Result) -> None:
    """End with the search: there are no draws to keep."""
    if result.stop_reason == "interrupted":
        raise KeyboardInterrupt


def _kept_for_sampling(clock: Clock) -> float:
    """Return the seconds that the search has to leave."""
    share = clock.share(1.0 - POSTERIOR_SEARCH_SHARE)
    return 0.0 if share is None else share


def _request(wish: _Wish, clock: Clock) -> SearchRequest:
    """Ask for the search that finds networks to start from."""
    timed = wish.settings.sweeps is None
    return SearchRequest.checked(
        time_limit=clock.limit if timed else None,
        generations=None if timed else POSTERIOR_SEARCH_GENERATIONS,
        threads=wish.settings.threads,
        seed=wish.settings.seed,
        start=wish.start,
        certify=False,
        watcher=wish.watcher or LogWatcher(),  # the search is only a part of the work
    )


def _sample(
    sets: ParentSets,
    result: Result,
    wish: _Wish,
    clock: Clock,
    said: Relations | None = None,
    widening: Widening | None = None,
) -> Posterior:
    check_memory(sets, wish.settings.threads, wish.max_memory)
    said = said or Relations()
    networks = [result.network.parents, *(one.parents for one in result.alternatives)]
    starts = starts_of(sets, list(dict.fromkeys(networks)), wish.settings.chains, said.holds)
    settings = wish.settings
    if settings.sweeps is None:
        settings = replace(settings, seconds=max(clock.left(), LEAST_SEARCH_SECONDS))
    posterior = run_chains(
        sets,
        starts,
        settings,
        replace(result, seconds=clock.spent()),
        relations=[
            list(pairs)
            for pairs in (said.before, said.ancestors, said.not_ancestors, said.adjacent)
        ],
        widening=widening,
        watcher=wish.watcher,
    )
    if wish.save_sets is not None:
        (sets if widening is None else widening.sets).save(wish.save_sets)
    return posterior
