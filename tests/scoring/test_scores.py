"""Scores: the core against brute force, and the numbers of published data sets."""

from __future__ import annotations

import itertools

import naive
import naive_scores
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoredsets import (
    PRIORS,
    TOLERANCE,
    assert_by_definition,
    assert_same_sets,
    score_of,
    scored_by,
)
from strategies import datasets
from tables import shared_table, using_kernels

from forebear import BIC, BDeu, Dataset, _core, score_parent_sets
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import make_job
from forebear.scoring.score_job import score_job
from forebear.scoring.scores import SCORES, Score, as_score


@settings(max_examples=250)
@given(
    datasets(max_variables=6, max_rows=40),
    st.integers(0, 5),
    scored_by(),
    PRIORS,
    st.sampled_from(_core.available_kernels()),
    st.integers(1, 3),
)
def test_sets_equal_brute_force(
    data: Dataset, max_parents: int, name: str, prior: str | float, kernels: str, threads: int
) -> None:
    """Every score, prior, in-degree and instruction set keeps what the definition keeps."""
    max_parents, score = min(max_parents, data.n_variables - 1), score_of(name, prior)
    with using_kernels(kernels):
        sets = score_parent_sets(data, score=score, max_parents=max_parents, threads=threads)
    expected = naive.parent_sets(data, max_parents, name, prior=prior)
    assert_same_sets(naive.as_lists(sets), expected)
    assert_by_definition(sets, data, score)


@given(datasets(max_variables=5, max_rows=40), st.sampled_from(sorted(SCORES)), st.data())
def test_local_scores_equal_brute_force(data: Dataset, score: str, draw: st.DataObject) -> None:
    child = draw.draw(st.integers(0, data.n_variables - 1))
    others = [v for v in range(data.n_variables) if v != child]
    parents = draw.draw(st.lists(st.sampled_from(others), unique=True)) if others else []
    assert as_score(score).local(data, child, parents) == pytest.approx(
        naive_scores.local_score(data, child, parents, score), rel=TOLERANCE, abs=1e-8
    )


@given(
    datasets(min_variables=2, max_variables=6, max_rows=30),
    scored_by(),
    PRIORS,
    st.data(),
)
def test_constraints_equal_brute_force(
    data: Dataset, name: str, prior: str | float, draw: st.DataObject
) -> None:
    """Required and forbidden parents, and a limit on the sets, restrict what is kept."""
    n = data.n_variables
    max_parents = draw.draw(st.integers(1, min(3, n - 1)))
    arcs = list(itertools.permutations(range(n), 2))
    chosen = draw.draw(st.lists(st.sampled_from(arcs), unique=True))
    required: dict[int, list[int]] = {}
    forbidden: dict[int, list[int]] = {}
    for child, parent in chosen:
        # Required arcs that ascend cannot form a cycle.
        few = child > parent and len(required.get(child, ())) < max_parents
        kind = required if few and draw.draw(st.booleans()) else forbidden
        kind.setdefault(child, []).append(parent)
    limit = draw.draw(st.one_of(st.none(), st.integers(2, 8)))
    job = make_job(
        data,
        score=score_of(name, prior),
        max_parents=max_parents,
        constraints=Constraints.make(data.n_variables, required=required, forbidden=forbidden),
        max_sets_per_variable=limit,
        threads=2,
    )
    sets = score_job(job)
    expected = naive.parent_sets(data, max_parents, name, required, forbidden, prior=prior)
    if limit is not None:
        assert (sets.counts <= limit).all()
        expected = [[*e[: limit - 1], e[-1]] if len(e) > limit else e for e in expected]
    for mine, theirs in zip(naive.as_lists(sets), expected, strict=True):
        np.testing.assert_allclose([s for s, _ in mine][:1], [s for s, _ in theirs][:1], atol=1e-8)
    if limit is None:
        assert_same_sets(naive.as_lists(sets), expected)


@pytest.mark.parametrize("score", ["bdeu", "bds"])
@pytest.mark.parametrize("ess", [1e-6, 0.3, 1.0, 7.5, 40.0, 1e4])
def test_counts_of_every_size(score: str, ess: float) -> None:
    """Terms are sums of logarithms from one exact value to the next, as the definition says."""
    rng = np.random.default_rng(3)
    likely = rng.choice(3, size=(4, 20_000), p=[0.9, 0.098, 0.002]).astype(np.int32)
    likely[1] = np.where(rng.random(20_000) < 0.6, likely[0], likely[1])
    data = Dataset(likely, tuple("abcd"), (("x", "y", "z"),) * 4)
    made = as_score(score, ess=ess)
    sets = score_parent_sets(data, score=made, max_parents=3)
    assert_by_definition(sets, data, made)


@pytest.mark.parametrize("states", ["xy", "xyz"])
@pytest.mark.parametrize("score", [BDeu(), BDeu(ess=40.0), BDeu(ess="auto"), BIC()])
def test_counts_beyond_those_tabulated(score: Score, states: str) -> None:
    """Tables of BDeu are shorter if variables are not all binary."""
    codes = np.zeros((3, 1_200_000), np.uint8)
    codes[0, :1_100_000] = codes[1, 50_000:1_190_000] = 1
    codes[2, ::2] = len(states) - 1
    data = Dataset(codes, ("a", "b", "c"), (("x", "y"), ("x", "y"), tuple(states)))
    sets = score_parent_sets(data, score=score, max_parents=2, threads=1)
    assert_by_definition(sets, data, score)


@pytest.mark.parametrize("ess", [0.3, 40.0])
def test_many_rows_with_real_weights(ess: float) -> None:
    rng = np.random.default_rng(4)
    codes = rng.choice(3, size=(3, 30_000), p=[0.9, 0.098, 0.002])
    codes[1] = np.where(rng.random(30_000) < 0.6, codes[0], codes[1])
    weights = rng.integers(1, 20, 30_000)
    data = Dataset(codes, tuple("abc"), (("x", "y", "z"),) * 3, copies=10, weights=weights)
    score = BDeu(ess=ess)
    assert_by_definition(score_parent_sets(data, score=score, max_parents=2), data, score)


# Table 6 of the paper where it has the data; sums of the best and of the empty sets' scores.
PUBLISHED = [
    ("paper/audio-train.data", 3, 7_343_077, -604_666.6, -735_857.1),
    ("paper/jester-train.data", 3, 10_307_532, -484_503.0, -573_792.6),
    pytest.param(
        *("paper/pumsb-star-test.data", 3, 19_346_718, -34_128.4, -186_627.1),
        marks=pytest.mark.slow,
    ),
    pytest.param(
        *("paper/reuters-test.data", 2, 10_487_832, -128_160.1, -166_613.4), marks=pytest.mark.slow
    ),
]


@pytest.mark.parametrize(("name", "max_parents", "kept", "best", "empty"), PUBLISHED)
def test_published_counts(
    name: str, max_parents: int, kept: int, best: float, empty: float
) -> None:
    sets = score_parent_sets(shared_table(name), max_parents=max_parents, threads=2)
    assert len(sets) == kept
    assert sets.scores[sets.offsets[:-1]].sum() == pytest.approx(best, abs=0.06)
    assert sets.scores[sets.offsets[1:] - 1].sum() == pytest.approx(empty, abs=0.06)


def test_a_column_of_one_state_adds_nothing() -> None:
    """A parent of one state leaves every score as it is, to the last bit: such sets all go.

    Scorers that add up floating-point numbers keep thousands of them here,
    those whose rounding happened to come out higher.
    """
    plants = shared_table("small/plants.valid.data")
    (constant,) = np.flatnonzero(plants.codes.max(axis=1) == 0).tolist()
    declared = Dataset(
        codes=plants.codes,
        names=plants.names,
        states=tuple(s[:1] if v == constant else s for v, s in enumerate(plants.states)),
    )
    sets = score_parent_sets(declared, max_parents=3)
    assert len(sets) == 988_125
    assert sets.counts[constant] == 1
    assert not (sets.parents == constant).any()
