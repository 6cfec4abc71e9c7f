"""The searches behind the tables: with the paper's settings over time, and for the optimum."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.text import counted, show_seconds
from forebear.learning.find import find_network
from forebear.reproduce.paper import ALONE, HOURS, SETTINGS, Who, with_best
from forebear.search.algorithm import make_chains
from forebear.search.minobs import MINOBS
from forebear.search.psminobs import PSMINOBS
from forebear.search.runner import run, start_runners
from forebear.search.space import SearchSpace
from forebear.search.stop import MaxSeconds

if TYPE_CHECKING:
    from forebear.parentsets.collection import ParentSets
    from forebear.reproduce.paper import Case
    from forebear.reproduce.workspace import Workspace
    from forebear.result import Result
    from forebear.search.runner import Outcome, Runner
    from forebear.search.trace import Trace

_PROVEN = 1e-9
"""Relative gap that may be due to rounding."""

EXACT_SETS = 1_000_000
"""The paper used exact search below this number of parent sets, and MINOBS above."""

PLAIN = (100, 1)
"""MINOBS is PS-MINOBS with one sample that contains everything: rate in percent, samples."""


@dataclass(frozen=True)
class Searched:
    """The searches of one data set.

    ``courses`` are the scores of every chain over time, ``mean_parents`` the mean number of
    parents in the best network by rate, and ``seconds`` the times by rate. ``bound`` is the sum
    of the best local scores, which no network exceeds.
    """

    courses: dict[Who, tuple[float, ...]]
    mean_parents: dict[int, float]
    bound: float
    seconds: dict[int, float]


def search_case(workspace: Workspace, case: Case) -> Searched:
    """Run MINOBS and PS-MINOBS as in the paper, once for all tables and figures.

    Every chain gets as much time as if it had a core of its own: with fewer cores than chains,
    the search takes longer. Populations are as published, and samples are not widened.
    """
    key = ("searched", case.name)
    if key not in workspace.made:
        workspace.made[key] = _search(workspace, case)
    found: Searched = workspace.made[key]
    return found


def _search(workspace: Workspace, case: Case) -> Searched:
    sets, _ = workspace.parent_sets(case.name, case.max_parents)
    space = SearchSpace(sets)
    courses: dict[Who, tuple[float, ...]] = {}
    mean_parents: dict[int, float] = {}
    seconds: dict[int, float] = {}
    for rate, samples in (PLAIN, *SETTINGS):
        together = min(workspace.threads, samples)
        limit = workspace.seconds * samples / together
        workspace.say(
            f"{case.name}: {counted(samples, 'sample')} of {rate} %, {show_seconds(limit)}"
        )
        algorithm = PSMINOBS(samples, rate / 100, widen=False, minobs=MINOBS("published"))
        outcome = _run(algorithm, space, limit, together, workspace.seed)
        for number in range(1, samples + 1):
            who = Who(0, ALONE) if samples == 1 else Who(rate, f"S{number}")
            courses[who] = course_of(outcome.trace, number, limit)
        mean_parents[rate] = _mean_parents(outcome.winner, sets)
        seconds[rate] = outcome.seconds
    return Searched(with_best(courses), mean_parents, best_sum(sets), seconds)


def _run(algorithm: PSMINOBS, space: SearchSpace, limit: float, threads: int, seed: int) -> Outcome:
    """Search within the limit, which as in Algorithm 2 does not include drawing the samples."""
    seeds = np.random.SeedSequence(seed).spawn(algorithm.chains)
    chains = make_chains(algorithm, space, seeds)
    outcome = run(
        start_runners(chains, time.perf_counter()), stop=MaxSeconds(limit), threads=threads
    )
    _check_complete(outcome.stop_reason)
    return outcome


def _mean_parents(winner: Runner, sets: ParentSets) -> float:
    """Return the mean number of parents in the network that a chain found."""
    if winner.best is None or winner.best_space is None:
        raise AssertionError("a search has at least one order")
    ranks = winner.best_space.full_ranks(winner.best.ranks)
    chosen = sets.parents[:, sets.offsets[:-1] + ranks]
    return float(np.count_nonzero(chosen != sets.none) / sets.n_variables)


def course_of(trace: Trace, chain: int, limit: float) -> tuple[float, ...]:
    """Return the score of a chain after each eighth of the time; minus infinity if none yet."""
    steps = trace.of(chain)
    marks = [limit * hours / HOURS[-1] for hours in HOURS[:-1]]
    # Improvements that were under way at the end count.
    return tuple(
        max((step.score for step in steps if step.seconds <= mark), default=-math.inf)
        for mark in (*marks, math.inf)
    )


def best_sum(sets: ParentSets) -> float:
    """Return the sum of every variable's best score, which no network exceeds."""
    return float(sets.scores[sets.offsets[:-1]].sum())


def best_network(
    sets: ParentSets, workspace: Workspace, name: str = "alarm"
) -> tuple[Result, bool]:
    """Find the best network in the time given; return it and whether it is proven optimal.

    As in the paper, exact search is used unless there are too many parent sets.
    """
    algorithm = "exact" if len(sets) < EXACT_SETS else "ps-minobs"
    workspace.say(f"{name}: {algorithm}, up to {show_seconds(workspace.seconds)}")
    result = find_network(
        sets,
        algorithm=algorithm,
        time_limit=workspace.seconds,
        threads=workspace.threads,
        seed=workspace.seed,
    )
    _check_complete(result.stop_reason)
    return result, result.gap is not None and result.gap <= _PROVEN


def _check_complete(stop_reason: str) -> None:
    """End everything on Ctrl-C: an incomplete search is no reproduction."""
    if stop_reason == "interrupted":
        raise KeyboardInterrupt
