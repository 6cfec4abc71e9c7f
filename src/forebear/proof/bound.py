"""find_bound(): prove an upper bound on the score of any network, without branching."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from forebear._util.atomic import check_writable
from forebear._util.checks import (
    check_kind,
    check_parameter_names,
    check_real,
    check_run,
    check_whole,
)
from forebear._util.errors import ForebearError, Parameter, warn_if_interrupted
from forebear._util.machine import thread_count
from forebear._util.watcher import Watcher
from forebear.budget import DEFAULT_SECONDS, Clock
from forebear.parentsets.collection import ParentSets, check_parent_sets
from forebear.parentsets.feasibility import feasible_order
from forebear.proof.certificate import ProofTree, write_certificate
from forebear.proof.dynamic_programming import DYNAMIC_VARIABLES
from forebear.proof.incumbents import Incumbents
from forebear.proof.integer_costs import IntegerCosts
from forebear.proof.proof_run import ProofRun
from forebear.proof.solver import Solver


@dataclass(frozen=True, eq=False)
class Bound:
    """A proven upper bound on the score of networks of given parent sets, from ``find_bound``.

    Attributes
    ----------
    bound
        No network of the parent sets scores more than this.
    score
        The score of the incumbent that was passed to ``find_bound``, or None.
    seconds
        The time spent on the proof.
    rounds
        Number of rounds.
    clusters
        Number of clusters and local cuts that the proof uses. A cluster is a set of variables: at
        least one of them has no parent in the set.
    stop_reason
        ``"optimal"`` if the bound equals the best score, up to rounding, or proves that no network
        is better than the incumbent. Otherwise the reason why the proof ended: ``"time"``,
        ``"rounds"``, ``"interrupted"`` or ``"cancelled"``.
    survivors
        For each variable, the ranks (from 0) of the empty set and of the parent sets that it can
        have in a network at least as good as the incumbent. None without a score.
    reached
        False if it is proven that no network has the score that was passed.

    Examples
    --------
    >>> import forebear
    >>> sets = forebear.score_parent_sets("example:orchard", max_parents=3)
    >>> result = forebear.find_network(sets, generations=20, seed=1)
    >>> bound = forebear.find_bound(sets, score=result.score)
    >>> bound.stop_reason
    'optimal'
    >>> round(bound.gap, 6)
    0.0
    """

    bound: float
    score: float | None
    seconds: float
    rounds: int
    clusters: int
    stop_reason: str
    survivors: tuple[NDArray[np.int32], ...] | None
    reached: bool = True

    @property
    def gap_nats(self) -> float | None:
        """The bound minus the score, in nats. None without a score."""
        return None if self.score is None else max(0.0, self.bound - self.score)

    @property
    def gap(self) -> float | None:
        """``gap_nats`` as a share of the score. None without a score."""
        nats = self.gap_nats
        return None if self.score is None or nats is None else nats / (abs(self.score) or 1.0)

    @property
    def sets_left(self) -> int | None:
        """Number of surviving parent sets. None without a score."""
        return None if self.survivors is None else sum(map(len, self.survivors))


@check_parameter_names
def find_bound(
    parent_sets: ParentSets,
    *,
    score: float | None = None,
    time_limit: float | None = None,
    rounds: int | None = None,
    threads: int | None = None,
    certificate: Path | str | None = None,
    watcher: Watcher | None = None,
) -> Bound:
    """Prove an upper bound on the score of any network of these parent sets.

    The first bound is the sum of the best local scores of all variables. Each round lowers the
    bound by using acyclicity: in every set of variables, at least one has no parent in the set.

    Parameters
    ----------
    parent_sets
        The parent sets of every variable, as ``score_parent_sets`` returns them.
    score
        The score of the incumbent. Parent sets that cannot be in a network at least as good are
        dropped, which makes the proof faster; ``Bound.survivors`` lists the others. The bound is
        never below this score; ``Bound.reached`` is False if no network has it. Default: None.
    time_limit
        Time limit in seconds. Default: 60; no limit with ``rounds``.
    rounds
        Stop after this many rounds. The result then does not depend on the machine or on the
        number of threads. Default: no limit.
    threads
        Number of threads. Default: one per core.
    certificate
        The path of a certificate file, which ``forebear check`` verifies. Dynamic programming then
        solves groups of at most 16 variables, because the check repeats it. Default: none.
    watcher
        An object whose method ``bounding`` is called after every round, and whose method
        ``started`` is called with a function that cancels the proof. Default: none.

    Returns
    -------
    Bound
        The bound. If the proof is interrupted or cancelled, the best bound so far is returned; its
        ``stop_reason`` is "interrupted", with a ``ForebearWarning``, or "cancelled".

    Raises
    ------
    ForebearError
        If a parameter is invalid, if no network consists of these parent sets, or if ``score`` is
        higher than the sum of the best local scores.

    See Also
    --------
    surviving_sets : The parent sets that remain after the proof.

    Examples
    --------
    >>> import forebear
    >>> sets = forebear.score_parent_sets("example:orchard", max_parents=3)
    >>> bound = forebear.find_bound(sets)
    >>> bound.stop_reason
    'optimal'
    """
    check_parent_sets(parent_sets)
    if parent_sets.parents.dtype != np.uint16:
        raise ForebearError(
            "a bound requires at most 65,534 variables, "
            f"but these parent sets have {parent_sets.n_variables:,}"
        )
    check_run(time_limit=time_limit, threads=threads, watcher=watcher)
    if rounds is not None:
        check_whole(1, math.inf, rounds=rounds)
    feasible_order(parent_sets)  # raises an error if there is no network of these sets
    if score is not None:
        check_real(-math.inf, score=score)
        top = math.fsum(parent_sets.scores[parent_sets.offsets[:-1]])
        if not (math.isfinite(score) and top - score >= -1e-9 * abs(score)):
            raise ForebearError(
                Parameter("score"), f" is {score:,g}, which no network of these parent sets has"
            )
    if time_limit is None and rounds is None:
        time_limit = DEFAULT_SECONDS
    bound = prove_bound(
        parent_sets,
        score=score,
        clock=Clock(time_limit),
        rounds=rounds,
        threads=thread_count(threads),
        watcher=watcher or Watcher(),
        certificate=certificate,
    )
    warn_if_interrupted(bound.stop_reason, "the result is the best bound so far")
    return bound


def prove_bound(
    parent_sets: ParentSets,
    *,
    score: float | None,
    clock: Clock,
    rounds: int | None,
    threads: int,
    watcher: Watcher,
    certificate: Path | str | None = None,
    largest_dynamic: int = DYNAMIC_VARIABLES,
) -> Bound:
    """Find a bound; groups of up to ``largest_dynamic`` variables are solved exactly."""
    if certificate is not None:
        check_writable(certificate)
    run = ProofRun(
        clock,
        threads,
        tree=None if certificate is None else ProofTree(),
        on_progress=lambda _, bound: watcher.bounding(_not_below(score, bound), score),
    )
    costs = IntegerCosts(parent_sets)
    solver = Solver(
        Incumbents(costs), run, largest_dynamic=largest_dynamic, branching=False, score=score
    )
    watcher.started(clock.cancel)
    reason, reached = "interrupted", True
    with suppress(KeyboardInterrupt):
        solver.run(rounds)
        reason = solver.stop_reason
        if solver.solved and score is not None:
            reached = _can_be_reached(score, solver)
    if certificate is not None:
        write_certificate(certificate, solver)
    return Bound(
        bound=_not_below(score, solver.bound),
        score=score,
        seconds=clock.spent(),
        rounds=solver.rounds,
        clusters=solver.clusters,
        stop_reason=reason,
        survivors=None if score is None else solver.surviving_ranks(),
        reached=reached,
    )


def _not_below(score: float | None, bound: float) -> float:
    """Return the bound, but not less than the score that was given."""
    return bound if score is None else max(bound, score)


def _can_be_reached(score: float, solver: Solver) -> bool:
    """Return False if it is proven that every network scores less than ``score``.

    The first proof ended at this score. A second one tries to prove a bound a little below it, in
    a few further rounds.
    """
    costs, run = solver.incumbents.costs, solver.proof_run
    below = score - 1e-7 * max(1.0, abs(score))
    again = Solver(
        Incumbents(costs), ProofRun(run.clock, run.threads), branching=False, score=below
    )
    return not (again.run(2 * solver.rounds + 20) and again.bound < score)


def surviving_sets(parent_sets: ParentSets, bound: Bound) -> ParentSets:
    """Return the parent sets that can be in a network at least as good as the incumbent.

    The best network of these sets is the best network of all sets, so any search can continue with
    them only. Every variable keeps its empty set.

    Parameters
    ----------
    parent_sets
        The parent sets that the bound was found for.
    bound
        A bound found with the score of an incumbent.

    Returns
    -------
    ParentSets
        The surviving parent sets.

    Raises
    ------
    ForebearError
        If the bound was found without a score, or for other parent sets.

    Examples
    --------
    >>> import forebear
    >>> sets = forebear.score_parent_sets(forebear.simulate(30, 500, seed=1).data)
    >>> result = forebear.find_network(sets, generations=20, seed=1)
    >>> bound = forebear.find_bound(sets, score=result.score, rounds=20)
    >>> left = forebear.surviving_sets(sets, bound)
    >>> len(left) < len(sets)
    True
    """
    check_parent_sets(parent_sets)
    check_kind(Bound, "a Bound", "find_bound returns one", bound=bound)
    if bound.survivors is None:
        raise ForebearError(
            "the bound was found without a score, so all sets survive: pass ",
            Parameter("score"),
            " to find_bound",
        )
    if len(bound.survivors) != parent_sets.n_variables:
        raise ForebearError("the bound was found for other parent sets")
    keep = np.zeros(len(parent_sets), dtype=bool)
    for start, own in zip(parent_sets.offsets, bound.survivors, strict=False):
        keep[start + own] = True
    left = parent_sets.filter(keep)
    return replace(left, provenance={**left.provenance, "surviving": bound.score})
