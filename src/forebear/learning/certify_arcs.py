"""certify_arcs(): prove how much lower every network without an edge scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.atomic import check_writable
from forebear._util.checks import check_parameter_names, check_real, check_run, check_whole
from forebear._util.errors import ForebearError, Parameter, warn_if_interrupted
from forebear._util.machine import thread_count
from forebear._util.watcher import Watcher
from forebear.budget import DEFAULT_SECONDS, Clock
from forebear.data.dataset import as_dataset
from forebear.data.read_options import ReadOptions
from forebear.knowledge.enforcement import Enforcement
from forebear.knowledge.knowledge import Knowledge, as_knowledge
from forebear.knowledge.relations import Relations
from forebear.learning.run import Run
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import Network, as_network
from forebear.parentsets.collection import ParentSets
from forebear.proof.arc_margins import prove_arc_margins
from forebear.proof.dual_ascent import CoreCut
from forebear.proof.exact_search import Exact, find_exact
from forebear.result import Result, negligible
from forebear.result.arc_margins import ArcMargins
from forebear.scoring.job import make_job
from forebear.scoring.max_parents import MAX_PARENTS_LIMIT, paper_max_parents
from forebear.scoring.priors import with_prior
from forebear.scoring.score_job import score_in_time
from forebear.scoring.scores import Score, as_score


@check_parameter_names
def certify_arcs(
    data: Any,
    network: Network | FittedNetwork | Result | None = None,
    margin: float | None = None,
    *,
    pairs: bool = False,
    score: Score | str | None = None,
    prior: str | float | None = None,
    max_parents: int | None = None,
    knowledge: Knowledge | Path | str | Sequence[Path | str] | None = None,
    certificate: Path | str | None = None,
    time_limit: float | None = None,
    threads: int | None = None,
    seed: int | None = None,
    read: ReadOptions | None = None,
    watcher: Watcher | None = None,
) -> ArcMargins:
    """For every edge of a network, prove how much lower all networks without it score.

    The margin of an edge is the difference between the score of the network and a proven upper
    bound on the score of every network in which the two variables are not adjacent. For a compelled
    arc, the margin of its direction refers to all networks without this arc. Margins are statements
    about the data and the score; they are not probabilities, and arcs are not causes.

    Parameters
    ----------
    data
        Parent sets, or a table: a path, a data frame, an array or a Dataset.
    network
        The network whose edges are examined. Default: the best network, which is searched first.
    margin
        Stop each proof when this margin, in nats, is proven, which is faster. Default: prove exact
        margins, if there is enough time.
    pairs
        Whether to prove margins of pairs that are not adjacent, too: how much lower all networks
        score in which they are. This requires the table. Default False.
    score
        The score, if ``data`` is a table. Default: as in ``learn``.
    prior
        The prior over networks: "uniform", "sparse" or the probability of an arc. Default: as in
        ``learn``; for parent sets, the prior that they include, otherwise "uniform".
    max_parents
        The largest parent set, if ``data`` is a table. Default: 3 with fewer than 500 variables,
        otherwise 2.
    knowledge
        A ``Knowledge`` object, or files of Bayesys, GOBNILP or bnlearn, that all networks respect.
    certificate
        The path of a certificate file that proves the margins, which ``forebear check`` verifies.
        Not with ``pairs``. Default: none.
    time_limit
        Time limit in seconds. Half of the time left after scoring may be spent on the network.
        Default: 60.
    threads
        Number of threads. Default: one per core.
    seed
        Random seed of the search for the network. Default: random.
    read
        How to read the table. Default: ``ReadOptions()``.
    watcher
        An object that is notified of the search for the network. Default: none.

    Returns
    -------
    ArcMargins
        The margins that were proven before the time limit. If the proof is interrupted, they are
        returned with a ``ForebearWarning``.

    Raises
    ------
    ForebearError
        If a parameter is invalid, or if the parent sets lack one of the network.

    Examples
    --------
    >>> import forebear
    >>> sets = forebear.score_parent_sets("example:orchard", max_parents=3)
    >>> margins = forebear.certify_arcs(sets, margin=10, seed=1)
    >>> margins.proven("winter", "bloom")
    True
    """
    check_run(time_limit=time_limit, threads=threads, seed=seed, watcher=watcher)
    if margin is not None:
        check_real(0, margin=margin)
        margin = None if margin == math.inf else margin
    _check_combination(data, pairs, certificate, max_parents)
    clock = Clock(DEFAULT_SECONDS if time_limit is None else time_limit)
    threads, watcher = thread_count(threads), watcher or Watcher()
    if isinstance(data, ParentSets):
        enforcement = Enforcement.of(knowledge, data.names, certified=certificate is not None)
        sets = enforcement.apply_rules(with_prior(data, prior))
    else:
        sets, enforcement = _score(
            data,
            as_score(score, prior=prior),
            max_parents,
            knowledge,
            read,
            clock,
            threads,
            watcher,
            pairs=pairs,
        )
    given = None if network is None else as_network(network).reordered(sets.names)
    if given is not None:
        given = replace(given, row_sets=sets.provenance.get("row_sets"))
    own = [] if given is None else [ranks_in(sets, given.parents)]
    cuts: list[CoreCut] = []
    best, *_ = find_exact(
        sets,
        Exact(),
        relations=enforcement.relations,
        networks=own,
        warm_up=given is None,
        time_limit=clock.half(),
        threads=threads,
        seed=seed,
        watcher=watcher,
        certificate=certificate,
        solved=lambda solver: cuts.extend(solver.core_cuts),
    )
    chosen = best.network if given is None else given
    ranks = own[0] if own else ranks_in(sets, chosen.parents)
    reached = math.fsum(sets.scores[sets.offsets[:-1] + ranks]) >= best.score - negligible(
        best.score
    )
    margins = prove_arc_margins(
        sets,
        chosen,
        ranks,
        clock=clock,
        threads=threads,
        optimal=best.status == "optimal" and reached,
        margin=margin,
        pairs=pairs,
        relations=enforcement.relations,
        cuts=cuts,
        certificate=certificate,
    )
    if best.stop_reason == "interrupted":
        margins = replace(margins, stop_reason="interrupted")
    warn_if_interrupted(margins.stop_reason, "the result has the margins proven so far")
    return margins


def _check_combination(
    data: Any, pairs: bool, certificate: Path | str | None, max_parents: int | None
) -> None:
    """Reject parameters that exclude each other."""
    if isinstance(data, ParentSets):
        if pairs:
            raise ForebearError(
                Parameter("pairs"),
                " requires the table: parent sets lack the dominated ones, which may be the best "
                "with a given parent",
            )
        if max_parents is not None:
            raise ForebearError(
                Parameter("max_parents"), " applies to a table: these parent sets are scored"
            )
    if pairs and certificate is not None:
        raise ForebearError(
            Parameter("certificate"), " cannot be combined with ", Parameter("pairs")
        )
    if max_parents is not None:
        check_whole(0, MAX_PARENTS_LIMIT, max_parents=max_parents)
    if certificate is not None:
        check_writable(certificate)


def _score(
    data: Any,
    score: Score,
    max_parents: int | None,
    knowledge: Any,
    read: ReadOptions | None,
    clock: Clock,
    threads: int,
    watcher: Watcher,
    *,
    pairs: bool,
) -> tuple[ParentSets, Enforcement]:
    """Score the parent sets of a table.

    For pairs, the best set with each given parent is kept, even if a subset without that parent
    scores higher.
    """
    statements = as_knowledge(knowledge)
    table = as_dataset(data, read)
    if table.missing == "em":
        table = replace(table, missing="available")
    watcher.loaded(table)
    # Relations are kept as stated: a certificate is about them.
    enforcement = Enforcement.of(statements, table.names, certified=True)
    most = paper_max_parents(table.n_variables) if max_parents is None else int(max_parents)
    constraints = enforcement.constraints(most)
    if pairs:
        n = table.n_variables
        constraints = replace(
            constraints,
            useful=~np.eye(n, dtype=bool),
            most_useful=enforcement.relations.n_arc_requirements + 1,
        )
    job = make_job(table, score=score, max_parents=most, constraints=constraints, threads=threads)
    sets = score_in_time(job, clock, max_memory=None, executor=None, spill=None, watcher=watcher)
    if statements == Knowledge():  # the useful arcs of pairs exclude no network
        about = {key: value for key, value in sets.provenance.items() if key != "constrained"}
        sets = replace(sets, provenance=about)
    return enforcement.apply_limits(sets), enforcement


_CHEAP = 30_000
"""Edges times parent sets up to which results get margins by themselves. With 7,000 (orchard) they
took 0.4 processor seconds, with 26,000 (child) 0.5, with 116,000 (alarm) 8."""


def with_margins(result: Result, relations: Relations, run: Run) -> Result:
    """Add the margins of all edges to an optimal result, if that is cheap.

    Whether it is cheap is decided by counts, and the work per margin is limited by a count.
    """
    sets = result.parent_sets
    if sets is None or run.certify is False or result.status != "optimal":
        return result
    if len(result.network.arcs) * len(sets) > _CHEAP or not result.network.arcs:
        return result
    margins = prove_arc_margins(
        sets,
        result.network,
        np.array([choice.rank - 1 for choice in result.choices]),
        clock=run.clock,
        threads=run.threads,
        optimal=True,
        relations=relations,
        most_passes=1,
    )
    run.clock.lap("margins")
    if margins.stop_reason == "interrupted":
        return replace(result, stop_reason="interrupted")
    return replace(result, margins=replace(margins, covers=result.covers))


def ranks_in(sets: ParentSets, parents: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Return the rank (from 0) of every variable's set; reject a network with other sets."""
    ranks = []
    for v, own in enumerate(parents):
        found = sets.find(v, own)
        if found is None:
            raise ForebearError(
                f"the parent sets lack that of {sets.names[v]} in the network: a subset scores at "
                "least as high, or it was not scored; improve the network with find_network first"
            )
        ranks.append(found.rank - 1)
    return np.array(ranks, dtype=np.int64)
