"""k_best_networks(): the networks or equivalence classes with the highest scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from forebear._util.checks import check_parameter_names, check_whole
from forebear._util.errors import warn_if_interrupted
from forebear._util.watcher import Watcher
from forebear.knowledge.enforcement import Enforcement
from forebear.knowledge.knowledge import Knowledge
from forebear.parentsets.collection import ParentSets, check_parent_sets
from forebear.proof.exact_search import Exact, find_exact
from forebear.result import Result


@check_parameter_names
def k_best_networks(
    parent_sets: ParentSets,
    k: int,
    *,
    classes: bool = False,
    knowledge: Knowledge | Path | str | Sequence[Path | str] | None = None,
    time_limit: float | None = None,
    threads: int | None = None,
    seed: int | None = None,
    watcher: Watcher | None = None,
) -> list[Result]:
    """Find the k networks or equivalence classes with the highest scores, by branch and cut.

    The networks consist of the given parent sets. Scoring prunes a parent set if one of its subsets
    scores at least as high, so the results contain no networks with such sets.

    Parameters
    ----------
    parent_sets
        The parent sets of every variable, as ``score_parent_sets`` returns them.
    k
        Number of networks, at least 1.
    classes
        Whether to find the best network of each of the k best equivalence classes. This takes
        longer if equivalent networks can have different scores: under K2, fNML, BDs and MIT, with
        missing values or experiments, and if the score of the sets is unknown. With experiments,
        classes are those of ``Network.equivalent``: networks that data from the same experiments
        cannot distinguish. Default: the k best networks, many of which may be equivalent.
    knowledge
        A ``Knowledge`` object, or files of Bayesys, GOBNILP or bnlearn, that all networks respect.
    time_limit
        Time limit in seconds. Default: 60.
    threads
        Number of threads of the search for the first incumbent. Default: one per core.
    seed
        Random seed of that search. Default: random.
    watcher
        An object that is notified when the search starts and improves. Default: none.

    Returns
    -------
    list of Result
        The networks, best first; fewer than ``k`` if there are no more. If ``stop_reason`` is
        ``"optimal"``, they are proven to be the k best. Otherwise they are the best networks found
        before the time limit or, with a ``ForebearWarning``, before an interrupt. The ``bound`` of
        every result holds for all networks, so its ``gap`` limits the distance to the best network.

    Raises
    ------
    ForebearError
        If a parameter is invalid, or if no network has only allowed parent sets.
    LimitError
        If no network with only allowed parent sets was found in time.

    Examples
    --------
    >>> import forebear
    >>> sets = forebear.score_parent_sets("example:orchard", max_parents=3)
    >>> best = forebear.k_best_networks(sets, 3, seed=1)
    >>> [result.stop_reason for result in best]
    ['optimal', 'optimal', 'optimal']
    >>> best[0].network.equivalent(best[1])
    True
    >>> first, second = forebear.k_best_networks(sets, 2, classes=True, seed=1)
    >>> first.network.equivalent(second)
    False
    """
    check_parent_sets(parent_sets)
    check_whole(1, math.inf, k=k)
    constraints = Enforcement.of(knowledge, parent_sets.names)
    results = find_exact(
        constraints.apply_rules(parent_sets),
        Exact("branch-and-cut"),
        k=int(k),
        classes=bool(classes) and k > 1,
        relations=constraints.relations,
        time_limit=time_limit,
        threads=threads,
        seed=seed,
        watcher=watcher,
    )
    warn_if_interrupted(results[0].stop_reason, "the results are the best networks so far")
    return results
