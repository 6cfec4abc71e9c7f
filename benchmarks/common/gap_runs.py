"""Searches for ``gaps.py``: one instance and one seed per process, each on one thread."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from common.library import Instance, Problem

NEAR = 1e-4
"""A run has come near when its gap is at most this: what a user would call good enough."""

ROUNDED = 1e-3
"""Nats: the best known scores are rounded to four digits, so less than this is no gap."""


@dataclass(frozen=True)
class Task:
    """One search: where the parent sets are, and when it ends."""

    key: str
    sets: str
    seed: int
    generations: int
    best: float
    is_optimal: bool
    source: str | None


@dataclass(frozen=True)
class Run:
    """What a search came to. ``near`` is when its gap was small: generations and seconds."""

    key: str
    seed: int
    score: float
    generations: int
    seconds: float
    near: tuple[int, float] | None


def key_of(instance: Instance, problem: Problem) -> str:
    """Name a problem in files."""
    limit = "" if problem.max_parents is None else f"-{problem.max_parents}"
    return f"{instance.name} {problem.score}{limit}"


def use_source(source: str | None) -> None:
    """Import forebear from a folder, without installing it."""
    if source is None or "forebear" in sys.modules:
        return
    package = ModuleType("forebear")
    package.__path__ = [str(Path(source) / "forebear")]
    package.__dict__["__version__"] = "not installed"
    sys.modules["forebear"] = package


def prepared_path(instance: Instance, directory: Path) -> Path:
    """Name the file of an instance in the prepared directory."""
    return directory / f"{instance.name}{'.cps' if instance.is_collection else '.npz'}"


def write_sets(
    instance: Instance, problem: Problem, directory: Path, target: Path, source: str | None
) -> Path:
    """Score the parent sets of a table; those of a collection are there."""
    path = prepared_path(instance, directory)
    if instance.is_collection:
        return path
    most = problem.max_parents
    if not isinstance(most, int):
        raise ValueError(f"{instance.name}: the sets of this problem grow during the search")
    use_source(source)
    from forebear import _core
    from forebear.parentsets.collection import ParentSets
    from forebear.parentsets.cps import write_cps

    with np.load(path, allow_pickle=False) as file:
        codes, arities = file["codes"], file["arities"].tolist()
    run = _core.Scoring.make(
        table=_core.PackedTable.make(np.ascontiguousarray(codes), arities),
        score=problem.score,
        ess=[1.0],
        chi_squared={},
        max_parents=most,
        threads=1,
        max_sets=0,
        together=True,
        allowed=None,
        required=[],
        byte_limit=1 << 62,
    )
    if run.run(_core.Budget()) != "done":
        raise SystemExit(f"{instance.name} could not be scored")
    names = tuple(map(str, range(len(codes))))
    write_cps(ParentSets(names, *run.arrays(), {}, threads=1), target)
    return target


def search(task: Task) -> Run:
    """Search once on one thread."""
    use_source(task.source)
    from forebear.parentsets.collection import ParentSets
    from forebear.search.algorithm import search as search_sets
    from forebear.search.psminobs import PSMINOBS
    from forebear.search.stop import AnyOf, MaxGenerations, Target

    sets = ParentSets.load(task.sets, threads=1)
    rules: list[Any] = [MaxGenerations(task.generations)]
    if task.is_optimal:
        rules.append(Target(task.best - ROUNDED))
    cpu = time.process_time()
    outcome = search_sets(
        sets,
        PSMINOBS(),
        seed=task.seed,
        stop=AnyOf(*rules),
        started=time.perf_counter(),
        threads=1,
    )
    enough = task.best - NEAR * abs(task.best)
    near = next(((s.generation, s.seconds) for s in outcome.trace if s.score >= enough), None)
    made = outcome.winner.generation
    return Run(task.key, task.seed, outcome.winner.score, made, time.process_time() - cpu, near)


def run_all(tasks: Iterable[Task], jobs: int) -> Iterator[Run]:
    """Run tasks in as many processes, and yield what ends first."""
    # Libraries that start threads of their own would disturb the others.
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, maxtasksperchild=1) as pool:
        yield from pool.imap_unordered(search, tasks, chunksize=1)
