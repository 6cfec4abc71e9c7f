"""Certificates: the checker accepts every proof."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from certificates import FEW_CUTS, certified, check, optimum
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from strategies import pack, parent_set_collections, random_parent_sets

import forebear.checker
from forebear import (
    Exact,
    Knowledge,
    ParentSets,
    find_bound,
    find_network,
)
from forebear._util.errors import ForebearError
from forebear.proof.exact_search import find_exact

BARRED = (-np.inf, ())
NO_CYCLES_LEFT = pack(
    [
        [(0.0, (1,)), (0.0, (3,)), (0.0, (5,)), (-1.0, ())],
        [
            *((0.0, own) for own in ((3,), (5,), (0, 2), (0, 4))),
            *((-0.5, own) for own in ((0,), (2,), (4,))),
            BARRED,
        ],
        [(0.0, ())],
        [(0.0, (0,)), (0.0, (1,)), (-0.5, (2,)), (-1.0, ())],
        [(0.0, ())],
        [(0.0, (0,)), (-1.0, ())],
    ]
)
"""The ascent drops so many sets that no two variables are on a cycle."""


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(sets=parent_set_collections(max_variables=6, required_parents=True))
@example(sets=NO_CYCLES_LEFT)
def test_every_proof_is_accepted(sets: ParentSets, tmp_path: Path) -> None:
    best = optimum(sets)
    if best == -np.inf:
        return
    checked = certified(sets, tmp_path / "proof.cert")
    assert best - 1e-9 <= float(checked.bound) <= best + 1e-5


@pytest.mark.parametrize("seed", range(4))
def test_proofs_with_many_nodes_are_accepted(seed: int, tmp_path: Path) -> None:
    sets = random_parent_sets(10, 25, max_parents=2, seed=seed, grid=3.0)
    checked = certified(sets, tmp_path / "proof.cert", FEW_CUTS)
    assert checked.nodes > 1
    assert float(checked.bound) == pytest.approx(optimum(sets), abs=1e-5)


@pytest.mark.parametrize("most", [40, 60, 120])
def test_unfinished_proofs_are_accepted(most: int, tmp_path: Path) -> None:
    sets = random_parent_sets(30, 200, seed=1)
    steps, path = count(), tmp_path / "proof.cert"
    method = Exact("branch-and-cut")
    result, *_ = find_exact(
        sets, method, certificate=path, seed=1, threads=1, proceed=lambda: next(steps) < most
    )
    assert result.stop_reason == "cancelled"
    assert result.bound is not None
    assert result.score < float(check(path, sets).bound) <= result.bound + 1e-6


@pytest.mark.parametrize("known", [True, False])
def test_bounds_are_accepted(known: bool, tmp_path: Path) -> None:
    sets = random_parent_sets(25, 40, seed=2)
    score = find_network(sets, generations=20, seed=1, certify=False).score if known else None
    path = tmp_path / "bound.cert"
    bound = find_bound(sets, score=score, rounds=60, threads=1, certificate=path)
    checked = check(path, sets)
    assert checked.score is None
    assert float(checked.bound) == pytest.approx(bound.bound, abs=1e-6)


# A cycle, and empty sets that cost as much as the best network: the incumbent rules them out.
NO_NETWORK_LEFT = pack([[(0.0, (1,)), (-0.5, ())], [(0.0, (0,)), (-0.5, ())]])
SMALL_COSTS = pack(
    [[(0.0, (1,)), (0.0, (2,)), (-0.5, ())], [(0.0, ())], [(0.0, (0,)), BARRED]],
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sets=parent_set_collections(max_variables=6, required_parents=True),
    worse=st.none() | st.floats(0, 20),
)
@example(sets=NO_NETWORK_LEFT, worse=0.0)
@example(sets=SMALL_COSTS, worse=2.0)
@example(sets=SMALL_COSTS, worse=1e9)
def test_what_dynamic_programming_solved_is_certified(
    tmp_path: Path, sets: ParentSets, worse: float | None
) -> None:
    """The certificate of a small problem says what the bound says: the best score."""
    best = naive.best_score(naive.as_lists(sets))
    path = tmp_path / "bound.cert"
    score = None if worse is None else best - worse
    if best == -np.inf:
        with pytest.raises(ForebearError, match="there is no network"):
            find_bound(sets, threads=1, certificate=path)
        return
    bound = find_bound(sets, score=score, threads=1, certificate=path)
    assert bound.stop_reason == "optimal"
    certified_bound = float(check(path, sets).bound)
    assert certified_bound >= best - 1e-9 * abs(best)
    assert certified_bound == pytest.approx(bound.bound, rel=1e-9, abs=1e-9)


def test_groups_of_variables_are_certified(tmp_path: Path) -> None:
    """Two groups that are solved one by one, after most sets were dropped."""
    sets = random_parent_sets(20, 30, seed=5)
    score = find_network(sets, algorithm="exact", seed=1, threads=1).score
    path = tmp_path / "bound.cert"
    assert find_bound(sets, score=score, certificate=path).stop_reason == "optimal"
    assert float(check(path, sets).bound) == pytest.approx(score, abs=1e-6)


SETS = random_parent_sets(10, 25, max_parents=2, seed=1)


def test_what_cannot_be_certified_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ForebearError, match="cannot be written"):
        find_network(SETS, certify=tmp_path / "none" / "proof.cert")


@pytest.mark.parametrize("how", [{"time_limit": 20.0}, {"generations": 5}])
def test_knowledge_of_every_kind_is_certified(how: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "proof.cert"
    statements = {"before": [("X7", "X2")], "not_ancestors": [("X4", "X6"), ("X4", "X1")]}
    for kind, pairs in statements.items():
        known = Knowledge(**{kind: pairs})  # type: ignore[arg-type]
        result = find_network(SETS, knowledge=known, certify=path, seed=1, threads=1, **how)
        assert not known.violations(result)
        assert result.parent_sets is not None
        checked = check(path, result.parent_sets)
        assert result.bound is not None
        assert float(checked.bound) == pytest.approx(result.bound, abs=1e-5)
        assert len(checked.statements[kind]) == len(pairs)


def test_the_checker_imports_nothing_else_of_forebear() -> None:
    modules = Path(forebear.checker.__file__).parent.glob("*.py")
    text = "".join(path.read_text("utf-8") for path in modules)
    imported = re.findall(r"^ *(?:from|import) (forebear[\w.]*)", text, re.MULTILINE)
    assert all(name.startswith("forebear.checker.") for name in imported)
