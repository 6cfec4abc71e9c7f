"""Scores of tables with missing values: the core, NumPy and brute force agree."""

from __future__ import annotations

import math
from dataclasses import replace

import naive
import naive_missing
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_missing import random_missing, with_missing
from scoredsets import (
    PRIORS,
    TOLERANCE,
    assert_by_definition,
    assert_same_sets,
    score_of,
    scored_by,
)
from strategies import datasets
from tables import random_table, using_kernels

from forebear import ForebearError, Network, _core, score_network, score_parent_sets, simulate
from forebear.data.dataset import Dataset
from forebear.scoring.constraints import Constraints
from forebear.scoring.growing_sets import GrowingSets
from forebear.scoring.job import make_job
from forebear.scoring.score_job import score_job
from forebear.scoring.scores import SCORES, as_score

GAPS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 59)), max_size=60)


@settings(max_examples=220)
@given(
    datasets(max_variables=5, max_rows=30),
    GAPS,
    st.integers(0, 4),
    scored_by(),
    PRIORS,
    st.sampled_from(_core.available_kernels()),
    st.integers(1, 3),
)
def test_sets_equal_brute_force(
    data: Dataset,
    missing: list[tuple[int, int]],
    max_parents: int,
    name: str,
    prior: str | float,
    kernels: str,
    threads: int,
) -> None:
    """Every score, in-degree and instruction set keeps what the definition keeps."""
    data = with_missing(data, missing)
    max_parents, score = min(max_parents, data.n_variables - 1), score_of(name, prior)
    with using_kernels(kernels):
        sets = score_parent_sets(data, score=score, max_parents=max_parents, threads=threads)
    expected = naive_missing.parent_sets(data, max_parents, name, prior)
    assert_same_sets(naive.as_lists(sets), expected)
    assert_by_definition(sets, data, score)


@given(datasets(max_variables=5, max_rows=30), GAPS, st.sampled_from(sorted(SCORES)), st.data())
def test_local_scores_equal_brute_force(
    data: Dataset, missing: list[tuple[int, int]], score: str, draw: st.DataObject
) -> None:
    data = with_missing(data, missing)
    child = draw.draw(st.integers(0, data.n_variables - 1))
    others = [v for v in range(data.n_variables) if v != child]
    parents = draw.draw(st.lists(st.sampled_from(others), unique=True)) if others else []
    expected = naive_missing.value(data, child, tuple(sorted(parents)), score)
    found = as_score(score).local(data, child, parents)
    assert found == pytest.approx(expected, rel=TOLERANCE, abs=1e-8)


@given(datasets(max_variables=4, max_rows=30), st.sampled_from(sorted(SCORES)))
def test_without_missing_values_it_is_the_ordinary_score(data: Dataset, score: str) -> None:
    complete = score_parent_sets(data, score=score, max_parents=data.n_variables - 1)
    ready = replace(data, missing="available")
    assert not ready.has_missing
    assert ready.fingerprint == data.fingerprint
    same = score_parent_sets(ready, score=score, max_parents=data.n_variables - 1)
    assert naive.as_lists(same) == naive.as_lists(complete)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("arities", [(2, 3, 2, 4, 2), (20, 3, 2, 4, 18), (3, 300, 4, 2, 30)])
def test_many_states(score: str, arities: tuple[int, ...]) -> None:
    """Bit vectors, tables of cells and sorted rows count alike."""
    data = dependent_missing(random_table(arities, 200, seed=4))
    sets = score_parent_sets(data, score=score, max_parents=4, threads=2)
    assert_by_definition(sets, data, score)


def dependent_missing(data: Dataset) -> Dataset:
    """Remove values of the first column by the value of the last, others at random."""
    holes = random_missing(data, 0.2)
    rng = np.random.default_rng(1)
    likely = np.where(data.codes[-1] == 0, 0.1, 0.6)
    first = np.where(rng.random(data.n_rows) < likely, data.arities[0], data.codes[0])
    codes = holes.codes.copy()
    codes[0], codes[-1] = first, data.codes[-1]
    return replace(holes, codes=codes)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("states", [(2, 2), (2, 4), (2, 20)])
def test_growing_sets_have_the_same_scores(score: str, states: tuple[int, int]) -> None:
    data = dependent_missing(simulate(6, 200, states=states, seed=3).data)
    job = make_job(data, score=score, max_parents=1)
    growing = GrowingSets(score_job(job), job, [4] * 6, 10**9)
    rng = np.random.default_rng(0)
    for threads in (1, 2, 3):
        counts = growing.sets().counts
        networks = [rng.integers(0, counts).astype(np.int32) for _ in range(3)]
        growing.grow(networks, threads, _core.Budget(None))
    sets = growing.sets()
    assert_by_definition(sets, data, score)
    walked = score_parent_sets(data, score=score, max_parents=2)
    for v in range(6):
        best = walked.at(v, 1)
        if len(best.parents) < 2:  # all single parents were scored
            assert sets.at(v, 1).score >= best.score - 1e-9


def test_constraints_are_respected() -> None:
    data = random_missing(simulate(6, 300, seed=5).data, 0.3)
    constraints = Constraints.make(data.n_variables, required={1: [0]}, forbidden={2: [0, 1]})
    sets = score_job(make_job(data, max_parents=3, constraints=constraints))
    assert all(0 in one.parents for one in sets.of(1) if one.parents)
    assert all(not {0, 1} & set(one.parents) for one in sets.of(2))
    assert_by_definition(sets, data)


def test_a_family_without_a_common_row_is_never_kept() -> None:
    data = random_table([2, 2, 2], 20)
    holes = with_missing(data, [(0, r) for r in range(10)] + [(1, r) for r in range(10, 20)])
    sets = score_parent_sets(holes, score="ll", max_parents=2)
    assert all(1 not in one.parents for one in sets.of(0))
    assert as_score("ll").local(holes, 0, [1]) == -math.inf


@given(datasets(max_variables=4, max_rows=20), st.sampled_from(sorted(SCORES)))
def test_copies_of_every_row_score_as_the_rows(data: Dataset, score: str) -> None:
    copied = replace(data, codes=np.repeat(data.codes, 3, axis=1), copies=3)
    most = data.n_variables - 1
    assert_same_sets(
        naive.as_lists(score_parent_sets(copied, score=score, max_parents=most)),
        naive.as_lists(score_parent_sets(data, score=score, max_parents=most)),
    )


@pytest.mark.parametrize("score", SCORES)
def test_expected_counts_need_not_be_whole(score: str) -> None:
    data = replace(random_table([2, 3, 2, 4], 100, seed=7), copies=4)
    sets = score_parent_sets(data, score=score, max_parents=3)
    assert_by_definition(sets, data, score)
    assert sets.provenance["rows"] == 25


CHAIN = Network(("X0", "X1", "X2", "X3"), ((), (0,), (1,), (0, 2)))


def test_em_completes_rows_between_searches() -> None:
    data = random_missing(random_table([2, 3, 2, 4], 50), 0.3, "em")
    assert score_parent_sets(data).provenance["missing"] == "available"
    with pytest.raises(ForebearError, match='missing="em" completes the rows between searches'):
        score_job(make_job(data, score=as_score("bdeu"), max_parents=1, threads=1))
    assert score_network(CHAIN, data) == score_network(CHAIN, data)  # the same draws
    assert math.isfinite(score_network(CHAIN, data))
