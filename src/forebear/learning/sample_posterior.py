"""sample_posterior(): draw networks from the posterior, given a table or parent sets."""

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
from forebear._util.progress import Progress
from forebear._util.text import memory_limit
from forebear.budget import DEFAULT_SECONDS, LEAST_SEARCH_SECONDS, Clock
from forebear.data.dataset import as_dataset
from forebear.data.summarize_table import warn_of_suspicions
from forebear.knowledge.enforcement import Enforced
from forebear.knowledge.knowledge import as_knowledge
from forebear.knowledge.relations import Relations
from forebear.learning.cache import as_cache
from forebear.learning.learn_table import check_memory
from forebear.learning.problem import Problem
from forebear.learning.run import Run
from forebear.learning.search_and_prove import search_and_prove
from forebear.learning.searchable_sets import SearchableSets, get_searchable_sets
from forebear.parentsets.collection import ParentSets
from forebear.posterior.chains import ChainSettings, run_chains, start_ranks
from forebear.posterior.priors import DEFAULT_PRIOR, check_prior, prior_to_add, with_prior
from forebear.posterior.widening import DEFAULT_MARGIN, Widening
from forebear.scoring.max_parents import LARGEST, possible_max_parents
from forebear.scoring.scores import as_score
from forebear.search.stop import MaxGenerations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear._util.watcher import Watcher
    from forebear.data.dataset import Dataset
    from forebear.data.read_options import ReadOptions
    from forebear.knowledge.knowledge import Knowledge
    from forebear.learning.cache import Cache
    from forebear.network.network import Network
    from forebear.posterior.posterior import Posterior
    from forebear.result import Result
    from forebear.scoring.scores import Score

DEFAULT_CHAINS = 4
"""What Vehtari et al. (2021) recommend at least."""

DEFAULT_TEMPERATURES = 3
"""Two helpers per chain. On tables of hailfinder, chains with one helper stayed in valleys; with
two, they agreed within seconds even if they began at random orders. More cost time."""

NO_POSTERIOR = ("ll", "mit")
"""Scores that are not, even roughly, the logarithm of a probability of the data."""

_SEARCH_GENERATIONS = 10
"""Generations of the search for networks to start from. On alarm, 5 and 20 gave the same
probabilities. In 25 s on hailfinder and win95pts, hundreds of them found better networks, which the
chains then took longer to forget (R-hat of up to 1.5, instead of 1.01)."""


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
        or, as "bic", an approximation of one; "ll" and "mit" are rejected.
    prior
        The prior over networks. "uniform": all networks are equally probable. "sparse": all numbers
        of parents are equally probable, and so are all parent sets of the same size. A number
        between 0 and 1: the probability of an arc. Default: "sparse", or the prior that the scores
        of the parent sets already include.
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
    check_run(time_limit=time_limit, threads=threads, seed=seed, watcher=watcher)
    _check_numbers(chains, temperatures, margin, sweeps, max_parents)
    if time_limit is None and sweeps is None:
        time_limit = DEFAULT_SECONDS
    sampling = _Sampling(
        settings=ChainSettings(
            chains=int(chains),
            temperatures=int(temperatures),
            threads=thread_count(threads),
            seed=randbits(63) if seed is None else int(seed),
            seconds=time_limit,
            sweeps=None if sweeps is None else int(sweeps),
        ),
        clock=Clock(time_limit),
        prior=None if prior is None else check_prior(prior),
        start=start,
        max_memory=memory_limit(max_memory),
        watcher=watcher,
    )
    if is_parent_sets(data):
        _refuse_for_sets(score=score != "bdeu", max_parents=max_parents, knowledge=knowledge)
        found = sampling.of_sets(data if isinstance(data, ParentSets) else ParentSets.load(data))
    else:
        checked_score = as_score(score)
        _check_score(checked_score)
        checked_knowledge = as_knowledge(knowledge)
        folder = as_cache(cache, data)
        table = as_dataset(data, read)
        _check_table(table)
        warn_of_suspicions(table, data)
        known = Enforced.of(checked_knowledge, table.names)
        problem = Problem(table, checked_score, max_parents, known)
        found = sampling.of_table(problem, folder, float(margin))
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
            " is not a marginal likelihood, so it has no posterior: use bdeu, bds, k2 or bic",
        )


def is_parent_sets(data: Any) -> bool:
    """Whether these are parent sets, or a file of them."""
    if isinstance(data, ParentSets):
        return True
    return (
        isinstance(data, str | Path)
        and Path(data).suffix.lower() in (".cps", ".jkl", ".gz")
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


def _check_table(table: Dataset) -> None:
    """Refuse a table with one column, or with missing values.

    Available-case scores use other rows for every family. They are not logarithms of
    probabilities of the same table, so weights made of them are no posterior.
    """
    if table.n_variables < 2:
        raise DataError(f"the table has one column, {table.names[0]!r}: a network needs two")
    if table.has_missing:
        raise DataError(
            "the posterior of a table with missing values cannot be sampled: pass ",
            Parameter("missing", "drop"),
            " to leave out rows, or ",
            Parameter("missing", "state"),
            " to make a missing value a state of its own; bootstrap takes missing values as well",
        )


@dataclass(frozen=True)
class _Sampling:
    """Searches for networks to start from, and samples. All settings are checked."""

    settings: ChainSettings
    clock: Clock
    prior: str | float | None
    start: Any
    max_memory: int | None
    watcher: Watcher | None

    def of_sets(self, sets: ParentSets) -> Posterior:
        """Sample parent sets as they are."""
        if sets.max_parents == 0 or sets.n_variables < 2:
            raise ForebearError(
                "these parent sets allow one network only: there is nothing to sample"
            )
        if "margin" not in sets.provenance:
            warnings.warn(
                ForebearWarning(
                    "these parent sets were made for a search: dominated sets were pruned, so "
                    "probabilities are too extreme. Sample the table itself"
                ),
                stacklevel=4,
            )
        sets = with_prior(sets, prior_to_add(sets, self.prior))
        found = SearchableSets(sets, None, None)
        result = search_and_prove(found, self._run(), reserve=self._reserve())
        _end_if_interrupted(result)
        return self._sample(sets, result)

    def of_table(self, problem: Problem, cache: Cache | None, margin: float) -> Posterior:
        """Search the table, widen the sets of the search, and sample them."""
        table, known = problem.table, problem.known
        run = replace(self._run(), cache=cache)
        scored = get_searchable_sets(problem, run)
        grown: list[ParentSets] = []
        check_memory(scored.sets, run)
        result = search_and_prove(
            scored, run, known.relations, reserve=self._reserve(), keep=grown.append
        )
        _end_if_interrupted(result)
        known.check(result)
        sets = grown[0] if grown and scored.growth is not None else scored.sets
        most = LARGEST if problem.max_parents is None else problem.max_parents
        most = min(most, table.n_variables - 1)
        # Larger sets come one parent at a time.
        largest = max(1, min(most, sets.max_parents, possible_max_parents(table.n_variables)))
        widening = Widening(
            sets,
            problem.job(largest, known.constraints(largest), run.threads),
            problem.limits(most),
            prior=DEFAULT_PRIOR if self.prior is None else self.prior,
            margin=margin,
            budget=_core.Budget(self.clock.half()),
        )
        relations = Relations.of(known.knowledge, table.names, known.rules.required)
        return self._sample(widening.sets, result, relations, widening)

    def _run(self) -> Run:
        """Return the search that finds networks to start from."""
        timed = self.settings.sweeps is None
        run = Run.checked(
            time_limit=self.clock.limit if timed else None,
            # With a number of generations, nothing may depend on the time.
            generations=None if timed else _SEARCH_GENERATIONS,
            threads=self.settings.threads,
            seed=self.settings.seed,
            start=self.start,
            certify=False,
            watcher=self.watcher or Progress(),  # the search is only a part of the work
        )
        run = replace(run, clock=self.clock, max_memory=self.max_memory)
        return replace(run, stop=MaxGenerations(_SEARCH_GENERATIONS)) if timed else run

    def _reserve(self) -> float:
        """Return the seconds that the search has to leave."""
        return self.clock.half() or 0.0

    def _sample(
        self,
        sets: ParentSets,
        result: Result,
        relations: Relations | None = None,
        widening: Widening | None = None,
    ) -> Posterior:
        settings = self.settings
        check_memory(sets, self._run())
        relations = relations or Relations()
        networks = [result.network.parents, *(one.parents for one in result.alternatives)]
        starts = start_ranks(sets, list(dict.fromkeys(networks)), settings.chains, relations.holds)
        if settings.sweeps is None:
            settings = replace(settings, seconds=max(self.clock.left(), LEAST_SEARCH_SECONDS))
        posterior = run_chains(
            sets,
            starts,
            settings,
            replace(result, seconds=self.clock.spent()),
            relations=relations,
            widening=widening,
            watcher=self.watcher,
        )
        return replace(posterior, parent_sets=sets if widening is None else widening.sets)


def _end_if_interrupted(result: Result) -> None:
    """End with the search: there are no draws to keep."""
    if result.stop_reason == "interrupted":
        raise KeyboardInterrupt
