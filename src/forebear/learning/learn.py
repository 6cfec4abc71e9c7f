"""learn(): from a table to a network, within one time and memory budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from forebear._util.checks import check_parameter_names, check_whole
from forebear._util.errors import (
    ForebearError,
    LimitError,
    Message,
    Parameter,
    warn_if_interrupted,
)
from forebear._util.text import show_share
from forebear._util.watcher import Watcher
from forebear.budget import Clock
from forebear.data.dataset import read_dataset
from forebear.data.read_options import ReadOptions
from forebear.data.summarize_table import warn_of_suspicions
from forebear.knowledge.enforcement import Enforcement
from forebear.knowledge.knowledge import Knowledge, as_knowledge
from forebear.learning.cache import as_cache
from forebear.learning.certify_arcs import with_margins
from forebear.learning.compare_with_shuffled import compare_with_shuffled, warn_of_chance
from forebear.learning.learn_table import learn_table
from forebear.learning.problem import Problem
from forebear.learning.run import Run
from forebear.learning.start_network import match_start
from forebear.learning.trials import check_share
from forebear.learning.validate import AUTO, as_score_or_auto, choose_by_held_out
from forebear.network.network import Network
from forebear.result import Result
from forebear.scoring.all_sets import ALL
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT
from forebear.scoring.scores import Score, as_score
from forebear.search.stop import StopRule


@check_parameter_names
def learn(
    data: Any,
    *,
    score: Score | str | None = None,
    prior: str | float | None = None,
    max_parents: int | Literal["all"] | None = None,
    holdout: float | None = None,
    knowledge: Knowledge | Path | str | Sequence[Path | str] | None = None,
    algorithm: Any = "ps-minobs",
    time_limit: float | None = None,
    generations: int | StopRule | None = None,
    max_memory: int | str | None = None,
    threads: int | None = None,
    seed: int | None = None,
    start: Result | Network | Sequence[int] | None = None,
    certify: bool | Path | str | None = None,
    cache: Path | str | bool | None = None,
    executor: Any = None,
    checkpoint: Path | str | None = None,
    read: ReadOptions | None = None,
    watcher: Watcher | None = None,
) -> Result:
    """Learn the network with the highest score from a table.

    Ctrl-C ends the run. As soon as a network has been found, ``learn`` returns the best one with a
    ``ForebearWarning``, and the ``stop_reason`` of the result is "interrupted". A loop that calls
    ``learn`` should check this, because the interrupt does not end the loop.

    Parameters
    ----------
    data
        A path, a data frame (pandas, Polars, pyarrow), an array of rows by columns, or a Dataset.
    score
        A name ("bdeu", "bds", "bic", "aic", "fnml", "qnml", "mit", "k2", "ll") or an object such as
        ``BDeu(ess=10)``. "auto" compares several scores, priors and limits on parents on held-out
        rows and learns with the best. Default: if neither a score nor a prior is given, BDeu
        averaged over equivalent sample sizes with the sparse prior, which is
        ``BDeu(ess="auto", prior="sparse")``. If a score or a prior is given, the rest is as in the
        literature: BDeu with an equivalent sample size of 1, and the uniform prior.
    prior
        The prior over networks, which is part of the score: "uniform"; "sparse", which gives all
        numbers of parents of a variable the same probability; or the probability of an arc, above
        0 and at most 0.5. With few rows and many columns, "sparse" prevents arcs that are due to
        chance. Default: "uniform" if a score is given, or that of a score object; otherwise
        "sparse".
    max_parents
        The largest parent set. Default: no limit with fewer than 20 variables and few rows. With
        more variables or rows, the search starts with small sets and scores larger ones as needed,
        up to 15 parents. "all": score all sets before the search, so that a proof covers all
        networks; suitable for up to about 25 variables.
    holdout
        Share of the rows to hold out for validation. This score, other scores and other limits on
        parents are compared on these rows; ``Result.validation`` holds the results. This takes 40 %
        of the time limit. The network is then learned from all rows. A warning is issued if the
        score overfits. Default: no validation; with ``score="auto"`` a tenth of the rows, or up to
        a quarter if there are few rows.
    knowledge
        A ``Knowledge`` object, or files of Bayesys, GOBNILP or bnlearn. Every algorithm respects
        it, and the network is checked against it.
    algorithm
        A name ("ps-minobs", "minobs", "inobs", "obs", "asobs", "hill-climbing", "tabu", "exact") or
        settings such as ``PSMINOBS(chains=4, rate=0.25)`` or ``Exact()``.
    time_limit
        Total time limit in seconds, for reading, scoring, search and proof. Default: 60, and the
        run ends earlier after 10 seconds without improvement; no limit with ``generations``.
    generations
        Stop every chain after this many generations. The same seed then gives the same network on
        any machine and any number of threads. Or a stop rule: ``Target``, ``NoImprovement``,
        ``AnyOf`` or a function.
    max_memory
        Bytes, or text such as "4GB". Default: the free memory.
    threads
        Number of threads. Default: one per core, or one per worker of an ``executor``. At most 16
        threads are started on this machine, or one per core if it has more cores.
    seed
        Random seed. Default: random.
    start
        A result, a network or an order to start from. Variables are matched by name. Those that the
        table lacks are dropped, and their children lose them as parents; those that the network
        lacks are added without arcs. A warning lists both.
    certify
        Whether to prove a bound on the optimal score. True reserves half of the time limit for the
        proof, False none. Default: a tenth. Unless this is False, proofs are also attempted between
        the runs of the search, and the search ends when its network is proven optimal. Or the path
        of a certificate file, which ``forebear check`` verifies.
    cache
        Where to store parent sets for later runs: a folder, or True for the user's cache folder.
        False disables the cache. Default: the user's cache folder if ``data`` is a file.
    executor
        A ``concurrent.futures`` executor that runs scoring and search, such as that of a Dask
        client or of MPI. Default: threads on this machine.
    checkpoint
        A file in which the search saves its state, for ``resume_search``. Default: none.
    read
        How to read the table. Default: ``ReadOptions()``.
    watcher
        An object that is notified of every step. Default: steps are logged to the logger "forebear"
        and shown in notebooks. Pass ``Watcher()`` to disable this.

    Returns
    -------
    Result
        The network, its score, the bound if one was proven, and details of the search.

    Examples
    --------
    >>> import forebear
    >>> result = forebear.learn("example:orchard", generations=5, seed=1)
    >>> result.network.n_variables
    18
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
        max_memory=max_memory,
        cache=as_cache(cache, data),
    )
    checked_score = as_score_or_auto(score, prior)
    if holdout is not None:
        check_share(holdout)
    statements = as_knowledge(knowledge)
    if max_parents == ALL:
        _reject_validation(checked_score, holdout)
    elif max_parents is not None:
        check_whole(0, MAX_PARENTS_LIMIT, max_parents=max_parents)
    most = None if max_parents is None or max_parents == ALL else int(max_parents)
    table = read_dataset(data, read, _time_check(run.clock, read))
    run = replace(run, start=match_start(start, table.names))
    enforcement = Enforcement.of(statements, table.names, certified=run.certificate is not None)
    own_score = checked_score or as_score(None, prior=prior)
    problem = Problem(table, own_score, most, enforcement, max_parents == ALL)
    warn_of_suspicions(table, data)
    run.clock.lap("load")
    run.watcher.loaded(table)
    auto, validation = checked_score is None, None
    if auto or holdout is not None:
        problem, run, validation = choose_by_held_out(problem, run, holdout, auto=auto, prior=prior)
    chance = compare_with_shuffled(problem, run)
    result = with_margins(learn_table(problem, run), enforcement.relations, run)
    network = replace(result.network, coding=table.coding)
    result = replace(result, network=network, validation=validation, chance=chance)
    result = replace(result, seconds=run.clock.spent(), phases=run.clock.laps)
    run.watcher.finished(result)
    warn_of_chance(result)
    warn_if_interrupted(result.stop_reason, "the result is the best network so far")
    return result


def _time_check(clock: Clock, read: ReadOptions | None) -> Callable[[float | None], None]:
    """Return a function of the share of the table read so far, which ends reading in time."""
    advice = Message("pass ", Parameter("rows", 100_000), " to read a random sample, or ")
    if isinstance(read, ReadOptions) and read.rows is not None:  # other objects are rejected later
        advice = Message()

    def check(share: float | None) -> None:
        if clock.expired and share != 1.0:
            read = "not all" if share is None else f"only {show_share(share)}"
            raise LimitError(
                f"reading takes longer than the time limit: {read} of the table was read after "
                f"{clock.spent():.1f} s; ",
                advice,
                "increase ",
                Parameter("time_limit"),
            )

    return check


def _reject_validation(score: Score | None, holdout: float | None) -> None:
    """Reject validation if all parent sets are scored, because it chooses a limit on parents."""
    if score is None or holdout is not None:
        raise ForebearError(
            Parameter("max_parents", ALL),
            " cannot be combined with ",
            Parameter("score", AUTO) if score is None else Parameter("holdout"),
        )
