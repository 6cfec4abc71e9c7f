"""All ways to count and to walk give the same sets, which are those of the definition."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import naive
import numpy as np
import pytest
from scoredsets import assert_by_definition, assert_identical, assert_same_sets, score_of
from tables import random_table, using_kernels

from forebear import Knowledge, _core, score_parent_sets
from forebear.network.simulation import simulate
from forebear.parentsets.collection import ParentSets
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import Job, ScoringRun, make_job
from forebear.scoring.scores import SCORES

# Tables by the way that they are counted, with the in-degree to score them at.
SHAPES = {
    "bits, many rows": (random_table([2] * 6, 5_000), 3),
    "bits, a whole word of rows": (random_table([2] * 7, 64), 3),
    "bits, one row more": (random_table([2] * 7, 65), 3),
    "bits, several states": (random_table([3, 2, 4, 2, 5, 3], 3_000), 3),
    "groups, few rows": (random_table([9, 12, 7, 15, 10], 25), 3),
    "bits and groups": (random_table([2, 2, 16, 17, 3, 2, 40], 400), 2),
    "wide": (random_table([17, 300, 2, 100, 3], 500), 2),
    "wide, two bytes": (random_table([300, 257, 1_000, 2], 300), 2),
    "constant columns": (random_table([2, 1, 3, 1, 2], 100), 3),
    "one row": (random_table([2, 3, 2, 20], 1), 2),
    "two rows": (random_table([2, 2, 2], 2), 2),
    "one column": (random_table([3], 50), 1),
    "one constant column": (random_table([1], 50), 1),
    "two columns": (random_table([2, 3], 50), 1),
    "no parents": (random_table([2, 3, 2], 50), 0),
}


@cache
def by_brute_force(shape: str, score: str) -> naive.ScoredSets:
    """The sets of the definition, computed once for all kernels."""
    return naive.parent_sets(*SHAPES[shape], score)


@pytest.mark.parametrize("kernels", _core.available_kernels())
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_equal_brute_force(shape: str, kernels: str) -> None:
    data, max_parents = SHAPES[shape]
    for score in ("bdeu", "bic"):
        with using_kernels(kernels):
            sets = score_parent_sets(data, score=score, max_parents=max_parents, threads=2)
        assert_same_sets(naive.as_lists(sets), by_brute_force(shape, score))


def test_long_lists_are_ranked() -> None:
    """Long enough to be sorted by radix."""
    sets = score_parent_sets(random_table([2] * 15, 300), score="ll", max_parents=6, threads=2)
    assert sets.counts.min() > 2_048
    for v in range(15):
        found = [(-one.score, len(one.parents), one.parents) for one in sets.of(v)]
        assert found == sorted(found)


def test_more_parents_than_the_binary_kernel_takes() -> None:
    data = random_table([2] * 10, 400, seed=3)
    sets = score_parent_sets(data, score="ll", max_parents=9)
    assert sets.max_parents == 9
    assert_by_definition(sets, data, "ll", 300)


@pytest.mark.parametrize("name", [*SCORES, "bdeu auto"])
def test_scores_are_those_of_the_definition(name: str) -> None:
    """A sample of all that is kept, of a table too large for brute force."""
    data, score = simulate(25, 20_000, states=(2, 9), seed=3).data, score_of(name)
    sets = score_parent_sets(data, score=score, max_parents=3)
    assert_by_definition(sets, data, score, 400)


@pytest.mark.parametrize("rows", [5_000, 9_000])
def test_regrets_beyond_the_summed_ones(rows: int) -> None:
    """The core's expansion for many rows meets the exact sum of the definition."""
    data = random_table([2, 3, 4], rows)
    sets = score_parent_sets(data, score="fnml", max_parents=2)
    assert_by_definition(sets, data, "fnml", 20)


@pytest.mark.parametrize("name", ["bdeu", "bds", "fnml", "bdeu auto"])
def test_bytes_do_not_depend_on_threads_and_kernels(name: str, tmp_path: Path) -> None:
    data = simulate(40, 500, states=(2, 4), seed=1).data
    written = set()
    for threads in (1, 2, 3):
        for kernels in _core.available_kernels():
            with using_kernels(kernels):
                score = score_of(name)
                sets = score_parent_sets(data, score=score, max_parents=3, threads=threads)
            sets.save(tmp_path / "sets.cps")
            written.add((tmp_path / "sets.cps").read_bytes())
    assert len(written) == 1


@pytest.mark.parametrize("score", SCORES)
def test_separate_walks_for_each_variable(score: str) -> None:
    """Few candidates make walks for each variable the shorter way; they find the same."""
    data = simulate(30, 300, states=(2, 3), seed=5).data
    rng = np.random.default_rng(0)
    few = {v: set(rng.choice(30, 8, replace=False).tolist()) - {v} for v in range(30)}
    forbidden = {v: set(range(30)) - few[v] - {v} for v in range(30)}
    constraints = Constraints.make(data.n_variables, forbidden=forbidden)
    job = make_job(data, score=score, max_parents=3, threads=2, constraints=constraints)
    assert not job.shared_walk
    separate, shared = _run(job), _run(_in_one_walk(job))
    assert_identical(separate, shared)
    assert all(set(parents) <= few[v] for v in range(30) for _, _, parents in separate.of(v))


def test_a_variable_with_fewer_candidates_than_parents() -> None:
    data = simulate(12, 200, seed=2).data
    forbidden = {v: [p for p in range(12) if p > 1 and p != v] for v in range(12)}
    constraints = Constraints.make(data.n_variables, forbidden=forbidden)
    job = make_job(data, max_parents=4, constraints=constraints)
    assert not job.shared_walk
    assert_same_sets(
        naive.as_lists(_run(job)), naive.parent_sets(data, 4, "bdeu", forbidden=forbidden)
    )


def _in_one_walk(job: Job) -> Job:
    """The same job, walked the way that it would not choose."""
    other = replace(job)
    vars(other)["shared_walk"] = True
    return other


def _run(job: Job) -> ParentSets:
    run = ScoringRun(job)
    assert run.run() == "done"
    assert run.done == job.work
    return run.collect()


def test_max_sets_per_variable() -> None:
    """The best are kept, and the empty set in any case."""
    data = simulate(30, 1_000, seed=4).data
    everything = score_parent_sets(data, max_parents=3, threads=2)
    for most in (1, 2, 7, 100, 10**6):
        sets = score_parent_sets(data, max_parents=3, threads=2, max_sets_per_variable=most)
        for v in range(30):
            full = list(everything.of(v))
            wanted = full if len(full) <= most else [*full[: most - 1], full[-1]]
            assert [(s, p) for _, s, p in sets.of(v)] == [(s, p) for _, s, p in wanted]


def test_max_sets_with_required_parents() -> None:
    data = simulate(10, 200, seed=4).data
    known = Knowledge(required={0: [1]})
    sets = score_parent_sets(data, max_parents=3, knowledge=known, max_sets_per_variable=3)
    assert [len(p) > 0 and 1 in p for _, _, p in sets.of(0)] == [True, True, False]
    assert sets.at(0, 3).score == -np.inf
    only = score_parent_sets(data, max_parents=3, knowledge=known, max_sets_per_variable=1)
    assert only.at(0, 1).parents == ()
